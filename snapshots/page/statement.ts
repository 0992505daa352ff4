/** A statement as its page sets it, and as the file that proves it declares it. */
import { cutText } from "#snapshots/format";

/** Characters that stand on one line; a longer statement is set in parts. */
const LINE = 64;
/** Characters of the longest statement that is. */
const MOST = 4000;
const OPENS = /^[([{⟨]/;
const CLOSES = /^[)\]}⟩]/;
const BINDER = /^(?:forall|exists|fun|∀|∃|λ)(?![\p{L}\p{N}_'])/u;
const OPERATOR = /^(?:<->|->|↔|→|⇒|\/\\|\\\/|∧|∨)/;
const WORD = /^[\p{L}\p{N}_'.]+/u;

/** breakStatement sets a long statement in parts: its signature, each hypothesis and the conclusion have a line. A statement that has lines keeps
 *  them. */
export function breakStatement(text: string): string {
  return text.length <= LINE || text.length > MOST || text.trim().includes("\n") ? text : setInParts(text);
}

function setInParts(text: string): string {
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

/** StatementParts are the parts of a theorem: what it takes, what it assumes, and what it says. */
export type StatementParts = { readonly signature: string; readonly hypotheses: readonly string[]; readonly conclusion: string };

const FOR_ALL = /^(?:forall|∀)(?![\p{L}\p{N}_'])/u;
const IMPLIES = /^(?:->|→)\s*/;
/** How hypotheses that are bound are named in both provers. */
const BOUND_HYPOTHESIS = /^\(([hH][\w₀-₉']*)\s*:\s*(.*)\)$/s;

/** partsOfStatement tells the parts of a statement apart; it returns null when the statement is too long. @param text on one line, as
 *  findStatement returns it */
export function partsOfStatement(text: string): StatementParts | null {
  if (text.length > MOST) return null;
  const lines = setInParts(text)
    .split("\n")
    .map((line) => line.trim());
  const from = lines.findIndex((line) => !(FOR_ALL.test(line) && line.endsWith(",")));
  const rest = lines.slice(Math.max(0, from));
  const last = rest.findLastIndex((line) => IMPLIES.test(line));
  const groups = lines.slice(0, Math.max(0, from)).map(bindersOf);
  const assumed: string[] = [];
  for (const line of rest.slice(0, Math.max(0, last))) {
    if (assumed.length === 0 || IMPLIES.test(line)) assumed.push(line.replace(IMPLIES, ""));
    else assumed[assumed.length - 1] += ` ${line}`;
  }
  return {
    signature: groups
      .map(({ head, taken }) => (taken.length === 0 ? "" : `${head} ${taken.join(" ")},`))
      .filter((line) => line !== "")
      .join("\n"),
    hypotheses: [...groups.flatMap(({ hypotheses }) => hypotheses), ...assumed],
    conclusion: rest.slice(Math.max(0, last)).join("\n  ").replace(IMPLIES, ""),
  };
}

/** The groups that a line binds: those that are taken, and apart from them the hypotheses, which have names. @param line "forall (x : nat) (H : P
 *  x)," */
function bindersOf(line: string): { readonly head: string; readonly taken: readonly string[]; readonly hypotheses: readonly string[] } {
  const [head = ""] = BINDER.exec(line) ?? [];
  const groups: string[] = [];
  let depth = 0;
  let group = "";
  for (const sign of `${line.slice(head.length, -1).trim()} `) {
    if (OPENS.test(sign)) depth++;
    if (CLOSES.test(sign)) depth--;
    if (sign === " " && depth === 0) {
      if (group !== "") groups.push(group);
      group = "";
    } else group += sign;
  }
  // "x y : nat" without brackets is one group.
  const taken = groups.includes(":") ? [groups.join(" ")] : groups;
  return {
    head,
    taken: taken.filter((one) => !BOUND_HYPOTHESIS.test(one)),
    hypotheses: taken.flatMap((one) => BOUND_HYPOTHESIS.exec(one)?.[2]?.trim() ?? []),
  };
}

/** Declarations that state something, and what ends their statement. */
const STATED: Readonly<Record<string, { readonly word: RegExp; readonly ends: RegExp }>> = {
  coq: { word: /\b(?:Theorem|Lemma|Corollary|Proposition|Remark|Fact)\s+/g, ends: /^\.(?:\s|$)/ },
  lean: { word: /\b(?:theorem|lemma)\s+/g, ends: /^:=/ },
};

/** findStatement returns what a theorem says in its file, on one line. It returns null for another declaration, and where the statement cannot be
 *  told. */
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

const COMMENTS = /\(\*[^]*?\*\)|\/-[^]*?-\/|\/\*[^]*?\*\/|^[ \t]*(?:--|\/\/|;;|#).*$|^[ \t]*@\[[^\]]*\]/gm;

/** firstSentence returns the first sentence of the comments right before a declaration, without their signs; "" when there is none.
 *  @param before lines of a file: what stands above code among them is of that */
export function firstSentence(before: string): string {
  const lines = before.split("\n");
  const bare = before.replaceAll(COMMENTS, (comment) => comment.replaceAll(/[^\n]/g, " ")).split("\n");
  const words = lines
    .slice(bare.findLastIndex((line) => line.trim() !== "") + 1)
    .join("\n")
    .replaceAll(/^[ \t]*(?:\(\*+(?:[ \t]+\*{1,4}(?=[ \t]))?|\/-[-!]?|\/\*+|\/\/[/!]?|--|;;+|#+(?!\[)|\*(?!\)))|\*+\)|-\/|\*+\//gm, " ")
    .replaceAll(/^\s*(?:#?\[[^\]]*\]|@\[[^\]]*\])\s*$/gm, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
  return cutText(/^.*?[.!?](?=\s+\p{Lu}|$)/u.exec(words)?.[0] ?? words, 400);
}
