/** The checks that lie in the store, each an envelope named by its digest, and which of them speak of a declaration. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../../../snapshots/digest.ts";
import { parseKey } from "../../../snapshots/log/index.ts";
import { type CheckStatement, open } from "./attest.ts";
import type { Found, ScannedSource } from "./scan.ts";
import type { Verdict } from "./states.ts";

const MAX_LOG = 2000; // UTF-16 units in a record; the check has more

export type ToldVerdict = Verdict & {
  readonly exact: boolean;
  readonly statement: string | null;
  readonly uses: CheckStatement["predicate"]["results"][number]["uses"];
  /** Names of who signed it, of those that are trusted. */
  readonly signers: readonly string[];
  /** What the prover printed of its file, where it did not accept it. */
  readonly log: string;
  readonly check: CheckStatement["predicate"];
  readonly sha256: string;
};

export type Checks = {
  /** What checks of exactly these bytes say of a declaration, one for each prover: the newest. */
  of(one: Found, source: ScannedSource): readonly ToldVerdict[];
  /** The newest check of a declaration, whatever bytes it is of. */
  last(one: Pick<Found, "key">): ToldVerdict | undefined;
  /** Files of the store that count nothing, and why. */
  readonly refused: readonly string[];
  readonly count: number;
};

export function readChecks({ store, trust }: { readonly store: string; readonly trust: readonly string[] }): Checks {
  const keys = trust.map(parseKey);
  const refused: string[] = [];
  const byKey = new Map<string, ToldVerdict[]>();
  const files = existsSync(store) ? readdirSync(store).filter((name) => name.endsWith(".json")) : [];
  const subjects = new Map<CheckStatement["predicate"], ReadonlyMap<string, string>>();
  let count = 0;
  for (const name of files.sort()) {
    const bytes = readFileSync(join(store, name));
    const digest = sha256(bytes);
    const opened = `${digest}.json` === name ? open(bytes, keys) : { refused: "has other bytes than its name says" };
    if ("refused" in opened) {
      refused.push(`${name} ${opened.refused}`);
      continue;
    }
    count++;
    const { subject, predicate } = opened.statement;
    subjects.set(predicate, new Map(subject.map(({ name: path, digest: of }) => [path, of.sha256])));
    const logs = new Map(predicate.logs.map(({ path, log }) => [path, log]));
    for (const result of predicate.results) {
      const told = byKey.get(result.key) ?? [];
      const log = result.state === "accepted" ? "" : (logs.get(result.path) ?? "").slice(0, MAX_LOG);
      told.push({ ...result, log, signers: opened.signers, check: predicate, sha256: digest });
      byKey.set(result.key, told);
    }
  }
  const digests = new WeakMap<Uint8Array, string>();
  const digestOf = (bytes: Uint8Array | undefined): string => {
    if (bytes === undefined) return "";
    const known = digests.get(bytes) ?? sha256(bytes);
    digests.set(bytes, known);
    return known;
  };
  return {
    refused,
    count,
    last: ({ key }) => (byKey.get(key) ?? []).toSorted((a, b) => (a.check.finished < b.check.finished ? 1 : -1))[0],
    of({ key, repo, path, prover }, { files: own, source }) {
      const newest = new Map<string, ToldVerdict>();
      for (const told of byKey.get(key) ?? []) {
        const { check } = told;
        const of = subjects.get(check);
        const fits = [path, ...(check.imports[path] ?? [])].every(
          (name) => of?.get(name) === digestOf(own.get(name)) && of.get(name) !== undefined,
        );
        if (!fits || check.repo !== repo || check.prover !== prover || JSON.stringify(check.flags) !== JSON.stringify(flagsOf(source)))
          continue;
        const other = newest.get(check.tool.name);
        if (other === undefined || other.check.finished < check.finished) newest.set(check.tool.name, told);
      }
      return [...newest.values()];
    },
  };
}

/** What a prover is told of a source besides its files. */
export function flagsOf({ root, logical, flags }: ScannedSource["source"]): string[] {
  return [root, logical, ...flags];
}
