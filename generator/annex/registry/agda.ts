/** Agda text into declarations, without Agda: signatures, data, records and postulates, by the columns that they stand in. */
import { type Declaration, fold, type Hole } from "./declaration.ts";

/** Words that open a block whose declarations are those of the file. */
const BLOCKS = new Set(["private", "abstract", "mutual", "instance", "macro", "opaque", "interleaved", "postulate", "primitive"]);
const OPENERS = new RegExp(`^(?:${[...BLOCKS].join("|")}|module|variable|data|record)(?=\\s|$)`);
const SILENT = /^(?:open|import|infix[lr]?|syntax|pattern|field|constructor|unquoteDecl|unquoteDef|eta-equality|\{-#)(?:\s|$)/;
const NAMES = /^(?:[^\s(){};@".]+\s+)*?[^\s(){};@".]+\s+:(?=\s|$)/;
/** A type that takes arguments and gives a type: it states nothing that could hold. */
const TYPE_FORMER = /(?:^|→|->)\s*(?:Set|Prop|SSet)[₀-₉ω]*(?:\s+[^→]*)?$/;
const HOLE = /\{!|(?<![^\s(){};])\?(?![^\s(){};])/g;

type Line = {
  readonly number: number;
  /** Lines that stand deeper belong to it. */
  readonly column: number;
  /** Where it begins, which is behind other words where it is stacked on them. */
  readonly at: number;
  readonly stacked: boolean;
  readonly text: string;
};
type Block = { readonly column: number; readonly name: string | null; readonly postulates: boolean; readonly telescope: string };
export type AgdaText = {
  readonly declarations: Declaration[];
  /** Generalised variables and their types: a signature that names one takes it as an argument. */
  readonly variables: ReadonlyMap<string, string>;
};

/** scanAgda finds what an Agda file declares, in the order of its text. What a `where` declares is a part of whose proof it stands in. */
export function scanAgda(text: string, path = ""): Declaration[] {
  return readAgda(text, path).declarations;
}

export function readAgda(text: string, path = ""): AgdaText {
  const source = /\.lagda(?:\.\w+)?$/.test(path) ? readLiterate(text) : text;
  const comments = source.split("\n");
  const found: Declaration[] = [];
  const variables = new Map<string, string>();
  const byName = new Map<string, number>();
  const blocks: Block[] = [];
  for (const { number, column, at, stacked, text: chunk } of chunksOf(blankComments(source))) {
    while (!stacked && column < (blocks.at(-1)?.column ?? 0)) blocks.pop();
    const [word = ""] = chunk.split(/\s/, 1);
    const last = number + chunk.split("\n").length - 1;
    const declare = (kind: string, className: Declaration["class"], name: string, statement: string): void => {
      const inside = blocks.flatMap((block) => (block.name === null ? [] : [block.name]));
      const full = [...inside, name].join(".");
      byName.set(full, found.length);
      found.push({
        kind,
        class: className,
        name: full,
        line: number,
        endLine: last,
        statement: fold(statement),
        context: telescopeOf(
          statement,
          blocks.flatMap(({ telescope }) => (telescope === "" ? [] : [telescope])),
          variables,
        ),
        holes: [],
        summary: summaryAbove(comments, number),
        abstract: false,
      });
    };
    if (word === "module") {
      const [, name = "_", rest = ""] = /^module\s+(\S+)([^]*)$/.exec(chunk) ?? [];
      // `module N = M` opens nothing; that of the file itself is no part of a name.
      const isFile =
        blocks.length === 0 && column === 0 && found.length === 0 && blocks.every((block) => block.name === null) && !byName.has("");
      if (!/(?:^|\s)where\s*$/.test(rest)) continue;
      byName.set("", -1);
      const telescope = fold(rest.replace(/where\s*$/, ""));
      blocks.push({ column: isFile ? 0 : column + 1, name: isFile || name === "_" ? null : name, postulates: false, telescope });
    } else if (BLOCKS.has(word))
      blocks.push({
        column: column + 1,
        name: null,
        postulates: word === "postulate" || (blocks.at(-1)?.postulates ?? false),
        telescope: "",
      });
    else if (word === "variable") readVariables(chunk, at, variables);
    else if (word === "data" || word === "record") {
      const [, name = "", statement = ""] = /^\w+\s+(\S+)([^]*?)(?:\swhere\b[^]*)?$/.exec(chunk) ?? [];
      if (/:|\swhere\b/.test(chunk)) declare(word === "data" ? "Data" : "Record", "type", name, statement.replace(/^\s*:/, ""));
    } else if (!SILENT.test(chunk)) {
      const named = NAMES.exec(chunk)?.[0];
      if (named !== undefined && !/(?:^|\s)=\s/.test(named)) {
        const statement = chunk.slice(named.length);
        const postulates = blocks.at(-1)?.postulates === true;
        const className = postulates ? "axiom" : TYPE_FORMER.test(fold(statement)) ? "definition" : "theorem";
        for (const name of named.slice(0, -1).trim().split(/\s+/))
          declare(postulates ? "Postulate" : "Function", className, name, statement);
      } else addClause(found, chunk, number, last, word);
    }
  }
  return { declarations: found, variables };
}

function readVariables(chunk: string, column: number, variables: Map<string, string>): void {
  const inner = " ".repeat(column) + chunk.replace("variable", " ".repeat("variable".length));
  for (const { text } of chunksOf(inner)) {
    const [, names = "", type = ""] = /^([^]*?)\s:(?=\s)([^]*)$/.exec(text) ?? [];
    for (const name of names.split(/[\s{}⦃⦄.]+/)) if (name !== "" && !name.startsWith("@")) variables.set(name, fold(type));
  }
}

/** telescopeOf gives what a signature takes besides what it says: the parameters of the modules around it, and before them generalised variables,
 *  those first that others name. */
export function telescopeOf(statement: string, telescopes: readonly string[], variables: ReadonlyMap<string, string>): string[] {
  const found: string[] = [];
  const seen = new Set<string>();
  const take = (text: string): void => {
    if (variables.size === 0) return;
    const words = new Set(text.split(/[\s(){};.⦃⦄]+/));
    // Where one name is bound here and generalised there, Agda's own reading has it.
    const bound = new Set(
      [...text.matchAll(/[({⦃]([^(){}⦃⦄:]*):|∀([^→]*)→/g)].flatMap(([, names = "", all = ""]) => (names + all).split(/[\s(){}⦃⦄]+/)),
    );
    for (const [name, type] of variables) {
      if (seen.has(name) || bound.has(name) || !name.split("_").every((part) => part === "" || words.has(part))) continue;
      seen.add(name);
      take(type);
      found.push(`{${name} : ${type}}`);
    }
  };
  for (const text of [...telescopes, statement]) take(text);
  return [...found, ...telescopes];
}

/** A clause is of what it names first, which may be an operator between its arguments; `...` goes on with the one before. */
function addClause(found: Declaration[], chunk: string, number: number, last: number, word: string): void {
  const left = chunk.split(/(?:^|\s)(?:=|with|rewrite)(?:\s|$)/, 1)[0] ?? "";
  const words = new Set(left.split(/[\s(){};]+/));
  const isOf = ({ name }: Declaration): boolean => {
    const own = name.split(".").at(-1) ?? "";
    return own.split("_").every((part) => part === "" || words.has(part)) || own === word;
  };
  const at = Math.max(found.findLastIndex(isOf), word === "..." ? found.length - 1 : -1);
  const one = found[at];
  if (one === undefined) return;
  const code = chunk.replaceAll(/"(?:[^"\\\n]|\\.)*"/g, (string) => " ".repeat(string.length));
  const holes = [...code.matchAll(HOLE)].map(
    ({ index, 0: what }): Hole => ({ line: number + chunk.slice(0, index).split("\n").length - 1, what: what === "?" ? "?" : "{!!}" }),
  );
  found[at] = { ...one, endLine: Math.max(one.endLine, last), holes: [...one.holes, ...holes] };
}

/** Stretches of lines that begin in one column, each with what stands deeper. A line that only opens a block ends where it ends. */
function* chunksOf(text: string): Generator<Line> {
  let open: (Omit<Line, "text"> & { lines: string[] }) | null = null;
  for (const [index, line] of text.split("\n").entries()) {
    const column = line.search(/\S/);
    if (column < 0) {
      open?.lines.push("");
      continue;
    }
    if (open !== null && column > open.column) {
      open.lines.push(line);
      if (!opensBlock(open.lines.join("\n").trim())) continue;
    } else {
      if (open !== null) yield { ...open, text: open.lines.join("\n").trim() };
      open = { number: index + 1, column, at: column, stacked: false, lines: [line] };
    }
    // `private x : A`: what stands behind the word is a declaration of its own.
    for (let word = opensBlock(open.lines.join("\n").trim()); word !== null && open !== null; ) {
      const whole: string = open.lines.join("\n");
      const from = word === "module" ? whole.length : whole.indexOf(word) + word.length;
      yield { ...open, text: whole.slice(0, from).trim() };
      const rest = whole.slice(from).trim();
      const at = from + whole.slice(from).search(/\S/);
      // `private variable`, `private module M where`: what stands in it is only deeper than the first word of the line.
      const stacked = OPENERS.test(rest);
      open = rest === "" ? null : { ...open, column: stacked ? open.column : at, at, stacked, lines: [" ".repeat(at) + rest] };
      word = open === null ? null : opensBlock(rest);
    }
  }
  if (open !== null) yield { ...open, text: open.lines.join("\n").trim() };
}

function opensBlock(chunk: string): string | null {
  const [word = ""] = chunk.split(/\s/, 1);
  if (BLOCKS.has(word)) return word;
  return word === "module" && /\swhere$/.test(chunk) ? word : null;
}

/** importsIn lists the modules that a text imports, but for those that are Agda itself. */
export function importsIn(text: string, path = ""): string[] {
  const source = blankComments(/\.lagda(?:\.\w+)?$/.test(path) ? readLiterate(text) : text);
  const named = [...source.matchAll(/(?:^|[\s;])import\s+([^\s(){};@"]+)/g)].map(([, name = ""]) => name);
  return [...new Set(named)].filter((name) => !/^Agda\.(?:Builtin|Primitive)(?:\.|$)/.test(name));
}

/** Comments as blanks, so that lines and columns stay; pragmas stay too. A `--` inside a name begins none. */
function blankComments(text: string): string {
  const blank = (part: string): string => part.replaceAll(/[^\n]/g, " ");
  let depth = 0;
  let kept = "";
  let at = 0;
  const sign = /\{-(?!#)|-\}|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\[^\n]{1,8})'|(?<![^\s(){};])--+(?![^\s\-(){};])[^\n]*/g;
  for (let found = sign.exec(text); found !== null; found = sign.exec(text)) {
    const { index, 0: what } = found;
    const between = text.slice(at, index);
    kept += depth > 0 ? blank(between) : between;
    const closes = what === "-}" && depth > 0;
    kept += depth > 0 || what === "{-" || what.startsWith("--") ? blank(what) : what;
    depth += what === "{-" ? 1 : closes ? -1 : 0;
    at = index + what.length;
    // Inside a comment only its signs count.
    if (depth > 0 && what !== "{-" && what !== "-}") {
      kept = kept.slice(0, kept.length - what.length + 1);
      at = index + 1;
      sign.lastIndex = at;
    }
  }
  return kept + (depth > 0 ? blank(text.slice(at)) : text.slice(at));
}

/** readLiterate keeps what stands between the signs of code, and empties the other lines. */
function readLiterate(text: string): string {
  let code = false;
  return text
    .split("\n")
    .map((line) => {
      if (/^\s*(?:```|\\begin\{code\}|\\end\{code\})/.test(line)) {
        code = /^\s*(?:```\s*(?:agda)?\s*$|\\begin)/.test(line) && !code;
        return "";
      }
      return code ? line : "";
    })
    .join("\n");
}

function summaryAbove(lines: readonly string[], number: number): string {
  const above: string[] = [];
  for (let at = number - 2; at >= 0 && /^\s*--(?!-)/.test(lines[at] ?? ""); at--)
    above.unshift((lines[at] ?? "").replace(/^\s*--\s*\|?/, ""));
  return fold(above.join(" ")).slice(0, 1000);
}
