import assert from "node:assert/strict";
import { test } from "node:test";
import { mediaTypeOf } from "./media-type.ts";

/** Signature, header chunk and the beginning of the next. */
const PNG = Buffer.from(
  "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\0\0\0\0:~\x9bU\0\0\0\nIDATx\x9cc`\0\0\0\x02\0\x01H\xaf\xa4q",
  "latin1",
);
const bytes = (text: string): Uint8Array => Buffer.from(text, "latin1");

test("a name that lies about the content does not decide", async () => {
  assert.deepEqual(await mediaTypeOf("a.pdf", bytes("hello")), {
    mediaType: "text/plain; charset=utf-8",
    kind: "text",
    language: null,
  });
  assert.equal((await mediaTypeOf("a.png", bytes("\x89PNX\r\n\x1a\n\xff"))).kind, "binary");
  assert.equal((await mediaTypeOf("a.md", PNG)).mediaType, "image/png");
  assert.equal((await mediaTypeOf("a.txt", bytes("%PDF-1.4\n%\xff\xff"))).kind, "pdf");
  assert.equal((await mediaTypeOf("a.svg", bytes("no image"))).kind, "text");
});

test("one NUL or one bad byte makes a text binary", async () => {
  assert.equal((await mediaTypeOf("a.md", bytes("# a\0"))).kind, "binary");
  assert.equal((await mediaTypeOf("a.md", bytes("# a\xff"))).kind, "binary");
  assert.equal((await mediaTypeOf("a.v", bytes("\xff\xfea\0"))).mediaType, "application/octet-stream");
});

test("names without an extension, with odd ones and with names of object members are text", async () => {
  for (const key of ["README", ".gitignore", "a.", "a.constructor", "a.__proto__", "x/toString", "a.ſ"]) {
    assert.equal((await mediaTypeOf(key, bytes("hi"))).kind, "text", key);
  }
});

test("a file .asc is AsciiDoc, or a signature", async () => {
  assert.equal((await mediaTypeOf("ch01.asc", bytes("== One\n\nText.\n"))).kind, "asciidoc");
  assert.equal((await mediaTypeOf("a.tar.gz.asc", bytes("-----BEGIN PGP SIGNATURE-----\n\niQ\n"))).kind, "text");
});

test("an empty file has the type of its name", async () => {
  assert.equal((await mediaTypeOf("a.md", bytes(""))).kind, "markdown");
  assert.equal((await mediaTypeOf("a.pdf", bytes(""))).kind, "text");
});

test("types and languages follow the extension, whatever its case", async () => {
  assert.deepEqual(await mediaTypeOf("x/Sort.V", bytes("Lemma a : True.")), {
    mediaType: "text/x-coq; charset=utf-8",
    kind: "code",
    language: "coq",
  });
  assert.equal((await mediaTypeOf("cpu.v", bytes("module cpu(input clk);\nendmodule\n"))).language, "verilog");
  assert.equal((await mediaTypeOf("a.lean", bytes(""))).language, "lean");
  for (const ending of ["md", "markdown", "mdwn", "mdown", "mkd", "mkdn"])
    assert.equal((await mediaTypeOf(`a.${ending}`, bytes(""))).kind, "markdown", ending);
  assert.equal((await mediaTypeOf("arith.hl", bytes("let x = 1;;"))).language, "ocaml");
  assert.equal((await mediaTypeOf("a.rs", bytes(""))).language, "rust");
  assert.equal((await mediaTypeOf("a.json", bytes("{}"))).mediaType, "application/json");
  assert.equal((await mediaTypeOf("a.tsv", bytes("a\tb"))).kind, "csv");
  assert.equal((await mediaTypeOf("Makefile", bytes("all:"))).language, "makefile");
});

test("containers and images are known by their first bytes", async () => {
  assert.equal((await mediaTypeOf("a", bytes("PK\x03\x04\0"))).mediaType, "application/zip");
  assert.equal((await mediaTypeOf("a", bytes("\x1f\x8b\x08\0"))).mediaType, "application/gzip");
  assert.equal((await mediaTypeOf("a", bytes("RIFF\0\0\0\0WEBPVP8 "))).kind, "image");
  assert.equal((await mediaTypeOf("a", bytes("\xff\xd8\xff\xe0"))).mediaType, "image/jpeg");
});

test("markup that is no text of ours is served as nothing that a browser could run", async () => {
  for (const text of ["<?xml version='1.0' encoding='latin1'?><svg onload='x()'>\xff</svg>", "\xff\xfe<\0?\0x\0m\0l\0 \0>\0"]) {
    assert.deepEqual(await mediaTypeOf("a.svg", bytes(text)), { mediaType: "application/octet-stream", kind: "binary", language: null });
  }
});

test("PostScript is a program that draws, and no text to be searched", async () => {
  for (const key of ["a.ps", "figure.eps", "a.txt"])
    assert.deepEqual(await mediaTypeOf(key, bytes("%!PS-Adobe-2.0\n%%Pages: 1\n/cent 36 def\n")), {
      mediaType: "application/postscript",
      kind: "binary",
      language: null,
    });
  assert.equal((await mediaTypeOf("a.ps", bytes("no drawing"))).kind, "text");
});

test("a PDF whose header stands behind other bytes is one when it is called so", async () => {
  assert.equal((await mediaTypeOf("a.pdf", bytes(`\xff${"x".repeat(1000)}%PDF-1.4\n`))).kind, "pdf");
  assert.equal((await mediaTypeOf("a.pdf", bytes(`\xff${"x".repeat(1100)}%PDF-1.4\n`))).kind, "binary");
  assert.equal((await mediaTypeOf("a.bin", bytes("\xff%PDF-1.4\n"))).kind, "binary");
});
