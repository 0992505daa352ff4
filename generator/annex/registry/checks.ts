/** The checks that lie in the store, each an envelope named by its digest, and which of them speak of a declaration. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../../../snapshots/digest.ts";
import { parseKey } from "../../../snapshots/log/index.ts";
import { type CheckStatement, open } from "./attest.ts";
import type { Found, ScannedSource } from "./scan.ts";
import type { Verdict } from "./states.ts";

const MAX_LOG = 2000; // UTF-16 units in a record; the check has more

type Result = CheckStatement["predicate"]["results"][number];
export type ToldVerdict = Verdict &
  Pick<
    Result,
    "exact" | "statement" | "is_words" | "words" | "uses" | "statement_sha256" | "type_sha256" | "meaning_sha256" | "mentions"
  > & {
    /** Names of who signed it: of those that are trusted where it counts, else of those that say so of themselves. */
    readonly signers: readonly string[];
    /** Whether it counts: somebody who is trusted signed it, or nobody is asked for. */
    readonly counted: boolean;
    /** What the prover printed of its file, where it did not accept it. */
    readonly log: string;
    readonly check: CheckStatement["predicate"];
    readonly sha256: string;
  };

export type Checks = {
  /** What checks of exactly these bytes say of a declaration, and that count: the newest of each program and signer, provers first. */
  of(one: Found, source: ScannedSource): readonly ToldVerdict[];
  /** The same of second checkers, which look over what a prover accepted. */
  second(one: Found, source: ScannedSource): readonly ToldVerdict[];
  /** The same of those whom nobody here trusts. */
  strangers(one: Found, source: ScannedSource): readonly ToldVerdict[];
  /** The newest check of a declaration that counts, whatever bytes it is of. */
  last(one: Pick<Found, "key">): ToldVerdict | undefined;
  /** Provers' checks of a declaration that count, whatever bytes they are of, the newest first. */
  history(one: Pick<Found, "key">): readonly ToldVerdict[];
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
    if (opened.counted) count++;
    else
      refused.push(
        `${name} is signed by nobody who is trusted here${opened.signers.length === 0 ? "" : `, but by ${opened.signers.join(", ")}`}`,
      );
    const { subject, predicate } = opened.statement;
    subjects.set(predicate, new Map(subject.map(({ name: path, digest: of }) => [path, of.sha256])));
    const logs = new Map(predicate.logs.map(({ path, log }) => [path, log]));
    for (const result of predicate.results) {
      const log = result.state === "accepted" ? "" : (result.reason ?? logs.get(result.path) ?? "").slice(0, MAX_LOG);
      const told = { ...result, log, signers: opened.signers, counted: opened.counted, check: predicate, sha256: digest };
      const known = byKey.get(result.key);
      if (known === undefined) byKey.set(result.key, [told]);
      else known.push(told);
    }
  }
  for (const all of byKey.values()) all.sort((a, b) => (a.check.finished < b.check.finished ? 1 : -1));
  const digests = new WeakMap<Uint8Array, string>();
  const digestOf = (bytes: Uint8Array | undefined): string => {
    if (bytes === undefined) return "";
    const known = digests.get(bytes) ?? sha256(bytes);
    digests.set(bytes, known);
    return known;
  };
  const fitting = ({ key, repo, path, prover }: Found, { files: own, source }: ScannedSource): readonly ToldVerdict[] => {
    const newest = new Map<string, ToldVerdict>();
    for (const told of byKey.get(key) ?? []) {
      const { check } = told;
      const of = subjects.get(check);
      // An import that was not there has no digest, and has to be away still.
      const isSame = (name: string): boolean => (of?.get(name) ?? "") === digestOf(own.get(name));
      const fits = of?.has(path) === true && [path, ...(check.imports[path] ?? [])].every(isSame);
      if (!fits || check.repo !== repo || check.prover !== prover || JSON.stringify(check.flags) !== JSON.stringify(flagsOf(source)))
        continue;
      const who = JSON.stringify([check.tool.name, told.counted, told.signers]);
      if (!newest.has(who)) newest.set(who, told);
    }
    return [...newest.values()];
  };
  const history = ({ key }: Pick<Found, "key">): readonly ToldVerdict[] =>
    (byKey.get(key) ?? []).filter(({ counted, check }) => counted && !check.second);
  return {
    refused,
    count,
    history,
    last: (one) => history(one)[0],
    of: (one, source) => fitting(one, source).filter(({ counted, check }) => counted && !check.second),
    second: (one, source) => fitting(one, source).filter(({ counted, check }) => counted && check.second),
    strangers: (one, source) => fitting(one, source).filter(({ counted }) => !counted),
  };
}

/** What a prover is told of a source besides its files. */
export function flagsOf({ root, logical, paths, flags }: ScannedSource["source"]): string[] {
  return [root, logical, ...paths, ...flags];
}
