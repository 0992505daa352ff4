/** A library that is exported into a bucket, for tests. */
import assert from "node:assert/strict";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, type TestContext } from "node:test";
import type { Bucket } from "../../../snapshots/annex/bucket/bucket.ts";
import { sha256 } from "../../../snapshots/digest.ts";
import { openConfig } from "../../config/config.ts";
import { HOSTILE_NAMES, SILENT, writeFiles } from "../../testing/library.ts";
import { compileSite } from "../../pages/compile-site.ts";
import { openStaticView } from "./export.ts";
import { type ExportedToBucket, exportToBucket } from "./export-bucket.ts";
import { type ExportedFile, exportedFiles } from "./exported-files.ts";
import { PAGED_PARTS } from "../../testing/plain-parts.ts";
import { build, openShelves } from "../../testing/whole.ts";

const OWN = [".proofshelf-export/manifest.json", ".proofshelf-export/lease"];

type Library = {
  readonly folder: string;
  build(): Promise<void>;
  expected(): Promise<Map<string, ExportedFile>>;
  run(bucket: Bucket, options?: { readonly gzip?: boolean; readonly ttl?: number }): Promise<ExportedToBucket>;
};

/** Built once; each test has a copy. */
const base = mkdtempSync(join(tmpdir(), "proofshelf-export-bucket-"));

before(async () => {
  await writeFiles(base, [
    [
      "proofshelf.yaml",
      `store: { kind: directory, root: ./library }
shelf: { kind: directory, root: ./shelf }
embeddings: { kind: none }
collections:
  - { id: names, prefix: names/, title: Names, visibility: public }
  - { id: gated, prefix: gated/, title: Gated, visibility: email-gated }
`,
    ],
    ...HOSTILE_NAMES.map((key): [string, string] => [`library/${key}`, `# ${key.length} characters\n\nAn awkward name.\n`]),
    ["library/names/page.html", "<!doctype html><title>A page</title><script>alert(1)</script>\n"],
    ["library/gated/plan.md", "# Plan\n\nNobody but us.\n"],
  ]);
  await build(await openConfig(join(base, "proofshelf.yaml")), { progress: SILENT }, PAGED_PARTS);
});

after(() => rmSync(base, { recursive: true, force: true }));

export async function openLibrary(t: TestContext): Promise<Library> {
  const dir = mkdtempSync(join(tmpdir(), "proofshelf-export-bucket-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const folder = join(dir, "library");
  cpSync(base, dir, { recursive: true, preserveTimestamps: true });
  const { dist } = await compileSite();
  const shelf = async () => openShelves(await openConfig(join(dir, "proofshelf.yaml"))).public;
  return {
    folder,
    build: async () => void (await build(await openConfig(join(dir, "proofshelf.yaml")), { progress: SILENT }, PAGED_PARTS)),
    async expected() {
      const { view } = await openStaticView(await shelf(), dist);
      const files = new Map<string, ExportedFile>();
      for await (const file of exportedFiles(view, {})) files.set(file.path, file);
      return files;
    },
    run: async (bucket, options = {}) => exportToBucket({ shelf: await shelf(), dist, bucket, ...options }),
  };
}

export async function keysOf(bucket: Bucket): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of bucket.list()) keys.push(key);
  return keys;
}

export async function mustHold(bucket: Bucket, files: ReadonlyMap<string, ExportedFile>): Promise<void> {
  assert.deepEqual((await keysOf(bucket)).toSorted(), [...files.keys(), ...OWN].toSorted());
  for (const [path, { bytes }] of files) {
    const got = await bucket.get(path);
    assert.ok(got.state === "found" && got.bytes.equals(bytes), path);
    assert.equal(got.metadata["sha256"], sha256(bytes));
  }
}
