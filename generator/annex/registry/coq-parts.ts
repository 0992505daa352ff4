/** The head of one Coq sentence in its parts: names, binders, type, and whether it has a body. */
import { skipCoqComment } from "#generator/extract";

export type CoqPart = {
  readonly name: string;
  readonly at: number;
  readonly binders: string;
  /** Null where none is written. */
  readonly type: string | null;
  /** The text after `:=`; null where there is none. */
  readonly body: string | null;
};

type Token = { readonly text: string; readonly at: number; readonly end: number; readonly deep: boolean };

const NAME = String.raw`[\p{L}_][\p{L}\p{N}_']*`;
const TOKEN = new RegExp(String.raw`\(\*|"|${NAME}(?:\.${NAME})*|:=|:>|[:()[\]{}]|\S`, "gu");
const OPENS = new Set(["(", "[", "{"]);
const CLOSES = new Set([")", "]", "}"]);

/** Tokens without comments; `deep` inside brackets, between `let` and `in`, and between `match` and `end`. */
function* readTokens(text: string, from: number, to: number): Generator<Token> {
  let brackets = 0;
  let lets = 0;
  const matches: boolean[] = []; // whether its `with` was seen
  TOKEN.lastIndex = from;
  for (let found = TOKEN.exec(text); found !== null && found.index < to; found = TOKEN.exec(text)) {
    const [sign] = found;
    if (sign === "(*") {
      TOKEN.lastIndex = skipCoqComment(text, found.index + 2);
      continue;
    }
    let end = TOKEN.lastIndex;
    if (sign === '"') {
      const quote = text.indexOf('"', end);
      end = quote < 0 ? to : quote + 1;
      TOKEN.lastIndex = end;
    }
    if (CLOSES.has(sign)) brackets = Math.max(0, brackets - 1);
    const within = brackets > 0 || matches.length > 0 || lets > 0;
    if (brackets === 0) {
      if (sign === "match") matches.push(false);
      else if (sign === "with" && matches.at(-1) === false) matches[matches.length - 1] = true;
      else if (sign === "end") matches.pop();
      else if (sign === "let") lets++;
      else if (sign === "in" && lets > 0 && matches.at(-1) !== false) lets--;
    }
    if (OPENS.has(sign)) brackets++;
    // A bracket that opens is itself still outside.
    yield { text: sign, at: found.index, end, deep: OPENS.has(sign) ? brackets > 1 || matches.length > 0 || lets > 0 : within };
  }
}

/** readCoqParts reads the parts of a sentence from after its word to its end: one, or several joined by `with`.
 *  @param joined whether `with` begins another declaration */
export function readCoqParts(text: string, from: number, to: number, joined: boolean): CoqPart[] {
  const parts: CoqPart[] = [];
  let tokens: Token[] = [];
  const close = (): void => {
    const part = readPart(text, tokens);
    if (part !== null) parts.push(part);
    tokens = [];
  };
  for (const token of readTokens(text, from, to)) {
    if (joined && token.text === "with" && !token.deep && tokens.length > 0) close();
    else tokens.push(token);
  }
  close();
  return parts;
}

const IS_NAME = new RegExp(`^${NAME}(?:\\.${NAME})*$`, "u");

function readPart(text: string, tokens: readonly Token[]): CoqPart | null {
  const [name] = tokens;
  if (name === undefined || !IS_NAME.test(name.text)) return null;
  const colon = tokens.findIndex(({ text: sign, deep }) => sign === ":" && !deep);
  const body = tokens.findIndex(({ text: sign, deep }) => sign === ":=" && !deep);
  const hasType = colon > 0 && (body < 0 || colon < body);
  const last = tokens.at(-1)?.text === "." ? tokens.length - 1 : tokens.length;
  const head = hasType ? colon : body < 0 ? last : body;
  return {
    name: name.text,
    at: name.at,
    binders: join(text, tokens.slice(skipUniverses(tokens), head)),
    type: hasType ? join(text, tokens.slice(colon + 1, body < 0 ? last : body)) : null,
    body: body < 0 ? null : join(text, tokens.slice(body + 1, last)),
  };
}

/** `@{u v}` after a name. */
function skipUniverses(tokens: readonly Token[]): number {
  return tokens[1]?.text === "@" && tokens[2]?.text === "{" ? tokens.findIndex(({ text: sign }) => sign === "}") + 1 : 1;
}

/** Tokens as text again: a space where there was white space or a comment. */
function join(text: string, tokens: readonly Token[]): string {
  let joined = "";
  let end = tokens[0]?.at ?? 0;
  for (const token of tokens) {
    joined += (token.at > end ? " " : "") + text.slice(token.at, token.end);
    end = token.end;
  }
  return joined.trim();
}

/** readCoqAssumptions lists the names that `Parameters a b : T` or `Axioms (a : T) (b c : U)` declare, each with its type. */
export function readCoqAssumptions(text: string, from: number, to: number): CoqPart[] {
  const tokens = [...readTokens(text, from, to)];
  if (tokens.at(-1)?.text === ".") tokens.pop();
  const groups: Token[][] = [];
  if (tokens[0]?.text === "(") {
    for (const token of tokens) {
      if (token.text === "(" && !token.deep) groups.push([]);
      else if (token.deep || (token.text !== ")" && groups.length > 0)) groups.at(-1)?.push(token);
    }
  } else groups.push(tokens);
  return groups.flatMap((group) => {
    const colon = group.findIndex(({ text: sign }) => sign === ":" || sign === ":>");
    const type = colon < 0 ? null : join(text, group.slice(colon + 1));
    return group
      .slice(0, colon < 0 ? group.length : colon)
      .filter(({ text: sign }) => IS_NAME.test(sign) && sign !== "Inline")
      .map(({ text: name, at }) => ({ name, at, binders: "", type, body: null }));
  });
}
