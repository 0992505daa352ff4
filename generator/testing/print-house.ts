/** Prints how many lines there are of each kind, what ships by room and by annex, and how the rooms hang together: `npm run house`. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { countLines, findAnnexImports, findPastFaces, readGraph, ROOT, roomsOf, ships, topOf } from "./house.ts";
import { readCommentWords } from "./words.ts";

const graph = readGraph(ROOT);
const { kinds, core, annexes } = countLines(graph);
const sidecar = new Map([...graph].filter(([path]) => topOf(path) === "sidecar"));
const rooms = roomsOf(graph);
const arrows = [...rooms.values()].reduce((sum, { imported }) => sum + imported.length, 0);
const sum = (map: ReadonlyMap<string, number>): number => [...map.values()].reduce((all, lines) => all + lines, 0);
const row = (name: string, lines: number): string => `${name.padEnd(32)}${lines.toLocaleString("en").padStart(8)}\n`;
const rows = (map: ReadonlyMap<string, number>): string[] =>
  [...map].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, lines]) => row(`  ${name}`, lines));
const words = [...graph.keys()].filter(ships).map((path) => readCommentWords(path, readFileSync(join(ROOT, path), "utf8")));
const exported = words.reduce((all, one) => all + one.exported, 0);
const unnamed = words.reduce((all, one) => all + one.unnamed.length, 0);
process.stdout.write(
  [
    ...["prod", "tests", "support", "tools"].map((kind) => row(kind, kinds.get(kind) ?? 0)),
    row("core", sum(core)),
    ...rows(core),
    row("annexes", sum(annexes)),
    ...rows(annexes),
    row("sidecar with its annexes", countLines(sidecar).kinds.get("prod") ?? 0),
    `${rooms.size} rooms, ${arrows} arrows; ${findAnnexImports(graph).length} imports lead from the core into an annex, ${findPastFaces(graph).length} past a face\n`,
    `${exported} doc comments of exports, ${Math.round(100 * (1 - unnamed / exported))} % begin with their name\n`,
  ].join(""),
);
