/** The checks that lie in the store, each an envelope named by its digest: which of them count, and which speak of a declaration. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { sha256 } from "#snapshots/digest";
import { type NoteKey, parseKey, parseSigningKey, type SigningKey } from "#snapshots/log";
import type { SealedReview } from "#generator/annex/reviews";
import { type CheckStatement, open } from "./attest.ts";
import { memoize } from "./memoize.ts";
import { describeCause } from "./need.ts";
import { ANYWHERE, EVERY } from "./request.ts";
import { hasRevision } from "./revision.ts";
import type { FoundDeclaration, ScannedSource } from "./scan.ts";
import { accepts, saysNothing, type Verdict } from "./states.ts";

const MAX_LOG = 2000; // UTF-16 units in a record; the check has more

type Result = CheckStatement["predicate"]["results"][number];
export type ToldVerdict = Verdict &
  Pick<
    Result,
    "exact" | "reason" | "statement" | "is_words" | "words" | "uses" | "statement_sha256" | "type_sha256" | "meaning_sha256" | "mentions"
  > & {
    /** Names of who signed it: of those that are trusted where it counts, else of those that say so of themselves. */
    readonly signers: readonly string[];
    /** True where it counts: somebody who is trusted signed it. */
    readonly counted: boolean;
    /** The prover's output on its file, where it did not accept it. */
    readonly log: string;
    /** Digest of the files that it is of: its own, and those that this imports. */
    readonly files: string;
    readonly check: CheckStatement["predicate"];
    readonly sha256: string;
  };

export type Checks = {
  /** Verdicts on a declaration, from checks of exactly these bytes that count: for each program and signer the one that knows most, provers first. */
  of(one: FoundDeclaration, source: ScannedSource): readonly ToldVerdict[];
  /** The same of second checkers, which look over what a prover accepted. */
  second(one: FoundDeclaration, source: ScannedSource): readonly ToldVerdict[];
  /** The same of those whom nobody here trusts. */
  strangers(one: FoundDeclaration, source: ScannedSource): readonly ToldVerdict[];
  /** Provers' checks of a declaration that count, whatever bytes they are of, the newest first. @param was keys that it had before */
  history(one: FoundDeclaration, source: ScannedSource, was: readonly string[]): readonly ToldVerdict[];
  /** Faults in checks of the revisions of these sources. */
  findings(sources: readonly ScannedSource[]): readonly string[];
  /** Reviews that lie beside them; `untrusted` says why one counts as unsigned. */
  readonly reviews: readonly SealedReview[];
  /** Files of the store that count nothing, and why. */
  readonly refused: readonly string[];
  readonly count: number;
};

/** trustedKeys gives the keys whose checks count: those of `trust`; without any, the one that this machine signs with. */
export function trustedKeys(trust: readonly string[]): readonly NoteKey[] {
  return trust.length > 0 ? trust.map(parseKey) : [machineKey()].filter((own) => own !== null);
}

/** machineKey gives the key that this machine signs with; null where it has none. @throws ShelfError "bad_config" */
export function machineKey(): SigningKey | null {
  const text = process.env["RECHECK_KEY"] ?? "";
  return text === "" ? null : parseSigningKey(text, "RECHECK_KEY");
}

/** readChecks opens every check of a store.
 *  @param made digests of those that this very process made: what it has seen itself it believes */
export function readChecks(
  { store, trust }: { readonly store: string; readonly trust: readonly string[] },
  made: ReadonlySet<string> = new Set(),
): Checks {
  const keys = trustedKeys(trust);
  const refused: string[] = [];
  const reviews: SealedReview[] = [];
  const byKey = new Map<string, ToldVerdict[]>();
  const files = existsSync(store) ? readdirSync(store).filter((name) => name.endsWith(".json")) : [];
  const subjects = new Map<CheckStatement["predicate"], ReadonlyMap<string, string>>();
  const names = new Map<CheckStatement["predicate"], string>();
  let count = 0;
  for (const name of files.sort()) {
    const bytes = readFileSync(join(store, name));
    const digest = sha256(bytes);
    const opened = `${digest}.json` === name ? open(bytes, keys) : { refused: "has other bytes than its name says" };
    if ("refused" in opened) {
      refused.push(`${name} ${opened.refused}`);
      continue;
    }
    if ("review" in opened) {
      const untrusted = opened.counted ? "" : whyNot(opened.signers, keys);
      reviews.push({ ...opened.review, signed: opened.counted, attestation: digest, place: `${join(store, name)}:1`, untrusted });
      continue;
    }
    const counted = opened.counted || made.has(digest);
    if (counted) count++;
    else refused.push(`${name} ${whyNot(opened.signers, keys)}`);
    const { subject, predicate } = opened.statement;
    names.set(predicate, name);
    subjects.set(predicate, new Map(subject.map(({ name: path, digest: of }) => [path, of.sha256])));
    const filesOf = openFiles(subject, predicate.imports);
    const logs = new Map(predicate.logs.map(({ path, log }) => [path, log]));
    const causeOf = memoize((path: string) => describeCause(path, logs).join("\n"));
    for (const result of predicate.results) {
      const log = result.state === "accepted" ? "" : (result.reason ?? causeOf(result.path)).slice(0, MAX_LOG);
      // Adapters once called accepted what they had read in an export.
      const state = predicate.tool.name === "lean4export" && accepts(result) ? "exported" : result.state;
      const files = filesOf(result.path);
      const { signers } = opened;
      const told = { ...result, repo: predicate.repo, state, log, files, signers, counted, check: predicate, sha256: digest };
      const known = byKey.get(result.key);
      if (known === undefined) byKey.set(result.key, [told]);
      else known.push(told);
    }
  }
  for (const all of byKey.values()) newestFirst(all);
  const digestIn = (own: ScannedSource["files"], name: string): string => {
    const bytes = own.get(name);
    return bytes === undefined ? "" : digestBytes(bytes);
  };
  /** Worked out once for all records of a source. */
  const allSame = memoize((check: CheckStatement["predicate"]) =>
    memoize((own: ScannedSource["files"]) => [...(subjects.get(check) ?? [])].every(([name, digest]) => digest === digestIn(own, name))),
  );
  const called = memoize((own: ScannedSource["files"]) => Map.groupBy(own.keys(), (path) => ANYWHERE + basename(path)));
  /** An import that was not there when it was checked has no digest, and has to be away still. What was refused may owe that to more than it names. */
  const fits = (
    { check, state }: ToldVerdict,
    { path, repo, prover }: FoundDeclaration,
    { files: own, source, head }: ScannedSource,
  ): boolean => {
    const of = subjects.get(check);
    const isSame = (name: string): boolean =>
      name.startsWith(ANYWHERE)
        ? (called(own).get(name) ?? []).every((file) => of?.has(file))
        : (of?.get(name) ?? "") === digestIn(own, name);
    return (
      check.repo === repo &&
      check.prover === prover &&
      JSON.stringify(check.flags) === JSON.stringify(flagsOf(source)) &&
      of?.has(path) === true &&
      isSame(path) &&
      (check.imports[path] ?? []).every((name) => (name === EVERY ? allSame(check)(own) : isSame(name))) &&
      ((state !== "rejected" && state !== "disagrees") || check.revision === head)
    );
  };
  const fittingIn = memoize((source: ScannedSource) =>
    memoize((one: FoundDeclaration): readonly ToldVerdict[] => {
      const all = (byKey.get(one.key) ?? []).filter((told) => fits(told, one, source));
      const byTeller = Map.groupBy(all, ({ check, counted, signers }) => JSON.stringify([check.tool.name, counted, signers]));
      return [...byTeller.values()].flatMap(knowsMost);
    }),
  );
  const fitting = (one: FoundDeclaration, source: ScannedSource): readonly ToldVerdict[] => fittingIn(source)(one);
  /** Libraries may keep their checks in one folder, and call two repositories by one name. */
  const isIn = memoize((git: string | undefined) => memoize((revision: string) => hasRevision(git, revision)));
  const history: Checks["history"] = ({ key }, { source: { git }, head }, was) =>
    newestFirst([key, ...was].flatMap((name) => byKey.get(name) ?? [])).filter(
      ({ counted, check: { second, revision } }) => counted && !second && (revision === head || isIn(git)(revision)),
    );
  return {
    reviews,
    refused,
    count,
    history,
    of: (one, source) => fitting(one, source).filter(({ counted, check }) => counted && !check.second),
    second: (one, source) => fitting(one, source).filter(({ counted, check }) => counted && check.second),
    strangers: (one, source) => fitting(one, source).filter(({ counted }) => !counted),
    findings: (sources) => [...names].flatMap(([check, name]) => findIn(check, sources).map((what) => `${name} ${what}`)),
  };
}

/** openFiles gives one digest of a file and all that it imports, as a check has them; worked out once a file. */
function openFiles(subject: CheckStatement["subject"], imports: Readonly<Record<string, readonly string[]>>): (path: string) => string {
  const rows = new Map(subject.map((row) => [row.name, [row.name, row.digest.sha256]]));
  return memoize((path) => {
    const names = new Set([path, ...((Object.hasOwn(imports, path) && imports[path]) || [])]);
    // By name, and not by looking through all rows for each file: a check is of tens of thousands.
    return sha256(JSON.stringify([...(names.has(EVERY) ? rows.keys() : names)].sort().flatMap((name) => rows.get(name) ?? [])));
  });
}

/** digestBytes digests a file once: it is of many records, and of many checks. */
export const digestBytes = memoize((bytes: Uint8Array) => sha256(bytes), new WeakMap());

function newestFirst(all: ToldVerdict[]): ToldVerdict[] {
  return all.sort((a, b) => (a.check.finished < b.check.finished ? 1 : -1));
}

function whyNot(signers: readonly string[], keys: readonly NoteKey[]): string {
  const who = `${signers.length === 0 ? "" : `, but by ${signers.join(", ")}`}`;
  return keys.length > 0
    ? `is signed by nobody who is trusted here${who}`
    : `counts for nothing: checks.trust of registry.yaml names nobody, and RECHECK_KEY is not set here`;
}

/** knowsMost picks the verdict that counts of those that one teller gave, the newest first: a run that could say nothing takes nothing away, and
 *  exact axioms are more than "at most these". */
function knowsMost(all: readonly ToldVerdict[]): readonly ToldVerdict[] {
  const newest = all.find(({ state }) => !saysNothing(state)) ?? all[0];
  if (newest === undefined) return [];
  if (!accepts(newest) || newest.exact) return [newest];
  const isOfOneTool = ({ check: { tool } }: ToldVerdict): boolean => JSON.stringify(tool) === JSON.stringify(newest.check.tool);
  return [all.find((told) => accepts(told) && told.exact && isOfOneTool(told)) ?? newest];
}

/** Versions of provers that are known, by the name of the program. */
const VERSIONS: Readonly<Record<string, RegExp>> = {
  coq: /^(?:8\.\d{1,2}|9\.\d{1,2})(?:[.+]|$)/,
  coqchk: /^(?:8\.\d{1,2}|9\.\d{1,2})(?:[.+]|$)/,
  agda: /^2\.[4-9](?:\.|$)/,
  metamath: /^0\.\d{1,3}(?:\.|$)/,
  lean4export: /^v?3\./,
};

function findIn(check: CheckStatement["predicate"], sources: readonly ScannedSource[]): string[] {
  const { tool, repo, prover, revision, results } = check;
  const versions = VERSIONS[tool.name];
  const unknown =
    versions !== undefined && !versions.test(tool.version) ? [`is of ${tool.name} ${tool.version}, a version that is not known`] : [];
  const of = sources.filter((one) => one.source.repo === repo && one.source.prover === prover && one.head === revision);
  const known = new Set(
    of.flatMap(({ source, stated, found }) => [
      ...stated.map((name) => `${source.repo} ${source.prover} ${name}`),
      ...found.map(({ key }) => key),
    ]),
  );
  const strange = of.length === 0 ? [] : results.filter(({ key }) => !known.has(key));
  const [first] = strange;
  return first === undefined
    ? unknown
    : [
        ...unknown,
        `speaks of ${first.key}${strange.length > 1 ? ` and ${strange.length - 1} more` : ""}, which is none of the declarations that are read of revision ${revision.slice(0, 12)}`,
      ];
}

/** flagsOf lists what a prover is told of a source besides its files. */
export function flagsOf({ root, logical, paths, flags }: ScannedSource["source"]): string[] {
  return [root, logical, ...paths, ...flags];
}
