/** Images of PDF pages on their way: from the object into the shelf, to readers, and out again with what they show. */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { spoilBlob } from "../../snapshots/contract/spoil-blob.ts";
import { sha256 } from "../../snapshots/digest.ts";
import { pageImagePath, pagePath } from "../../snapshots/format/layout.ts";
import { CACHE } from "../../snapshots/http/reply.ts";
import type { BuildSummary } from "./summary.ts";
import { openConfig } from "../config/config.ts";
import { SILENT, writeFiles } from "../testing/library.ts";
import { makePdf } from "../testing/pdf.ts";
import { makePng } from "../testing/png.ts";
import { filesUnder } from "../testing/shelf-files.ts";
import { ask, openFixtureView } from "../testing/view.ts";
import { compileSite } from "../pages/compile-site.ts";
import { exportView } from "../annex/export/export.ts";
import { countErrors } from "../publish/verify-library.ts";

import { PAGED_PARTS } from "../testing/plain-parts.ts";
import { build, openShelves, verifyLibrary } from "../testing/whole.ts";

const KEY = 'papers/what? "é".pdf';
const OTHER = "papers/other.pdf";
const GATED = "drafts/plan.pdf";
const NOTEBOOK = "drafts/plot.ipynb";

const config = (drafts: "public" | "email-gated", more = ""): string => `title: Library with pages
baseUrl: http://library.example
store: { kind: directory, root: ./library }
shelf: { kind: directory, root: ./shelf }
collections:
  - { id: papers, prefix: papers/, title: Papers, visibility: public }
  - { id: drafts, prefix: drafts/, title: Drafts, visibility: ${drafts} }
withdrawals: { path: ./withdrawals.yaml }
embeddings: { kind: none }
${more}`;

/** A notebook whose one cell drew an image. */
const notebook = (png: Buffer): string => {
  const output = { output_type: "display_data", metadata: {}, data: { "image/png": png.toString("base64") } };
  return JSON.stringify({
    nbformat: 4,
    nbformat_minor: 5,
    metadata: {},
    cells: [{ cell_type: "code", source: "plot()", outputs: [output] }],
  });
};

async function newRoom(t: TestContext) {
  const dir = mkdtempSync(join(tmpdir(), "proofshelf-page-images-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const file = join(dir, "proofshelf.yaml");
  await writeFiles(dir, [
    ["proofshelf.yaml", config("email-gated")],
    ["withdrawals.yaml", "withdrawals: []\n"],
    [`library/${KEY}`, makePdf(["One page.", "Another page."])],
    [`library/${OTHER}`, makePdf(["Something else."])],
    [`library/${GATED}`, makePdf(["A plan that nobody outside reads."])],
    [`library/${NOTEBOOK}`, notebook(makePng("A plot that nobody outside sees. ".repeat(100)))],
    ["library/papers/note.md", "# A note\n\nText.\n"],
  ]);
  return {
    dir,
    file,
    publicDir: join(dir, "shelf/public"),
    run: async (): Promise<BuildSummary> => build(await openConfig(file), { progress: SILENT }, PAGED_PARTS),
    view: async (name: "public" | "internal" = "public") => openFixtureView(await openConfig(file), name),
    verify: async () => verifyLibrary(await openConfig(file), { snapshots: "all" }, PAGED_PARTS),
  };
}

/** Whether a file, or a blob, under a folder has exactly these bytes. */
function holds(folder: string, bytes: Buffer): boolean {
  return [...filesUnder(folder)].some((file) => file.bytes.equals(bytes));
}

test("an image of a gated PDF's page or notebook is read by those who are let in, and in no public byte; gating takes it out of history", async (t) => {
  const room = await newRoom(t);
  const paths = [pageImagePath(GATED, 1), pageImagePath(NOTEBOOK, 1)];
  const first = await room.run();
  const [open, gate] = [await room.view(), await room.view("internal")];
  const images = new Map<string, Buffer>();
  for (const path of paths) {
    assert.equal((await ask(open, path)).status, 404);
    assert.equal((await ask(open, `/at/${first.snapshot}${path}`)).status, 404);
    const { status, headers, body } = await ask(gate, path);
    assert.deepEqual([status, headers["Content-Type"], headers["Cache-Control"]], [200, "image/png", "private, no-store"]);
    images.set(path, body);
    assert.equal(holds(room.publicDir, body), false);
  }
  assert.equal(countErrors(await room.verify()), 0);

  await writeFiles(room.dir, [["proofshelf.yaml", config("public")]]);
  const second = await room.run();
  for (const [path, image] of images) {
    assert.deepEqual((await ask(open, path)).body, image);
    assert.equal(holds(room.publicDir, image), true);
  }
  await writeFiles(room.dir, [["proofshelf.yaml", config("email-gated")]]);
  await room.run();
  for (const [path, image] of images) {
    assert.deepEqual([(await ask(open, path)).status, (await ask(open, `/at/${second.snapshot}${path}`)).status], [404, 410]);
    assert.equal(holds(room.publicDir, image), false);
    assert.equal((await ask(gate, path)).status, 200);
  }
  assert.equal(countErrors(await room.verify()), 0);
});

test("what is withdrawn and redacted takes its images with it", async (t) => {
  const room = await newRoom(t);
  const first = await room.run();
  const view = await room.view();
  const { body } = await ask(view, pageImagePath(OTHER, 1));
  assert.equal(holds(room.publicDir, body), true);
  const entry = `withdrawals:\n  - { key: ${OTHER}, reason: privacy, date: 2026-05-01, note: Somebody asked., redact: true }\n`;
  await writeFiles(room.dir, [["withdrawals.yaml", entry]]);
  await room.run();
  for (const path of [pageImagePath(OTHER, 1), `/at/${first.snapshot}${pageImagePath(OTHER, 1)}`])
    assert.equal((await ask(view, path)).status, 410, path);
  assert.equal(holds(join(room.dir, "shelf"), body), false, "neither root has it");
  assert.equal(countErrors(await room.verify()), 0);
});

test("an image is served with its type and digest, on its page, in every kept snapshot, and exported as a file", async (t) => {
  const room = await newRoom(t);
  const { snapshot } = await room.run();
  const view = await room.view();
  const path = pageImagePath(KEY, 2);
  assert.equal(path, "/images/papers/what%3F%20%22%C3%A9%22.pdf/2.png");
  const { status, headers, body } = await ask(view, path);
  assert.deepEqual([status, headers["Content-Type"], headers["ETag"]], [200, "image/png", `"${sha256(body)}"`]);
  assert.equal(headers["X-Content-Type-Options"], "nosniff");
  assert.equal((await ask(view, path, { "if-none-match": headers["ETag"] ?? "" })).status, 304);
  const kept = await ask(view, `/at/${snapshot}${path}`);
  assert.deepEqual([kept.body, kept.headers["Cache-Control"]], [body, CACHE.kept]);
  for (const none of [pageImagePath(KEY, 3), pageImagePath("papers/note.md", 1), "/images/papers/", "/images/papers/other.pdf/1.txt"])
    assert.equal((await ask(view, none)).status, 404, none);

  const page = pagePath.object(KEY);
  const { text } = await ask(view, page);
  const sources = [...text.matchAll(/<img src="([^"]+)" alt="([^"]+)"/g)].map(([, src = "", alt]) => [
    new URL(src, `http://library.example${page}`).pathname,
    alt,
  ]);
  assert.deepEqual(
    sources.map(([src]) => src),
    [pageImagePath(KEY, 1), path],
  );
  assert.match(sources[1]?.[1] ?? "", /^Page 2 of /);

  const config = await openConfig(room.file);
  const dir = join(room.dir, "export");
  await exportView({ shelf: openShelves(config).public, dist: (await compileSite()).dist, dir });
  assert.deepEqual(readFileSync(join(dir, "images", KEY, "2.png")), body);
  assert.equal(existsSync(join(dir, "images", GATED)), false);
});

test("a build draws what changed and nothing else; the configuration says how many pages, and 0 none", async (t) => {
  const room = await newRoom(t);
  const first = await room.run();
  const unchanged = await room.run();
  assert.deepEqual([first.work.read, unchanged.published, unchanged.work.read], [5, false, 0]);
  const view = await room.view();
  const before = await ask(view, pageImagePath(KEY, 1));
  await writeFiles(room.dir, [[`library/${OTHER}`, makePdf(["Something new stands here."])]]);
  const other = await ask(view, pageImagePath(OTHER, 1));
  const changed = await room.run();
  assert.equal(changed.work.read, 1);
  assert.deepEqual((await ask(view, pageImagePath(KEY, 1))).body, before.body);
  assert.notDeepEqual((await ask(view, pageImagePath(OTHER, 1))).body, other.body);

  await writeFiles(room.dir, [["proofshelf.yaml", config("email-gated", "pdf: { pageImages: 1 }\n")]]);
  assert.equal((await room.run()).work.read, 4, "what has images is read again, and nothing else");
  assert.deepEqual((await ask(view, pageImagePath(KEY, 1))).body, before.body);
  assert.equal((await ask(view, pageImagePath(KEY, 2))).status, 404);
  await writeFiles(room.dir, [["proofshelf.yaml", config("email-gated", "pdf: { pageImages: 0 }\n")]]);
  await room.run();
  assert.equal((await ask(view, pageImagePath(KEY, 1))).status, 404);
  const { text } = await ask(view, pagePath.object(KEY));
  assert.match(text, /One page\./);
  assert.doesNotMatch(text, /class="leaf"/);
  assert.equal(countErrors(await room.verify()), 0);
});

test("verify names an image that is damaged, and draws all of them again to compare", async (t) => {
  const room = await newRoom(t);
  await room.run();
  const { body } = await ask(await room.view(), pageImagePath(KEY, 2));
  spoilBlob(room.publicDir, sha256(body));
  const findings = await room.verify();
  assert.ok(
    findings.some(({ path }) => path === `images/${KEY}/2.png`),
    JSON.stringify(findings),
  );
});
