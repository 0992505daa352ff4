/** What the words of a question mean when it asks about the registry, the claims, the catalog or the history. A question is
 *  understood only when every word of it stands here or is a name of this library; what is not understood is never computed. */
import type { CubFacet } from "../../schema/cub-facets.ts";

export type Subject = "records" | "claims" | "objects" | "collections" | "snapshots" | "rejected" | "changes";

/** What is asked of a subject. Facets of records are filters of the registry's page; the others have one or two of their own. */
export type Facet = CubFacet | "claim_status" | "object_kind" | "collection" | "visibility" | "change";

export type Condition = { readonly facet: Facet; readonly values: readonly string[] };

/** What is asked for. "most" and "least" are of numbers of things, "largest" and "smallest" of bytes or objects, "newest" is of time. */
export type Ask =
  | "count"
  | "list"
  | "share"
  | "any"
  | "all"
  | "size"
  | "when"
  | "more"
  | "fewer"
  | "as many"
  | "most"
  | "least"
  | "largest"
  | "smallest"
  | "newest";

export type Term =
  | { readonly is: "ask"; readonly ask: Ask }
  | { readonly is: "subject"; readonly subject: Subject }
  /** The condition that a word states of each subject that it can be said of. */
  | { readonly is: "condition"; readonly of: Partial<Record<Subject, Condition>> }
  /** Everything but these values. */
  | { readonly is: "others"; readonly of: Partial<Record<Subject, Condition>> }
  | { readonly is: "facet"; readonly facet: Facet }
  /** How many of something there have to be, before the number itself. */
  | { readonly is: "bound"; readonly bound: "min" | "max" | "exact" }
  | {
      readonly is:
        | "not"
        | "no"
        | "except"
        /** Of a facet it says that there is none, of those it is "except". */
        | "without"
        | "and"
        | "or"
        | "but"
        | "both"
        | "neither"
        | "nor"
        | "per"
        | "every"
        | "different"
        | "than"
        /** "those", "the ones": what a narrower clause speaks of. */
        | "those"
        /** What the question before it counted. */
        | "them"
        /** "that", "which": what follows narrows the noun before it. */
        | "relative"
        | "verb"
        /** A verb that says nothing by itself: "run in production". */
        | "run"
        /** "has", "contains": what stands behind it belongs to what stands before it. */
        | "hold"
        | "with"
        /** "in", "using": what stands behind it may narrow the word before it. */
        | "in"
        /** When something was made; only of snapshots it is known. */
        | "made"
        | "registry"
        | "library"
        | "glue";
    }
  /** What turns a question into one that no list proves. */
  | { readonly is: "unclear" };

const records = (facet: CubFacet, ...values: string[]): Term => ({ is: "condition", of: { records: { facet, values } } });
const ask = (what: Ask): Term => ({ is: "ask", ask: what });
const subject = (name: Subject): Term => ({ is: "subject", subject: name });
const facet = (name: Facet): Term => ({ is: "facet", facet: name });
const VERIFIED: Partial<Record<Subject, Condition>> = {
  records: { facet: "verification_state", values: ["VERIFIED"] },
  claims: { facet: "claim_status", values: ["verified"] },
};

/** Phrases of folded words, alternatives set apart by "|". The longest phrase that fits is taken. */
export const LEXICON: readonly (readonly [phrases: string, term: Term])[] = [
  ["how many | how many of | number of | the number of | count | count of | total number of | what number of | amount of", ask("count")],
  ["list | show | show me | give me | name | enumerate | what | what are | tell me | can you tell me | can you list", ask("list")],
  ["what percentage of | what percent of | percentage of | percent of | share of | what share of | proportion of", ask("share")],
  ["fraction of | what fraction of | what proportion of | how large a share of | the share of | the percentage of", ask("share")],
  [
    "are there | is there | are there any | is there any | is there a | is there an | do any | does any | are any | is any | have any",
    ask("any"),
  ],
  ["are all | is every | do all | does every | are all of | is all of | have all | is each | does each", ask("all")],
  ["how large | how big | how much | what size | total size | size of | the size of | how many bytes | bytes", ask("size")],
  ["when | since when | how old | how fresh | how recent", ask("when")],
  ["more", ask("more")],
  ["fewer | less", ask("fewer")],
  ["as many", ask("as many")],
  ["most | the most | largest number of | the largest number of", ask("most")],
  ["fewest | least | the fewest | the least | smallest number of", ask("least")],
  ["biggest | largest | the largest | the biggest", ask("largest")],
  ["smallest | the smallest", ask("smallest")],
  ["newest | latest | most recent | last | newest of | since the last | since the previous", ask("newest")],

  ["record | records | cub | cubs | registry entry | registry entries | proof record | proof records", subject("records")],
  ["claim | claims", subject("claims")],
  ["object | objects | file | files | document | documents", subject("objects")],
  ["collection | collections", subject("collections")],
  ["snapshot | snapshots | publication | publications", subject("snapshots")],
  ["rejected | left out | rejected inputs | rejections", subject("rejected")],

  ["verified | proved | proven | machine checked", { is: "condition", of: VERIFIED }],
  ["unverified | unproved | unproven", { is: "others", of: VERIFIED }],
  ["unspecified", records("verification_state", "UNSPECIFIED")],
  ["scoped", { is: "condition", of: { claims: { facet: "claim_status", values: ["scoped"] } } }],
  ["partial | partially verified", { is: "condition", of: { claims: { facet: "claim_status", values: ["partial"] } } }],
  ["runtime | at runtime | called at runtime | used at runtime | invoked at runtime", records("invocation", "runtime")],
  ["executed at runtime | called in runtime code | called by runtime code | running at runtime", records("invocation", "runtime")],
  ["test only | tests only | only in tests | only by tests | called by tests only", records("invocation", "test-only")],
  ["called only by tests | called only in tests | only called by tests | used only by tests", records("invocation", "test-only")],
  ["dead | dead code", records("invocation", "dead")],
  ["unwired", records("invocation", "unwired")],
  ["deployable", records("deployable", "true")],
  ["undeployable", records("deployable", "false")],
  ["free of holes | without holes | no holes | hole free", records("no_holes", "true")],
  ["holes | a hole", records("no_holes", "false")],
  [
    "in production | running in production | used in production | consumed in production",
    { is: "others", of: { records: { facet: "production_consumption", values: ["NOT-RUNTIME-CONSUMED", ""] } } },
  ],
  ["public", { is: "condition", of: { collections: { facet: "visibility", values: ["public"] } } }],
  ["gated | email gated", { is: "condition", of: { collections: { facet: "visibility", values: ["email-gated"] } } }],
  ["added | new", { is: "condition", of: { changes: { facet: "change", values: ["added"] } } }],
  ["changed | modified | updated", { is: "condition", of: { changes: { facet: "change", values: ["changed"] } } }],
  ["removed | deleted", { is: "condition", of: { changes: { facet: "change", values: ["removed"] } } }],
  ["changes | change", subject("changes")],

  ["repo | repos | repository | repositories | source repository | source repositories", facet("repo")],
  ["crate | crates", facet("crate")],
  ["use case | use cases | used for", facet("use_case")],
  ["lane | lanes", facet("lane")],
  ["tier | tiers", facet("tier")],
  ["wiring | wirings", facet("wiring")],
  ["kernel | kernels", facet("kernels")],
  ["formal system | formal systems | proof system | proof systems", facet("formal_systems")],
  ["verification state | verification states | state of verification | verification | state | states", facet("verification_state")],
  ["invocation | invocations", facet("invocation")],
  ["invocation role | invocation roles", facet("invocation_role")],
  ["production consumption", facet("production_consumption")],
  ["proof consumption", facet("proof_consumption")],
  ["proof scope | proof scopes", facet("proof_scope")],
  ["status | registry status", facet("status")],
  ["kind | kinds | type | types", facet("kind")],

  ["not | non | isn't | aren't | don't | doesn't | never", { is: "not" }],
  ["no | lack | lacks", { is: "no" }],
  ["except | except for | excluding | other than | apart from | besides | outside | outside of | not counting | minus", { is: "except" }],
  ["all but | everything but", { is: "except" }],
  ["without", { is: "without" }],
  ["or", { is: "or" }],
  ["and | as well as", { is: "and" }],
  ["but", { is: "but" }],
  ["both", { is: "both" }],
  ["neither", { is: "neither" }],
  ["nor", { is: "nor" }],
  ["per | by | in each | for each | of each | each | in every | of every", { is: "per" }],
  ["all | every | all of | all the", { is: "every" }],
  ["different | distinct", { is: "different" }],
  ["than | as", { is: "than" }],
  ["at least | no fewer than | no less than", { is: "bound", bound: "min" }],
  ["at most | no more than | up to", { is: "bound", bound: "max" }],
  ["exactly", { is: "bound", bound: "exact" }],
  ["those | these | the ones | ones", { is: "those" }],
  ["them | they", { is: "them" }],
  ["that | which | which of", { is: "relative" }],
  ["is | are | was | were | do | does | did | be | been", { is: "verb" }],
  ["run | runs | live | lives", { is: "run" }],
  ["has | have | hold | holds | contain | contains | cover | covers | include | includes", { is: "hold" }],
  ["with | having | whose", { is: "with" }],
  ["in | inside | within | using | come from | comes from | belong to | belongs to", { is: "in" }],
  ["published | made | created", { is: "made" }],
  ["not both | not all | not every | not only | not just | more or less", { is: "unclear" }],
  ["registry", { is: "registry" }],
  ["library | catalog | catalogue", { is: "library" }],
  ["marked | recorded | written | exist | exists", { is: "glue" }],
  ["a | an | the | of | on | at | to | for | from | it | its | there | their | any | either", { is: "glue" }],
  ["here | me | do you have | do we have", { is: "glue" }],
  ["currently | now | please | altogether | in all | in total | total | overall | whole | entire | also", { is: "glue" }],
];
