/** The library that the HTTP scripts speak about: built by the generator, which this folder may not import, as a process. */
import { execFile } from "node:child_process";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { copyMade } from "./made-once.ts";

/** A Fixture is what the scripts need to know of it; paths are absolute. */
export type Fixture = {
  readonly config: string;
  readonly publicDir: string;
  readonly internalDir: string;
  /** Folder of the compiled pages. */
  readonly dist: string;
  readonly version: string;
  readonly public: FixtureView;
  readonly internal: FixtureView;
};

/** A FixtureView has the ids of three snapshots of a view, in order of time. `pruned` is kept no more. */
export type FixtureView = {
  readonly pruned: string;
  readonly previous: string;
  readonly current: string;
  /** `next` of /api/list?prefix=many/ in the pruned snapshot and in the previous one. */
  readonly prunedCursor: string;
  readonly previousCursor: string;
};

const MAKER = fileURLToPath(new URL("../../generator/testing/publish-fixture.ts", import.meta.url));

const FACTS = "fixture.json";

/** makeFixture makes the libraries of the contract. It takes a few seconds the first time. */
export async function makeFixture(): Promise<Fixture & { remove(): Promise<void> }> {
  const dir = await copyMade("http", async (folder) => {
    const { stdout } = await promisify(execFile)(process.execPath, [MAKER, folder], { maxBuffer: 1024 * 1024 });
    await writeFile(join(folder, FACTS), stdout.replaceAll(`"${folder}`, '"{dir}'));
  });
  const facts = (await readFile(join(dir, FACTS), "utf8")).replaceAll('"{dir}', `"${dir}`);
  return { ...(JSON.parse(facts) as Fixture), remove: () => rm(dir, { recursive: true, force: true }) };
}
