/** The comparison of what a record states with the declaration of its name in a proof file, as texts. White space, comments and signs with two
 *  spellings make no difference; where only a prover could tell whether two statements are one, nothing is said. */
import type { HeldStatement, HoldStatement } from "#generator/sources";
import { scanAgda } from "./agda.ts";
import { scanCoq } from "./coq.ts";
import type { Declaration, Hole } from "./declaration.ts";
import { scanIsabelle } from "./isabelle.ts";
import { scanLean } from "./lean.ts";
import { scanMetamath } from "./metamath.ts";

type Scan = (text: string, path: string) => readonly Declaration[];
const SCANNERS: Readonly<Record<string, Scan>> = { coq: scanCoq, lean: scanLean };
/** READERS find declarations and their holes in languages whose statements are not compared as texts. */
const READERS: Readonly<Record<string, Scan>> = {
  agda: scanAgda,
  isabelle: scanIsabelle,
  metamath: (text) => scanMetamath("main.mm", () => text).declarations,
};

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
  let last: { readonly text: string; readonly path: string; readonly found: readonly Declaration[] } | null = null;
  return (record, { path, system }, text) => {
    const scan = SCANNERS[system] ?? READERS[system];
    if (scan === undefined) return { state: "unknown" };
    if (last?.text !== text || last.path !== path) last = { text, path, found: scan(text, path) };
    const { theorem_name: name } = record;
    const named = last.found.filter((one) => one.name === name || one.name.endsWith(`.${name}`) || name.endsWith(`.${one.name}`));
    const [first] = named;
    const [hole, ...others] = named.map(openOf);
    if (record.verification_state === "VERIFIED" && hole && !others.includes(undefined))
      return { state: "open", declared: hole.what, line: hole.line };
    if (SCANNERS[system] === undefined) return { state: "unknown" };
    return first === undefined ? { state: "not_found" } : hold(record, named, system, scan);
  };
}

/** openOf finds what leaves a declaration without a proof: its first hole, or that it is assumed. */
function openOf({ class: kind, holes: [hole], line, kind: what }: Declaration): Hole | undefined {
  return hole ?? (kind === "axiom" ? { line, what } : undefined);
}

function hold({ statement }: Parameters<HoldStatement>[0], named: readonly Declaration[], system: string, scan: Scan): HeldStatement {
  // A section's assumptions, a module's parameters and a definition's body are part of the statement, and only a prover can write it out.
  const isWhole = ({ class: kind, context, abstract }: Declaration): boolean =>
    (kind === "theorem" || kind === "axiom") && context.length === 0 && !abstract;
  const [whole, ...more] = scan(system === "coq" ? `${statement.replace(/\.\s*$/, "")}.` : statement, "");
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
