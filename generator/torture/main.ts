/** Torture: what must hold whatever happens to a shelf, tried again and again on decoys in the system's folder for temporary files.
 *
 *      npm run torture                                  all parts, with a seed of its own
 *      npm run torture -- --part damage --seed 7        one part; the same seed does the same again
 *      npm run torture -- --part damage --count 20000   more damages; by default a byte of every file, and 500 rounds of 4 damages
 *      npm run torture -- --part leaks --count 10000    more gated texts planted in public files
 *      npm run torture -- --part tamper --count 10000   a public shelf that lies over HTTP, and who finds it
 *      npm run torture -- --part tamper --clean 100     with so many looks at one that does not lie
 *      npm run torture -- --part bucket --count 10000   faults of an object storage's requests
 *      npm run torture -- --part builders --count 100   builders killed at random requests to a bucket
 *      npm run torture -- --part races --count 200      sixteen publishers at the same moment, so many times
 *      npm run torture -- --part followers --count 50   publications beside two site servers and a sidecar
 *      npm run torture -- --part faults --every 1       each call that changes a file, and not each 25th: hours
 *      npm run torture -- --part faults --command prune --kind power --call 7
 *
 *  Exit code 1 when something did not hold; each failure is said with what makes it again. */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type CephServer, makeBucket, NoCeph, startCeph, useCredentials } from "../../snapshots/annex/bucket/ceph-fixture.ts";
import { openProgress } from "../files/progress.ts";
import { tortureWithBucket } from "./bucket.ts";
import { tortureBuilders } from "./builders.ts";
import { type DamageReport, tortureWithDamage } from "./damage.ts";
import { makeDamagedLibrary } from "./damaged-library.ts";
import { changeEveryFile } from "./every-file.ts";
import { FAULT_COMMANDS, FAULT_KINDS, tortureWithFaults } from "./faults.ts";
import { tortureFollowers } from "./followers.ts";
import { tortureWithLeaks } from "./leaks.ts";
import { tortureWithRaces } from "./races.ts";
import { tortureWithTampering } from "./tamper.ts";

const { values } = parseArgs({
  options: {
    part: { type: "string", multiple: true },
    seed: { type: "string" },
    count: { type: "string" },
    clean: { type: "string" },
    every: { type: "string", default: "25" },
    call: { type: "string" },
    command: { type: "string", multiple: true },
    kind: { type: "string", multiple: true },
  },
});
const progress = openProgress();

/** @returns how many did not hold */
const PARTS: Readonly<Record<string, () => Promise<number>>> = {
  async damage() {
    const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 32));
    const count = Number(values.count ?? 2000);
    const dir = await mkdtemp(join(tmpdir(), "proofshelf-torture-damage-"));
    try {
      const library = await makeDamagedLibrary(dir);
      const every = await changeEveryFile(library, {
        seed,
        onProgress: (done, all, failed) => progress.step(`a byte of every file, ${failed} failed`, done, all),
      });
      progress.end();
      process.stdout.write(
        `a byte of every file, seed ${seed}: ${every.files} files, ${every.told} told, ${every.failures.length} failures\n`,
      );
      for (const [why, number] of every.harmless) process.stdout.write(`  ${String(number).padEnd(6)}harmless: ${why}\n`);
      for (const failure of every.failures) process.stdout.write(`FAILED ${failure}\n`);
      await library.reset();
      const report = await tortureWithDamage(library, {
        seed,
        count,
        together: 4,
        onProgress: (done, failed) => progress.step(`damage, ${failed} failed`, done, count),
        onFailure: (failure) => process.stdout.write(`FAILED ${failure}\n`),
      });
      progress.end();
      process.stdout.write(describe(seed, report));
      return every.failures.length + report.failures.length;
    } finally {
      await rm(dir, { recursive: true, force: true });
    }
  },
  async leaks() {
    const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 32));
    const count = Number(values.count ?? 1000);
    const dir = await mkdtemp(join(tmpdir(), "proofshelf-torture-leaks-"));
    try {
      const { planted, failures } = await tortureWithLeaks(dir, { seed, count, onProgress: (done) => progress.step("leaks", done, count) });
      progress.end();
      const all = planted.values().reduce((sum, number) => sum + number, 0);
      process.stdout.write(`leaks, seed ${seed}: ${all} planted, ${failures.length} failures\n`);
      for (const [channel, number] of planted) process.stdout.write(`  ${channel.padEnd(26)}${number}\n`);
      for (const failure of failures) process.stdout.write(`FAILED ${failure}\n`);
      return failures.length;
    } finally {
      await rm(dir, { recursive: true, force: true });
    }
  },
  async tamper() {
    const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 32));
    const count = Number(values.count ?? 1000);
    const dir = await mkdtemp(join(tmpdir(), "proofshelf-torture-tamper-"));
    try {
      const { verdicts, failures } = await tortureWithTampering(dir, {
        seed,
        count,
        clean: Number(values.clean ?? Math.ceil(count / 100)),
        onProgress: (done, failed) => progress.step(`tamper, ${failed} failed`, done, count),
      });
      progress.end();
      process.stdout.write(`tamper, seed ${seed}: ${count} times, ${failures.length} failures\n${describeVerdicts(verdicts)}`);
      for (const failure of failures) process.stdout.write(`FAILED ${failure}\n`);
      return failures.length;
    } finally {
      await rm(dir, { recursive: true, force: true });
    }
  },
  async builders() {
    const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 32));
    const count = Number(values.count ?? 100);
    return withCeph(async (server) => {
      const { killed, moved, failures } = await tortureBuilders(tmpdir(), await makeBucket(server), {
        seed,
        count,
        onProgress: (done) => progress.step("builders", done, count),
      });
      progress.end();
      process.stdout.write(`builders, seed ${seed}: ${count} builds, ${killed} killed, ${moved} published, ${failures.length} failures\n`);
      for (const failure of failures) process.stdout.write(`FAILED ${failure}\n`);
      return failures.length;
    });
  },
  async races() {
    const count = Number(values.count ?? 200);
    return withCeph(async (server, folder) => {
      const { won, lost, failures } = await tortureWithRaces(folder, await makeBucket(server), {
        rounds: count,
        onProgress: (done) => progress.step("races", done, count),
      });
      progress.end();
      process.stdout.write(`races: ${count} rounds, ${won} won, ${lost} lost, ${failures.length} failures\n`);
      for (const failure of failures) process.stdout.write(`FAILED ${failure}\n`);
      return failures.length;
    });
  },
  async followers() {
    const count = Number(values.count ?? 50);
    return withCeph(async (server, folder) => {
      const { answers, failures } = await tortureFollowers(join(folder, "library"), server, await makeBucket(server), {
        publications: count,
        onProgress: (done) => progress.step("followers", done, count),
      });
      progress.end();
      process.stdout.write(`followers: ${count} publications, ${answers} answers, ${failures.length} failed or of two snapshots\n`);
      for (const failure of failures) process.stdout.write(`FAILED ${failure}\n`);
      return failures.length;
    });
  },
  async bucket() {
    const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 32));
    const count = Number(values.count ?? 1000);
    const dir = await mkdtemp(join(tmpdir(), "proofshelf-torture-bucket-"));
    try {
      return await withCeph(async (server) => {
        const { injected, operations, exports, failures } = await tortureWithBucket(server, dir, {
          seed,
          count,
          onProgress: (done, failed) => progress.step(`bucket, ${failed} failed`, done, count),
        });
        progress.end();
        const faults = [...injected].map(([fault, number]) => `${fault} ${number}`).join(", ");
        process.stdout.write(
          `bucket, seed ${seed}: ${operations} operations, ${exports} exports, ${failures.length} failures\n  ${faults}\n`,
        );
        for (const failure of failures) process.stdout.write(`FAILED ${failure}\n`);
        return failures.length;
      });
    } finally {
      await rm(dir, { recursive: true, force: true });
    }
  },
  async faults() {
    let failed = 0;
    await tortureWithFaults({
      commands: FAULT_COMMANDS.filter((name) => values.command?.includes(name) ?? true),
      kinds: FAULT_KINDS.filter((name) => values.kind?.includes(name) ?? true),
      every: Number(values.every),
      ...(values.call === undefined ? {} : { call: Number(values.call) }),
      lanes: 2,
      onCase: (done, all) => progress.step("faults", done, all),
      onResult({ command, kind, calls, tried, failures }) {
        failed += failures.length;
        progress.end();
        const survived = tried - failures.length;
        process.stdout.write(`${command.padEnd(12)} ${kind.padEnd(7)} ${calls} calls, ${tried} tried, ${survived} survived\n`);
        for (const failure of failures) process.stdout.write(`FAILED ${failure}\n`);
      },
    });
    return failed;
  },
};

/** Where there is no server it is said, and nothing has failed. */
async function withCeph(work: (server: CephServer, folder: string) => Promise<number>): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "proofshelf-ceph-"));
  try {
    await mkdir(join(folder, "ceph"));
    const { server, stop } = await startCeph(join(folder, "ceph"));
    useCredentials(server.owner);
    return await work(server, folder).finally(stop);
  } catch (error) {
    if (!(error instanceof NoCeph)) throw error;
    process.stdout.write(`bucket: left out: ${error.message}\n`);
    return 0;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const wanted = values.part ?? Object.keys(PARTS);
for (const part of wanted)
  if (!Object.hasOwn(PARTS, part)) throw new Error(`there is no part ${part}; parts: ${Object.keys(PARTS).join(", ")}`);
let failed = 0;
for (const part of wanted) failed += (await PARTS[part]?.()) ?? 0;
process.exit(failed === 0 ? 0 : 1);

function describe(seed: number, { damages, repairs, verdicts, failures }: DamageReport): string {
  const head = `damage, seed ${seed}: ${damages} damages, ${repairs} repairs, ${failures.length} failures\n`;
  return head + describeVerdicts(verdicts);
}

function describeVerdicts(verdicts: ReadonlyMap<string, ReadonlyMap<string, number>>): string {
  const rows = [...verdicts].sort(([a], [b]) => (a < b ? -1 : 1));
  return rows
    .map(([row, counts]) => `  ${row.padEnd(26)}${[...counts].map(([verdict, count]) => `${verdict} ${count}`).join(", ")}\n`)
    .join("");
}
