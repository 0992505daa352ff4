/** The public view as plain files for any static host: what the server would answer, byte for byte, at every path that a
 *  file can have, but for objects that a browser would run (`active-objects.ts`) and the links to them. It takes the
 *  place of an earlier one as a whole (`switch-folder.ts`). */
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { answer } from "../../snapshots/http/answer.ts";
import { ShelfError } from "../../snapshots/errors.ts";
import { openIndex } from "../../snapshots/index/open.ts";
import { blobPath, exportFile, listPath, objectPath, pagePath } from "../../snapshots/format/layout.ts";
import { tilePaths } from "../../snapshots/log/tiles.ts";
import { relationsOf } from "../../snapshots/format/relations.ts";
import { FEED_FILES, feedPages } from "../../snapshots/page/feeds.ts";
import { countSnapshotsParts } from "../../snapshots/page/history.ts";
import type { OpenSnapshot } from "../../snapshots/query/open-snapshot.ts";
import { storedPages } from "../../snapshots/page/stored-pages.ts";
import { openRenderer, type Renderer } from "../../snapshots/page/renderer.ts";
import { checkpointPath } from "../../snapshots/shelf/log.ts";
import { reachable } from "../../snapshots/shelf/reach.ts";
import type { Shelf } from "../../snapshots/shelf/shelf.ts";
import { createTreeCache, openSnapshot, type Snapshot } from "../../snapshots/shelf/read.ts";
import { openView, type Runtime, type View } from "../../snapshots/http/view.ts";
import { PAGE_POLICY } from "../../snapshots/http/page-answer.ts";
import { VERSION } from "../version.ts";
import { harmlessKey, isActive, noteFor, relink } from "./active-objects.ts";
import { switchFolder } from "./switch-folder.ts";

/** Tells an earlier export from a folder of somebody's own, which is never touched. */
const MARKER = ".proofshelf-export";

/** Headers for the hosts that read this file; without it the pages work all the same. */
const HEADERS = `/*
  X-Content-Type-Options: nosniff
  Referrer-Policy: same-origin
  Content-Security-Policy: ${PAGE_POLICY}
/objects/*
  Content-Security-Policy: sandbox
/api/*
  Access-Control-Allow-Origin: *
/assets/*
  Cache-Control: public, max-age=31536000, immutable
/shelf/blobs/*
  Cache-Control: public, max-age=31536000, immutable
/shelf/*
  Access-Control-Allow-Origin: *
`;

/** What the browser's index is made of in the next build: no browser reads it. */
const OWN_WORDS = /^pagefind\/\d+\/words$/;

const STATIC: Runtime = {
  version: VERSION,
  components: () => [
    { name: "files", status: "live", note: "catalog, claims, records, objects and pages as plain files" },
    { name: "full-text search", status: "live", note: "Pagefind, in the browser" },
    { name: "answers", status: "unavailable", note: "a static host answers no questions" },
    { name: "mcp", status: "unavailable", note: "a static host runs no tools" },
  ],
  limits: {},
  auth: { public: "none" },
  mcp: { endpoint: "/mcp", versions: [], tools: [] },
};

export type Exported = {
  readonly snapshot: string;
  readonly files: number;
  readonly bytes: number;
  /** Paths that a folder of this machine cannot hold. */
  readonly skipped: readonly string[];
};

/** @throws ShelfError "build_failed" when the target holds something that is no export */
export async function exportView(options: { readonly shelf: Shelf; readonly dist: string; readonly dir: string }): Promise<Exported> {
  let renderer: Promise<Renderer> | null = null;
  const { shelf } = options;
  const view = openView({
    view: "public",
    shelf,
    renderer: () => (renderer ??= openRenderer(options.dist)),
    index: () => openIndex(shelf.indexUri),
    runtime: STATIC,
    now: () => 0,
    listing: null,
  });
  const open = await view.current();
  if (open === null) throw new ShelfError("no_snapshot", "No snapshot has been published yet.", { fixes: ["Run: proofshelf build"] });
  const { snapshot } = open;
  const isOurs = async (folder: string): Promise<boolean> => {
    const names = await readdir(folder);
    return names.length === 0 || names.includes(MARKER);
  };
  const written = await switchFolder(options.dir, isOurs, (folder) => writeFolder(view, snapshot, folder));
  return { snapshot: snapshot.id, ...written };
}

async function writeFolder(view: View, snapshot: Snapshot, folder: string): Promise<Omit<Exported, "snapshot">> {
  let files = 0;
  let bytes = 0;
  const skipped: string[] = [];
  const write = async (file: string, body: Uint8Array): Promise<void> => {
    try {
      await mkdir(dirname(join(folder, file)), { recursive: true });
      await writeFile(join(folder, file), body);
      files++;
      bytes += body.length;
    } catch (error) {
      // A key that is a folder of another key, or a name that this file system refuses: the rest is still worth having.
      const { code } = error as NodeJS.ErrnoException;
      if (!["EISDIR", "ENOTDIR", "EEXIST", "ENAMETOOLONG", "EINVAL", "EILSEQ"].includes(code ?? "")) throw error;
      skipped.push(file);
    }
  };
  // Objects first: pages say where their bytes lie.
  const { objects } = await snapshot.data();
  const types = new Map(objects.map(({ key, media_type }) => [key, media_type]));
  const keys = new Set(types.keys());
  const renamed = new Map<string, string>();
  for (const key of keys) {
    const body = await bodyOf(view, objectPath(key));
    const active = isActive(key, body);
    const lies = active ? harmlessKey(key, keys) : key;
    await write(`objects/${lies}`, body);
    if (!active) continue;
    renamed.set(key, lies);
    const note = noteFor(key, lies);
    if (note !== null) await write(`objects/${key}`, note);
  }
  const picture = async (key: string): Promise<Uint8Array | null> =>
    types.get(key)?.startsWith("image/svg") === true ? bodyOf(view, objectPath(key)) : null;
  for await (const [path, file] of pathsOf(view)) {
    const body = await bodyOf(view, path);
    const hasLinks = /\.(html|json)$/.test(file) && renamed.size > 0;
    await write(file, hasLinks ? Buffer.from(await relink(Buffer.from(body).toString(), renamed, picture)) : body);
  }
  // As they are: what checks a copy goes by their digests.
  for await (const path of shelfPaths(view)) await write(path.slice(1), await bodyOf(view, path));
  await write("_headers", Buffer.from(HEADERS));
  await write(MARKER, Buffer.from(`${snapshot.id}\n`));
  return { files, bytes, skipped };
}

/** Every path that has a file, with its name in the export; objects are not among them. */
async function* pathsOf(view: View): AsyncGenerator<readonly [path: string, file: string]> {
  const open = await view.current();
  if (open === null) return;
  const data = await open.snapshot.data();
  const noExtract = (): never => {
    throw new ShelfError("internal", "An export lists pages and renders none.");
  };
  const records = await view.records();
  const kept = new Set(records.map((record) => record.snapshot));
  const pages = [
    ...[...storedPages(data, { digest: noExtract, read: noExtract })].map(({ path }) => path),
    ...Array.from({ length: await countSnapshotsParts(view) }, (_, at) => pagePath.snapshotsPart(at + 1)),
    ...records.flatMap(({ snapshot, previous }) => (previous !== null && kept.has(previous) ? [pagePath.diff(previous, snapshot)] : [])),
  ];
  for (const { key } of data.objects) if (await wasChanged(open, "objects", key)) pages.push(pagePath.revisions(pagePath.object(key)));
  for (const { id } of data.cubs) if (await wasChanged(open, "records", id)) pages.push(pagePath.revisions(pagePath.record(id)));
  for (const path of pages) {
    yield [path, exportFile(path)];
    // Its twin for readers that want no HTML.
    if (path.endsWith("/")) yield [`${path}index.md`, `${exportFile(path).slice(0, -".html".length)}.md`];
  }
  for (const page of feedPages(data)) for (const file of FEED_FILES) yield [page + file, decodeURIComponent((page + file).slice(1))];
  for (const path of ["/llms.txt", "/llms-full.txt", "/.well-known/mcp.json", "/sitemap.xml", "/robots.txt"]) yield [path, path.slice(1)];
  const collections = data.library.collections.map(({ id }) => `catalog/${id}`);
  const names = [
    "catalog",
    ...collections,
    "claims",
    "rejected",
    "leak-report",
    "capabilities",
    ...(data.meta === null ? [] : ["cubs", "cubs/meta"]),
  ];
  for (const name of [...names, "openapi"]) yield [`/api/${name}.json`, `api/${name}.json`];
  for (const { id } of data.meta === null ? [] : data.cubs) {
    yield [`/api/cubs/${id}.json`, `api/cubs/${id}.json`];
    yield [`/api/cubs/${id}/code.json`, `api/cubs/${id}/code.json`];
  }
  for (const prefix of relationsOf(data).folders.keys()) {
    yield [listPath(prefix), decodeURIComponent(listPath(prefix).slice(1))];
  }
  const shelfSnapshot = await openSnapshot(view.options.shelf, open.snapshot.record, createTreeCache());
  for (const folder of ["assets", "pagefind"]) yield* filesUnder(shelfSnapshot, folder);
}

/** Whether the page of a thing leads to its revisions. */
async function wasChanged(open: OpenSnapshot, kind: "objects" | "records", name: string): Promise<boolean> {
  return ((await open.firstSeen(kind, name))?.all.length ?? 0) > 1;
}

/** The files of the public shelf: the same that a server has under /shelf. */
async function* shelfPaths(view: View): AsyncGenerator<string> {
  const open = await view.current();
  if (open === null) return;
  const { shelf, record } = open.snapshot;
  const records = (await view.records()).filter(({ sequence }) => sequence <= record.sequence);
  const withdrawn = (await view.withdrawn()).map(({ sequence }) => sequence);
  const sizes = new Set(await shelf.log.sizes());
  for (const name of ["keys.json", "snapshots.json", "withdrawn.json"]) yield `/shelf/${name}`;
  if (sizes.has(record.sequence)) {
    yield "/shelf/checkpoint";
    for (const path of tilePaths(record.sequence)) yield `/shelf/${path}`;
  }
  for (const { sequence } of records) {
    yield `/shelf/snapshots/${sequence}.json`;
    if (sizes.has(sequence)) yield `/shelf/${checkpointPath(sequence)}`;
  }
  const first = records[0]?.sequence ?? record.sequence;
  const changed = new Set([...withdrawn, ...Array.from({ length: record.sequence - first + 1 }, (_, at) => first + at)]);
  for (const sequence of changed) if ((await shelf.readChanges(sequence)) !== null) yield `/shelf/changes/${sequence}.json`;
  const reached = await reachable(
    shelf,
    records.map(({ snapshot }) => snapshot),
  );
  for (const digest of reached) yield blobPath(digest);
}

async function* filesUnder(
  snapshot: Awaited<ReturnType<typeof openSnapshot>>,
  folder: string,
): AsyncGenerator<readonly [path: string, file: string]> {
  const entry = await snapshot.find(folder);
  if (entry?.kind !== "tree") return;
  for (const child of await snapshot.tree(entry.sha256)) {
    const path = `${folder}/${child.name}`;
    if (child.kind === "tree") yield* filesUnder(snapshot, path);
    else if (!OWN_WORDS.test(path)) yield [`/${path}`, path];
  }
}

async function bodyOf(view: View, target: string): Promise<Uint8Array> {
  const { status, body } = await answer(view, { method: "GET", target, header: () => null });
  const chunks: Uint8Array[] = [];
  if (body instanceof Uint8Array) chunks.push(body);
  else if (body !== null) for await (const chunk of body) chunks.push(chunk);
  if (status !== 200)
    throw new ShelfError("build_failed", `${target} answers ${status}: ${Buffer.concat(chunks).toString("utf8").slice(0, 500)}`);
  return Buffer.concat(chunks);
}
