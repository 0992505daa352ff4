/** Finds the type of an object from its name and its bytes. The name proposes, the bytes decide: anybody who writes to the store chooses the name,
 *  and a `.pdf` that is no PDF must not be parsed, nor served, as one. */
import { isUtf8 } from "node:buffer";
import type { ObjectKind } from "#snapshots/schema";

export type MediaType = {
  readonly mediaType: string;
  readonly kind: ObjectKind;
  readonly language: string | null;
};

type Row = readonly [kind: ObjectKind, mediaType: string, language: string | null];

/** Types of text of each kind, with the last extensions of file names that propose them, in lower case. A type is the name of a language, or a media type
 *  with the language of what it holds. A binary type is found by its bytes only. */
const ENDINGS: Readonly<Record<ObjectKind, Readonly<Record<string, string>>>> = {
  markdown: { "text/markdown": "md markdown mdown mdwn mkd mkdn mdx qmd rmd livemd litcoffee" },
  text: {
    "text/plain": "txt text log lock",
    "text/x-bibtex": "bib",
  },
  code: {
    coq: "v",
    lean: "lean",
    rust: "rs",
    fstar: "fst fsti",
    proverif: "pv pvl",
    isabelle: "thy",
    dafny: "dfy",
    agda: "agda",
    tla: "tla",
    smtlib: "smt2",
    metamath: "mm",
    easycrypt: "ec eca",
    why3: "mlw why",
    c: "c h",
    cpp: "cc cpp cxx hh hpp cu cuh",
    csharp: "cs",
    go: "go",
    java: "java",
    kotlin: "kt",
    scala: "scala",
    swift: "swift",
    python: "py",
    ruby: "rb",
    perl: "pl",
    php: "php",
    lua: "lua",
    r: "r",
    julia: "jl",
    ocaml: "ml mli hl mll mly mlg", // hl is HOL Light's
    fsharp: "fs",
    sml: "sml",
    haskell: "hs purs",
    lisp: "el lisp",
    scheme: "scm rkt",
    "text/javascript javascript": "js mjs cjs jsx",
    typescript: "ts mts tsx",
    "text/css css": "css",
    scss: "scss",
    "text/x-shellscript bash": "sh bash zsh",
    "application/sql sql": "sql",
    "application/toml ini": "toml",
    ini: "ini cfg conf",
    "application/xml xml": "xml xsl",
    "text/x-diff diff": "diff patch",
    makefile: "mk",
    cmake: "cmake",
    x86asm: "s asm",
    llvm: "ll",
    "text/vnd.graphviz": "dot",
    alloy: "als",
    boogie: "bpl",
    viper: "vpr",
    tptp: "p ax tptp",
    dedukti: "dk",
    lambdapi: "lp",
    idris: "idr",
    pvs: "pvs",
    acl2: "acl2",
    maude: "maude",
    k: "k",
    cryptol: "cry",
    sail: "sail",
    promela: "pml",
    smv: "smv",
    tamarin: "spthy",
    twelf: "elf",
    mizar: "miz",
    mm0: "mm0 mm1",
    lustre: "lus",
    solidity: "sol",
    prolog: "elpi",
    elixir: "ex exs",
    erlang: "erl hrl",
    zig: "zig",
    nix: "nix",
    dart: "dart",
    clojure: "clj cljs cljc edn",
    fortran: "f for f90 f95 f03",
    matlab: "m",
    terraform: "tf hcl",
    "text/x-vue xml": "vue",
    "text/x-svelte xml": "svelte",
    protobuf: "proto",
    graphql: "graphql",
    wasm: "wat",
    powershell: "ps1",
    dos: "bat cmd",
    tcl: "tcl",
    groovy: "groovy",
    gradle: "gradle",
    vhdl: "vhd vhdl",
    verilog: "sv svh",
    elm: "elm",
    ada: "adb ads",
    delphi: "pas",
    nim: "nim",
    crystal: "cr",
    d: "d",
    stan: "stan",
    less: "less",
    awk: "awk",
    vim: "vim",
    glsl: "glsl",
    properties: "properties",
    reasonml: "re",
    "text/x-tex latex": "sty cls",
  },
  html: { "text/html": "html htm xhtml" },
  pdf: {},
  latex: { "text/x-tex latex": "tex ltx lagda" },
  json: {
    "application/json json": "json",
    "application/jsonl json": "jsonl ndjson",
    "application/geo+json json": "geojson",
  },
  yaml: { "application/yaml yaml": "yaml yml" },
  csv: { "text/csv": "csv", "text/tab-separated-values": "tsv" },
  image: { "image/svg+xml": "svg" },
  binary: {},
  notebook: { "application/x-ipynb+json": "ipynb" },
  asciidoc: { "text/asciidoc": "adoc asc asciidoc" },
  literate: {
    haskell: "lhs lcurry",
    idris: "lidr",
  },
  org: { "text/org": "org" },
  rst: { "text/x-rst": "rst rest" },
};

function rowOf(kind: ObjectKind, type: string): Row {
  const [mediaType = "", language = null] = type.includes("/") ? type.split(" ") : [`text/x-${type}`, type];
  return [kind, mediaType, language];
}

const TEXT_TYPES: ReadonlyMap<string, Row> = new Map(
  Object.entries(ENDINGS).flatMap(([kind, types]) =>
    Object.entries(types).flatMap(([type, endings]) =>
      endings.split(" ").map((ending) => [ending, rowOf(kind as ObjectKind, type)] as const),
    ),
  ),
);

const NAMED_TYPES: Readonly<Record<string, Row>> = {
  makefile: rowOf("code", "makefile"),
  dockerfile: rowOf("code", "dockerfile"),
  "cmakelists.txt": rowOf("code", "cmake"),
  _coqproject: ["text", "text/plain", null],
};

const TEXT: Row = ["text", "text/plain", null];
const OCTETS = "application/octet-stream";
const PDF: MediaType = { mediaType: "application/pdf", kind: "pdf", language: null };
const PDF_HEADER = "%PDF-";
/** A program that draws pages: no text that anybody reads, though it is written in letters. */
const POSTSCRIPT: MediaType = { mediaType: "application/postscript", kind: "binary", language: null };
const POSTSCRIPT_HEADER = Buffer.from("%!PS");

/** Images that browsers show. Any other type of bytes is a download, so nothing here decides what may run. */
const IMAGES = new Set(["image/png", "image/apng", "image/jpeg", "image/gif", "image/webp", "image/avif"]);
/** Types of text that file-type sees in bytes that are no text of ours, as UTF-16: a browser might run what is served so. */
const MARKUP = /^text\/|[/+]xml$/;

/** A PDF header may follow other bytes; readers look for it in the first kilobyte. */
const PDF_HEADER_WINDOW = 1024;
const NAMESAKE_WINDOW = 64 * 1024; // bytes in which a .v file may show that it is no Coq, a .mm file that it is Metamath

export function fileName(key: string): string {
  return key.slice(key.lastIndexOf("/") + 1) || key;
}

/** extensionOf returns the last extension of a key's file name, in lower case and without its dot; "" when there is none. */
export function extensionOf(key: string): string {
  const name = fileName(key);
  const dot = name.lastIndexOf(".");
  return dot <= 0 ? "" : asciiLower(name.slice(dot + 1));
}

function isText(bytes: Uint8Array): boolean {
  return !bytes.includes(0) && isUtf8(bytes);
}

/** mediaTypeOf finds the type of an object.
 *  @param key decides between types of text; whoever writes to the store controls it
 *  @param bytes all of them: one bad byte makes a text binary
 *  @returns a media type with `; charset=utf-8` for `text/*` */
export async function mediaTypeOf(key: string, bytes: Uint8Array): Promise<MediaType> {
  // A PDF of printable bytes only is rare but legal; its header still has to come first.
  if (isPdf(bytes, 0)) return PDF;
  if (isText(bytes)) return POSTSCRIPT_HEADER.equals(bytes.subarray(0, POSTSCRIPT_HEADER.length)) ? POSTSCRIPT : textType(key, bytes);
  if (extensionOf(key) === "pdf" && isPdf(bytes, PDF_HEADER_WINDOW)) return PDF;
  const { fileTypeFromBuffer } = await import("file-type");
  const mediaType = (await fileTypeFromBuffer(bytes))?.mime ?? OCTETS;
  if (MARKUP.test(mediaType)) return { mediaType: OCTETS, kind: "binary", language: null };
  return { mediaType, kind: IMAGES.has(mediaType) ? "image" : "binary", language: null };
}

/** mediaTypeOfName returns the type that a name proposes, as of an empty file: for what is listed and not read. */
export function mediaTypeOfName(key: string): MediaType {
  return textType(key, new Uint8Array());
}

function textType(key: string, bytes: Uint8Array): MediaType {
  const [kind, mediaType, language] = textRow(key, extensionOf(key), bytes);
  return { mediaType: mediaType.startsWith("text/") ? `${mediaType}; charset=utf-8` : mediaType, kind, language };
}

function isPdf(bytes: Uint8Array, window: number): boolean {
  const at = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, window + PDF_HEADER.length)).indexOf(
    PDF_HEADER,
    0,
    "latin1",
  );
  return at >= 0 && at <= window;
}

function textRow(key: string, extension: string, bytes: Uint8Array): Row {
  const name = asciiLower(fileName(key));
  const named = Object.hasOwn(NAMED_TYPES, name) ? NAMED_TYPES[name] : undefined;
  if (named !== undefined) return named;
  const row = TEXT_TYPES.get(extension);
  if (row === undefined) return TEXT;
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, NAMESAKE_WINDOW));
  if (extension === "mm" && !/\$[(c]\s/.test(head.toString("latin1"))) return rowOf("code", "cpp");
  if (extension === "m" && /^[ \t]*(?:@(?:interface|implementation|import)|#import)\b/m.test(head.toString("latin1")))
    return rowOf("code", "objectivec");
  if (extension === "m" && /^:- module\b/m.test(head.toString("latin1"))) return rowOf("code", "prolog");
  if (extension === "p" && bytes.length > 0 && !/\b(?:thf|tff|tcf|fof|cnf|include)\(/.test(head.toString("latin1"))) return TEXT;
  if (extension === "lp" && bytes.length > 0 && /^\s*(?:\\|maximi[sz]e|minimi[sz]e|subject to)/i.test(head.toString("latin1"))) return TEXT;
  if (extension === "asc" && head.includes("-----BEGIN PGP ")) return TEXT;
  if (extension === "v" && /\bendmodule\b/.test(head.toString("latin1"))) return rowOf("code", "verilog");
  if (extension === "svg" && !head.includes("<svg")) return TEXT;
  return row;
}

function asciiLower(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
