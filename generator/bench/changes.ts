/** How a shelf grows that is built each day: a library of notes, one of them changed before each build. */
import { readdirSync, statSync } from "node:fs";
import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { type Figure, figuresAt, median } from "./figure.ts";
import { measureBuild, writeConfig } from "./library.ts";
import { writeNotes } from "./notes.ts";

const NOTES = 1_000;
const CHANGES = 30;
const MAX_GROWTH = 1.5;

/** benchChanges measures what a change costs.
 *  @param folder a new one */
export async function benchChanges(folder: string): Promise<readonly Figure[]> {
  const keys = await writeNotes(folder, NOTES);
  const config = await writeConfig(folder, "Notes that change", ["notes"]);
  await measureBuild(config);
  const first = sizesOf(join(folder, "shelf"));
  const costs: number[] = [];
  for (let change = 0; change < CHANGES; change++) {
    await appendFile(join(folder, "library", keys[change * 31] ?? ""), `\nChange ${change}.\n`);
    const { cost, summary } = await measureBuild(config);
    if (!summary.published) throw new Error("A build of a changed library published nothing.");
    costs.push(cost.cpu_s);
  }
  const last = sizesOf(join(folder, "shelf"));
  const most = figuresAt(`${NOTES.toLocaleString("en")} notes`);
  const grown = [...last].map(([part, bytes]) => `${part} ${mb(first.get(part) ?? 0)} → ${mb(bytes)}`);
  return [
    most(
      `${CHANGES} builds of one change each, shelf after them, of the first`,
      sum(last) / sum(first),
      "×",
      MAX_GROWTH,
      `${grown.join(", ")} MB; each build ${median(costs).toFixed(1)} s of processor`,
    ),
  ];
}

const sum = (sizes: ReadonlyMap<string, number>): number => [...sizes.values()].reduce((all, bytes) => all + bytes, 0);
const mb = (bytes: number): string => (bytes / 1e6).toFixed(1);

/** Bytes of the files of a shelf by their folder in it. */
function sizesOf(shelf: string): ReadonlyMap<string, number> {
  const sizes = new Map<string, number>();
  for (const entry of readdirSync(shelf, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const part = path
      .slice(shelf.length + 1)
      .split("/")
      .slice(0, 2)
      .join("/");
    sizes.set(part, (sizes.get(part) ?? 0) + statSync(path).size);
  }
  return sizes;
}
