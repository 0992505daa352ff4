/** A statement as its page sets it, and as the file that proves it declares it. */

/** Characters that stand on one line; a longer statement is set in parts. */
const LINE = 64;
/** Characters of the longest statement that is. */
const MOST = 4000;
const OPENS = /^[([{⟨]/;
const CLOSES = /^[)\]}⟩]/;
const BINDER = /^(?:forall|exists|fun|∀|∃|λ)(?![\p{L}\p{N}_'])/u;
const OPERATOR = /^(?:<->|->|↔|→|⇒|\/\\|\\\/|∧|∨)/;
const WORD = /^[\p{L}\p{N}_'.]+/u;

/** BreakStatement sets a long statement in parts: its signature, each hypothesis and the conclusion have a line. One that has lines keeps them. */
export function breakStatement(text: string): string {
  if (text.length <= LINE || text.length > MOST || text.trim().includes("\n")) return text;
  let depth = 0;
  let binding = false;
  let set = "";
  for (let at = 0; at < text.length; ) {
    const rest = text.slice(at, at + 80);
    const operator = depth === 0 && !binding ? OPERATOR.exec(rest)?.[0] : undefined;
    const token = operator ?? WORD.exec(rest)?.[0] ?? rest.slice(0, 1);
    if (depth === 0 && BINDER.test(rest)) binding = true;
    if (OPENS.test(rest)) depth++;
    if (CLOSES.test(rest)) depth--;
    if (operator !== undefined) set = `${set.trimEnd()}\n  `;
    set += token;
    at += token.length;
    if (token !== "," || depth !== 0 || !binding) continue;
    binding = false;
    while (text[at] === " ") at++;
    if (at < text.length) set += "\n  ";
  }
  return set;
}

/** Declarations that state something, and what ends their statement. */
const STATED: Readonly<Record<string, { readonly word: RegExp; readonly ends: RegExp }>> = {
  coq: { word: /\b(?:Theorem|Lemma|Corollary|Proposition|Remark|Fact)\s+/g, ends: /^\.(?:\s|$)/ },
  lean: { word: /\b(?:theorem|lemma)\s+/g, ends: /^:=/ },
};

/** FindStatement returns what a theorem says in its file, on one line; null of another declaration, and where it cannot be told. */
export function findStatement(text: string, name: string, system: string): string | null {
  const language = STATED[system];
  const short = name.split(".").at(-1) ?? "";
  if (language === undefined || short === "") return null;
  for (const match of text.matchAll(language.word)) {
    const declared = WORD.exec(text.slice(match.index + match[0].length))?.[0] ?? "";
    if (declared.split(".").at(-1) !== short) continue;
    const after = text.slice(match.index + match[0].length + declared.length);
    const colon = findOutside(after, /^:(?!=)/);
    const end = findOutside(after, language.ends);
    if (colon === null || end === null || colon > end) return null;
    const [binders, type] = [after.slice(0, colon), after.slice(colon + 1, end)].map((part) => part.replaceAll(/\s+/g, " ").trim());
    return binders === "" ? (type ?? null) : `${system === "lean" ? "∀" : "forall"} ${binders}, ${type}`;
  }
  return null;
}

/** Where something stands outside of all brackets, or null. */
function findOutside(text: string, what: RegExp): number | null {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const rest = text.slice(at, at + 2);
    if (depth === 0 && what.test(rest)) return at;
    if (OPENS.test(rest)) depth++;
    if (CLOSES.test(rest)) depth--;
  }
  return null;
}

/** FirstSentence returns the first sentence of the comments before a declaration, without their signs; "" when there is none.
 *  @param comment lines of a file */
export function firstSentence(comment: string): string {
  const words = comment
    .replaceAll(/^[ \t]*(?:\(\*+|\/-[-!]?|\/\*+|\/\/[/!]?|--|;;+|#+(?!\[)|\*(?!\)))|\*+\)|-\/|\*+\//gm, " ")
    .replaceAll(/^\s*(?:#?\[[^\]]*\]|@\[[^\]]*\])\s*$/gm, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
  return (/^.*?[.!?](?=\s+\p{Lu}|$)/u.exec(words)?.[0] ?? words).slice(0, 400);
}
