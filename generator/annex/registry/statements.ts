/** What a record states, held against the declaration of its name in a proof file, as texts. White space, comments and signs with two
 *  spellings make no difference; where only a prover could tell whether two statements are one, nothing is said. */
import type { HeldStatement, HoldStatement } from "../../sources/statements.ts";
import { scanCoq } from "./coq.ts";
import type { Declaration } from "./declaration.ts";
import { scanLean } from "./lean.ts";

type Scan = (text: string) => readonly Declaration[];
const SCANNERS: Readonly<Record<string, Scan>> = { coq: scanCoq, lean: scanLean };

/** Signs that provers write in two ways, as the one that needs no Unicode. */
const SPELLINGS: Readonly<Record<string, string>> = {
  "∀": " forall ",
  "∃": " exists ",
  λ: " fun ",
  "→": "->",
  "↔": "<->",
  "∧": "/\\",
  "∨": "\\/",
  "¬": "~",
  "≤": "<=",
  "≥": ">=",
  "≠": "<>",
  "×": "*",
  "⟨": "(",
  "⟩": ")",
};
const SPELLED = new RegExp(`[${Object.keys(SPELLINGS).join("")}]`, "gu");
const TOKEN = /[\p{L}\p{N}_'.«»]+|[^\s\p{L}\p{N}_'.«»]/gu;
/** A single binder is written with parentheses or without. */
const BINDER = /\b(forall|exists|fun) \( ([^()]*) \) (?=,|= >)/g;
/** A sentence of English, say. */
const PROSE = /^\p{Lu}\p{Ll}*\s[^]*\.$/u;

/** openStatements returns what holds statements; it remembers the file that it read last. */
export function openStatements(): HoldStatement {
  let last: { readonly text: string; readonly system: string; readonly found: readonly Declaration[] } | null = null;
  return (record, system, text) => {
    const scan = SCANNERS[system];
    if (scan === undefined) return { state: "unknown" };
    if (last?.text !== text || last.system !== system) last = { text, system, found: scan(text) };
    return hold(record, last.found, system, scan);
  };
}

function hold(
  { theorem_name: name, statement }: Parameters<HoldStatement>[0],
  found: readonly Declaration[],
  system: string,
  scan: Scan,
): HeldStatement {
  const named = found.filter((one) => one.name === name || one.name.endsWith(`.${name}`) || name.endsWith(`.${one.name}`));
  if (named.length === 0) return { state: "not_found" };
  // What a section assumes, a module takes, or a definition computes is part of the statement, and only a prover can write it out.
  const isWhole = ({ class: kind, context, abstract }: Declaration): boolean =>
    (kind === "theorem" || kind === "axiom") && context.length === 0 && !abstract;
  const [whole, ...more] = scan(system === "coq" ? `${statement.replace(/\.\s*$/, "")}.` : statement);
  const said = whole !== undefined && more.length === 0 ? whole.statement : statement.trim();
  if (!named.every(isWhole) || (whole === undefined && PROSE.test(said))) return { state: "unknown" };
  const words = wordsOf(said);
  const [first] = named;
  if (first === undefined || named.some((one) => wordsOf(one.statement) === words)) return { state: "same" };
  return { state: "differs", declared: first.statement, line: first.line };
}

function wordsOf(statement: string): string {
  const tokens = statement.replaceAll(SPELLED, (sign) => SPELLINGS[sign] ?? sign).match(TOKEN) ?? [];
  return quantified(tokens).join(" ").replace(/\.$/, "").replaceAll(BINDER, "$1 $2 ");
}

/** Lean's binders in front of a colon are what `forall` says. */
function quantified(tokens: readonly string[]): readonly string[] {
  if (!/^[([{⦃]$/.test(tokens[0] ?? "")) return tokens;
  let depth = 0;
  for (const [at, token] of tokens.entries()) {
    if (/^[([{⦃]$/.test(token)) depth++;
    else if (/^[)\]}⦄]$/.test(token)) depth--;
    else if (depth === 0) return token === ":" ? ["forall", ...tokens.slice(0, at), ",", ...tokens.slice(at + 1)] : tokens;
  }
  return tokens;
}
