/** A folder of Coq sources at a made-up revision, and what rechecking them says: for tests. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { parse, stringify } from "yaml";
import type { CubRecord } from "../../../snapshots/schema/index.ts";
import { generateKey, parseSigningKey } from "../../../snapshots/log/note.ts";
import { readChecks } from "./checks.ts";
import { openRegistrySources, type RegistrySources } from "./config.ts";
import { findKernels } from "./kernels.ts";
import { UNWRITTEN, writeLock } from "./lock.ts";
import { openTools } from "./provers.ts";
import { findStale, recheckSource, type Rechecked } from "./recheck.ts";
import { makeRegistry } from "./make-registry.ts";
import { scanAll } from "./scan-all.ts";
import { findSandbox } from "./sandbox.ts";

export const coq = spawnSync("coqc", ["--version"]).status === 0;
export const skip = !coq ? "coqc is not installed" : findSandbox() === null ? "there is no sandbox here (bubblewrap)" : false;

/** OWN is the key of the machine that runs the tests: without trust its checks count alone. */
export const OWN = generateKey("own.example");
process.env["RECHECK_KEY"] = OWN.privateKey;

type Files = Readonly<Record<string, string>>;

/** Every advisory of the program, withdrawn: a test of provers is not about the holes of the one that is installed. */
const { advisories } = parse(readFileSync(new URL("../recall/advisories.yaml", import.meta.url), "utf8")) as {
  advisories: readonly object[];
};
const NO_ADVISORY = stringify({ advisories: advisories.map((one) => ({ ...one, withdrawn: "it is not what is tested" })) });

/** openSource makes a folder of sources at a made-up revision, and what rechecking them says of each theorem.
 *  @param recalls whether the program's own advisories count */
export function openSource(t: TestContext, yaml = "", prover = "coq", recalls = false) {
  const folder = mkdtempSync(join(tmpdir(), "proofshelf-recheck-test-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  process.env["XDG_CACHE_HOME"] = join(folder, "cache");
  const put = (files: Files): void => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
  };
  put({
    "registry.yaml": `${yaml}sources:\n  - { repo: r, folder: ./src, rev: one, prover: ${prover}, logical: ${prover === "coq" ? "L" : "''"}, kinds: [theorem, definition] }\n`,
  });
  if (!recalls) put({ "no-advisory.yaml": NO_ADVISORY });
  const config = (): RegistrySources => {
    const read = openRegistrySources(join(folder, "registry.yaml"));
    return recalls ? read : { ...read, advisories: [...read.advisories, join(folder, "no-advisory.yaml")] };
  };
  const recheck = async (
    options: { key?: string | null; unsandboxed?: boolean; all?: boolean; second?: boolean; graph?: boolean } = {},
  ): Promise<readonly Rechecked[]> => {
    const scan = await scanAll(config());
    if (!scan.drift.some(({ refused }) => refused)) writeLock(config().lock, scan.lock);
    const key = options.key === null ? null : parseSigningKey(options.key ?? OWN.privateKey);
    const how = {
      unsandboxed: options.unsandboxed === true,
      exact: false,
      jobs: 2,
      second: options.second === true,
      graph: options.graph !== false,
      key,
      now: () => new Date(),
    };
    const known = options.all === true ? null : readChecks(config().checks);
    const runs: Rechecked[] = [];
    for (const kernel of [undefined, ...(options.second === true ? [] : findKernels(config()).kernels)]) {
      const stale = findStale(scan.records, known, openTools(), options.second === true, kernel);
      const all = kernel === undefined && options.all === true ? scan.records : stale;
      for (const source of scan.sources) {
        const asked = all.filter((entry) => entry.source === source).map(({ one }) => one);
        if (asked.length > 0)
          runs.push(...(await recheckSource(config(), source, asked, { ...how, ...(kernel === undefined ? {} : { kernel }) })));
      }
    }
    const after = await scanAll(config());
    if (!after.drift.some(({ what }) => UNWRITTEN.has(what))) writeLock(config().lock, after.lock);
    return runs;
  };
  /** Accepts by name whatever is not as it was verified. */
  const accept = async (): Promise<void> => {
    const { drift } = await scanAll(config());
    const ids = drift.filter(({ refused }) => refused).map(({ id }) => id);
    writeLock(config().lock, (await scanAll(config(), { accept: ids, reason: "it is meant" })).lock);
  };
  const records = async (): Promise<readonly CubRecord[]> =>
    (JSON.parse(Buffer.from(await makeRegistry(config())).toString()) as { cubs: CubRecord[] }).cubs;
  const states = async (): Promise<Record<string, string>> => {
    const { cubs } = JSON.parse(Buffer.from(await makeRegistry(config())).toString()) as {
      cubs: { theorem_name: string; module: string; verification_state: string }[];
    };
    return Object.fromEntries(
      cubs.map(({ module, theorem_name, verification_state }) => [`${module}.${theorem_name}`.replace(/^L\./, ""), verification_state]),
    );
  };
  const verdict = async (name: string) => {
    const { records } = await scanAll(config());
    const found = records.find(({ one }) => `${one.module}.${one.theorem}`.replace(/^L\./, "") === name);
    return found === undefined ? undefined : readChecks(config().checks).of(found.one, found.source)[0];
  };
  return { folder, put, config, recheck, accept, records, states, verdict };
}
