/** A witness of a theorem: another one, named by a person, that shows its hypotheses can be met. It is held against both statements as far as their
 *  words decide that; what they do not decide is said to be the person's word. */
import { partsOfStatement } from "#snapshots/page";
import type { CubRecord, RecordEdge, RecordWitness } from "#snapshots/schema";

/** A Term is a word or a sign, or what stands in one pair of brackets. */
type Term = string | readonly Term[];

const SIGNS = /[\p{L}\p{N}_'.]+|\/\\|\\\/|<->|->|[()[\]{}⟨⟩]|[^\s]/gu;
const OPENS = "([{⟨";
const CLOSES = ")]}⟩";
const AND = new Set(["/\\", "∧"]);
const EXISTS = new Set(["exists", "∃"]);
/** Words that give a name another meaning behind them; and, with signs that bind less than "and", what a statement is not taken apart at. */
const BINDS = new Set(["forall", "∀", "fun", "λ", "let", "match", "exists", "∃"]);
const BEYOND = new Set([...BINDS, "->", "→", "\\/", "∨", "<->", "↔", "⇒", "if"]);

/** withWitnesses tells each record what its witness is, and counts that as a use. @param named ids of witnesses by those of records */
export function withWitnesses(records: readonly CubRecord[], named: ReadonlyMap<string, string>): readonly CubRecord[] {
  const byId = new Map(named.size === 0 ? [] : records.map((record) => [record.id, record]));
  return records.map((record) => {
    const id = named.get(record.id);
    if (id === undefined) return record;
    const other = byId.get(id) ?? null;
    const { count, edges } = record.uses ?? { count: 0, edges: [] };
    const edge: RecordEdge[] =
      other === null ? [] : [{ id, name: `${other.module}.${other.theorem_name}`, from: "witness", basis: "source" }];
    return { ...record, witness: witnessOf(record, id, other), uses: { count: count + edge.length, edges: [...edges, ...edge] } };
  });
}

/** witnessOf says what another record is as a witness of this one. @param other null where there is none of this id */
function witnessOf(record: CubRecord, id: string, other: CubRecord | null): RecordWitness {
  if (other === null) return { id, name: "", state: "missing", why: "no record has this id" };
  const { theorem_name: name } = other;
  if (other.verification_state !== "VERIFIED") return { id, name, state: "not_verified", why: "" };
  const why = whyUndecided(record, other);
  return { id, name, state: why === null ? "shown" : "named", why: why ?? "" };
}

/** whyUndecided gives the first reason why words do not decide it; null where the witness states each hypothesis, of the same things. */
function whyUndecided(record: CubRecord, other: CubRecord): string | null {
  if (record.repo !== other.repo || record.formal_systems !== other.formal_systems) return "it is of other sources";
  if ([record, other].some(({ statement_words: words = [] }) => words.length > 0)) return "their words are the source's own";
  const parts = partsOfStatement(oneLine(record.statement));
  if (parts === null || parts.hypotheses.length === 0) return "no hypotheses can be told apart in it";
  const said = conjuncts(oneLine(other.statement));
  if (said === null) return "what it states cannot be taken apart";
  const types = bindings(parts.signature);
  const found = new Map<string, Term>();
  for (const text of parts.hypotheses) {
    const hypothesis = unwrapped(termsOf(text));
    const match = said.all.map((one) => matched(hypothesis, one, types, found)).find((one) => one !== null);
    if (match === undefined || match === null) return `it does not state ${text}`;
    for (const [variable, term] of match) found.set(variable, term);
  }
  const free = [...types.keys()].find((variable) => !found.has(variable));
  if (free !== undefined) return `it does not say what ${free} is`;
  const other_type = [...found].find(([variable, term]) => {
    const type = typeof term === "string" ? said.types.get(term) : undefined;
    return type !== undefined && type !== types.get(variable);
  });
  return other_type === undefined ? null : `its ${String(other_type[1])} has another type`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

function termsOf(text: string): readonly Term[] {
  const open: Term[][] = [[]];
  for (const [sign] of text.matchAll(SIGNS)) {
    if (OPENS.includes(sign)) open.push([sign]);
    else if (CLOSES.includes(sign) && open.length > 1) {
      const group = open.pop() ?? [];
      open.at(-1)?.push([...group, sign]);
    } else open.at(-1)?.push(sign);
  }
  return open.flat();
}

/** unwrapped takes off brackets around the whole. */
function unwrapped(terms: readonly Term[]): readonly Term[] {
  const [only] = terms;
  return terms.length === 1 && Array.isArray(only) && only[0] === "(" ? unwrapped((only as readonly Term[]).slice(1, -1)) : terms;
}

/** bindings gives names that a statement binds with their types, as far as they stand there: `forall (x y : nat) (z : A),` or `exists x : nat,`. */
function bindings(signature: string): Map<string, string> {
  const types = new Map<string, string>();
  const bind = (group: readonly Term[]): void => {
    const colon = group.indexOf(":");
    const type = colon < 0 ? "" : JSON.stringify(group.slice(colon + 1));
    for (const name of group.slice(0, colon < 0 ? undefined : colon)) if (typeof name === "string" && name !== ",") types.set(name, type);
  };
  for (const line of signature.split("\n")) {
    const terms = termsOf(line.replace(/,$/, "")).slice(1);
    if (terms.includes(":") || terms.every((term) => typeof term === "string")) bind(terms);
    else for (const term of terms) bind(Array.isArray(term) ? (term as readonly Term[]).slice(1, -1) : [term]);
  }
  return types;
}

/** conjuncts takes a statement apart: what it says exists, and each thing that it says of that; null where it says more than "and". */
function conjuncts(text: string): { readonly all: readonly (readonly Term[])[]; readonly types: ReadonlyMap<string, string> } | null {
  let terms = unwrapped(termsOf(text));
  const types = new Map<string, string>();
  while (typeof terms[0] === "string" && EXISTS.has(terms[0])) {
    const comma = terms.indexOf(",");
    if (comma < 0) return null;
    for (const [name, type] of bindings(signsOf(terms.slice(0, comma)).join(" "))) types.set(name, type);
    terms = unwrapped(terms.slice(comma + 1));
  }
  if (terms.some((term) => typeof term === "string" && BEYOND.has(term))) return null;
  const all: Term[][] = [[]];
  for (const term of terms) {
    if (typeof term === "string" && AND.has(term)) all.push([]);
    else all.at(-1)?.push(term);
  }
  return { all: all.map(unwrapped), types };
}

function signsOf(term: Term): readonly string[] {
  return typeof term === "string" ? [term] : term.flatMap(signsOf);
}

/** matched holds a hypothesis against what a witness states: the same words, with one thing for each variable. @returns things by variables; null
 *  where they are other words */
function matched(
  hypothesis: readonly Term[],
  said: readonly Term[],
  variables: ReadonlyMap<string, unknown>,
  known: ReadonlyMap<string, Term>,
): ReadonlyMap<string, Term> | null {
  const found = new Map(known);
  if (!isMatch(hypothesis, said, variables, found)) return null;
  // Under a binder of its own a name could be caught: then nothing but the very same words will do.
  const binds = signsOf(hypothesis).some((sign) => BINDS.has(sign));
  return binds && JSON.stringify(hypothesis) !== JSON.stringify(said) ? null : found;
}

function isMatch(hypothesis: Term, said: Term, variables: ReadonlyMap<string, unknown>, found: Map<string, Term>): boolean {
  if (typeof hypothesis === "string") {
    if (!variables.has(hypothesis)) return hypothesis === said;
    const before = found.get(hypothesis);
    if (before === undefined) found.set(hypothesis, said);
    return before === undefined || JSON.stringify(before) === JSON.stringify(said);
  }
  if (typeof said === "string" || said.length !== hypothesis.length) return false;
  return hypothesis.every((term, at) => isMatch(term, said[at] ?? "", variables, found));
}
