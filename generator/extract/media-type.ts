/** Finds the type of an object from its name and its bytes. The name proposes, the bytes decide: anybody who writes to the store chooses the name,
 *  and a `.pdf` that is no PDF must not be parsed, nor served, as one. */
import { isUtf8 } from "node:buffer";
import type { ObjectKind } from "#snapshots/schema";

export type MediaType = {
  readonly mediaType: string;
  readonly kind: ObjectKind;
  readonly language: string | null;
};

type Type = readonly [mediaType: string, language: string | null];
type Row = readonly [kind: ObjectKind, ...type: Type];

const code = (language: string, mediaType = `text/x-${language}`): Type => [mediaType, language];

/** Types of text of each kind, by the last extension of the file name in lower case. A binary type is found by its bytes only. */
const ENDINGS: Readonly<Record<ObjectKind, Readonly<Record<string, Type>>>> = {
  markdown: {
    md: ["text/markdown", null],
    markdown: ["text/markdown", null],
    mdown: ["text/markdown", null],
    mdwn: ["text/markdown", null],
    mkd: ["text/markdown", null],
    mkdn: ["text/markdown", null],
    mdx: ["text/markdown", null],
    qmd: ["text/markdown", null],
    rmd: ["text/markdown", null],
    livemd: ["text/markdown", null],
    litcoffee: ["text/markdown", null],
  },
  text: {
    txt: ["text/plain", null],
    text: ["text/plain", null],
    log: ["text/plain", null],
    bib: ["text/x-bibtex", null],
    lock: ["text/plain", null],
  },
  code: {
    v: code("coq"),
    lean: code("lean"),
    rs: code("rust"),
    fst: code("fstar"),
    fsti: code("fstar"),
    pv: code("proverif"),
    pvl: code("proverif"),
    thy: code("isabelle"),
    dfy: code("dafny"),
    agda: code("agda"),
    tla: code("tla"),
    smt2: code("smtlib"),
    mm: code("metamath"),
    ec: code("easycrypt"),
    eca: code("easycrypt"),
    mlw: code("why3"),
    why: code("why3"),
    c: code("c"),
    h: code("c"),
    cc: code("cpp"),
    cpp: code("cpp"),
    cxx: code("cpp"),
    hh: code("cpp"),
    hpp: code("cpp"),
    cs: code("csharp"),
    go: code("go"),
    java: code("java"),
    kt: code("kotlin"),
    scala: code("scala"),
    swift: code("swift"),
    py: code("python"),
    rb: code("ruby"),
    pl: code("perl"),
    php: code("php"),
    lua: code("lua"),
    r: code("r"),
    jl: code("julia"),
    ml: code("ocaml"),
    mli: code("ocaml"),
    hl: code("ocaml"), // HOL Light's
    mll: code("ocaml"),
    mly: code("ocaml"),
    fs: code("fsharp"),
    sml: code("sml"),
    hs: code("haskell"),
    el: code("lisp"),
    lisp: code("lisp"),
    scm: code("scheme"),
    rkt: code("scheme"),
    js: code("javascript", "text/javascript"),
    mjs: code("javascript", "text/javascript"),
    cjs: code("javascript", "text/javascript"),
    jsx: code("javascript", "text/javascript"),
    ts: code("typescript"),
    mts: code("typescript"),
    tsx: code("typescript"),
    css: code("css", "text/css"),
    scss: code("scss"),
    sh: code("bash", "text/x-shellscript"),
    bash: code("bash", "text/x-shellscript"),
    zsh: code("bash", "text/x-shellscript"),
    sql: code("sql", "application/sql"),
    toml: code("ini", "application/toml"),
    ini: code("ini"),
    cfg: code("ini"),
    conf: code("ini"),
    xml: code("xml", "application/xml"),
    xsl: code("xml", "application/xml"),
    diff: code("diff", "text/x-diff"),
    patch: code("diff", "text/x-diff"),
    mk: code("makefile"),
    cmake: code("cmake"),
    s: code("x86asm"),
    asm: code("x86asm"),
    ll: code("llvm"),
    dot: ["text/vnd.graphviz", null],
    als: code("alloy"),
    bpl: code("boogie"),
    vpr: code("viper"),
    p: code("tptp"),
    ax: code("tptp"),
    tptp: code("tptp"),
    dk: code("dedukti"),
    lp: code("lambdapi"),
    idr: code("idris"),
    pvs: code("pvs"),
    acl2: code("acl2"),
    maude: code("maude"),
    k: code("k"),
    cry: code("cryptol"),
    sail: code("sail"),
    pml: code("promela"),
    smv: code("smv"),
    spthy: code("tamarin"),
    elf: code("twelf"),
    miz: code("mizar"),
    sol: code("solidity"),
    mlg: code("ocaml"),
    elpi: code("prolog"),
    ex: code("elixir"),
    exs: code("elixir"),
    erl: code("erlang"),
    hrl: code("erlang"),
    zig: code("zig"),
    nix: code("nix"),
    dart: code("dart"),
    clj: code("clojure"),
    cljs: code("clojure"),
    cljc: code("clojure"),
    edn: code("clojure"),
    f: code("fortran"),
    for: code("fortran"),
    f90: code("fortran"),
    f95: code("fortran"),
    f03: code("fortran"),
    m: code("matlab"),
    cu: code("cpp"),
    cuh: code("cpp"),
    tf: code("terraform"),
    hcl: code("terraform"),
    vue: code("xml", "text/x-vue"),
    svelte: code("xml", "text/x-svelte"),
    proto: code("protobuf"),
    graphql: code("graphql"),
    wat: code("wasm"),
    ps1: code("powershell"),
    bat: code("dos"),
    cmd: code("dos"),
    tcl: code("tcl"),
    groovy: code("groovy"),
    gradle: code("gradle"),
    vhd: code("vhdl"),
    vhdl: code("vhdl"),
    sv: code("verilog"),
    svh: code("verilog"),
    elm: code("elm"),
    purs: code("haskell"),
    adb: code("ada"),
    ads: code("ada"),
    pas: code("delphi"),
    nim: code("nim"),
    cr: code("crystal"),
    d: code("d"),
    stan: code("stan"),
    less: code("less"),
    awk: code("awk"),
    vim: code("vim"),
    glsl: code("glsl"),
    properties: code("properties"),
    re: code("reasonml"),
    sty: code("latex", "text/x-tex"),
    cls: code("latex", "text/x-tex"),
  },
  html: {
    html: ["text/html", null],
    htm: ["text/html", null],
    xhtml: ["text/html", null],
  },
  pdf: {},
  latex: {
    tex: ["text/x-tex", "latex"],
    ltx: ["text/x-tex", "latex"],
    lagda: ["text/x-tex", "latex"],
  },
  json: {
    json: ["application/json", "json"],
    jsonl: ["application/jsonl", "json"],
    ndjson: ["application/jsonl", "json"],
    geojson: ["application/geo+json", "json"],
  },
  yaml: {
    yaml: ["application/yaml", "yaml"],
    yml: ["application/yaml", "yaml"],
  },
  csv: {
    csv: ["text/csv", null],
    tsv: ["text/tab-separated-values", null],
  },
  image: {
    svg: ["image/svg+xml", null],
  },
  binary: {},
  notebook: {
    ipynb: ["application/x-ipynb+json", null],
  },
  asciidoc: {
    adoc: ["text/asciidoc", null],
    asc: ["text/asciidoc", null],
    asciidoc: ["text/asciidoc", null],
  },
  literate: {
    lhs: code("haskell"),
    lidr: code("idris"),
    lcurry: code("haskell"),
  },
  org: {
    org: ["text/org", null],
  },
  rst: {
    rst: ["text/x-rst", null],
    rest: ["text/x-rst", null],
  },
};

const TEXT_TYPES: ReadonlyMap<string, Row> = new Map(
  Object.entries(ENDINGS).flatMap(([kind, types]) =>
    Object.entries(types).map(([ending, type]) => [ending, [kind as ObjectKind, ...type] as const] as const),
  ),
);

const NAMED_TYPES: Readonly<Record<string, Row>> = {
  makefile: ["code", ...code("makefile")],
  dockerfile: ["code", ...code("dockerfile")],
  "cmakelists.txt": ["code", ...code("cmake")],
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
  if (extension === "mm" && !/\$[(c]\s/.test(head.toString("latin1"))) return ["code", ...code("cpp")];
  if (extension === "m" && /^[ \t]*(?:@(?:interface|implementation|import)|#import)\b/m.test(head.toString("latin1")))
    return ["code", ...code("objectivec")];
  if (extension === "m" && /^:- module\b/m.test(head.toString("latin1"))) return ["code", ...code("prolog")];
  if (extension === "p" && bytes.length > 0 && !/\b(?:thf|tff|tcf|fof|cnf|include)\(/.test(head.toString("latin1"))) return TEXT;
  if (extension === "lp" && bytes.length > 0 && /^\s*(?:\\|maximi[sz]e|minimi[sz]e|subject to)/i.test(head.toString("latin1"))) return TEXT;
  if (extension === "asc" && head.includes("-----BEGIN PGP ")) return TEXT;
  if (extension === "v" && /\bendmodule\b/.test(head.toString("latin1"))) return ["code", ...code("verilog")];
  if (extension === "svg" && !head.includes("<svg")) return TEXT;
  return row;
}

function asciiLower(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
