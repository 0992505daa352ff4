import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ShelfError } from "../errors.ts";
import {
  exportFile,
  findKeyProblem,
  formatKeyPath,
  formatSlug,
  MAX_KEY_BYTES,
  objectPath,
  pageFile,
  pagePath,
  parseKeyPath,
  parseSlug,
  relativeHref,
} from "./layout.ts";

const bytesOf = (text: string): number => Buffer.byteLength(text, "utf8");

/** Pieces that have broken path code before, glued with anything. */
const piece = fc.oneof(
  fc.constantFrom(
    "index.html",
    "INDEX.HTML",
    ".",
    "..",
    "...",
    "=",
    "=2E",
    "=p2",
    "%",
    "%2F",
    "%2e%2e",
    "?",
    "#",
    "&",
    ":",
    "http:",
    "\\",
    " ",
    "+",
    "~",
    "'",
    '"',
    "<b>",
    "\n",
    "\u0001",
    "\u00a0",
    "\u202e",
    "\ufeff",
    "\u2028",
    "é",
    "e\u0301",
    "\u{1f600}",
    "\uffff",
    "a",
    "A",
    "CON",
    "__proto__",
    "404.html",
    "notes",
    "x".repeat(199),
    "x".repeat(200),
    "x".repeat(201),
    "é".repeat(100),
    "=".repeat(70),
  ),
  fc.string({ unit: "binary", maxLength: 5 }).filter((text) => !/[/\0\ufffd]/.test(text) && text.isWellFormed()),
);
const segment = fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join(""));
const key = fc
  .array(segment, { minLength: 1, maxLength: 5 })
  .map((segments) => segments.join("/"))
  .filter((text) => findKeyProblem(text) === null);
const prefix = fc.oneof(
  fc.constant(""),
  key.map((text) => `${text}/`).filter((text) => bytesOf(text) <= MAX_KEY_BYTES),
);

const RUNS = { numRuns: 500 };

test("keys that no URL can carry are refused with a reason", () => {
  for (const bad of [
    "",
    "/",
    "/a",
    "a/",
    "a//b",
    ".",
    "..",
    "a/./b",
    "../a",
    "a/..",
    "a\0",
    "\ud800",
    "a\ufffd",
    "é".repeat(513),
    "a".repeat(1025),
  ]) {
    assert.match(findKeyProblem(bad) ?? "", /^the key /, JSON.stringify(bad));
  }
  for (const good of [
    "a",
    "...",
    "a/.b/c..",
    "\\",
    "\n",
    "?",
    "#",
    "%",
    "%2e%2e",
    "=",
    "~",
    "a".repeat(1024),
    "é".repeat(512),
    "\u{1f600}",
    "__proto__",
  ]) {
    assert.equal(findKeyProblem(good), null, JSON.stringify(good));
  }
});

test("a key survives its URL, also when the URL is parsed by a browser's rules", () => {
  fc.assert(
    fc.property(key, (text) => {
      assert.equal(parseKeyPath(formatKeyPath(text)), text);
      const url = new URL(objectPath(text), "http://host.example");
      assert.equal(url.pathname, objectPath(text));
      assert.equal(url.search + url.hash, "");
      assert.equal(parseKeyPath(url.pathname.slice("/objects/".length)), text);
    }),
    RUNS,
  );
});

test("any raw path is a key or bad_path, and its canonical spelling is a fixed point", () => {
  for (const bad of ["%", "%2", "%zz", "a\\b", "%ff", "%c0%af", "%ed%a0%80", "%00", "..", "a/%2e%2e/b", "%2E", "./a"]) {
    assert.throws(() => parseKeyPath(bad), { code: "bad_path" }, bad);
  }
  fc.assert(
    fc.property(
      fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: fc.constantFrom("%", "2", "e", "F", "0", "c", ".", "/", "\\", "a") })),
      (raw) => {
        try {
          const parsed = parseKeyPath(raw);
          // A raw path arrives from a URL, so it has no unpaired surrogate; such a text is no key either.
          if (parsed.isWellFormed()) assert.equal(parseKeyPath(formatKeyPath(parsed)), parsed);
        } catch (error) {
          assert.ok(error instanceof ShelfError && error.code === "bad_path");
        }
      },
    ),
    RUNS,
  );
});

test("a key survives its slug, and a text that is no slug gives null", () => {
  fc.assert(
    fc.property(key, (text) => assert.equal(parseSlug(formatSlug(text)), text)),
    RUNS,
  );
  fc.assert(
    fc.property(prefix, (text) => assert.equal(parseSlug(formatSlug(text)), text)),
    RUNS,
  );
  for (const bad of [
    "=",
    "a=",
    "a=/b",
    "=2",
    "=2e",
    "=41",
    "=ZZ",
    "=FF",
    "=C0=AF",
    "a b",
    "?",
    "index.html",
    "Index.HTML",
    "=/a",
    "x".repeat(201),
    `${"x".repeat(199)}=/xx`,
  ]) {
    assert.equal(parseSlug(bad), null, bad);
  }
  fc.assert(
    fc.property(
      fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: fc.constantFrom("=", "2", "E", "F", "/", "a", ".", "%") })),
      (text) => {
        const parsed = parseSlug(text);
        if (parsed !== null) assert.equal(formatSlug(parsed), text);
      },
    ),
    RUNS,
  );
});

test("segments of a slug are safe on any static host: short, no dot segment, nothing a URL or a shell of names reads specially", () => {
  const hostile = [
    "x".repeat(200) + "..",
    "x".repeat(200) + ".",
    "x".repeat(200) + "index.html",
    "é".repeat(100) + "..",
    "\u{1f600}".repeat(200),
    "?".repeat(300),
  ];
  const check = (text: string): void => {
    for (const part of formatSlug(text).split("/")) {
      assert.ok(bytesOf(part) <= 255, `${bytesOf(part)} bytes`);
      assert.ok(part !== "." && part !== ".." && part.toLowerCase() !== "index.html", part);
      assert.doesNotMatch(part, /[\u0000-\u0020"#%&'()*+,:;<>?@[\\\]^`{|}\u007f-\u00a0]/);
    }
  };
  for (const text of hostile) check(text);
  for (const text of hostile) assert.equal(parseSlug(formatSlug(text)), text);
  fc.assert(fc.property(key, check), RUNS);
});

test("distinct keys have distinct pages, and no page's file is a folder of another", () => {
  const related = fc.oneof(
    key,
    fc.constantFrom("a", "a/index.html", "a/index.html/b", "a/=2E", "a/.b", "404.html", "a=", "a=/b", "a/b", "A"),
    fc.constantFrom(198, 199, 200, 201).map((length) => `${"x".repeat(length)}/index.html`),
  );
  fc.assert(
    fc.property(
      fc.uniqueArray(related, { maxLength: 12 }),
      fc.uniqueArray(prefix, { maxLength: 6 }),
      fc.uniqueArray(fc.oneof(key, fc.constantFrom("/", "//", "a//b", "=", "index.html")), { maxLength: 6 }),
      (keys, prefixes, claims) => {
        assert.equal(new Set(keys.map(formatSlug)).size, keys.length);
        const paths = [
          pagePath.front,
          pagePath.claims,
          pagePath.registry,
          pagePath.dashboard,
          pagePath.registryPart(2),
          pagePath.search,
          pagePath.notFound,
          ...keys.map(pagePath.object),
          ...prefixes.map(pagePath.browse),
          ...prefixes.map((text) => pagePath.browsePart(text, 2)),
          ...claims.map(pagePath.claim),
        ];
        for (const fileOf of [pageFile, exportFile]) {
          const files = new Set(paths.map(fileOf));
          assert.equal(files.size, paths.length);
          for (const file of files) {
            assert.ok(
              file.split("/").every((part) => part !== "" && part !== "." && part !== ".." && bytesOf(part) <= 255),
              file,
            );
            for (let at = file.lastIndexOf("/"); at > 0; at = file.lastIndexOf("/", at - 1)) assert.ok(!files.has(file.slice(0, at)), file);
          }
        }
      },
    ),
    RUNS,
  );
});

test("a page's path is what a browser keeps of it, and names its file", () => {
  fc.assert(
    fc.property(fc.oneof(key.map(pagePath.object), prefix.map(pagePath.browse), key.map(pagePath.claim)), (path) => {
      assert.equal(new URL(path, "http://host.example").pathname, path);
      assert.equal(exportFile(path), `${decodeURIComponent(path).slice(1)}index.html`);
      assert.equal(pageFile(path), `${decodeURIComponent(path).slice(1, -1)}=.html`);
    }),
    RUNS,
  );
  for (const fileOf of [pageFile, exportFile]) {
    assert.equal(fileOf("/"), "index.html");
    assert.equal(fileOf("/404.html"), "404.html");
  }
  assert.equal(pageFile(pagePath.object("notes/what?.md")), "object/notes/what=3F.md=.html");
  assert.equal(exportFile(pagePath.object("notes/what?.md")), "object/notes/what=3F.md/index.html");
});

test("no text of a claim's id breaks its page's path", () => {
  for (const id of ["\ud800", "..", ".", "/", "a//b", "/a/", "index.html", "%", "javascript:alert(1)", "é"]) {
    const path = pagePath.claim(id);
    assert.equal(new URL(path, "http://host.example").pathname, path, id);
    assert.match(path, /^\/claims\/[^/]+\/$/, id);
  }
});

test("a relative reference leads to its target from any page, wherever the site is mounted", () => {
  const target = fc.oneof(
    key.map(pagePath.object),
    prefix.map(pagePath.browse),
    key.map(objectPath),
    key.map(pagePath.claim),
    fc.constantFrom(
      "/",
      "/claims/",
      "/404.html",
      "/a:b/",
      "/a:b",
      "/:",
      "//",
      "//host/",
      "/a//b",
      "/a/b:c/",
      "/http:/",
      "/api/cubs",
      "/assets/page.3f.css",
    ),
  );
  const rest = fc.constantFrom("", "?q=a:b//c", "#L12", "?sort=-name#top", "#/../..");
  const check = (from: string, to: string): void => {
    for (const mount of ["http://host.example", "http://host.example/at/abc", "http://host.example/internal", "file:///tmp/out"]) {
      // The mount goes in front as text: new URL("//host/", base) would read a host.
      assert.equal(new URL(relativeHref(from, to), mount + from).href, new URL(mount + to).href, `${from} → ${to}`);
    }
    assert.doesNotMatch(relativeHref(from, to), /^\/|^[a-z]+:/i);
  };
  fc.assert(
    fc.property(target, target, rest, (from, to, tail) => check(from, to + tail)),
    RUNS,
  );
  // The 404 page and object bytes lie beside folders, pages in them.
  check("/object/a/", "/object/a");
  check("/object/a", "/object/a/");
  check("/a/b", "/a/b");
  check("/a/", "/a//b");
});
