/** The reading that a statement takes before it is believed: the definitions of the same sources below it, each after what it rests on. */
import { lazily } from "#snapshots/format";
import type { RecordMeaning } from "#snapshots/schema";
import { parseLocatedYaml, readConfigFile } from "#generator/config";
import { findStrange } from "#generator/annex/recall";
import { cutAlike } from "#generator/annex/reviews";
import type { ToldVerdict } from "./checks.ts";
import type { RegistrySources } from "./config.ts";
import { startsOf } from "./drift.ts";
import { memoize } from "./memoize.ts";
import { PROVERS } from "./provers.ts";
import type { FoundDeclaration, ScannedSource } from "./scan.ts";
import type { SourcesScan } from "./scan-all.ts";
import { accepts } from "./states.ts";

const MAX_PARTS = 40; // that a record names; it counts them all

type Below = (name: string) => readonly string[];

/** These print whatever a statement names. Others find it by words, or see names that Lean has made and no source has. */
const PRINT_ALL: ReadonlySet<string> = new Set(["coq", "metamath"]);

/** Where an adapter prints no definitions, uses are what is known: no less than these have to be read. */
const usesIn = memoize(({ results, repo, prover }: ToldVerdict["check"]): Below => {
  const start = `${repo} ${prover} `.length;
  const uses = new Map(results.map(({ key, uses: all }) => [key.slice(start), all.map(({ to }) => to)]));
  return (name) => uses.get(name) ?? [];
}, new WeakMap());

/** meaningOfRecord lists the definitions below a statement by the check that accepted it; null where no check says which it names.
 *  @param idOf ids of the records by their keys */
export function meaningOfRecord(
  { repo, prover }: FoundDeclaration,
  { places }: Pick<ScannedSource, "places">,
  verdict: ToldVerdict | undefined,
  idOf: ReadonlyMap<string, string>,
): RecordMeaning | null {
  if (verdict === undefined || !(accepts(verdict) || verdict.state === "exported")) return null;
  const { definitions } = verdict.check;
  const isPrinted = verdict.meaning_sha256 !== null;
  const below = isPrinted
    ? (name: string) => (Object.hasOwn(definitions, name) ? (definitions[name]?.mentions ?? []) : [])
    : usesIn(verdict.check);
  const starts = isPrinted ? startsOf(verdict, definitions) : verdict.uses.flatMap(({ to, part }) => (part === "statement" ? [to] : []));
  // A constructor is read with its type, which declares it.
  const isPart = (name: string): boolean => places.has(name) || !below(name).some((other) => places.has(other));
  const names = inOrder(starts, below).filter(isPart);
  const lines = new Set(names.flatMap((name) => linesOf(places.get(name))));
  return {
    sha256: verdict.meaning_sha256 ?? "",
    parts: names.slice(-MAX_PARTS).map((name) => {
      const [id, place] = [idOf.get(`${repo} ${prover} ${name}`), places.get(name)];
      return {
        name,
        ...(id === undefined ? {} : { id }),
        ...(place === undefined ? {} : { path: place.path, line: place.line, end_line: place.endLine }),
      };
    }),
    count: names.length,
    lines: lines.size,
    at_least: !isPrinted || !PRINT_ALL.has(prover),
    library: libraryOf(prover, verdict.check.tool.version),
  };
}

/** A database of Metamath has no library below it. */
function libraryOf(prover: FoundDeclaration["prover"], version: string): string {
  return prover === "metamath" ? "the database’s axioms" : `the library of ${PROVERS[prover].title} ${version}`.trimEnd();
}

function linesOf(place: { readonly path: string; readonly line: number; readonly endLine: number } | undefined): string[] {
  if (place === undefined) return [];
  return Array.from({ length: place.endLine - place.line + 1 }, (_, at) => `${place.path}:${place.line + at}`);
}

/** inOrder walks down from names, and gives each after those that it names. */
function inOrder(starts: readonly string[], below: Below): readonly string[] {
  const seen = new Set<string>();
  const ordered: string[] = [];
  const open = [...starts].reverse().map((name) => ({ name, done: false }));
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next.done) ordered.push(next.name);
    else if (!seen.has(next.name)) {
      seen.add(next.name);
      open.push({ name: next.name, done: true }, ...[...below(next.name)].reverse().map((name) => ({ name, done: false })));
    }
  }
  return ordered;
}

/** reviewFindings holds reviews against what the records mean, and meant in checks that lie here, witnesses against the records that there are, and
 *  advisories against the checkers. */
export function reviewFindings(
  { overlay: file, kernels }: Pick<RegistrySources, "overlay" | "kernels">,
  { records, checks, overlay, reviews, advisories }: Pick<SourcesScan, "records" | "checks" | "overlay" | "reviews" | "advisories">,
): readonly string[] {
  const ids = new Set(records.map(({ id }) => id));
  const yaml = lazily({ lineOf: () => parseLocatedYaml(readConfigFile(file ?? "", "an overlay")).lineOf });
  const named = overlay.records.flatMap(({ witness, ids: of = [] }, index) => {
    if (typeof witness !== "string" || (ids.has(witness) && !of.includes(witness))) return [];
    const why = ids.has(witness) ? "is its own witness, which shows nothing" : "is named as a witness, and there is no such record";
    return [`${file}:${yaml.lineOf(["records", index, "witness"])}: ${witness} ${why}.`];
  });
  const meant = memoize(
    ({ one, source }: SourcesScan["records"][number]) =>
      new Set([...checks.of(one, source), ...checks.history(one, source, [])].flatMap(({ meaning_sha256: meaning }) => meaning ?? [])),
  );
  const byId = new Map(records.map((record) => [record.id, record]));
  const found = reviews.findings((id) => {
    const record = byId.get(id);
    return record === undefined ? null : meant(record);
  });
  const strange = findStrange(
    advisories,
    kernels.map(({ name }) => name),
  );
  return [...cutAlike(named, "witnesses that are none"), ...cutAlike(strange, "advisories of strangers"), ...found];
}

/** withSame lets records of one meaning know of each other: one statement may have several proofs. */
export function withSame<T extends { readonly id: string; readonly meaning?: RecordMeaning | undefined }>(made: readonly T[]): T[] {
  const byMeaning = Map.groupBy(
    made.filter(({ meaning }) => meaning !== undefined && meaning.sha256 !== ""),
    ({ meaning }) => meaning?.sha256 ?? "",
  );
  return made.map((record) => {
    const same = (byMeaning.get(record.meaning?.sha256 ?? "") ?? []).filter(({ id }) => id !== record.id).map(({ id }) => id);
    return record.meaning === undefined || same.length === 0
      ? record
      : { ...record, meaning: { ...record.meaning, same: same.slice(0, MAX_PARTS) } };
  });
}
