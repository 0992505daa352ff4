/** Prints how many lines ship, of the core and of each annex, and how the rooms hang together: `npm run house`. */
import { countLines, faceOf, findAnnexImports, readGraph, ROOT, roomsOf } from "./house.ts";

const graph = readGraph(ROOT);
const { core, annexes } = countLines(graph);
const rooms = roomsOf(graph);
const arrows = [...rooms.values()].reduce((sum, { imported }) => sum + imported.length, 0);
const all = [...annexes.values()].reduce((sum, lines) => sum + lines, 0);
const row = (name: string, lines: number): string => `${name.padEnd(24)}${lines.toLocaleString("en").padStart(8)}\n`;
process.stdout.write(
  [
    row("core", core),
    row("annexes", all),
    ...[...annexes].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, lines]) => row(`  ${name}`, lines)),
    `${rooms.size} rooms, ${arrows} arrows; ${findAnnexImports(graph).length} imports lead from the core into an annex; ${faceOf(graph).length} files of snapshots/ are imported from outside\n`,
  ].join(""),
);
