import assert from "node:assert/strict";
import { test } from "node:test";
import { brotliCompressSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { sha256 } from "../digest.ts";
import { formatKeyPath, objectPath, pagePath } from "../format/layout.ts";
import { findLeaks, type GatedSecrets, gatedSecrets, type Leak, type ScannedFile } from "./leaks.ts";
import type { Extract } from "../schema/extract.ts";
import { GATED_TEXT, TINY, tinyData, type TinySource } from "./tiny-shelf.ts";

const KEY = 'drafts/Überblick <final> & "notes"?.md';
const TITLE = "The <unannounced> merger & what's next";
const CANARY = "canary-7f3a9b21-private";
const SOURCE: TinySource = { ...TINY, objects: [...TINY.objects, { key: KEY, text: `${GATED_TEXT}.\n`, title: TITLE }] };

function passages(text: string): Extract {
  return {
    title: TITLE,
    summary: "",
    kind: "text",
    media_type: "text/plain",
    language: null,
    lines: 1,
    html: null,
    notes: [],
    passages: [{ heading: [], name: null, page: null, start_line: 1, end_line: 1, text }],
  };
}

const secretsOf = (source: TinySource = SOURCE, text = GATED_TEXT): Promise<GatedSecrets> =>
  gatedSecrets(tinyData(source, "public"), tinyData(source, "internal"), async () => passages(text), [CANARY]);

async function scan(content: string | Uint8Array, more: Partial<ScannedFile> = {}, others: readonly ScannedFile[] = []): Promise<string[]> {
  const leaks = await findLeaks(await secretsOf(), [{ path: "pages/x", bytes: Buffer.from(content), source: false, ...more }, ...others]);
  return leaks.filter((leak) => leak.path === (more.path ?? "pages/x")).map((leak) => `${leak.severity} ${leak.kind}`);
}

const html = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;").replaceAll("'", "&#39;");
const numeric = (text: string): string => [...text].map((letter) => `&#x${(letter.codePointAt(0) ?? 0).toString(16)};`).join("");
const unicode = (text: string): string =>
  [...text].map((letter) => `\\u${(letter.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`).join("");

test("a gated key is found in every spelling that a file of the public view could use", async () => {
  for (const spelling of [
    KEY,
    formatKeyPath(KEY),
    encodeURIComponent(KEY),
    objectPath(KEY),
    pagePath.object(KEY),
    decodeURIComponent(pagePath.object(KEY)),
    JSON.stringify(KEY),
    `{"k":"${unicode(KEY)}"}`,
    html(KEY),
    `<a href="${html(pagePath.object(KEY))}">`,
    `<i>${numeric(KEY)}</i>`,
    JSON.stringify({ html: `<p>${html(KEY)}</p>` }),
  ]) {
    assert.deepEqual(await scan(`before ${spelling} after`), ["error key"], spelling);
    assert.deepEqual(await scan(spelling), ["error key"], spelling);
  }
  assert.deepEqual(await scan(Buffer.from(`x${KEY}`, "utf16le")), ["error key"]);
});

test("digests are found in either case, inside longer runs of hex, and as bytes or base64", async () => {
  const digest = sha256(`${GATED_TEXT}.\n`);
  const raw = Buffer.from(digest, "hex");
  for (const spelling of [
    digest,
    digest.toUpperCase(),
    `ab${digest}cd`,
    `sha-256=:${raw.toString("base64")}:`,
    raw.toString("base64url"),
    Buffer.concat([Buffer.of(1, 2), raw, Buffer.of(3)]),
  ]) {
    assert.deepEqual(await scan(spelling), ["error digest"], String(spelling));
  }
  assert.deepEqual(await scan(digest.slice(1)), []);
  assert.deepEqual(await scan(sha256("something else")), []);
});

test("titles, withheld evidence, gated prefixes and canaries are found; short titles and public ones are not", async () => {
  assert.deepEqual(await scan(`<h1>${html(TITLE)}</h1>`), ["error title"]);
  assert.deepEqual(await scan("<li>Unpublished drafts</li>"), ["error title"]);
  assert.deepEqual(await scan(`href="/browse/drafts/"`), ["error key"]);
  assert.deepEqual(await scan("see example/withheld-repository"), ["error private"]);
  assert.deepEqual(await scan(`{"x":"${CANARY}"}`), ["error private"]);
  assert.deepEqual(await scan("Hello, what?.md, notes/hello.md, Sorting is correct, Tiny library"), []);
});

test("gated text is found from eight words on, whatever its case, punctuation, markup and line breaks", async () => {
  const words = GATED_TEXT.split(" ");
  for (const quoted of [
    words.slice(3, 11).join(" "),
    words.slice(0, 8).join("\n\t "),
    words.slice(5, 13).join(", ").toUpperCase(),
    words
      .slice(4, 12)
      .map((word) => `<b>${word}</b>`)
      .join(" "),
    words
      .slice(4, 12)
      .map((word) => `<span>${word.slice(0, 2)}</span><span>${word.slice(2)}</span>`)
      .join(" "),
    JSON.stringify({ a: words.slice(2, 10).join("\n") }),
    JSON.stringify({
      html: words
        .slice(2, 10)
        .map((word) => `<p>${word}</p>`)
        .join(""),
    }),
    words.slice(0, 8).join("&nbsp;") + "<br>",
  ]) {
    assert.deepEqual(await scan(`Somebody wrote: ${quoted}.`), ["error text"], quoted);
    assert.deepEqual(await scan(quoted), ["error text"], quoted);
  }
  assert.deepEqual(await scan(words.slice(3, 10).join(" ")), []);
  assert.deepEqual(await scan([...words].reverse().join(" ")), []);
});

test("compressed files are looked into, also a Pagefind fragment and a cut-off file", async () => {
  const text = JSON.stringify({ content: `${GATED_TEXT} ${KEY}`, filler: sha256("1").repeat(200) });
  assert.deepEqual(await scan(gzipSync(text)), ["error key", "error text"]);
  assert.deepEqual(await scan(gzipSync(`pagefind_dcd${text}`)), ["error key", "error text"]);
  assert.deepEqual(await scan(gzipSync(text).subarray(0, -20)), ["error key", "error text"]);
  assert.deepEqual(await scan(brotliCompressSync(text), { path: "pages/x.br" }), ["error key", "error text"]);
  assert.deepEqual(await scan(Buffer.from([0x1f, 0x8b, 1, 2, 3])), []);
});

test("what a public source says itself is a warning there, and none in what follows from it", async () => {
  const said = `${GATED_TEXT}. See ${KEY}.`;
  const page: ScannedFile = { path: "pages/derived", bytes: Buffer.from(`<p>${html(said)}</p>`), source: false };
  const source: ScannedFile = { path: "objects/notes/a.md", bytes: Buffer.from(said), source: true };
  for (const order of [
    [page, source],
    [source, page],
  ]) {
    const leaks = await findLeaks(await secretsOf(), order);
    assert.deepEqual(
      leaks.map(({ severity, kind, path }) => [severity, kind, path]),
      [["warning", "key", "objects/notes/a.md"]],
    );
  }
  // One gated secret being public does not excuse another.
  const more: ScannedFile = { ...page, bytes: Buffer.from(`${said} ${CANARY}`) };
  assert.deepEqual(
    (await findLeaks(await secretsOf(), [source, more])).filter((leak) => leak.severity === "error").map((leak) => leak.kind),
    ["private"],
  );
});

test("names that only begin like a gated key are no leak", async () => {
  const source: TinySource = {
    objects: [
      { key: "notes/plan.md", text: "x" },
      { key: "drafts/plan", text: "y" },
    ],
  };
  const secrets = await gatedSecrets(tinyData(source, "public"), tinyData(source, "internal"), async () => null);
  const found = async (text: string): Promise<number> =>
    (await findLeaks(secrets, [{ path: "p", bytes: Buffer.from(text), source: false }])).length;
  for (const harmless of ["my-draft/plan", "drafts-of/planning", "draft"]) assert.equal(await found(harmless), 0, harmless);
  for (const leak of ["drafts/plan", "(drafts/plan)", "drafts/plan.", "x/drafts/plan?", "drafts/plan.md"])
    assert.equal(await found(leak), 1, leak);
  // "drafts/plan.md" is told for its gated prefix "drafts/", not as the key "drafts/plan".
  assert.equal((await findLeaks(secrets, [{ path: "p", bytes: Buffer.from("drafts/plan.md"), source: false }]))[0]?.count, 1);
  assert.equal((await findLeaks(secrets, [{ path: "p", bytes: Buffer.from("drafts/plan"), source: false }]))[0]?.count, 2);
});

test("an object with the bytes, title or text of a public one is secret by its key only", async () => {
  const text = "One public text that is also kept among the gated ones, word for word.";
  const source: TinySource = {
    objects: [
      { key: "notes/same.md", text, title: "The same long title" },
      { key: "drafts/same.md", text, title: "The same long title" },
    ],
  };
  const secrets = await gatedSecrets(tinyData(source, "public"), tinyData(source, "internal"), async () => passages(text));
  const files: ScannedFile[] = [
    { path: "objects/notes/same.md", bytes: Buffer.from(text), source: true },
    { path: "pages/same", bytes: Buffer.from(`The same long title ${sha256(text)} ${text}`), source: false },
    { path: "pages/leak", bytes: Buffer.from("drafts/same.md"), source: false },
  ];
  assert.deepEqual(
    (await findLeaks(secrets, files)).map((leak) => [leak.severity, leak.kind, leak.path]),
    [["error", "key", "pages/leak"]],
  );
});

test("a report names places and never repeats a secret", async () => {
  const bytes = Buffer.from(`${KEY} ${TITLE} ${CANARY} ${GATED_TEXT} ${sha256(`${GATED_TEXT}.\n`)}`);
  const leaks = await findLeaks(await secretsOf(), [{ path: "pages/x", bytes, source: false }]);
  assert.deepEqual(leaks.map((leak) => leak.kind).sort(), ["digest", "key", "private", "text", "title"]);
  const report = JSON.stringify(leaks);
  for (const secret of ["drafts", "merger", "canary", "observatory", sha256(`${GATED_TEXT}.\n`)]) assert.ok(!report.includes(secret));
  assert.equal(leaks.find((leak) => leak.kind === "title")?.offset, Buffer.byteLength(`${KEY} `));
});

test("with nothing gated no file is read", async () => {
  const source: TinySource = { objects: TINY.objects.filter((object) => object.key.startsWith("notes/")) };
  const data = tinyData(source, "public");
  const secrets = await gatedSecrets(data, { ...tinyData(source, "internal"), library: data.library }, async () =>
    assert.fail("an extract was read"),
  );
  assert.equal(secrets.empty, true);
  const untouchable = { [Symbol.asyncIterator]: () => assert.fail("a file was read") };
  assert.deepEqual(await findLeaks(secrets, untouchable), []);
});

test("wherever a secret is put into other bytes, it is found; other bytes alone are clean", async () => {
  const secrets = await secretsOf();
  const find = (bytes: Uint8Array): Promise<readonly Leak[]> => findLeaks(secrets, [{ path: "p", bytes, source: false }]);
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ maxLength: 300 }),
      fc.uint8Array({ maxLength: 300 }),
      fc.constantFrom(KEY, TITLE, CANARY, sha256(`${GATED_TEXT}.\n`)),
      async (before, after, secret) => {
        assert.deepEqual(await find(Buffer.concat([before, after])), []);
        // A space, so that a random letter does not make the key a longer name.
        assert.equal((await find(Buffer.concat([before, Buffer.from(`${secret} `), after]))).length, 1);
      },
    ),
  );
});

test("the time is linear: ten thousand secrets cost a scan hardly more than ten", async () => {
  const bytes = Buffer.from(Array.from({ length: 30_000 }, (_, at) => `drafts word${at} ${(at * 7919) % 1000} notes/hello`).join(" "));
  const time = async (count: number): Promise<number> => {
    const objects = Array.from({ length: count }, (_, at) => ({
      key: `drafts/${at}/file-${at}.md`,
      text: "",
      title: `drafts word title ${at} of many`,
    }));
    const source: TinySource = { objects };
    const secrets = await gatedSecrets(tinyData(source, "public"), tinyData(source, "internal"), async () => null);
    const began = performance.now();
    assert.deepEqual(await findLeaks(secrets, [{ path: "p", bytes, source: false }]), []);
    return performance.now() - began;
  };
  await time(10);
  const [few, many] = [await time(10), await time(10_000)];
  // A thousand times the secrets; a quadratic search would take minutes, so that a wide margin is enough.
  assert.ok(many < few * 100 + 2000, `${few} ms against ${many} ms`);
});

test("of a binary object names and digests are looked for, and no words: its bytes are unfolded and decoded by nobody", async () => {
  const object = { path: "objects/a.bin", source: true, binary: true };
  assert.deepEqual(await scan(`\0${KEY}\0`, object), ["warning key"]);
  assert.deepEqual(await scan(Buffer.from(sha256(`${GATED_TEXT}.\n`), "hex"), object), ["warning digest"]);
  assert.deepEqual(await scan(`\0${GATED_TEXT}`, object), []);
  assert.deepEqual(await scan(gzipSync(KEY), object), []);
  assert.deepEqual(await scan(gzipSync(KEY), { ...object, binary: false }), ["warning key"]);
});
