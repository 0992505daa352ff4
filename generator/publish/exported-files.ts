/** What goes out of the public view as plain files, for a folder or a bucket: what the server would answer, byte for byte, at every path
 *  that a file can have, but for objects that a browser would run (`active-objects.ts`) and the links to them. */
import { answer } from "../../snapshots/http/answer.ts";
import { ShelfError } from "../../snapshots/errors.ts";
import { blobPath, exportFile, listPath, objectPath, pagePath } from "../../snapshots/format/layout.ts";
import { tilePaths } from "../../snapshots/log/tiles.ts";
import { relationsOf } from "../../snapshots/format/relations.ts";
import { FEED_FILES, feedPages } from "../../snapshots/page/feeds.ts";
import { countSnapshotsParts } from "../../snapshots/page/history.ts";
import { storedPages } from "../../snapshots/page/stored-pages.ts";
import type { OpenSnapshot } from "../../snapshots/query/open-snapshot.ts";
import { checkpointPath } from "../../snapshots/shelf/log.ts";
import { reachable } from "../../snapshots/shelf/reach.ts";
import { createTreeCache, openSnapshot } from "../../snapshots/shelf/read.ts";
import type { View } from "../../snapshots/http/view.ts";
import { harmlessKey, isActive, noteFor, relink } from "./active-objects.ts";

/** What the browser's index is made of in the next build: no browser reads it. */
const OWN_WORDS = /^pagefind\/\d+\/words$/;

/** Headers that belong to the bytes, whoever serves them; the host adds its own. */
const KEPT_HEADERS = ["Cache-Control", "Content-Disposition", "Content-Security-Policy"] as const;

export type ExportedFile = {
  /** Where it lies, without a leading slash and not percent-encoded: `claims/index.html`. */
  readonly path: string;
  /** Media type. */
  readonly type: string;
  readonly headers: Readonly<Partial<Record<(typeof KEPT_HEADERS)[number], string>>>;
  readonly bytes: Uint8Array;
};

/** Every file of the export, each path once, in an order that depends on the shelf alone.
 *  @throws ShelfError "build_failed" for what cannot be answered */
export async function* exportedFiles(view: View): AsyncGenerator<ExportedFile> {
  const open = await view.current();
  if (open === null) return;
  // Objects first: pages say where their bytes lie.
  const data = await open.snapshot.data();
  const types = new Map(data.objects.map(({ key, media_type }) => [key, media_type]));
  const keys = new Set(types.keys());
  const renamed = new Map<string, string>();
  for (const key of keys) {
    const file = await fileAt(view, objectPath(key), `objects/${key}`);
    if (!isActive(key, file.bytes)) {
      yield file;
      continue;
    }
    const lies = harmlessKey(key, keys);
    renamed.set(key, lies);
    yield { ...file, path: `objects/${lies}`, type: "text/plain" };
    const note = noteFor(key, lies);
    if (note !== null) yield { path: `objects/${key}`, type: "text/html; charset=utf-8", headers: {}, bytes: note };
  }
  const picture = async (key: string): Promise<Uint8Array | null> =>
    types.get(key)?.startsWith("image/svg") === true ? (await fileAt(view, objectPath(key), key)).bytes : null;
  for await (const [path, file] of pathsOf(view, open)) {
    const found = await fileAt(view, path, file);
    const hasLinks = /\.(html|json)$/.test(file) && renamed.size > 0;
    yield hasLinks ? { ...found, bytes: Buffer.from(await relink(Buffer.from(found.bytes).toString(), renamed, picture)) } : found;
  }
  // As they are: what checks a copy goes by their digests.
  for await (const path of shelfPaths(view, open)) yield fileAt(view, path, path.slice(1));
}

/** Every path that has a file, with its name in the export; objects are not among them. */
async function* pathsOf(view: View, open: OpenSnapshot): AsyncGenerator<readonly [path: string, file: string]> {
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

/** The files of the public shelf: the same that a server has under /shelf. */
async function* shelfPaths(view: View, open: OpenSnapshot): AsyncGenerator<string> {
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

/** What the server answers at a path, as a file of that name. */
async function fileAt(view: View, target: string, path: string): Promise<ExportedFile> {
  const { status, headers, body } = await answer(view, { method: "GET", target, header: () => null });
  const chunks: Uint8Array[] = [];
  if (body instanceof Uint8Array) chunks.push(body);
  else if (body !== null) for await (const chunk of body) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  if (status !== 200) throw new ShelfError("build_failed", `${target} answers ${status}: ${bytes.toString("utf8").slice(0, 500)}`);
  const kept = KEPT_HEADERS.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]]));
  return { path, type: headers["Content-Type"] ?? "application/octet-stream", headers: Object.fromEntries(kept), bytes };
}
