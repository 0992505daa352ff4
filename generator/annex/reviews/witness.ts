/** A witness of a theorem: another one, named by a person, that shows its hypotheses can be met. It is held against both statements as far as their
 *  words and names decide that, of Metamath against its proof; what is not decided is said to be the person's word. */
import { partsOfStatement } from "#snapshots/page";
import type { CubRecord, RecordEdge, RecordWitness } from "#snapshots/schema";

/** A Term is a word or a sign, or what stands in one pair of brackets. */
type Term = string | readonly Term[];

const SIGNS = /[\p{L}\p{N}_'.]+|\/\\|\\\/|<->|->|[()[\]{}⟨⟩]|[^\s]/gu;
/** Agda parts its words by spaces and brackets alone. */
const AGDA_SIGNS = /[(){}⦃⦄;]|[^\s(){}⦃⦄;]+/gu;
const OPENS = "([{⟨⦃";
const CLOSES = ")]}⟩⦄";
const AND = new Set(["/\\", "∧"]);
const EXISTS = new Set(["exists", "∃"]);
/** Words that give a name another meaning behind them; and, with signs that bind less than "and", what a statement is not taken apart at. */
const BINDS = new Set(["forall", "∀", "fun", "λ", "\\", "let", "match", "exists", "∃"]);
const BEYOND = new Set([...BINDS, "->", "→", "\\/", "∨", "<->", "↔", "⇒", "if"]);
const MAX_WORDS = 40; // that a record tells; beyond, there may be more

/** Mentions gives the full names of these sources that a record's statement names; null where its prover does not tell them. */
export type Mentions = (id: string) => readonly string[] | null;

/** withWitnesses tells each record what its witness is, and counts that as a use. @param named ids of witnesses by those of records */
export function withWitnesses(records: readonly CubRecord[], named: ReadonlyMap<string, string>, mentions: Mentions): readonly CubRecord[] {
  const byId = new Map(named.size === 0 ? [] : records.map((record) => [record.id, record]));
  return records.map((record) => {
    const id = named.get(record.id);
    if (id === undefined) return record;
    const other = byId.get(id) ?? null;
    const { count, edges } = record.uses ?? { count: 0, edges: [] };
    const edge: RecordEdge[] =
      other === null ? [] : [{ id, name: `${other.module}.${other.theorem_name}`, from: "witness", basis: "source" }];
    return {
      ...record,
      witness: witnessOf(record, id, other, mentions),
      uses: { count: count + edge.length, edges: [...edges, ...edge] },
    };
  });
}

/** witnessOf says what another record is as a witness of this one. @param other null where there is none of this id */
function witnessOf(record: CubRecord, id: string, other: CubRecord | null, mentions: Mentions): RecordWitness {
  if (other === null) return { id, name: "", state: "missing", why: "no record has this id" };
  const { theorem_name: name } = other;
  if (other.verification_state !== "VERIFIED") return { id, name, state: "not_verified", why: "" };
  const isAlien = record.repo !== other.repo || record.formal_systems !== other.formal_systems;
  const why = isAlien
    ? "it is of other sources"
    : record.formal_systems === "Metamath"
      ? whyNoUse(record, other)
      : whyUndecided(record, other, mentions);
  return { id, name, state: why === null ? "shown" : "named", why: why ?? "" };
}

/** whyNoUse decides it for Metamath, whose proofs fill in each hypothesis of what they use: one that assumes nothing itself has met them all. */
function whyNoUse(record: CubRecord, other: CubRecord): string | null {
  if (!hasHypotheses(record)) return "it has no hypotheses";
  if (hasHypotheses(other)) return "it has hypotheses of its own";
  const uses = other.uses?.edges.some(({ id, from, basis }) => id === record.id && from === "proof" && basis === "kernel") === true;
  return uses ? null : "its proof does not use the theorem";
}

/** Assumptions stand before a sign that no database of Metamath can have, beside which variables are apart. */
function hasHypotheses({ statement_source: text = "" }: CubRecord): boolean {
  const [assumed, ...rest] = text.split(" ⊢ ");
  return rest.length > 0 && assumed?.split("; ").some((one) => !one.startsWith("$d ")) === true;
}

type Taken = { readonly hypotheses: readonly (readonly Term[])[]; readonly types: ReadonlyMap<string, Term> };

/** whyUndecided gives the first reason why words do not decide it; null where the witness states each hypothesis, of the same things. */
function whyUndecided(record: CubRecord, other: CubRecord, mentions: Mentions): string | null {
  const isAgda = record.formal_systems === "Agda";
  const [names, others] = [record, other].map((one) => namesIn(one, mentions));
  if (names == null || others == null) return "their words are the source’s own, or nobody says what they name";
  const taken = isAgda ? agdaParts(record.statement) : partsIn(record.statement);
  if (taken === null && isAgda) return "the theorem takes more than hypotheses, and Agda tells no types of that";
  if (taken === null || taken.hypotheses.length === 0) return "no hypotheses can be told apart in it";
  const said = isAgda ? wholeOf(other.statement) : conjuncts(oneLine(other.statement));
  if (said === null) return "what it states cannot be taken apart";
  const { types } = taken;
  const isSame = (sign: string): boolean => !said.types.has(sign) && names.get(lastOf(sign)) === others.get(lastOf(sign));
  const found = new Map<string, Term>();
  for (const hypothesis of taken.hypotheses) {
    const match = said.all.map((one) => matched(hypothesis, one, types, found)).find((one) => one !== null);
    if (match === undefined || match === null) return `it does not state ${signsOf(hypothesis).join(" ")}`;
    const strange = signsOf(hypothesis).find((sign) => !types.has(sign) && !isSame(sign));
    if (strange !== undefined) return `its ${strange} is another one`;
    for (const [variable, term] of match) found.set(variable, term);
  }
  const free = [...types.keys()].find((variable) => !found.has(variable));
  if (free !== undefined) return `it does not say what ${free} is`;
  const untyped = [...found].find(([variable, term]) => {
    const type: Term = types.get(variable) ?? [];
    const isOwn = signsOf(type).some((sign) => (types.has(sign) ? found.get(sign) !== sign : !isSame(sign)));
    return isOwn || type.length === 0 || !(isNumber(term, type) || isAlike(said.types.get(String(term)), type));
  });
  return untyped === undefined ? null : `its words do not say that ${signsOf(untyped[1]).join(" ")} is of the type of ${untyped[0]}`;
}

/** isNumber tells numbers of Coq's own, which words show; of other terms they show no type. */
function isNumber(term: Term, type: Term): boolean {
  return isAlike(type, ["nat"]) && signsOf(term).every((sign) => /^(?:\d+|[OS()])$/.test(sign));
}

function isAlike(one: Term | undefined, other: Term): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** namesIn gives the full names of what a statement names, by their last part; one that two of them have is nobody's. Agda's records tell them as words.
 *  @returns null where words may hide more than names */
function namesIn(
  { id, statement_words: words = [], formal_systems: system, statement_basis: basis }: CubRecord,
  mentions: Mentions,
): ReadonlyMap<string, string> | null {
  const isAgda = system === "Agda";
  // Lean's own print has every name in full.
  const told = isAgda || (system === "Lean" && basis === "elaborated") ? [] : mentions(id);
  if (told === null || words.length >= MAX_WORDS || words.some(({ kind }) => kind !== "name")) return null;
  const names = new Map<string, string>();
  for (const [short, full] of [
    ...words.map(({ word, stands_for: full }) => [lastOf(word), full] as const),
    ...told.map((full) => [lastOf(full), full] as const),
  ])
    names.set(short, (names.get(short) ?? full) === full ? full : `${id} ${full}`);
  return names;
}

function lastOf(name: string): string {
  return /[^.]+$/.exec(name)?.[0] ?? name;
}

function partsIn(statement: string): Taken | null {
  const parts = partsOfStatement(oneLine(statement));
  if (parts === null) return null;
  return { hypotheses: parts.hypotheses.map((text) => unwrapped(termsOf(text))), types: bindings(parts.signature) };
}

/** agdaParts takes a type of Agda apart at its arrows. Its check tells names and no types, so nothing is decided of what it takes besides hypotheses. */
function agdaParts(statement: string): Taken | null {
  const pieces: Term[][] = [[]];
  for (const term of termsOf(statement, AGDA_SIGNS)) {
    if (term === "→" || term === "->") pieces.push([]);
    else pieces.at(-1)?.push(term);
  }
  const hypotheses = pieces.slice(0, -1).map(unwrapped);
  const takes = (piece: readonly Term[]): boolean => piece.length === 0 || signsOf(piece).some((sign) => /^(?:[∀:⦃{]|forall)$/.test(sign));
  return hypotheses.some(takes) ? null : { hypotheses, types: new Map() };
}

/** wholeOf takes what a witness in Agda states as one: which signs join others, and how closely, its words do not say. */
function wholeOf(statement: string): ReturnType<typeof conjuncts> {
  const terms = unwrapped(termsOf(statement, AGDA_SIGNS));
  return terms.some((term) => typeof term === "string" && BEYOND.has(term)) ? null : { all: [terms], types: new Map() };
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

function termsOf(text: string, signs = SIGNS): readonly Term[] {
  const open: Term[][] = [[]];
  for (const [sign] of text.matchAll(signs)) {
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
function bindings(signature: string): Map<string, Term> {
  const types = new Map<string, Term>();
  for (const line of signature.split("\n")) {
    const terms = termsOf(line.replace(/,$/, "")).slice(1);
    if (terms.includes(":") || terms.every((term) => typeof term === "string")) bind(terms, types);
    else for (const term of terms) bind(Array.isArray(term) ? (term as readonly Term[]).slice(1, -1) : [term], types);
  }
  return types;
}

function bind(group: readonly Term[], types: Map<string, Term>): void {
  const colon = group.indexOf(":");
  const type = colon < 0 ? [] : group.slice(colon + 1);
  for (const name of group.slice(0, colon < 0 ? undefined : colon)) if (typeof name === "string" && name !== ",") types.set(name, type);
}

/** conjuncts takes a statement apart: what it says exists, and each thing that it says of that; null where it says more than "and". */
function conjuncts(text: string): { readonly all: readonly (readonly Term[])[]; readonly types: ReadonlyMap<string, Term> } | null {
  let terms = unwrapped(termsOf(text));
  const types = new Map<string, Term>();
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
  return binds && !isAlike(hypothesis, said) ? null : found;
}

function isMatch(hypothesis: Term, said: Term, variables: ReadonlyMap<string, unknown>, found: Map<string, Term>): boolean {
  if (typeof hypothesis === "string") {
    if (!variables.has(hypothesis)) return hypothesis === said;
    const before = found.get(hypothesis);
    if (before === undefined) found.set(hypothesis, said);
    return before === undefined || isAlike(before, said);
  }
  if (typeof said === "string" || said.length !== hypothesis.length) return false;
  return hypothesis.every((term, at) => isMatch(term, said[at] ?? "", variables, found));
}
