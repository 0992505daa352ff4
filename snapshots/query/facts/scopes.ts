/** How far a "not", an "except" or an "or" of a question reaches. Where two readings are possible there is none: a number for the wrong one
 *  would be believed. */
import type { Condition, Facet, Subject } from "./lexicon.ts";
import type { Read } from "./vocabulary.ts";

/** One condition of a question, in the order of its words. */
export type Said = {
  readonly condition: Condition;
  /** Everything but these values. */
  readonly excluded: boolean;
  /** Whether a "not" says so, which may reach further than to it. */
  readonly negated: boolean;
  /** Whether an "except" says it, which is of what all are and not of what is asked of them. */
  readonly excepted: boolean;
  /** Whether "and" or a comma links it to the one before it. */
  readonly linked: boolean;
  /** Whether "or" joins it to the one before it. */
  readonly or: boolean;
  /** Number of the clause that it stands in. */
  readonly clause: number;
  /** Whether it stands behind a verb that is not of a relative clause. */
  readonly predicate: boolean;
  /** Whether it stands in a relative clause. */
  readonly relative: boolean;
  /** Place among the terms. */
  readonly at: number;
};

/** What says where things are, and not what they are. */
export const PLACES: ReadonlySet<Facet> = new Set(["repo", "crate", "collection"]);
/** What says what things are: a noun of its own. */
export const NOUNS: ReadonlySet<Facet> = new Set(["kind", "object_kind", "collection"]);
/** Facets of which one thing may have several values: "this and that" is not "this or that" then. */
export const LISTS: ReadonlySet<Facet> = new Set(["use_case"]);
/** "Verified in Lean": checked there, or of what is written there? A record says the second alone. */
const STATES: ReadonlySet<Facet> = new Set(["verification_state", "claim_status"]);
const SYSTEMS: ReadonlySet<Facet> = new Set(["formal_systems", "kernels"]);

/** What a record has or has not; of others "none" is a value of its own. */
const HELD: ReadonlySet<Facet> = new Set(["repo", "crate", "lane", "tier", "proof_scope"]);

type Exception = {
  facet: Facet | null;
  /** Whether it has a noun of its own: "those that are verified". */
  own: boolean;
  relative: boolean;
};

/** @param ending whether a predicate may end the question without a verb before it: "Is every theorem except lemmas verified?"
 *  @returns null where it is not clear what belongs to what */
export function scopesOf(terms: readonly Read[], subject: Subject, ending: boolean): readonly Said[] | null {
  const said: Said[] = [];
  const conditions = terms.filter(({ is }) => is === "condition" || is === "others" || is === "facet").length;
  let exception: Exception | null = null;
  let excepted = false;
  let negation: "not" | "no" | "without" | null = null;
  let neither = 0;
  let relative = false;
  let predicate = false;
  let both = false;
  let every = false;
  /** What has been said since the last condition. */
  let since = new Set<Read["is"]>();
  let seen = 0;
  let clauses = 0;

  for (const [at, term] of terms.entries()) {
    const last = said.at(-1);
    switch (term.is) {
      case "unclear":
        return null;
      case "every":
        every = true;
        break;
      case "both":
        both = true;
        break;
      case "but":
        // "All but theorems" leaves them out, "verified but dead" does not; what else it may mean is not guessed.
        if (every && !isNegated(terms[at + 1])) return null;
        if (last === undefined && !isNegated(terms[at + 1])) return null;
        break;
      case "not":
      case "no":
      case "without":
        if (negation !== null || (exception !== null && exception.facet === null)) return null;
        negation = term.is;
        break;
      case "neither":
        if (negation !== null || exception !== null || neither > 0) return null;
        negation = "not";
        neither = 1;
        break;
      case "nor":
        if (negation !== null || last === undefined || !last.excluded || last.excepted) return null;
        negation = "not";
        if (neither > 0) neither++;
        break;
      case "except":
        if (negation !== null || excepted) return null;
        exception = { facet: null, own: false, relative: false };
        excepted = true;
        break;
      case "those":
        if (negation === "without" && !excepted) {
          negation = null;
          exception = { facet: null, own: true, relative: false };
          excepted = true;
        } else if (exception?.facet === null) exception.own = true;
        break;
      case "subject":
        if (negation !== null) return null;
        if (exception?.facet === null) exception.own = true;
        break;
      case "relative":
        clauses++;
        if (negation !== null) return null;
        if (exception?.facet === null) exception.relative = true;
        else if (exception !== null && !exception.own && exception.facet !== null && PLACES.has(exception.facet)) exception = null;
        else if (exception !== null) return null;
        else relative = true;
        break;
      case "verb":
      case "run":
      case "hold":
        clauses++;
        if (exception?.facet === null && !exception.own) return null;
        if (exception !== null && exception.facet !== null) exception = null;
        // A verb that nothing joins to one before it ends the clause that narrows the noun.
        if (!(since.has("relative") || ((since.has("and") || since.has("but")) && relative))) {
          relative = false;
          predicate = true;
        }
        break;
      case "ask":
      case "per":
        if (negation !== null || exception?.facet === null) return null;
        exception = null;
        break;
      case "facet":
      case "condition":
      case "others": {
        seen++;
        const condition = term.is === "facet" ? presenceOf(term.facet, subject, terms, at) : (term.of[subject] ?? null);
        if (condition === undefined) {
          // The facet that is asked for.
          if (negation !== null || exception?.facet === null) return null;
          break;
        }
        if (condition === null) return null;
        if (term.is !== "facet" && (negation === "no" || negation === "without")) return null;
        const { facet } = condition;
        const same = last !== undefined && last.condition.facet === facet;
        const links = since.has("or") || since.has("nor") || since.has("and") || since.has("comma");
        const isLast = seen === conditions;
        let out = false;
        if (exception !== null) {
          if (exception.facet === null || (exception.facet === facet && links)) {
            exception.facet = facet;
            out = true;
          } else if (exception.facet === facet) return null;
          else if (since.has("comma") && !since.has("and")) exception = null;
          else if (
            ending &&
            isLast &&
            !exception.own &&
            !links &&
            !PLACES.has(facet) &&
            !NOUNS.has(facet) &&
            isPlaceOrNoun(exception.facet)
          )
            exception = null;
          else if (ending && isLast && exception.own && !exception.relative && !links && PLACES.has(exception.facet) && isState(facet))
            exception = null;
          else return null;
        }
        if (!out && last !== undefined && !last.excepted && !joins(last, { facet, links, both, negated: negation !== null }, since))
          return null;
        const run = said.slice(said.findLastIndex((one) => one.condition.facet !== facet || one.excepted !== out) + 1);
        if (said.some((one) => one.condition.facet === facet && one.excepted === out && !run.includes(one))) return null;
        if (same && last.excepted === out && LISTS.has(facet) && !since.has("or")) return null;
        const others = term.is !== "condition";
        const negated = negation !== null;
        const carried = !negated && !out && same && last.excluded && !last.excepted && (since.has("or") || since.has("nor"));
        said.push({
          condition,
          excluded: out || carried ? !others : negated !== others,
          negated: negated || carried,
          excepted: out,
          linked: since.has("and") || since.has("comma"),
          or: since.has("or") && !since.has("nor"),
          clause: clauses,
          predicate,
          relative,
          at,
        });
        if (others && (out || carried)) return null;
        negation = null;
        since = new Set();
        continue;
      }
      default:
    }
    since.add(term.is);
  }
  if (said.some((one, at) => isMixed(said[at - 1], one, said[at + 1]))) return null;
  const facets = said.map(({ condition }) => condition.facet);
  if (facets.some((facet) => STATES.has(facet)) && facets.some((facet) => SYSTEMS.has(facet))) return null;
  return negation !== null || exception?.facet === null || neither === 1 ? null : said;
}

/** "Verified, dead or unwired", "verified and dead or unwired": both of what, or either of what? Of places "or" is of them alone. */
function isMixed(before: Said | undefined, one: Said, behind: Said | undefined): boolean {
  const { facet } = one.condition;
  const isOther = (other: Said | undefined): other is Said =>
    other !== undefined && other.condition.facet !== facet && other.clause === one.clause;
  if (isOther(before) && one.linked && behind?.or === true && behind.condition.facet === facet) return !PLACES.has(facet);
  return one.or && isOther(behind) && behind.linked;
}

/** Whether a condition goes with the one before it in the one way that there is. */
function joins(
  last: Said,
  { facet, links, both, negated }: { readonly facet: Facet; readonly links: boolean; readonly both: boolean; readonly negated: boolean },
  since: ReadonlySet<Read["is"]>,
): boolean {
  if (since.has("nor")) return true;
  // "Not this or not that" leaves out nothing.
  if (since.has("or") && negated) return false;
  // Two values of one facet are alternatives, and nothing has both.
  if (last.condition.facet === facet) return links && !(both && !PLACES.has(facet));
  // Of two facets "or" asks for more than one list.
  if (since.has("or")) return false;
  if (!last.negated || negated) return true;
  // "Not verified and deployable", "not verified theorems": not both, or not the first?
  if ((["verb", "run", "hold", "but", "relative", "ask"] as const).some((is) => since.has(is))) return true;
  return since.has("in") && PLACES.has(facet) && !links;
}

function isNegated(term: Read | undefined): boolean {
  return term?.is === "not" || term?.is === "no";
}

function isPlaceOrNoun(facet: Facet): boolean {
  return PLACES.has(facet) || NOUNS.has(facet);
}

function isState(facet: Facet): boolean {
  return !PLACES.has(facet) && !NOUNS.has(facet);
}

/** "With a crate" and "without a crate" say whether there is one: the condition is that there is none, and "others" of it that there is. @returns undefined for a facet that is asked for, null for one that is
 *  said in a way that no list proves */
function presenceOf(facet: Facet, subject: Subject, terms: readonly Read[], at: number): Condition | null | undefined {
  const [before] = terms
    .slice(0, at)
    .filter(({ is }) => is !== "glue" && is !== "in")
    .slice(-1);
  if (before === undefined || !["hold", "with", "no", "without"].includes(before.is)) return before?.is === "not" ? null : undefined;
  if (subject !== "records" || !HELD.has(facet)) return null;
  return { facet, values: [""] };
}
