/** Two small published views on disk for tests, written with the parts that a build uses, and a store of code files. */
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { apiFiles } from "../../snapshots/page/api-files.ts";
import { sha256 } from "../../snapshots/digest.ts";
import { openIndex } from "../../snapshots/index/open.ts";
import type { Document } from "../../snapshots/index/row.ts";
import { type DirectoryShelf, openDirectoryShelf } from "../../snapshots/shelf/shelf-directory.ts";
import { buildTree, type FileEntry } from "../../snapshots/format/tree.ts";
import type { Runtime, View } from "../../snapshots/http/view.ts";
import type { ViewData } from "../../snapshots/format/view-data.ts";
import { makeData, TEXTS } from "../ask/ask-fixture.ts";
import { ROUTES } from "../../snapshots/service/routes.ts";
import { openViews } from "../../snapshots/service/views-fixture.ts";

export const CANARY = "canary-of-the-gated-collection";
export const GATED_KEY = "drafts/secret.md";
export const GATED: Readonly<Record<string, string>> = { ...TEXTS, [GATED_KEY]: `# Draft\n\nThe ${CANARY} sleeps in the drafts.\n` };

export const HEAD = "0123456789abcdef0123456789abcdef01234567";
export const CODE_TEXT = "Lemma insert_keeps_sorted : True.\n";

const runtime: Runtime = {
  version: "test",
  components: () => [],
  limits: {},
  auth: {},
  mcp: { endpoint: "/mcp", versions: [], tools: [] },
};

function withCode(data: ViewData, text: string): ViewData {
  const file = {
    path: "coq/Sort.v",
    role: "proof" as const,
    system: "coq",
    size: text.length,
    sha256: sha256(text),
    media_type: "text/plain; charset=utf-8",
    gated: true as const,
    available: true,
    state: "holds" as const,
    href: `/api/code/sorting/${HEAD}/coq/Sort.v`,
  };
  const absent = { ...file, path: "coq/Gone.v", available: false, state: "gone" as const, size: null };
  return { ...data, code: new Map([["CUB-0007", { id: "CUB-0007", repo: "sorting", head: HEAD, files: [file, absent] }]]) };
}

export type Views = {
  readonly folder: string;
  readonly publicShelf: DirectoryShelf;
  readonly internalShelf: DirectoryShelf;
  readonly publicView: View;
  readonly internalView: View;
  readonly codeRoot: string;
};

export async function makeViews(publish = true, code = CODE_TEXT): Promise<Views> {
  const folder = mkdtempSync(join(tmpdir(), "proofshelf-sidecar-"));
  const publicShelf = openDirectoryShelf(join(folder, "shelf", "public"));
  const internalShelf = openDirectoryShelf(join(folder, "shelf", "internal"), publicShelf);
  if (publish) {
    await publishTexts(publicShelf, withCode(makeData(TEXTS), code), TEXTS);
    const data = makeData(GATED);
    const drafts = { id: "drafts", title: "Drafts", summary: "", visibility: "email-gated" as const, prefix: "drafts/" };
    const library = { ...data.library, view: "internal" as const, collections: [...data.library.collections, drafts] };
    await publishTexts(internalShelf, withCode({ ...data, library }, code), GATED);
  }
  const codeRoot = join(folder, "code");
  writeCode(codeRoot, "coq/Sort.v", code);
  writeCode(codeRoot, "coq/Unrecorded.v", "not in any record");
  return {
    folder,
    publicShelf,
    internalShelf,
    ...openViews(publicShelf, internalShelf, runtime),
    codeRoot,
  };
}

export function writeCode(root: string, path: string, text: string | Uint8Array): void {
  const file = join(root, "sorting", HEAD, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

async function publishTexts(shelf: DirectoryShelf, data: ViewData, texts: Readonly<Record<string, string>>): Promise<void> {
  const files: FileEntry[] = [];
  const put = async (path: string, type: string, bytes: Uint8Array): Promise<void> => {
    const digest = sha256(bytes);
    await shelf.blobs.put(digest, bytes);
    files.push({ path, sha256: digest, size: bytes.length, type });
  };
  for (const { path, type, bytes } of apiFiles(data, ROUTES)) await put(path, type, bytes);
  const documents: Document[] = [];
  for (const [key, text] of Object.entries(texts)) {
    await put(`objects/${key}`, "text/markdown; charset=utf-8", Buffer.from(text));
    const lines = text.split("\n").length;
    const passage = { heading: [], name: null, page: null, start_line: 1, end_line: lines, text };
    documents.push({ doc: `object:${key}`, key, kind: "markdown", collection: "", title: key, sha256: sha256(text), passages: [passage] });
  }
  const { root, trees } = buildTree(files);
  for (const [digest, bytes] of trees) await shelf.blobs.put(digest, bytes);
  const first = { sequence: 1, snapshot: root.sha256, created: new Date().toISOString(), previous: null, inputs: {} };
  const record = data.library.view === "internal" ? { ...first, public: 1 } : first;
  const none = { objects: [], claims: [], records: [] };
  const index = await openIndex(shelf.indexUri);
  await index.update({ upsert: documents, remove: [], base: null, tag: root.sha256 });
  index.close();
  await shelf.history.putRecord(record, { added: none, changed: none, removed: none });
  await shelf.history.swapPointer(record, null);
}
