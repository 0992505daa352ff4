/** What it costs to follow a pointer that does not move, in a process of its own. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

const DAY = 86_400; // seconds
/** Looks beside what the system tells: one a minute. */
const LOOKS = DAY / 60;

test("an idle day of following is under a second of processor", (t) => {
  const dir = mkdtempSync(join(tmpdir(), "proofshelf-watch-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const program = `
    const { watchPointer } = await import(${JSON.stringify(import.meta.resolve("./watch-pointer.ts"))});
    const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
    watchPointer([process.argv[1]], () => undefined);
    await wait(3_000);
    const used = async (ms, times) => {
      let least = Infinity;
      for (let time = 0; time < times; time++) {
        const before = process.cpuUsage();
        await wait(ms);
        const { user, system } = process.cpuUsage(before);
        least = Math.min(least, (user + system) / 1e6);
      }
      return least;
    };
    process.stdout.write(JSON.stringify([await used(500, 6), await used(10_500, 3)]));
    process.exit(0);
  `;
  const { stdout, stderr } = spawnSync(process.execPath, [...process.execArgv, "--input-type=module", "-e", program, dir], {
    encoding: "utf8",
  });
  assert.notEqual(stdout, "", stderr);
  const [wakening = 0, long = 0] = JSON.parse(stdout) as number[];
  // Both windows end with one wakening, which is what a look costs, too.
  const day = ((long - wakening) / 10) * DAY + wakening * LOOKS;
  t.diagnostic(`${day.toFixed(2)} s a day, of which ${(wakening * LOOKS).toFixed(2)} are looks`);
  assert.ok(day < 1, `${day} s a day`);
});
