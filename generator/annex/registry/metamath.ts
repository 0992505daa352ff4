/** Metamath databases, read without the program: a file holds several statements on a line, includes others, and states all that its
 *  theorems may rest on. What is read here is what scanning shows, and what the adapter derives axioms and uses from: the program of Metamath
 *  says only whether each proof holds. */
import { posix } from "node:path";
import { type Declaration, fold } from "./declaration.ts";

export type MetamathStatement = {
  readonly label: string;
  /** `a` is an axiom, a definition or a rule of syntax; `p` has a proof. */
  readonly kind: "a" | "p";
  /** `|-`, mostly; or `wff`, of what says how something is written. */
  readonly type: string;
  readonly path: string;
  /** 1-based: of the label, and of the end. */
  readonly line: number;
  readonly endLine: number;
  /** The type and the symbols. */
  readonly statement: string;
  /** What the scopes around it assume: essential hypotheses, in order. */
  readonly hypotheses: readonly string[];
  /** Types of its variables, and pairs of them that must not share a variable: part of what is stated. */
  readonly types: readonly string[];
  readonly distinct: readonly string[];
  readonly comment: string;
  /** The text between `$=` and `$.`; null of an axiom. */
  readonly proof: string | null;
};

export type MetamathDatabase = {
  readonly statements: readonly MetamathStatement[];
  /** Types that only say how something is written: variables have them, and no hypothesis claims one. */
  readonly syntax: ReadonlySet<string>;
  /** The file itself and all that it includes. */
  readonly paths: readonly string[];
  readonly problems: readonly string[];
};

const KEYWORD = /^\$[acdefpv.={}]$/;

type Open = { readonly path: string; readonly text: string; at: number; line: number };
type Float = { readonly type: string; readonly order: number };
type Hypothesis = { readonly text: string; readonly variables: readonly string[] };

/** Cursor gives the words of a file and of those that it includes, each file once; comments are passed over, the last one is kept. */
class Cursor {
  readonly paths: string[] = [];
  readonly problems: string[] = [];
  comment = "";
  private readonly open: Open[] = [];
  private readonly folder: string;
  private readonly read: (path: string) => string | undefined;

  constructor(main: string, read: (path: string) => string | undefined) {
    this.folder = posix.dirname(main);
    this.read = read;
    this.include(main);
  }

  get path(): string {
    return this.open.at(-1)?.path ?? this.paths[0] ?? "";
  }

  get line(): number {
    return this.open.at(-1)?.line ?? 1;
  }

  private place(): string {
    return `${JSON.stringify(this.path)}:${this.line}`;
  }

  private include(path: string): void {
    if (this.paths.includes(path)) return; // a file that is there already says nothing again
    const text = this.read(path);
    if (text === undefined) this.problems.push(`${JSON.stringify(path)} is included and not there`);
    else {
      this.paths.push(path);
      this.open.push({ path, text, at: 0, line: 1 });
    }
  }

  /** The next word; null at the end of all. */
  next(): string | null {
    for (let top = this.open.at(-1); top !== undefined; top = this.open.at(-1)) {
      const word = wordOf(top);
      if (word === "$(") this.skip(top);
      else if (word === "$[") this.enter(top);
      else if (word !== "") {
        if (word.includes("$") && !KEYWORD.test(word)) this.problems.push(`${this.place()} has ${JSON.stringify(word.slice(0, 40))}`);
        return word;
      } else if (this.open.length > 1) this.open.pop();
      else return null;
    }
    return null;
  }

  /** The text up to `$.`, which ends a proof. */
  proof(): string {
    const top = this.open.at(-1);
    const end = top?.text.indexOf("$.", top.at) ?? -1;
    if (top === undefined || end < 0) return this.words("$.").join(" ");
    const text = top.text.slice(top.at, end);
    if (text.includes("$")) return this.words("$.").join(" ");
    top.line += countLines(top.text, top.at, end);
    top.at = end + 2;
    return text;
  }

  words(...ends: readonly string[]): string[] {
    const found: string[] = [];
    for (let word = this.next(); word !== null; word = this.next()) {
      this.ended = word;
      if (ends.includes(word)) return found;
      found.push(word);
    }
    this.problems.push(`${this.place()} ends within a statement`);
    this.ended = null;
    return found;
  }
  ended: string | null = null;

  private skip(top: Open): void {
    const from = top.at;
    let end = top.text.indexOf("$)", from);
    if (end < 0) {
      this.problems.push(`${this.place()} begins a comment that has no end`);
      end = top.text.length;
    }
    this.comment = top.text.slice(from, end);
    // Others read on to a sign that stands alone, or take the two for two comments.
    if (this.comment.includes("$(") || !/\s$/.test(this.comment))
      this.problems.push(`${this.place()} has a comment that is read in two ways`);
    top.line += countLines(top.text, from, end);
    top.at = end + 2;
  }

  private enter(top: Open): void {
    const end = top.text.indexOf("$]", top.at);
    const name = end < 0 ? "" : top.text.slice(top.at, end).trim();
    top.at = end < 0 ? top.text.length : end + 2;
    // Of where the program stands, which is the folder of the database.
    this.include(posix.join(this.folder, name));
  }
}

function wordOf(top: Open): string {
  const { text } = top;
  let at = top.at;
  for (let code = text.charCodeAt(at); code <= 32; code = text.charCodeAt(++at)) if (code === 10) top.line++;
  const from = at;
  while (text.charCodeAt(at) > 32) at++;
  top.at = at;
  return text.slice(from, at);
}

function countLines(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf("\n", from); at >= 0 && at < to; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

/** @param read the text of a file of the sources */
export function readMetamath(main: string, read: (path: string) => string | undefined): MetamathDatabase {
  const cursor = new Cursor(main, read);
  const statements: MetamathStatement[] = [];
  const labels = new Set<string>();
  const floats = new Map<string, Float>();
  const names: string[] = []; // variables with a type, in the order of their scopes
  const hypotheses: Hypothesis[] = [];
  const groups: (readonly string[])[] = [];
  const scopes: (readonly [number, number, number])[] = [];
  const syntax = new Set<string>();
  const claimed = new Set<string>();
  const variablesOf = (words: readonly string[]): string[] => words.filter((word) => floats.has(word));
  let label: { readonly name: string; readonly path: string; readonly line: number; readonly comment: string } | null = null;

  const assert = (kind: "a" | "p"): void => {
    const words = cursor.words("$=", "$.");
    const proof = kind === "p" && cursor.ended === "$=" ? cursor.proof() : null;
    if (label === null || cursor.ended === null) return;
    if (labels.has(label.name)) {
      cursor.problems.push(`${JSON.stringify(label.path)}:${label.line} declares ${label.name} again`);
      return;
    }
    labels.add(label.name);
    const mandatory = new Set([...hypotheses.flatMap(({ variables }) => variables), ...variablesOf(words)]);
    statements.push({
      label: label.name,
      kind,
      type: words[0] ?? "",
      path: label.path,
      line: label.line,
      endLine: cursor.line,
      statement: words.join(" "),
      hypotheses: hypotheses.map(({ text }) => text),
      types: [...mandatory]
        .sort((a, b) => (floats.get(a)?.order ?? 0) - (floats.get(b)?.order ?? 0))
        .map((name) => `${floats.get(name)?.type ?? ""} ${name}`),
      distinct: pairsOf(groups, mandatory),
      comment: label.comment,
      proof: kind === "p" ? (proof ?? "?") : null,
    });
  };

  for (let word = cursor.next(); word !== null; word = cursor.next()) {
    if (word === "${") scopes.push([names.length, hypotheses.length, groups.length]);
    else if (word === "$}") {
      const [float = 0, hypothesis = 0, group = 0] = scopes.pop() ?? [0, 0, 0];
      for (const name of names.splice(float)) floats.delete(name);
      hypotheses.length = hypothesis;
      groups.length = group;
    } else if (word === "$c" || word === "$v") cursor.words("$.");
    else if (word === "$d") groups.push(cursor.words("$."));
    else if (word === "$f") {
      const [type = "", name = ""] = cursor.words("$.");
      syntax.add(type);
      floats.set(name, { type, order: floats.size });
      names.push(name);
    } else if (word === "$e") {
      const words = cursor.words("$.");
      claimed.add(words[0] ?? "");
      hypotheses.push({ text: words.join(" "), variables: variablesOf(words) });
    } else if (word === "$a" || word === "$p") assert(word === "$a" ? "a" : "p");
    else {
      if (label !== null) cursor.problems.push(`${JSON.stringify(cursor.path)}:${label.line} has ${label.name}, which is no statement`);
      label = { name: word, path: cursor.path, line: cursor.line, comment: cursor.comment };
      cursor.comment = "";
      continue;
    }
    label = null;
    cursor.comment = "";
  }
  if (label !== null) cursor.problems.push(`${JSON.stringify(main)} ends with ${label.name}, which is no statement`);
  if (scopes.length > 0) cursor.problems.push(`${JSON.stringify(main)} has ${scopes.length} scopes that are not closed`);
  return { statements, syntax: syntax.difference(claimed), paths: cursor.paths, problems: cursor.problems };
}

/** Pairs of mandatory variables, each once. */
function pairsOf(groups: readonly (readonly string[])[], mandatory: ReadonlySet<string>): string[] {
  const pairs = new Set<string>();
  for (const group of groups) {
    const some = group.filter((name) => mandatory.has(name)).sort();
    for (const [at, one] of some.entries()) for (const other of some.slice(at + 1)) if (one !== other) pairs.add(`${one} ${other}`);
  }
  return pairs.size === 0 ? NONE : [...pairs].sort();
}
const NONE: string[] = [];

/** Labels that a proof really uses, and whether a step of it is left open. A compressed proof names labels in front, and may name one that no
 *  step takes. */
export function readMetamathProof({ proof, hypotheses, types }: MetamathStatement): {
  readonly labels: readonly string[];
  readonly open: boolean;
} {
  const words = (proof ?? "").trim().split(/\s+/);
  if (words[0] !== "(") return { labels: words.filter((word) => word !== "?"), open: words.includes("?") || words[0] === "" };
  const close = words.indexOf(")");
  const named = words.slice(1, close);
  const own = hypotheses.length + types.length; // a step may be one of these first
  const used = new Set<string>();
  let open = close < 0 || close === words.length - 1;
  let number = 0;
  for (let index = close + 1; close >= 0 && index < words.length; index++) {
    const letters = words[index] ?? "";
    for (let at = 0; at < letters.length; at++) {
      const code = letters.charCodeAt(at);
      if (code === 63) open = true;
      else if (code >= 85 && code <= 89) number = number * 5 + code - 84;
      else if (code >= 65 && code <= 84) {
        const name = named[number * 20 + code - 65 - own];
        if (name !== undefined) used.add(name);
        number = 0;
      }
    }
  }
  return { labels: [...used], open };
}

/** Databases of some files: those that no other includes. */
export function findDatabases(texts: ReadonlyMap<string, string>): string[] {
  const included = new Set<string>();
  for (const [path, text] of texts)
    if (text.includes("$["))
      for (const [, name = ""] of text.replaceAll(/\$\([^]*?\$\)/g, " ").matchAll(/\$\[\s+(\S+)\s+\$\]/g)) {
        const other = posix.join(posix.dirname(path), name);
        if (other !== path) included.add(other);
      }
  return [...texts.keys()].filter((path) => !included.has(path));
}

/** What a database declares, with the file of each that stands in one that it includes. */
export function scanMetamath(
  path: string,
  read: (path: string) => string | undefined,
): { declarations: Declaration[]; problems: readonly string[] } {
  const { statements, syntax, problems } = readMetamath(path, read);
  return { declarations: statements.map((one) => declare(one, syntax)), problems };
}

function declare(one: MetamathStatement, syntax: ReadonlySet<string>): Declaration {
  const [kind, className] = classify(one, syntax);
  return {
    kind,
    class: className,
    name: one.label,
    path: one.path,
    line: one.line,
    endLine: one.endLine,
    statement: one.statement.slice(0, MAX_STATEMENT),
    context: [...one.distinct.map((pair) => `$d ${pair}`), ...one.hypotheses],
    holes: one.proof?.includes("?") === true && readMetamathProof(one).open ? [{ line: one.endLine, what: "?" }] : [],
    summary: summaryOf(one.comment),
    abstract: false,
  };
}
const MAX_STATEMENT = 20_000; // UTF-16 units

/** A definition is an axiom whose label says so: nothing in the format tells the two apart, and a proof rests on both. */
function classify({ kind, type, label }: MetamathStatement, syntax: ReadonlySet<string>): [string, Declaration["class"]] {
  if (syntax.has(type)) return ["Syntax", "type"];
  if (kind === "p") return ["Theorem", "theorem"];
  return label.startsWith("df-") ? ["Definition", "definition"] : ["Axiom", "axiom"];
}

/** Who contributed it, and that new uses are discouraged, is no part of what it says. */
const REMARKS = /\((?:Contributed by|Revised by|Proof shortened by|Proof revised by|Proof modification is|New usage is)[^)]*\)/g;

function summaryOf(comment: string): string {
  return fold(comment.replaceAll(REMARKS, " ")).slice(0, MAX_SUMMARY);
}
const MAX_SUMMARY = 1000; // UTF-16 units

/** As Metamath's own pages write it: what is assumed, what follows, and which variables are apart. */
export function formatMetamath({ statement, hypotheses, distinct }: MetamathStatement): string {
  const whole = hypotheses.length === 0 ? statement : `${hypotheses.join(" & ")} => ${statement}`;
  return distinct.length === 0 ? whole : `${whole}, ${distinct.map((pair) => `$d ${pair}`).join(" ")}`;
}
