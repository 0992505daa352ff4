/** Recursive definitions of Coq that end whatever a guard checker takes for smaller: each call hands on, in the place of one parameter, a name that
 *  a pattern took out of it. Only what is written out can be read so; all else may use a hole of the checker. */

const NAME = /^[\p{L}_][\p{L}\p{N}_']*$/u;
const TOKENS = /[\p{L}_][\p{L}\p{N}_']*(?:\.[\p{L}_][\p{L}\p{N}_']*)*|\d+|[(){}[\],;`]|[^\s\p{L}\p{N}_(){}[\],;`]+/gu;
/** Signs that every file reads alike, and that bind no tighter than a call. */
const SAFE = new Set("( ) { } [ ] , ; | : := => = <> < > <= >= + - * / ++ :: && || /\\ \\/ -> <-> ~ &".split(" "));
/** Words that begin or make a recursive definition, in Ltac2 too. */
const RECURSION = /\b(?:Fixpoint|CoFixpoint|Function|Equations|(?:co)?fix_?|Unsafe)\b/;
const IMPORT = /^\s*(?:From|Require|Import|Export)\b/;
const PREFIX = "^\\s*(?:#\\[[^\\]]*\\]\\s*)?(?:(?:Local|Global)\\s+)?";
const FIXPOINT = new RegExp(`${PREFIX}Fixpoint\\b`);
const DEFINITION = new RegExp(`${PREFIX}(?:Definition|Example|Let|Theorem|Lemma|Fact|Remark|Corollary|Proposition)\\b`);
/** Commands whose terms stand in others' places. */
const LATER = new RegExp(`${PREFIX}(?:Ltac2?|Tactic|Notation|Infix|Hint|Instance|Program)\\b`);
/** A theorem by mutual recursion: `Lemma a : … with b : …`. */
const MUTUAL = /^\s*(?:Theorem|Lemma|Fact|Remark|Corollary|Proposition|Property)\b[^]*\swith\s+[\w']+\b[^:]*:(?!=)/;
/** Attributes that leave a part to tactics, or change what is read. */
const ATTRIBUTE = /^\s*#\[[^\]]*\b(?:refine|program|bypass_check)\b/;
/** Before a function that is called; behind any other word it is handed to somebody. */
const KEYWORDS = new Set("then else in with match return as end fun forall exists let if fix cofix where struct is".split(" "));
const MAX_TRIES = 500;

type Tokens = readonly string[];
type Parameter = { readonly name: string; readonly isImplicit: boolean };
type Recursive = {
  readonly name: string;
  readonly parameters: readonly Parameter[];
  /** The parameter that is named as the one that becomes smaller. */
  readonly struct: string | null;
  /** Its type, as far as it is written behind the parameters. */
  readonly result: Tokens;
  readonly body: Tokens;
};
type Call = { readonly to: string; readonly args: readonly (string | null)[] };
/** A Reading is a body: the names that patterns take out of others, those that other binders give, and calls. */
type Reading = { readonly parts: ReadonlyMap<string, string>; readonly other: ReadonlySet<string>; readonly calls: readonly Call[] };

/** A notation that hides a recursive definition, tactics, or a word that binds tighter than a call; or a tactic that finds instances. */
const NOTATION = /^\s*(?:#\[[^\]]*\]\s*)?(?:(?:Local|Global)\s+)?(?:Reserved\s+)?(?:Notation|Infix)\b/;
const HIDES = /\b(?:fix|cofix|ltac2?)\b/;
const FINDS = /\bHint\s+Extern\b[^]*\btypeclass_instances\b/;

/** hidesCalls tells whether a sentence of Coq lets later ones call what they do not name. @param sentence without comments */
export function hidesCalls(sentence: string): boolean {
  if (!NOTATION.test(sentence)) return FINDS.test(sentence);
  const [, sign = ""] = /"((?:[^"]|"")*)"/.exec(sentence) ?? [];
  const level = /\bat\s+level\s+(\d+)/.exec(sentence)?.[1];
  const hasWord = /(?<=^|\s)'[\p{L}_][^'\s]*'/u.test(sign) && sign.trim().includes(" ");
  return HIDES.test(sentence.replace(`"${sign}"`, "")) || (hasWord && Number(level ?? 0) < CALL_LEVEL);
}

/** The level of a call in Coq's grammar: what is below binds tighter. */
const CALL_LEVEL = 10;

/** Classes of Coq's own library, whose results could be asked of the function itself. */
const OWN_CLASSES =
  "Reflexive Irreflexive Symmetric Asymmetric Transitive Antisymmetric PER Equivalence PreOrder PartialOrder StrictOrder subrelation RewriteRelation Proper ProperProxy Params Setoid EqDec DecidableSetoid NullaryRel Decidable Unconvertible";
const CLASS = /\bClass(?:es)?\s+((?:[\p{L}_][\p{L}\p{N}_']*\s*)+)/gu;
const ABBREVIATION = /\bNotation\s+(?:"'?)?([\p{L}_][\p{L}\p{N}_']*)[^]*?:=([^]*?)\.(?:\s|$)/gu;

/** classNames finds the words for classes in the texts of a development: Coq finds instances of them without a word of the text, the function
 *  among them that is being defined. */
export function classNames(texts: Iterable<string>): ReadonlySet<string> {
  const names = new Set(OWN_CLASSES.split(" "));
  const all = [...texts];
  for (const text of all) for (const [, found = ""] of text.matchAll(CLASS)) for (const name of found.trim().split(/\s+/)) names.add(name);
  for (const text of all)
    for (const [, name = "", means = ""] of text.matchAll(ABBREVIATION))
      if ((means.match(TOKENS) ?? []).some((token) => names.has(token.split(".").at(-1) ?? ""))) names.add(name);
  return names;
}

type Surroundings = {
  /** True when the file leaves it to Coq which arguments are not written. */
  readonly impliesArguments: boolean;
  readonly classes: ReadonlySet<string>;
};

/** isUnusual tells whether a sentence of Coq makes a recursive definition that is not plain. @param sentence without comments and strings */
export function isUnusual(sentence: string, { impliesArguments, classes }: Surroundings): boolean {
  if (IMPORT.test(sentence) || !(RECURSION.test(sentence) || MUTUAL.test(sentence))) return false;
  if (MUTUAL.test(sentence) || ATTRIBUTE.test(sentence)) return true;
  const tokens = sentence.replace(/\.\s*$/, "").match(TOKENS) ?? [];
  const found = FIXPOINT.test(sentence) ? readFixpoint(tokens) : LATER.test(sentence) ? null : readFix(tokens);
  // In a proof, tactics fill what is left open.
  if (found?.some(({ body }) => body.includes("_")) === true && !FIXPOINT.test(sentence) && !DEFINITION.test(sentence)) return true;
  return (
    found === null ||
    found.some(({ result }) => result.some((word) => classes.has(word.split(".").at(-1) ?? ""))) ||
    !isPlain(found, impliesArguments)
  );
}

function readFixpoint(tokens: Tokens): readonly Recursive[] | null {
  const parts: Tokens[] = [];
  let open = 0;
  let from = tokens.indexOf("Fixpoint") + 1;
  for (let at = from; at <= tokens.length; at++) {
    const token = tokens[at];
    if (token === "match") open++;
    if (at === tokens.length || (token === "with" && open === 0)) {
      parts.push(tokens.slice(from, at));
      from = at + 1;
    } else if (token === "with") open--;
  }
  const read = parts.map(readHeader);
  return read.every((one) => one !== null) ? read : null;
}

/** One `fix` in a term; a second one, or one `for` another, is not plain. */
function readFix(tokens: Tokens): readonly Recursive[] | null {
  const at = tokens.indexOf("fix");
  const end = closing(tokens, at, 0);
  const read = at < 0 || tokens.lastIndexOf("fix") !== at ? null : readHeader(tokens.slice(at + 1, end));
  return read === null || read.body.includes("for") ? null : [read];
}

/** closing finds where what is around a place ends. */
function closing(tokens: Tokens, from: number, depth: number): number {
  let open = depth;
  for (let at = from; at < tokens.length; at++) {
    if (/^[({[]$/.test(tokens[at] ?? "")) open++;
    else if (/^[)}\]]$/.test(tokens[at] ?? "") && --open < (depth === 0 ? 0 : 1)) return at;
  }
  return tokens.length;
}

/** readHeader reads `name binders {struct x} : type := body`. @returns null for binders that are read otherwise than they look */
function readHeader(tokens: Tokens): Recursive | null {
  const [name = ""] = tokens;
  const begin = tokens.indexOf(":=");
  if (!NAME.test(name) || begin < 0 || tokens.includes("where")) return null;
  const parameters: Parameter[] = [];
  let struct: string | null = null;
  let at = 1;
  while (at < begin) {
    const token = tokens[at] ?? "";
    if (token === ":") break;
    const end = closing(tokens, at + 1, 1);
    const inside = tokens.slice(at + 1, end);
    if (token === "`" && tokens[at + 1] === "{") at = closing(tokens, at + 2, 1) + 1;
    else if (NAME.test(token)) {
      parameters.push({ name: token, isImplicit: false });
      at++;
    } else if (token === "{" && inside[0] === "struct") {
      struct = inside[1] ?? "";
      at = end + 1;
    } else if (/^[({[]$/.test(token) && !["measure", "wf", "'"].includes(inside[0] ?? "")) {
      const names = inside.slice(0, inside.includes(":") ? inside.indexOf(":") : undefined);
      if (!names.every((one) => NAME.test(one))) return null;
      parameters.push(...names.map((one) => ({ name: one, isImplicit: token !== "(" })));
      at = end + 1;
    } else return null;
  }
  return { name, parameters, struct, result: tokens.slice(at, begin), body: tokens.slice(begin + 1) };
}

function isPlain(functions: readonly Recursive[], impliesArguments: boolean): boolean {
  const names = functions.map(({ name }) => name);
  const readings = functions.map((one) => readBody(one, names));
  // Calls that nobody sees may be there.
  if (readings.every((reading) => reading === null || reading.calls.length === 0)) return false;
  // One parameter of each function becomes smaller: the one that it names, or one choice for all of them.
  let choices: (readonly number[])[] = [[]];
  for (const { parameters, struct } of functions) {
    const own = parameters.flatMap(({ name, isImplicit }, at) => (isImplicit || (struct !== null && name !== struct) ? [] : [at]));
    choices = choices.flatMap((before) => own.map((at) => [...before, at]));
    if (choices.length > MAX_TRIES) return false;
  }
  return choices.some((chosen) =>
    readings.every(
      (reading, at) =>
        reading !== null &&
        reading.calls.every((call) => {
          const to = names.indexOf(call.to);
          const callee = functions[to] as Recursive;
          const place = callee.parameters.slice(0, chosen[to]).filter(({ isImplicit }) => !isImplicit).length;
          return isSmaller(reading, functions[at]?.parameters[chosen[at] ?? 0]?.name ?? "", call, place, callee, impliesArguments);
        }),
    ),
  );
}

function isSmaller(
  { parts, other }: Reading,
  parameter: string,
  { args }: Call,
  place: number,
  { parameters }: Recursive,
  impliesArguments: boolean,
): boolean {
  const isPart = (name: string | null | undefined): boolean => {
    let found = parts.get(name ?? "");
    for (let step = 0; step < parts.size && found !== parameter; step++) found = parts.get(found ?? "");
    return found === parameter;
  };
  if (isPart(args[place])) return true;
  const missing = parameters.filter(({ isImplicit }) => !isImplicit).length - args.length;
  // In its place stands a name then, and no term that could be taken for smaller.
  const inPlace = args[place];
  const isName = inPlace === undefined || (inPlace !== null && !other.has(inPlace));
  return impliesArguments && missing > 0 && missing <= place && isPart(args[place - missing]) && isName;
}

/** readBody reads what a body binds and calls. @returns null where it has what is not written out, or is not plain */
function readBody({ body, parameters }: Recursive, names: readonly string[]): Reading | null {
  const parts = new Map<string, string>();
  const other = new Set<string>();
  const calls: Call[] = [];
  for (let at = 0; at < body.length; at++) {
    const token = body[at] ?? "";
    const next = body[at + 1] ?? "";
    if (/^(?:fix|cofix|ltac|ltac2|Fixpoint|Function)$/.test(token) || (token === "let" && (NAME.test(next) || next === "fix"))) return null;
    if (token === "fun" || token === "forall" || token === "exists" || token === "λ")
      for (const name of bound(body, at + 1, token === "fun" || token === "λ" ? ["=>", ","] : [","])) other.add(name);
    else if (token === "let") for (const name of bound(body, at + 1, [":="])) other.add(name);
    else if (token === "match" && !readMatch(body, at, parts, other)) return null;
    else if (names.includes(token)) {
      const before = body[at - 1] ?? "(";
      const args = argumentsAt(body, at + 1);
      if (args === null || /^[)}\]]$/.test(before) || !(SAFE.has(before) || KEYWORDS.has(before))) return null;
      calls.push({ to: token, args });
    }
  }
  // A name that two binders give may be the one or the other.
  for (const name of [...other, ...names]) parts.delete(name);
  return calls.length > 0 && parameters.some(({ name }) => other.has(name)) ? null : { parts, other, calls };
}

/** bound gives the names of binders: those before a colon, as far as a sign that ends them. */
function bound(body: Tokens, from: number, ends: readonly string[]): string[] {
  const found: string[] = [];
  let [depth, isType] = [0, false];
  for (let at = from; at < body.length && !(depth === 0 && ends.includes(body[at] ?? "")); at++) {
    const token = body[at] ?? "";
    if (/^[({[]$/.test(token)) [depth, isType] = [depth + 1, false];
    else if (/^[)}\]]$/.test(token)) [depth, isType] = [depth - 1, false];
    else if (token === ":") isType = true;
    else if (!isType && NAME.test(token)) found.push(token);
  }
  return found;
}

/** readMatch reads what the patterns of a match take out of what it is on.
 *  @param parts pattern's name → name that it is a part of @param other names that are a part of nothing that is known
 *  @returns false where the match cannot be read */
function readMatch(body: Tokens, from: number, parts: Map<string, string>, other: Set<string>): boolean {
  const on: string[] = [];
  let at = from + 1;
  let [depth, item] = [0, [] as string[]];
  const take = (): void => {
    const [name = "", then] = item;
    on.push(NAME.test(name) && (then === undefined || then === "as" || then === "in" || then === "return") ? name : "");
    item = [];
  };
  for (; at < body.length && !(depth === 0 && body[at] === "with"); at++) {
    const token = body[at] ?? "";
    if (token === "match") return false;
    if (/^[({[]$/.test(token)) depth++;
    else if (/^[)}\]]$/.test(token)) depth--;
    if (depth === 0 && token === ",") take();
    else item.push(token);
  }
  take();
  let [nested, isPattern, start] = [0, true, at + 1];
  for (at++; at < body.length; at++) {
    const token = body[at] ?? "";
    if (/^[({[]$/.test(token)) depth++;
    else if (/^[)}\]]$/.test(token)) depth--;
    else if (token === "match") nested++;
    else if (token === "end" && nested-- === 0) return true;
    if (nested > 0 || depth > 0) continue;
    if (token === "|" && !isPattern) [isPattern, start] = [true, at + 1];
    else if (token === "=>" && isPattern) {
      readPattern(body.slice(start, at), on, parts, other);
      isPattern = false;
    }
  }
  return false;
}

function readPattern(pattern: Tokens, on: readonly string[], parts: Map<string, string>, other: Set<string>): void {
  let [depth, place, from] = [0, 0, 0];
  for (let at = 0; at <= pattern.length; at++) {
    const token = pattern[at] ?? "|";
    if (/^[({[]$/.test(token)) depth++;
    else if (/^[)}\]]$/.test(token)) depth--;
    if (depth > 0 || (token !== "|" && token !== ",")) continue;
    const item = pattern.slice(from, at);
    const source = on[place] ?? "";
    const names = item.filter((one) => NAME.test(one) && one !== "as");
    const isWhole = names.length === 1 && item.length === 1;
    for (const name of names) {
      const [before, after = ""] = [item[item.indexOf(name) - 1], item[item.indexOf(name) + 1]];
      const isAlias = before === "as" && !isInside(item, item.indexOf(name));
      // A constructor.
      if (!/^[\p{L}\p{N}_)]/u.test(before ?? "(") && (NAME.test(after) || after === "(")) continue;
      if (source === "" || isWhole || isAlias || (parts.has(name) && parts.get(name) !== source)) other.add(name);
      else parts.set(name, source);
    }
    [from, place] = [at + 1, token === "|" ? 0 : place + 1];
  }
}

/** isInside tells whether a place of a pattern is within one that a constructor has, and not within parentheses around the whole. */
function isInside(pattern: Tokens, at: number): boolean {
  if (pattern[0] === "(" && closing(pattern, 1, 1) === pattern.length - 1) return isInside(pattern.slice(1, -1), at - 1);
  const before = pattern.slice(0, at);
  return before.filter((token) => token === "(").length > before.filter((token) => token === ")").length;
}

/** argumentsAt reads what a function is applied to: names, also of functions that are applied in parentheses, and null for what is none.
 *  @returns null where a sign may belong to the last of them */
function argumentsAt(body: Tokens, from: number): (string | null)[] | null {
  const args: (string | null)[] = [];
  for (let at = from; at < body.length; at++) {
    const token = body[at] ?? "";
    if (token === "(") {
      const end = closing(body, at + 1, 1);
      const inside = body.slice(at + 1, end);
      args.push(NAME.test(inside[0] ?? "") && inside.every((one) => /^[\p{L}\p{N}_()]/u.test(one)) ? (inside[0] ?? null) : null);
      at = end;
    } else if (token === "%") at++;
    else if (KEYWORDS.has(token)) return args;
    else if (!/^[\p{L}\p{N}_]/u.test(token)) return SAFE.has(token) && !/^[{[]$/.test(token) ? args : null;
    else args.push(NAME.test(token) && token !== "_" ? token : null);
  }
  return args;
}
