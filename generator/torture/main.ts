/** Torture: what must hold whatever happens to a shelf, tried thousands of times. Decoys in the system's folder for temporary files
 *  only; nothing else is touched.
 *
 *      npm run torture                                  every part, with a seed of its own
 *      npm run torture -- --part damage --seed 7        one part; the same seed does the same again
 *      npm run torture -- --part damage --count 20000
 *
 *  Exit code 1 when something did not hold; each failure is said with what makes it again. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openProgress } from "../progress.ts";
import { type DamageReport, tortureWithDamage } from "./damage.ts";
import { makeDamagedLibrary } from "./damaged-library.ts";

const { values } = parseArgs({
  options: { part: { type: "string", multiple: true }, seed: { type: "string" }, count: { type: "string", default: "5000" } },
});
const PARTS: Readonly<Record<string, (dir: string, seed: number, count: number) => Promise<DamageReport>>> = {
  async damage(dir, seed, count) {
    const progress = openProgress();
    return tortureWithDamage(await makeDamagedLibrary(dir), {
      seed,
      count,
      together: 16,
      onProgress: (done, failed) => progress.step(`damage, ${failed} failed`, done, count),
    }).finally(() => progress.end());
  },
};

const wanted = values.part ?? Object.keys(PARTS);
for (const part of wanted)
  if (!Object.hasOwn(PARTS, part)) throw new Error(`there is no part ${part}; parts: ${Object.keys(PARTS).join(", ")}`);
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 32));
for (const part of wanted) {
  const dir = await mkdtemp(join(tmpdir(), `proofshelf-torture-${part}-`));
  try {
    const report = await PARTS[part]?.(dir, seed, Number(values.count));
    if (report !== undefined) process.stdout.write(describe(part, report));
    if (report !== undefined && report.failures.length > 0) process.exitCode = 1;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
process.exit();

function describe(part: string, { damages, repairs, verdicts, failures }: DamageReport): string {
  const rows = [...verdicts].sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    `${part}, seed ${seed}: ${damages} damages, ${repairs} repairs, ${failures.length} failures`,
    ...rows.map(([row, counts]) => `  ${row.padEnd(26)}${[...counts].map(([verdict, count]) => `${verdict} ${count}`).join(", ")}`),
    ...failures.map((failure) => `FAILED ${failure}`),
    "",
  ].join("\n");
}
