import assert from "node:assert/strict";
import { test } from "node:test";
import { mediaTypeOf } from "./media-type.ts";

const bytes = (text: string): Uint8Array => Buffer.from(text, "latin1");

test("a name that lies about the content does not decide", () => {
  assert.deepEqual(mediaTypeOf("a.pdf", bytes("hello")), {
    mediaType: "text/plain; charset=utf-8",
    kind: "text",
    language: null,
  });
  assert.equal(mediaTypeOf("a.png", bytes("\x89PNX\r\n\x1a\n\xff")).kind, "binary");
  assert.equal(mediaTypeOf("a.md", bytes("\x89PNG\r\n\x1a\n\xff")).mediaType, "image/png");
  assert.equal(mediaTypeOf("a.txt", bytes("%PDF-1.4\n%\xff\xff")).kind, "pdf");
  assert.equal(mediaTypeOf("a.svg", bytes("no image")).kind, "text");
});

test("one NUL or one bad byte makes a text binary", () => {
  assert.equal(mediaTypeOf("a.md", bytes("# a\0")).kind, "binary");
  assert.equal(mediaTypeOf("a.md", bytes("# a\xff")).kind, "binary");
  assert.equal(mediaTypeOf("a.v", bytes("\xff\xfea\0")).mediaType, "application/octet-stream");
});

test("names without an extension, with odd ones and with names of object members are text", () => {
  for (const key of ["README", ".gitignore", "a.", "a.constructor", "a.__proto__", "x/toString", "a.ſ"]) {
    assert.equal(mediaTypeOf(key, bytes("hi")).kind, "text", key);
  }
});

test("an empty file has the type of its name", () => {
  assert.equal(mediaTypeOf("a.md", bytes("")).kind, "markdown");
  assert.equal(mediaTypeOf("a.pdf", bytes("")).kind, "text");
});

test("types and languages follow the extension, whatever its case", () => {
  assert.deepEqual(mediaTypeOf("x/Sort.V", bytes("Lemma a : True.")), {
    mediaType: "text/x-coq; charset=utf-8",
    kind: "code",
    language: "coq",
  });
  assert.equal(mediaTypeOf("cpu.v", bytes("module cpu(input clk);\nendmodule\n")).language, "verilog");
  assert.equal(mediaTypeOf("a.lean", bytes("")).language, "lean");
  assert.equal(mediaTypeOf("a.rs", bytes("")).language, "rust");
  assert.equal(mediaTypeOf("a.json", bytes("{}")).mediaType, "application/json");
  assert.equal(mediaTypeOf("a.tsv", bytes("a\tb")).kind, "csv");
  assert.equal(mediaTypeOf("Makefile", bytes("all:")).language, "makefile");
});

test("containers and images are known by their first bytes", () => {
  assert.equal(mediaTypeOf("a", bytes("PK\x03\x04\0")).mediaType, "application/zip");
  assert.equal(mediaTypeOf("a", bytes("\x1f\x8b\x08\0")).mediaType, "application/gzip");
  assert.equal(mediaTypeOf("a", bytes("RIFF\0\0\0\0WEBPVP8 ")).kind, "image");
  assert.equal(mediaTypeOf("a", bytes("\xff\xd8\xff\xe0")).mediaType, "image/jpeg");
});
