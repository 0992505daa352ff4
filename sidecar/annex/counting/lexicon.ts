/** The lexicon says what the words of a counting question are, apart from the names of a library. */
import { LOST, RECORD_STANDINGS, SAID } from "../../../snapshots/format/standing.ts";
import { CUB_FACETS, type CubFacet } from "../../../snapshots/schema/cub-facets.ts";
import { KNOWN_VALUES } from "../../../snapshots/schema/index.ts";

export type Subject = "records" | "claims" | "objects" | "collections" | "snapshots" | "rejected" | "changes";

/** What a subject is narrowed and counted by. Facets of records are filters of the registry's page. */
export type Facet = CubFacet | "claim_standing" | "object_kind" | "collection" | "visibility" | "change";

/** `others` turns a condition round: everything but these values. */
type Condition = { readonly facet: Facet; readonly values: readonly string[]; readonly others?: true };

/** A record or claim that a question names. */
export type Entity = { readonly kind: "record" | "claim"; readonly id: string };

/** A word or phrase of a question, with the classes by which forms ask for it. */
export type Term = {
  readonly is: readonly string[];
  /** The condition that it states of each subject that it can be said of. */
  readonly of?: Partial<Record<Subject, Condition>>;
  readonly subject?: Subject;
  /** Whose values are asked for. */
  readonly facet?: Facet;
  readonly entity?: Entity;
  readonly number?: number;
};

/** Facets that say where things are. */
const PLACES: ReadonlySet<Facet> = new Set(["repo", "crate", "collection"]);
/** Facets that a record may be without; of others "none" is a value of its own. */
const HELD: ReadonlySet<Facet> = new Set(["repo", "crate", "lane", "tier", "proof_scope"]);

/** classesOf returns how forms may use a value that stands alone, or beside the name of its facet ("tier 2"). */
export function classesOf(facet: Facet, beside: boolean): readonly string[] {
  if (PLACES.has(facet)) return ["PLACE"];
  if (facet === "kind" || facet === "object_kind") return ["KIND"];
  if (facet === "formal_systems" && !beside) return ["SYSTEM"];
  return beside ? ["STATE", "VALUE"] : ["STATE"];
}

export function isRecordFacet(facet: Facet): facet is CubFacet {
  return CUB_FACETS.some(({ name }) => name === facet);
}

/** knownValues returns the values of a facet that the interface lists. */
export function knownValues(name: CubFacet): readonly string[] {
  if (name === "standing") return RECORD_STANDINGS;
  const field = CUB_FACETS.find((facet) => facet.name === name)?.field ?? "repo";
  return Object.hasOwn(KNOWN_VALUES, field) ? KNOWN_VALUES[field as keyof typeof KNOWN_VALUES] : [];
}

const state = (of: Partial<Record<Subject, Condition>>, ...more: string[]): Term => ({ is: ["STATE", ...more], of });
const records = (facet: CubFacet, ...values: string[]): Term => state({ records: { facet, values } });
const subject = (name: Subject, ...more: string[]): Term => ({ is: ["SUBJECT", ...more], subject: name });
const changed = (value: string): Term => ({ is: ["CHANGED"], of: { changes: { facet: "change", values: [value] } } });
const by = (facet: CubFacet): Term =>
  HELD.has(facet)
    ? { is: ["BY", "CONTAINER", "FACET"], facet, of: { records: { facet, values: [""] } } }
    : { is: ["BY", "CONTAINER"], facet };
const others = (of: Partial<Record<Subject, Condition>>): Partial<Record<Subject, Condition>> =>
  Object.fromEntries(Object.entries(of).map(([name, condition]) => [name, { ...condition, others: true }]));
/** WithButs returns a state and what it is called when there is something to be said against it: only what is verified ceases to be that. */
const withButs = (state: string): string[] => [state, state + SAID, state + LOST];
const VERIFIED: Partial<Record<Subject, Condition>> = {
  records: { facet: "standing", values: ["verified"] },
  claims: { facet: "claim_standing", values: ["verified"] },
};
const NOT_USED: Condition = { facet: "production_consumption", values: ["NOT-RUNTIME-CONSUMED", ""] };

/** Phrases of folded words, alternatives set apart by "|", each with its term or its one class. The longest phrase that fits is taken. */
export const LEXICON: readonly (readonly [phrases: string, term: Term | string])[] = [
  [
    "how many | number of | the number of | count | count of | total number of | what number of | amount of | what is the number of",
    "count",
  ],
  ["what is the total number of | tell me how many | can you tell me how many | how many of", "count"],
  ["list | show | show me | give me | name | enumerate | what | what are | tell me | can you tell me | can you list", "list"],
  ["what percentage of | what percent of | percentage of | percent of | share of | what share of | proportion of", "share"],
  ["fraction of | what fraction of | what proportion of | how large a share of | the share of | the percentage of", "share"],
  ["are there | is there", { is: ["any", "be"] }],
  ["are there any | is there any | is there a | is there an | do any | does any | are any | is any | have any", "any"],
  ["are all | is every | do all | does every | are all of | is all of | have all | is each", "all"],
  ["does each", { is: ["all", "each"] }],
  ["how large | how big | how much | what size | total size | size of | the size of | how many bytes | bytes", "size"],
  ["when | since when | how old | how fresh | how recent", "when"],
  ["more", "more"],
  ["fewer | less", "fewer"],
  ["as many", "as many"],
  ["most | the most | largest number of | the largest number of", "most"],
  ["fewest | least | the fewest | the least | smallest number of", "least"],
  ["biggest | largest | the largest | the biggest", "largest"],
  ["smallest | the smallest", "smallest"],
  ["newest | latest | most recent | last | newest of | since the last | since the previous", "newest"],

  ["record | records | cub | cubs | registry entry | registry entries | proof record | proof records", subject("records")],
  ["claim | claims", subject("claims")],
  ["object | objects | file | files | document | documents", subject("objects")],
  ["collection | collections", { ...subject("collections", "CONTAINER"), facet: "collection" }],
  ["snapshot | snapshots | publication | publications", subject("snapshots", "snapshot")],
  ["rejected | left out | rejected inputs | rejections", "rejected"],
  ["changes | change", "changes"],
  ["registry", "registry"],
  ["library | catalog | catalogue", "library"],

  ["verified | proved | proven | machine checked", state(VERIFIED)],
  ["unverified | unproved | unproven", state(others(VERIFIED))],
  ["unspecified", records("standing", ...withButs("unspecified"))],
  ["notverified", records("standing", ...withButs("not_verified"))],
  ["scoped", state({ claims: { facet: "claim_standing", values: withButs("scoped") } })],
  ["partial | partially verified", state({ claims: { facet: "claim_standing", values: withButs("partial") } })],
  ["runtime | at runtime | called at runtime | used at runtime | invoked at runtime", records("invocation", "runtime")],
  ["executed at runtime | called in runtime code | called by runtime code | running at runtime", records("invocation", "runtime")],
  ["test only | tests only | only in tests | only by tests | called by tests only", records("invocation", "test-only")],
  ["called only by tests | called only in tests | only called by tests | used only by tests", records("invocation", "test-only")],
  ["dead | dead code", records("invocation", "dead")],
  ["unwired", records("invocation", "unwired")],
  ["deployable", records("deployable", "true")],
  ["undeployable", records("deployable", "false")],
  ["free of holes | without holes | no holes | hole free", records("no_holes", "true")],
  ["holes | a hole", state({ records: { facet: "no_holes", values: ["false"] } }, "VALUE")],
  ["in production | running in production | used in production | consumed in production", state(others({ records: NOT_USED }))],
  ["public", state({ collections: { facet: "visibility", values: ["public"] } })],
  ["gated | email gated", state({ collections: { facet: "visibility", values: ["email-gated"] } })],
  ["added | new", changed("added")],
  ["changed | modified | updated", changed("changed")],
  ["removed | deleted", changed("removed")],

  ["repo | repos | repository | repositories | source repository | source repositories", by("repo")],
  ["crate | crates", by("crate")],
  ["use case | use cases | used for", by("use_case")],
  ["lane | lanes", by("lane")],
  ["tier | tiers", by("tier")],
  ["wiring | wirings", by("wiring")],
  ["kernel | kernels", by("kernels")],
  ["formal system | formal systems | proof system | proof systems", by("formal_systems")],
  [
    "verification state | verification states | state of verification | verification | state | states | standing | standings",
    by("standing"),
  ],
  ["invocation | invocations", by("invocation")],
  ["invocation role | invocation roles", by("invocation_role")],
  ["production consumption", by("production_consumption")],
  ["proof consumption", by("proof_consumption")],
  ["proof scope | proof scopes", by("proof_scope")],
  ["status | registry status", by("status")],
  ["kind | kinds | type | types", by("kind")],

  ["rest on | rests on | resting on | depend on | depends on | relies on | rely on", "rest"],

  ["not | non | never", "not"],
  ["no", "no"],
  ["lack | lacks", "lack"],
  ["except | except for | excluding | other than | apart from | besides | outside | outside of | not counting | minus", "except"],
  ["all but | everything but", "except"],
  ["without", "without"],
  ["or", "or"],
  ["and | as well as", "and"],
  ["but", "but"],
  ["both", "both"],
  ["neither", "neither"],
  ["nor", "nor"],
  ["per | by | in each | for each | of each | each | in every | of every", "per"],
  ["all | every | all of | all the", "every"],
  ["different | distinct", "different"],
  ["than | as", "than"],
  ["at least | no fewer than | no less than", "min"],
  ["at most | no more than | up to", "max"],
  ["exactly", "exactly"],
  ["those | these | the ones | ones", "those"],
  ["them | they", "them"],
  ["that", "that"],
  ["which | which of", { is: ["list", "that"] }],
  ["is | are | was | were | be | been | have been | has been", "be"],
  ["do | does | did", "do"],
  ["run | runs | live | lives", "run"],
  ["has | have | hold | holds | contain | contains | cover | covers | include | includes", "have"],
  ["with | having | whose", "with"],
  ["in | inside | within | using | from | come from | comes from | belong to | belongs to", "in"],
  ["published | made | created", "made"],
  ["marked | recorded | written | exist | exists", "filler"],
  ["a | an | the | of | there | it | any | either | here | do you have | do we have", "filler"],
  ["currently | now | please | altogether | in all | in total | total | overall | whole | entire | also", "filler"],
];
