/** Source text to HTML with classes: highlight.js grammars, an emitter of our own. It escapes all text itself, so nothing that a
 *  grammar gets wrong can become markup. Its classes are listed in generator/extract/README.md. */
import hljs from "highlight.js/lib/core";
import type { Emitter, LanguageFn } from "highlight.js";
import { LANGUAGES } from "./languages.ts";
import { lean } from "./lean-grammar.ts";
import { tableGrammar } from "./table-grammar.ts";

const MAX_HIGHLIGHTED = 64 * 1024; // UTF-16 units; what follows is shown plain
/** UTF-16 units of a line; grammars may be quadratic in longer ones. */
const MAX_LINE = 4000;
/** Scopes inside one another; grammars take the square of it. */
const MAX_SCOPES = 50;

type LanguageModule = { readonly default: LanguageFn };

const GRAMMARS: Readonly<Record<string, () => Promise<LanguageModule>>> = {
  // Each by its full name: a program that is compiled into one folder finds no other.
  ada: () => import("highlight.js/lib/languages/ada"),
  awk: () => import("highlight.js/lib/languages/awk"),
  bash: () => import("highlight.js/lib/languages/bash"),
  c: () => import("highlight.js/lib/languages/c"),
  clojure: () => import("highlight.js/lib/languages/clojure"),
  cmake: () => import("highlight.js/lib/languages/cmake"),
  coq: () => import("highlight.js/lib/languages/coq"),
  cpp: () => import("highlight.js/lib/languages/cpp"),
  crystal: () => import("highlight.js/lib/languages/crystal"),
  csharp: () => import("highlight.js/lib/languages/csharp"),
  css: () => import("highlight.js/lib/languages/css"),
  d: () => import("highlight.js/lib/languages/d"),
  dart: () => import("highlight.js/lib/languages/dart"),
  delphi: () => import("highlight.js/lib/languages/delphi"),
  diff: () => import("highlight.js/lib/languages/diff"),
  dockerfile: () => import("highlight.js/lib/languages/dockerfile"),
  dos: () => import("highlight.js/lib/languages/dos"),
  elixir: () => import("highlight.js/lib/languages/elixir"),
  elm: () => import("highlight.js/lib/languages/elm"),
  erlang: () => import("highlight.js/lib/languages/erlang"),
  fortran: () => import("highlight.js/lib/languages/fortran"),
  fsharp: () => import("highlight.js/lib/languages/fsharp"),
  glsl: () => import("highlight.js/lib/languages/glsl"),
  go: () => import("highlight.js/lib/languages/go"),
  gradle: () => import("highlight.js/lib/languages/gradle"),
  graphql: () => import("highlight.js/lib/languages/graphql"),
  groovy: () => import("highlight.js/lib/languages/groovy"),
  haskell: () => import("highlight.js/lib/languages/haskell"),
  haxe: () => import("highlight.js/lib/languages/haxe"),
  ini: () => import("highlight.js/lib/languages/ini"),
  java: () => import("highlight.js/lib/languages/java"),
  javascript: () => import("highlight.js/lib/languages/javascript"),
  json: () => import("highlight.js/lib/languages/json"),
  julia: () => import("highlight.js/lib/languages/julia"),
  kotlin: () => import("highlight.js/lib/languages/kotlin"),
  latex: () => import("highlight.js/lib/languages/latex"),
  less: () => import("highlight.js/lib/languages/less"),
  lisp: () => import("highlight.js/lib/languages/lisp"),
  llvm: () => import("highlight.js/lib/languages/llvm"),
  lua: () => import("highlight.js/lib/languages/lua"),
  makefile: () => import("highlight.js/lib/languages/makefile"),
  matlab: () => import("highlight.js/lib/languages/matlab"),
  mizar: () => import("highlight.js/lib/languages/mizar"),
  nim: () => import("highlight.js/lib/languages/nim"),
  nix: () => import("highlight.js/lib/languages/nix"),
  objectivec: () => import("highlight.js/lib/languages/objectivec"),
  ocaml: () => import("highlight.js/lib/languages/ocaml"),
  perl: () => import("highlight.js/lib/languages/perl"),
  php: () => import("highlight.js/lib/languages/php"),
  powershell: () => import("highlight.js/lib/languages/powershell"),
  prolog: () => import("highlight.js/lib/languages/prolog"),
  properties: () => import("highlight.js/lib/languages/properties"),
  protobuf: () => import("highlight.js/lib/languages/protobuf"),
  python: () => import("highlight.js/lib/languages/python"),
  r: () => import("highlight.js/lib/languages/r"),
  reasonml: () => import("highlight.js/lib/languages/reasonml"),
  ruby: () => import("highlight.js/lib/languages/ruby"),
  rust: () => import("highlight.js/lib/languages/rust"),
  scala: () => import("highlight.js/lib/languages/scala"),
  scheme: () => import("highlight.js/lib/languages/scheme"),
  scss: () => import("highlight.js/lib/languages/scss"),
  sml: () => import("highlight.js/lib/languages/sml"),
  sql: () => import("highlight.js/lib/languages/sql"),
  stan: () => import("highlight.js/lib/languages/stan"),
  swift: () => import("highlight.js/lib/languages/swift"),
  tcl: () => import("highlight.js/lib/languages/tcl"),
  typescript: () => import("highlight.js/lib/languages/typescript"),
  verilog: () => import("highlight.js/lib/languages/verilog"),
  vhdl: () => import("highlight.js/lib/languages/vhdl"),
  vim: () => import("highlight.js/lib/languages/vim"),
  wasm: () => import("highlight.js/lib/languages/wasm"),
  x86asm: () => import("highlight.js/lib/languages/x86asm"),
  xml: () => import("highlight.js/lib/languages/xml"),
  yaml: () => import("highlight.js/lib/languages/yaml"),
  lean: () => Promise.resolve({ default: lean }),
  ...Object.fromEntries(
    Object.entries(LANGUAGES)
      .filter(([, row]) => row.keywords !== undefined)
      .map(([name, row]) => [name, () => Promise.resolve({ default: tableGrammar(row) })]),
  ),
};

const ALIASES: Readonly<Record<string, string>> = {
  agda: "haskell",
  als: "alloy",
  bpl: "boogie",
  cl: "lisp",
  cry: "cryptol",
  cuda: "cpp",
  ex: "elixir",
  erl: "erlang",
  golang: "go",
  hcl: "terraform",
  idr: "idris",
  kt: "kotlin",
  pml: "promela",
  purescript: "haskell",
  sol: "solidity",
  svelte: "xml",
  tf: "terraform",
  vpr: "viper",
  vue: "xml",
  wat: "wasm",
  asm: "x86asm",
  "f*": "fstar",
  "tla+": "tla",
  "c++": "cpp",
  "c#": "csharp",
  cjs: "javascript",
  console: "bash",
  dfy: "dafny",
  fst: "fstar",
  fsti: "fstar",
  gallina: "coq",
  hs: "haskell",
  html: "xml",
  js: "javascript",
  json5: "json",
  jsonc: "json",
  jsonl: "json",
  jsx: "javascript",
  lean4: "lean",
  make: "makefile",
  mjs: "javascript",
  mlw: "why3",
  ml: "ocaml",
  patch: "diff",
  pv: "proverif",
  py: "python",
  python3: "python",
  rb: "ruby",
  rocq: "coq",
  rs: "rust",
  sh: "bash",
  shell: "bash",
  smt: "smtlib",
  smt2: "smtlib",
  svg: "xml",
  tex: "latex",
  thy: "isabelle",
  toml: "ini",
  ts: "typescript",
  tsx: "typescript",
  v: "coq",
  yml: "yaml",
  zsh: "bash",
};

/** Class letter of each grammar scope, by the scope's first part. A scope that is not here gets no class. */
const SCOPE_CLASSES: Readonly<Record<string, string>> = {
  keyword: "k",
  doctag: "k",
  "selector-tag": "k",
  built_in: "b",
  type: "t",
  class: "t",
  title: "f",
  section: "f",
  name: "f",
  tag: "f",
  string: "s",
  regexp: "s",
  char: "s",
  addition: "s",
  link: "s",
  number: "n",
  literal: "n",
  symbol: "n",
  bullet: "n",
  comment: "c",
  quote: "c",
  deletion: "c",
  variable: "v",
  attr: "v",
  attribute: "v",
  property: "v",
  params: "v",
  "template-variable": "v",
  meta: "m",
};

const highlighter = hljs.newInstance();

// The comments of the stock grammars look for TODO and for English sentences, to guess a language, and we never guess.
highlighter.COMMENT = (begin, end, options = {}) => ({ scope: "comment", begin, end, contains: [], ...options });
highlighter.C_LINE_COMMENT_MODE = highlighter.COMMENT("//", "$");
highlighter.C_BLOCK_COMMENT_MODE = highlighter.COMMENT("/\\*", "\\*/");
highlighter.HASH_COMMENT_MODE = highlighter.COMMENT("#", "$");

/** Writes HTML while a grammar runs. Spans are closed before and opened again after each line break: every line is well-formed. */
class LineEmitter implements Emitter {
  readonly #lines: string[] = [];
  #line = "";
  readonly #open: string[] = [];

  addText(text: string): void {
    this.#append(escapeLines(text));
  }

  startScope(scope: string): void {
    this.openNode(scope);
  }

  endScope(): void {
    this.closeNode();
  }

  openNode(scope: string): void {
    const dot = scope.indexOf(".");
    const letter = SCOPE_CLASSES[dot < 0 ? scope : scope.slice(0, dot)] ?? "";
    // highlight.js catches this and reports it in `errorRaised`: the text is then shown plain.
    if (this.#open.push(letter) > MAX_SCOPES) throw new Error("nested too deeply");
    if (letter !== "") this.#line += openTag(letter);
  }

  closeNode(): void {
    this.#close(this.#open.pop() ?? "");
  }

  #close(letter: string): void {
    if (letter === "") return;
    const empty = openTag(letter);
    if (this.#line.endsWith(empty)) this.#line = this.#line.slice(0, -empty.length);
    else this.#line += "</span>";
  }

  __addSublanguage(emitter: Emitter): void {
    if (emitter instanceof LineEmitter) this.#append(emitter.lines());
  }

  #append([first = "", ...rest]: readonly string[]): void {
    this.#line += first;
    for (const line of rest) {
      this.#breakLine();
      this.#line += line;
    }
  }

  finalize(): void {
    while (this.#open.length > 0) this.closeNode();
  }

  toHTML(): string {
    return "";
  }

  lines(): string[] {
    return [...this.#lines, this.#line];
  }

  #breakLine(): void {
    for (let i = this.#open.length - 1; i >= 0; i--) this.#close(this.#open[i] ?? "");
    this.#lines.push(this.#line);
    this.#line = "";
    for (const letter of this.#open) if (letter !== "") this.#line += openTag(letter);
  }
}

highlighter.configure({ __emitter: LineEmitter });

function openTag(letter: string): string {
  return `<span class="${letter}">`;
}

/** escapeHtml returns text as HTML, for element content and for attributes in double quotes. */
export function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

function findLanguage(written: string): string | null {
  const name = written.toLowerCase();
  const known = Object.hasOwn(ALIASES, name) ? (ALIASES[name] ?? name) : name;
  return Object.hasOwn(GRAMMARS, known) ? known : null;
}

export async function loadLanguage(language: string | null): Promise<void> {
  const known = language === null ? null : findLanguage(language);
  if (known === null || highlighter.getLanguage(known) !== undefined) return;
  const grammar = await GRAMMARS[known]?.();
  if (grammar === undefined) return;
  highlighter.registerLanguage(known, (api) => {
    const language = grammar.default(api);
    dropEmbedded(language, new Set());
    return language;
  });
}

/** A language inside another stays plain: whether it is loaded depends on earlier objects, and equal bytes must look equal. */
function dropEmbedded(mode: unknown, seen: Set<unknown>): void {
  if (typeof mode !== "object" || mode === null || mode instanceof RegExp || seen.has(mode)) return;
  seen.add(mode);
  if ("subLanguage" in mode) delete mode.subLanguage;
  for (const part of Object.values(mode)) dropEmbedded(part, seen);
}

/** highlightLines returns the HTML of each line of `text`, split at "\n": one string more than there are line breaks.
 *  @param language one that loadLanguage was called with; otherwise, and beyond MAX_HIGHLIGHTED, lines are only escaped */
export function highlightLines(text: string, language: string | null): string[] {
  const known = language === null ? null : findLanguage(language);
  if (known === null || highlighter.getLanguage(known) === undefined) return escapeLines(text);
  let head = text;
  if (text.length > MAX_HIGHLIGHTED) {
    const cut = text.lastIndexOf("\n", MAX_HIGHLIGHTED);
    if (cut <= 0) return escapeLines(text);
    head = text.slice(0, cut);
  }
  if (head.split("\n").some((line) => line.length > MAX_LINE)) return escapeLines(text);
  const result = highlighter.highlight(head, { language: known, ignoreIllegals: true });
  const emitter: Emitter = result._emitter;
  const lines = emitter instanceof LineEmitter && result.errorRaised === undefined ? emitter.lines() : escapeLines(head);
  return head.length === text.length ? lines : [...lines, ...escapeLines(text.slice(head.length + 1))];
}

function escapeLines(text: string): string[] {
  return escapeHtml(text).split("\n");
}
