/** Metamath databases, read without the program: a file holds several statements on a line, includes others, and states all that its
 *  theorems may rest on. Scanning shows what is read here, and proofs, axioms and uses are worked out from it. */
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
  /** The essential hypotheses of the scopes around it, in order. */
  readonly hypotheses: readonly string[];
  /** The symbols after the type. */
  readonly symbols: readonly string[];
  /** The hypotheses that whoever uses it has to fill in, in the order in which they stand. */
  readonly mandatory: readonly MetamathHypothesis[];
  /** Groups of variables that are kept apart here, those of its proof alone among them. */
  readonly apart: readonly (readonly string[])[];
  /** Its place among hypotheses and statements: each may use only what stands before it. */
  readonly at: number;
  /** Types of its variables, and pairs of them that must not share a variable: part of what is stated. */
  readonly types: readonly string[];
  readonly distinct: readonly string[];
  readonly comment: string;
  /** The text between `$=` and `$.`; null of an axiom. */
  readonly proof: string | null;
};

/** MetamathHypothesis is a variable's type (`$f`), or a claim (`$e`). */
export type MetamathHypothesis = {
  readonly label: string;
  readonly floats: boolean;
  readonly type: string;
  readonly symbols: readonly string[];
  readonly at: number;
  /** Where its scope ends. */
  until: number;
};

export type MetamathDatabase = {
  readonly statements: readonly MetamathStatement[];
  readonly hypotheses: ReadonlyMap<string, MetamathHypothesis>;
  readonly variables: ReadonlySet<string>;
  /** Types that only say how something is written: variables have them, and no hypothesis claims one. */
  readonly syntax: ReadonlySet<string>;
  /** Types that a hypothesis claims. */
  readonly claimed: ReadonlySet<string>;
  /** The file itself and all that it includes, and what it includes that is not there. */
  readonly paths: readonly string[];
  readonly missing: readonly string[];
  readonly problems: readonly string[];
};

const KEYWORD = /^\$[acdefpv.={}]$/;

type Open = { readonly path: string; readonly text: string; at: number; line: number };

/** Cursor gives the words of a file and of those that it includes, each file once; comments are passed over, the last one is kept. */
class Cursor {
  readonly paths: string[] = [];
  readonly missing: string[] = [];
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

  place(): string {
    return `${JSON.stringify(this.path)}:${this.line}`;
  }

  private include(path: string): void {
    if (this.paths.includes(path)) return; // a file that is there already says nothing again
    const text = this.read(path);
    if (text === undefined) {
      this.problems.push(`${JSON.stringify(path)} is included and not there`);
      this.missing.push(path);
    } else {
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
    // A name is relative to where the program stands, which is the folder of the database.
    this.include(name.startsWith("/") ? name : posix.join(this.folder, name));
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

type Scope = {
  readonly variables: number;
  readonly hypotheses: number;
  readonly apart: readonly (readonly string[])[];
};

type Label = { readonly name: string; readonly path: string; readonly line: number; readonly comment: string };

/** A reader of a database: it knows what is declared at each place. */
class Reader {
  readonly statements: MetamathStatement[] = [];
  readonly hypotheses = new Map<string, MetamathHypothesis>();
  readonly variables = new Set<string>(); // of all scopes: a symbol is never both
  readonly types = new Set<string>();
  readonly claimed = new Set<string>();
  readonly scopes: Scope[] = [];
  label: Label | null = null;
  private readonly labels = new Set<string>();
  private readonly constants = new Set<string>();
  private readonly active = new Set<string>();
  private readonly order: string[] = []; // of the active variables
  private readonly floats = new Map<string, MetamathHypothesis>();
  private readonly open: MetamathHypothesis[] = []; // in the scopes that are open
  private apart: readonly (readonly string[])[] = [];
  private at = 0;
  private readonly cursor: Cursor;

  constructor(cursor: Cursor) {
    this.cursor = cursor;
  }

  private problem(what: string): void {
    this.cursor.problems.push(`${this.cursor.place()} ${what}`);
  }

  begin(): void {
    this.scopes.push({ variables: this.order.length, hypotheses: this.open.length, apart: this.apart });
  }

  end(): void {
    const scope = this.scopes.pop();
    if (scope === undefined) return this.problem("closes a scope that is not open");
    for (const name of this.order.splice(scope.variables)) this.active.delete(name);
    for (const one of this.open.splice(scope.hypotheses)) {
      one.until = this.at++;
      if (one.floats) this.floats.delete(one.symbols[0] ?? "");
    }
    this.apart = scope.apart;
  }

  declare(names: readonly string[], constant: boolean): void {
    if (constant && this.scopes.length > 0) this.problem("declares constants within a scope");
    for (const name of names) {
      if (this.constants.has(name) || this.active.has(name) || (constant && this.variables.has(name)) || this.labels.has(name))
        this.problem(`declares ${JSON.stringify(name)} again`);
      if (constant) this.constants.add(name);
      else {
        this.variables.add(name);
        this.active.add(name);
        this.order.push(name);
      }
    }
  }

  separate(names: readonly string[]): void {
    if (new Set(names).size < Math.max(2, names.length) || names.some((name) => !this.active.has(name)))
      this.problem("keeps apart what are no different variables");
    this.apart = [...this.apart, names];
  }

  /** The type and the symbols of a hypothesis or statement, each of which is declared here. */
  private expression([type = "", ...symbols]: readonly string[]): { type: string; symbols: readonly string[] } {
    if (!this.constants.has(type)) this.problem(`begins with ${JSON.stringify(type)}, which is no constant`);
    const unknown = symbols.find((name) => !this.constants.has(name) && !this.floats.has(name));
    if (unknown !== undefined) this.problem(`has ${JSON.stringify(unknown)}, which is no constant and no variable with a type`);
    return { type, symbols };
  }

  private claim({ name, path, line }: Label): boolean {
    const again = this.labels.has(name) || this.constants.has(name) || this.variables.has(name);
    if (again) this.cursor.problems.push(`${JSON.stringify(path)}:${line} declares ${name} again`);
    this.labels.add(name);
    return !again;
  }

  suppose(words: readonly string[], floats: boolean): void {
    if (this.label === null) return this.problem("has a hypothesis without a label");
    const [type = "", variable = ""] = words;
    if (floats && (words.length !== 2 || !this.constants.has(type) || !this.active.has(variable) || this.floats.has(variable)))
      this.problem(`gives ${JSON.stringify(variable)} a type that it cannot have`);
    if (!this.claim(this.label)) return;
    const said = floats ? { type, symbols: words.slice(1) } : this.expression(words);
    const one = { label: this.label.name, floats, ...said, at: this.at++, until: Number.POSITIVE_INFINITY };
    this.hypotheses.set(one.label, one);
    this.open.push(one);
    (floats ? this.types : this.claimed).add(type);
    if (floats) this.floats.set(variable, one);
  }

  /** @param proof undefined of an axiom, null where it is not written */
  state(words: readonly string[], proof: string | null | undefined): void {
    const { label } = this;
    if (label === null) return this.problem("has a statement without a label");
    if (!this.claim(label)) return;
    const { type, symbols } = this.expression(words);
    const claims = this.open.filter((one) => !one.floats);
    const named = new Set([...claims.flatMap((one) => one.symbols), ...symbols]);
    const mandatory = this.open.filter((one) => !one.floats || named.has(one.symbols[0] ?? ""));
    const typed = mandatory.filter((one) => one.floats);
    this.statements.push({
      label: label.name,
      kind: proof === undefined ? "a" : "p",
      type,
      symbols,
      mandatory,
      apart: this.apart,
      at: this.at++,
      path: label.path,
      line: label.line,
      endLine: this.cursor.line,
      statement: words.join(" "),
      hypotheses: claims.map((one) => [one.type, ...one.symbols].join(" ")),
      types: typed.map((one) => `${one.type} ${one.symbols[0] ?? ""}`),
      distinct: pairsOf(this.apart, new Set(typed.map((one) => one.symbols[0] ?? ""))),
      comment: label.comment,
      proof: proof === undefined ? null : (proof ?? "?"),
    });
  }
}

/** readMetamath reads a database with all that it includes. @param read the text of a file of the sources */
export function readMetamath(main: string, read: (path: string) => string | undefined): MetamathDatabase {
  const cursor = new Cursor(main, read);
  const reader = new Reader(cursor);
  for (let word = cursor.next(); word !== null; word = cursor.next()) {
    const { label } = reader;
    if (word === "${") reader.begin();
    else if (word === "$}") reader.end();
    else if (word === "$c" || word === "$v") reader.declare(cursor.words("$."), word === "$c");
    else if (word === "$d") reader.separate(cursor.words("$."));
    else if (word === "$f" || word === "$e") reader.suppose(cursor.words("$."), word === "$f");
    else if (word === "$a" || word === "$p") {
      const words = cursor.words("$=", "$.");
      const proof = word === "$a" ? undefined : cursor.ended === "$=" ? cursor.proof() : null;
      if (cursor.ended !== null) reader.state(words, proof);
    } else {
      if (label !== null) cursor.problems.push(`${JSON.stringify(cursor.path)}:${label.line} has ${label.name}, which is no statement`);
      reader.label = { name: word, path: cursor.path, line: cursor.line, comment: cursor.comment };
      cursor.comment = "";
      continue;
    }
    reader.label = null;
    cursor.comment = "";
  }
  if (reader.label !== null) cursor.problems.push(`${JSON.stringify(main)} ends with ${reader.label.name}, which is no statement`);
  if (reader.scopes.length > 0) cursor.problems.push(`${JSON.stringify(main)} has ${reader.scopes.length} scopes that are not closed`);
  const { statements, hypotheses, variables, types, claimed } = reader;
  const { paths, missing, problems } = cursor;
  // Such a variable is a claim that no page would show.
  for (const { label, kind, type, mandatory } of statements) {
    const hidden = kind === "p" && claimed.has(type) ? mandatory.find((one) => one.floats && one.type === type) : undefined;
    if (hidden !== undefined)
      problems.push(`${label} takes ${hidden.label}, a variable of the type ${JSON.stringify(type)} of what it claims`);
  }
  return { statements, hypotheses, variables, syntax: types.difference(claimed), claimed, paths, missing, problems };
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

export type ProofSteps = {
  /** A hypothesis or an earlier statement. */
  step(label: string): void;
  /** The last step is meant to be taken again. */
  save(): void;
  /** A step that was saved. */
  recall(number: number): void;
};

/** walkProof tells each step of a proof, written as a list of labels or compressed.
 *  @returns whether a step of it is left open, or what is wrong with how it is written */
export function walkProof(
  { proof, mandatory }: MetamathStatement,
  { step, save, recall }: ProofSteps,
): { open: boolean } | { wrong: string } {
  const words = (proof ?? "").trim().split(/\s+/);
  if (words[0] !== "(") {
    for (const word of words) if (word !== "?" && word !== "") step(word);
    return { open: words.includes("?") || words[0] === "" };
  }
  const close = words.indexOf(")");
  if (close < 0) return { wrong: "its list of labels has no end" };
  const own = mandatory.map(({ label }) => label);
  const named = words.slice(1, close);
  if (named.some((name) => own.includes(name))) return { wrong: "it lists a hypothesis of its own" };
  let open = close === words.length - 1;
  let number = 0;
  let saved = 0;
  let fresh = false; // whether a step was just made
  for (let index = close + 1; index < words.length; index++) {
    const letters = words[index] ?? "";
    for (let at = 0; at < letters.length; at++) {
      const code = letters.charCodeAt(at);
      if (code >= 85 && code <= 89) number = number * 5 + code - 84;
      else if (code >= 65 && code <= 84) {
        const place = number * 20 + code - 65;
        const label = own[place] ?? named[place - own.length];
        if (label !== undefined) step(label);
        else if (place - own.length - named.length < saved) recall(place - own.length - named.length);
        else return { wrong: `it takes step ${place + 1}, which is not there` };
        fresh = label !== undefined;
        number = 0;
      } else if (code === 63 && number === 0) open = true;
      else if (code === 90 && number === 0 && fresh) {
        save();
        saved++;
        fresh = false;
      } else if (!(code === 90 && open)) return { wrong: `it has ${JSON.stringify(letters[at])} where none can be` };
    }
  }
  return number === 0 ? { open } : { wrong: "it ends within a number" };
}

/** readMetamathProof lists the labels that a proof really uses, and tells whether a step of it is left open. A compressed proof names labels in
 *  front, and may name one that no step takes. */
export function readMetamathProof(one: MetamathStatement): { readonly labels: readonly string[]; readonly open: boolean } {
  const used = new Set<string>();
  const own = new Set(one.mandatory.map(({ label }) => label));
  const walked = walkProof(one, {
    step: (label) => void (own.has(label) || used.add(label)),
    save: () => undefined,
    recall: () => undefined,
  });
  return { labels: [...used], open: "open" in walked && walked.open };
}

/** findDatabases lists the databases among some files: those that no other includes. */
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

/** scanMetamath lists what a database declares, each with the file that it stands in, which may be one that the database includes. */
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

/** Remarks on who contributed it and that new uses are discouraged: they are no part of what it says. */
const REMARKS = /\((?:Contributed by|Revised by|Proof shortened by|Proof revised by|Proof modification is|New usage is)[^)]*\)/g;

function summaryOf(comment: string): string {
  return fold(comment.replaceAll(REMARKS, " ")).slice(0, MAX_SUMMARY);
}
const MAX_SUMMARY = 1000; // UTF-16 units

/** formatMetamath writes a statement as Metamath's own pages do: what is assumed, what follows, and which variables are apart. */
export function formatMetamath({ statement, hypotheses, distinct }: MetamathStatement): string {
  const whole = hypotheses.length === 0 ? statement : `${hypotheses.join(" & ")} => ${statement}`;
  return distinct.length === 0 ? whole : `${whole}, ${distinct.map((pair) => `$d ${pair}`).join(" ")}`;
}
