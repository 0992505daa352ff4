/** The words of a question that is counted: those of the language, and the names that a library gives to its values. */
import { claimStandings, LOST, memoize, RECORD_STANDINGS, SAID, type ViewData } from "#snapshots/format";
import { countAll } from "#snapshots/query";
import { RECORD_FILTERS, type CubFacet, KNOWN_VALUES } from "#snapshots/schema";

/** SetName names one of the lists that have an address. */
export type SetName = "records" | "claims" | "objects" | "collections" | "snapshots";
export type CountedFacet = CubFacet | "claim_standing" | "object_kind" | "collection";

/** Condition narrows a set to what has one of these values of a facet, or none of them. */
export type Condition = { readonly facet: CountedFacet; readonly values: readonly string[]; readonly others?: true };

/** Word is a word or phrase of a question: a state is said of things, a place is what they lie in, a kind is a noun of its own. */
export type Word = {
  readonly is: "count" | "list" | "set" | "kind" | "state" | "place" | "link" | "joint" | "in" | "not" | "and" | "but" | "filler";
  readonly set?: SetName;
  /** The condition that it states of each set that has its facet. */
  readonly of?: Partial<Record<SetName, Condition>>;
  /** The condition in words. */
  readonly says?: string;
};

const MAX_PHRASE = 8; // words
/** Facets whose values name themselves. */
const TELLING: ReadonlySet<CountedFacet> = new Set([
  "repo",
  "production_consumption",
  "proof_consumption",
  "wiring",
  "invocation",
  "status",
]);
const PLACES: ReadonlySet<CountedFacet> = new Set(["repo", "collection"]);

/** withButs names a state and what it is called when something is to be said against it: only what is verified ceases to be that. */
const withButs = (state: string): string[] => [state, state + SAID, state + LOST];
const records = (facet: CubFacet, ...values: string[]): Word["of"] => ({ records: { facet, values } });
const claims = (...values: string[]): Word["of"] => ({ claims: { facet: "claim_standing", values } });
const VERIFIED: Word["of"] = { ...records("standing", "verified"), ...claims("verified") };
const others = (of: Word["of"]): Word["of"] =>
  Object.fromEntries(Object.entries(of ?? {}).map(([set, condition]) => [set, { ...condition, others: true }]));

/** STATES are phrases that say a value in other words; an answer says it by the first. */
const STATES: readonly (readonly [phrases: string, of: Word["of"]])[] = [
  ["verified|proved|proven", VERIFIED],
  ["unverified|unproved|unproven", others(VERIFIED)],
  ["of unspecified state|unspecified", records("standing", ...withButs("unspecified"))],
  ["NOT_VERIFIED", records("standing", ...withButs("not_verified"))],
  ["said to be verified", records("standing", "verified_said", "verified_said_lost")],
  ["proved from axioms outside the policy|proved from axioms", records("standing", "proved_outside", "proved_outside_lost")],
  ["exported and not replayed|exported", records("standing", "exported", "exported_lost")],
  ["defined", records("standing", "defined", "defined_lost")],
  ["assumed", records("standing", "assumed", "assumed_lost")],
  ["scoped", claims(...withButs("scoped"))],
  ["partial|partially verified", claims(...withButs("partial"))],
  ["called at run time|runtime|at runtime|called at runtime|used at runtime", records("invocation", "runtime")],
  ["called by tests only|test only|only in tests|only by tests|called only by tests", records("invocation", "test-only")],
  ["dead code|dead", records("invocation", "dead")],
  ["unwired", records("invocation", "unwired")],
  ["deployable", records("deployable", "true")],
  ["free of holes|without holes|no holes", records("no_holes", "true")],
  ["with holes|holes|admitted", records("no_holes", "false")],
  [
    "used in production|in production|run in production|running in production|consumed in production",
    others(records("production_consumption", "NOT-RUNTIME-CONSUMED", "")),
  ],
];

const WORDS: readonly (readonly [phrases: string, word: Word])[] = [
  ["how many|number of|the number of|count|count of|total number of", { is: "count" }],
  ["list|show|show me|give me|name|which|what|what are", { is: "list" }],
  ["record|records|cub|cubs|proof|proofs|proof record|proof records", { is: "set", set: "records" }],
  ["claim|claims", { is: "set", set: "claims" }],
  ["object|objects|file|files|document|documents", { is: "set", set: "objects" }],
  ["collections", { is: "set", set: "collections" }],
  ["snapshot|snapshots|publication|publications", { is: "set", set: "snapshots" }],
  ["is|are|was|were|be|been|have been|has been", { is: "link" }],
  ["do|does|have|has|with|having|that", { is: "joint" }],
  ["in|inside|within|from|come from|comes from|belong to", { is: "in" }],
  ["not|never", { is: "not" }],
  ["and", { is: "and" }],
  ["but", { is: "but" }],
  [
    "a|an|the|of|there|all|every|of the|repository|repo|collection|called|named|exist|kept|do you have|are there|please|in total|altogether",
    { is: "filler" },
  ],
];

/** splitWords folds the words of a text; a value that begins with "not" is one word: "not verified" is everything but that, NOT_VERIFIED one state. */
const splitWords = (text: string): readonly string[] =>
  text
    .replaceAll(/\bnot[-_][\w-]+/gi, (value) => value.replaceAll(/[-_]/g, ""))
    .normalize("NFC")
    .toLowerCase()
    .replaceAll("\u2019", "'")
    .match(/[\p{L}\p{N}']+/gu) ?? [];
const fold = (text: string): string => splitWords(text).join(" ");

function titleOf(facet: CountedFacet): string {
  return facet === "repo" ? "repository" : facet.replace(/^object_/, "").replaceAll("_", " ");
}

function valueWord(facet: CountedFacet, value: string): Word {
  const set: SetName = facet === "object_kind" || facet === "collection" ? "objects" : "records";
  const says = PLACES.has(facet) ? `in the ${titleOf(facet)} ${value}` : `of ${titleOf(facet)} ${value}`;
  const is = PLACES.has(facet) ? "place" : /(?:^|_)kind$/.test(facet) ? "kind" : "state";
  return { is, of: { [set]: { facet, values: [value] } }, says };
}

/** valuesOf returns the values that a facet has in a library, and those that the interface lists. */
export function valuesOf(data: ViewData, facet: CountedFacet): readonly string[] {
  if (facet === "collection") return data.library.collections.map(({ id }) => id);
  if (facet === "object_kind") return [...new Set(data.objects.map(({ kind }) => kind))];
  if (facet === "claim_standing") return [...new Set(data.claims.claims.map((claim) => claimStandings(data)(claim).state))];
  const listed = facet === "standing" ? RECORD_STANDINGS : ((KNOWN_VALUES as Readonly<Record<string, readonly string[]>>)[facet] ?? []);
  return [...new Set([...countAll(data.cubs, facet).map(({ value }) => value), ...listed])];
}

const vocabularyOf = memoize((data: ViewData): ReadonlyMap<string, Word> => {
  const words = new Map<string, Word>();
  const facets: readonly CountedFacet[] = [...RECORD_FILTERS.map(({ name }) => name), "object_kind", "collection"];
  const isNoun = (facet: CountedFacet): boolean => /(?:^|_)kind$/.test(facet);
  for (const facet of facets.filter((one) => isNoun(one) || one === "collection" || TELLING.has(one))) {
    const all = valuesOf(data, facet).filter((value) => value !== "");
    const named = new Map(all.map((value) => [fold(value), value]));
    if (facet === "collection") for (const { id, title } of data.library.collections) named.set(fold(title), id);
    for (const [name, value] of named)
      for (const phrase of isNoun(facet) ? [name, name.endsWith("y") ? `${name.slice(0, -1)}ies` : `${name}s`] : [name]) {
        const known = words.get(phrase);
        const own = valueWord(facet, value);
        // One noun may be a kind of records and one of objects; of two facets of records the first of the table is meant.
        words.set(phrase, known?.is === own.is ? { ...known, of: { ...own.of, ...known.of } } : own);
      }
  }
  // An axiom is called by the last part of its name, too: by all that end so.
  const axioms = valuesOf(data, "axiom");
  for (const name of axioms.flatMap((axiom) => [axiom, axiom.split(".").at(-1) ?? ""])) {
    const values = axioms.filter((axiom) => axiom === name || axiom.endsWith(`.${name}`));
    for (const verb of ["rest on", "rests on", "resting on", "depend on"])
      words.set(`${verb} ${fold(name)}`, { is: "state", of: { records: { facet: "axiom", values } }, says: `resting on ${name}` });
  }
  // A place of that name may be meant, or all of it.
  for (const whole of ["library", "registry"]) if (!words.delete(whole)) words.set(`in the ${whole}`, { is: "filler" });
  for (const [phrases, of = {}] of STATES) {
    const [says = "", ...more] = phrases.split("|");
    for (const phrase of [says, ...more].map(fold)) words.set(phrase, { is: "state", of, says });
  }
  for (const [phrases, word] of WORDS) for (const phrase of phrases.split("|")) words.set(phrase, word);
  return words;
});

/** knownWords returns every word that a question to be counted may have. */
export const knownWords = memoize(
  (data: ViewData): ReadonlySet<string> => new Set([...vocabularyOf(data).keys()].flatMap((phrase) => phrase.split(" "))),
);

/** readWords returns the words of a question in order, the longest phrase first; null when it has a word that is none of them. */
export function readWords(question: string, data: ViewData): readonly Word[] | null {
  const words = vocabularyOf(data);
  const raw = splitWords(question.replaceAll(/\brun[ -]time\b/gi, "runtime").replaceAll(/\b(is|are|do|does)n['\u2019]t\b/gi, "$1 not"));
  const read: Word[] = [];
  for (let at = 0; at < raw.length; ) {
    const lengths = Array.from(
      { length: Math.min(MAX_PHRASE, raw.length - at) },
      (_, less) => Math.min(MAX_PHRASE, raw.length - at) - less,
    );
    const length = lengths.find((one) => words.has(raw.slice(at, at + one).join(" "))) ?? 0;
    const found = words.get(raw.slice(at, at + length).join(" "));
    if (found === undefined) return null;
    if (found.is !== "filler") read.push(found);
    at += length;
  }
  return read;
}
