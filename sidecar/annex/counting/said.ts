/** The words of an answer: how a facet and what a question narrows it to are said. */
import { LOST, SAID } from "../../../snapshots/format/standing.ts";
import type { Facet } from "./lexicon.ts";
import type { Filters } from "./question.ts";

export function titleOf(facet: Facet): string {
  return facet === "repo" ? "repository" : facet === "claim_standing" ? "standing" : facet.replaceAll("_", " ");
}

/** A state is called the same with a "but" and without. */
const withButs = (state: string, said: string): Readonly<Record<string, string>> =>
  Object.fromEntries([state, state + SAID, state + LOST].map((value) => [value, said]));

/** How a value is said of a thing. */
const VALUES: Partial<Record<Facet, Readonly<Record<string, string>>>> = {
  standing: {
    verified: "verified",
    verified_said: "only said to be verified",
    verified_lost: "verified once and changed since",
    ...withButs("not_verified", "NOT_VERIFIED"),
    ...withButs("unspecified", "of unspecified verification state"),
  },
  invocation: { runtime: "called at run time", "test-only": "called by tests only", dead: "dead code", unwired: "unwired" },
  deployable: { true: "deployable", false: "not deployable" },
  no_holes: { true: "free of holes", false: "with holes" },
  claim_standing: { verified: "verified", ...withButs("scoped", "scoped"), ...withButs("partial", "partial") },
  production_consumption: { "NOT-RUNTIME-CONSUMED": "not used at run time" },
  visibility: { public: "public", "email-gated": "email-gated" },
};
const BEFORE: Partial<Record<Facet, string>> = {
  repo: "in the repository",
  crate: "in the crate",
  collection: "in the collection",
  object_kind: "of kind",
  kind: "of kind",
};

export function plural(noun: string): string {
  return noun.endsWith("y") ? `${noun.slice(0, -1)}ies` : noun.endsWith("s") ? noun : `${noun}s`;
}

function say(facet: Facet, values: readonly string[]): string {
  if (values.length === 1 && values[0] === "" && VALUES[facet]?.[""] === undefined) return `without ${titleOf(facet)}`;
  const words = [...new Set(values.map((value) => VALUES[facet]?.[value] ?? (value === "" ? "(none)" : value)))].join(" or ");
  return values.every((value) => VALUES[facet]?.[value] !== undefined) ? words : `${BEFORE[facet] ?? `of ${titleOf(facet)}`} ${words}`;
}

/** "are verified and not in the repository sorted-lists". */
export function predicate(filters: Filters): string {
  if (filters.size === 0) return "are there";
  const said = [...filters].map(([facet, { include, exclude }]) => {
    if (facet === "production_consumption" && exclude.length > 0) return "used in production";
    if (facet === "production_consumption" && include?.includes("") === true) return "not used in production";
    if (facet === "axiom" && exclude.length === 0) return `resting on ${(include ?? []).join(" or ")}`;
    if (exclude.length === 1 && exclude[0] === "") return `with ${titleOf(facet)}`;
    return exclude.length > 0 ? `not ${say(facet, exclude)}` : say(facet, include ?? []);
  });
  return `are ${said.join(" and ")}`;
}

/** named returns "records", or "records that are verified". */
export function named(noun: string, filters: Filters): string {
  return filters.size === 0 ? `${noun}s` : `${noun}s that ${predicate(filters)}`;
}
