/** Plain files of the public view, for a folder or a bucket: each is what the server would answer, byte for byte, at every path that a file can
 *  have, but for objects that a browser would run (`active-objects.ts`) and the links to them. */
import { ROUTER, ROUTES } from "#snapshots/service";
import { answer, type View } from "#snapshots/http";
import type { Sha256 } from "#snapshots/digest";
import { ShelfError } from "#snapshots/errors";
import {
  blobPath,
  CITATION_FILES,
  exportFile,
  formatKeyPath,
  hasTwin,
  isWithdrawalError,
  LATER_PART,
  listPath,
  objectPath,
  pagePath,
  relationsOf,
  relativeHref,
} from "#snapshots/format";
import { tilePaths } from "#snapshots/log";
import { countSnapshotsParts, FEED_FILES, feedPages } from "#snapshots/annex/history";
import { ICON_FILE, SECURITY_PATH, storedPages } from "#snapshots/page";
import type { OpenSnapshot } from "#snapshots/query";
import { HARVEST_FILES } from "#snapshots/annex/harvest";
import { checkpointPath, createTreeCache, openSnapshot, reachable, redactedBlobs, redactionPath } from "#snapshots/shelf";
import { harmlessKey, isActive, noteFor, relink } from "./active-objects.ts";
import { searchFiles } from "./page-search.ts";

/** Headers that belong to the bytes, whoever serves them; the host adds its own. */
const KEPT_HEADERS = ["Cache-Control", "Content-Disposition", "Content-Security-Policy"] as const;

export type ExportedFile = {
  /** Where it lies, without a leading slash and not percent-encoded: `claims/index.html`. */
  readonly path: string;
  /** Media type. */
  readonly type: string;
  readonly headers: Readonly<Partial<Record<(typeof KEPT_HEADERS)[number], string>>>;
  readonly bytes: Uint8Array;
  /** The path begins other paths too: a bucket holds both, a folder cannot. The same bytes lie beside it, with `.json`. */
  readonly alsoFolder: boolean;
  /** Path of its route, where it is a second name of a file: a host's rule stands for many of them. */
  readonly route?: string;
};

/** isOfRecord tells whether a file is a second name of what each record has: rules of the host stand for these, since files for them would be one
 *  more a record. */
export function isOfRecord({ route = "" }: ExportedFile): boolean {
  return route.includes("{id}");
}

export type ExportOptions = {
  /** Also every kept snapshot whole, under `at/<id>/`. */
  readonly withHistory?: boolean;
  /** Leaves out what others copy and check the library by: its blobs once more under their digests, and its log. */
  readonly withoutShelf?: boolean;
  /** Called after each path of the served snapshot: how many are done, of how many. */
  readonly onProgress?: (done: number, total: number) => void;
  /** Leaves out the search in the browser, which has a file or more for each page. */
  readonly withoutSearch?: boolean;
  /** Tells that the target has a file of these bytes at this path: then nothing reads them. */
  readonly isKept?: (path: string, digest: Sha256) => boolean;
};

/** exportedFiles makes every file of the export, each path once, in an order that depends on the shelf alone.
 *  @throws ShelfError "build_failed" for what cannot be answered */
export async function* exportedFiles(view: View, options: ExportOptions): AsyncGenerator<ExportedFile> {
  const { withHistory = false, withoutShelf = false, isKept = () => false } = options;
  const open = await view.current();
  if (open === null) return;
  for await (const file of snapshotFiles(view, open, "", options))
    yield withHistory || !NAMES_PAST.test(file.path) || file.path.startsWith("objects/") ? file : withoutPast(file);
  // As they are: what checks a copy goes by their digests.
  if (!withoutShelf)
    for await (const [path, digest] of shelfPaths(view, open))
      if (digest === null || !isKept(path.slice(1), digest)) yield fileAt(view, path, path.slice(1));
  if (!withHistory) return;
  for (const { snapshot } of await view.records()) {
    const past = await view.byId(snapshot);
    if (past !== null && (await unlessRedacted(past.snapshot.data())) !== null)
      yield* snapshotFiles(view, past, pagePath.at(snapshot, ""), { ...options, onProgress: () => undefined });
  }
}

/** @param mount in front of the paths: "", or `/at/<id>` of a kept snapshot, which lacks what only a later program makes */
async function* snapshotFiles(
  view: View,
  open: OpenSnapshot,
  mount: string,
  { withoutSearch = false, onProgress = () => undefined, isKept = () => false }: ExportOptions,
): AsyncGenerator<ExportedFile> {
  const folder = mount === "" ? "" : `${mount.slice(1)}/`;
  // Objects first: pages say where their bytes lie.
  const data = await open.snapshot.data();
  const types = new Map(data.objects.map(({ key, media_type }) => [key, media_type]));
  const keys = new Set(types.keys());
  const renamed = new Map<string, string>();
  const readAt = (path: string, name: string): Promise<ExportedFile | null> =>
    mount === "" ? fileAt(view, path, folder + name) : pastFileAt(view, mount + path, folder + name);
  const paths = await Array.fromAsync(pathsOf(view, open, mount));
  let done = 0;
  const count = (): void => onProgress(++done, keys.size + paths.length);
  for (const { key, sha256: digest } of data.objects) {
    count();
    if (isKept(`${folder}objects/${key}`, digest)) continue;
    const file = await fileAt(view, mount + objectPath(key), `${folder}objects/${key}`);
    if (!isActive(key, file.bytes)) {
      yield file;
      continue;
    }
    const lies = harmlessKey(key, keys);
    renamed.set(key, lies);
    yield { ...file, path: `${folder}objects/${lies}`, type: "text/plain" };
    const note = noteFor(key, lies);
    if (note !== null) yield { ...file, headers: {}, path: `${folder}objects/${key}`, type: "text/html; charset=utf-8", bytes: note };
  }
  const picture = async (key: string): Promise<Uint8Array | null> =>
    types.get(key)?.startsWith("image/svg") === true ? (await fileAt(view, mount + objectPath(key), key)).bytes : null;
  for (const [path, name] of paths) {
    count();
    const read = await readAt(path, name);
    if (read === null) continue;
    const found = path.startsWith(pagePath.snapshots) ? withoutServed(read) : read;
    const hasLinks = /\.(html|json)$/.test(name) && renamed.size > 0;
    const file = hasLinks ? { ...found, bytes: Buffer.from(await relink(Buffer.from(found.bytes).toString(), renamed, picture)) } : found;
    yield file;
    const route = name.startsWith("api/") && name.endsWith(".json") ? name.slice(0, -".json".length) : null;
    // The path of the interface that the file is of.
    const match = route === null ? null : ROUTER.matchPath(`/${route}`);
    if (match?.exact === true)
      yield { ...file, path: `${folder}${route}`, alsoFolder: ROUTER.beginsOthers(match.route), route: match.route.path };
  }
  if (withoutSearch) return;
  for (const { path, content } of await searchFiles(open)) {
    const type = path.endsWith(".js")
      ? "text/javascript; charset=utf-8"
      : path.endsWith(".json")
        ? "application/json"
        : "application/octet-stream";
    yield { path: `${folder}pagefind/${path}`, type, headers: {}, bytes: content, alsoFolder: false };
  }
}

/** withoutServed takes out of a page of the history, which no snapshot holds, what only a server answers. */
function withoutServed(file: ExportedFile): ExportedFile {
  const text = Buffer.from(file.bytes).toString();
  return text.includes('class="served"')
    ? { ...file, bytes: Buffer.from(text.replaceAll(/<(li|span|form) class="served"[^>]*>.*?<\/\1>/gs, "")) }
    : file;
}

/** Files that name addresses of kept snapshots: history, citations, metadata of the snapshot. */
const NAMES_PAST = /^snapshots\/|(?:^|\/)cite\.(?:json|bib)$|^api\/datacite\.json$|^ro-crate-metadata\.json$/;

/** Links to kept snapshots that are not there become their text, and what is cited has the address at which it is. */
function withoutPast(file: ExportedFile): ExportedFile {
  const text = Buffer.from(file.bytes)
    .toString()
    .replaceAll(/<a href="[^"]*\/at\/[0-9a-f]{64}\/[^"]*">([^<]*)<\/a>/g, "$1")
    .replaceAll(/\[([^\]]*)\]\([^)]*\/at\/[0-9a-f]{64}\/[^)]*\)/g, "$1")
    .replaceAll(/\/at\/[0-9a-f]{64}\//g, "/");
  return { ...file, bytes: Buffer.from(text) };
}

const isRecord = /^\/registry\/CUB-[0-9]+\/$/;

/** Paths of pages that have a citation. */
const CITED = /^\/(?:(?:object\/.*|claims\/.+|registry\/CUB-[0-9]+)\/)?$/s;

/** Every path that has a file, with its name in the export; objects are not among them. */
async function* pathsOf(view: View, open: OpenSnapshot, mount: string): AsyncGenerator<readonly [path: string, file: string]> {
  const data = await open.snapshot.data();
  const noExtract = (): never => {
    throw new ShelfError("internal", "An export lists pages and renders none.");
  };
  const pages = [
    ...Array.from(storedPages(data, ROUTES, { digest: noExtract, read: noExtract }), ({ path }) => path),
    // The front page of a kept snapshot leads to its list and to what came with it.
    ...(await historyPaths(view)).filter((path) => mount === "" || path === pagePath.snapshots || path.endsWith(`..${open.snapshot.id}/`)),
  ];
  if (mount === "") {
    for (const { key } of data.objects) if (await wasChanged(open, "objects", key)) pages.push(pagePath.revisions(pagePath.object(key)));
    for (const { id } of data.cubs) if (await wasChanged(open, "records", id)) pages.push(pagePath.revisions(pagePath.record(id)));
  }
  for (const path of pages) {
    yield [path, exportFile(path)];
    if (LATER_PART.test(path)) continue;
    if (hasTwin(path)) yield [`${path}index.md`, `${exportFile(path).slice(0, -".html".length)}.md`];
    if (isRecord.test(path)) yield [`${path}badge.svg`, exportFile(path).replace(/index\.html$/, "badge.svg")];
    if (!CITED.test(path)) continue;
    for (const file of Object.keys(CITATION_FILES)) yield [path + file, exportFile(path).replace(/index\.html$/, file)];
  }
  for (const page of feedPages(data)) for (const file of FEED_FILES) yield [page + file, decodeURIComponent((page + file).slice(1))];
  for (const path of ["/llms.txt", "/llms-full.txt", "/.well-known/mcp.json", "/sitemap.xml", "/robots.txt", ...HARVEST_FILES])
    yield [path, path.slice(1)];
  if (data.library.security !== undefined) yield [SECURITY_PATH, SECURITY_PATH.slice(1)];
  if ((await open.snapshot.find(ICON_FILE)) !== null) yield [`/${ICON_FILE}`, ICON_FILE];
  for (let part = 1; (await open.snapshot.find(`pages/sitemap-${part}.xml`)) !== null; part++)
    yield [`/sitemap-${part}.xml`, `sitemap-${part}.xml`];
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
  for (const name of ["catalog", ...(data.meta === null ? [] : ["cubs"])])
    for (const form of ["ndjson", "csv", "parquet"]) yield [`/api/${name}.${form}`, `api/${name}.${form}`];
  for (const { id } of data.meta === null ? [] : data.cubs) {
    yield [`/api/cubs/${id}.json`, `api/cubs/${id}.json`];
    yield [`/api/cubs/${id}/code.json`, `api/cubs/${id}/code.json`];
  }
  for (const prefix of relationsOf(data).folders.keys()) {
    yield [listPath(prefix), decodeURIComponent(listPath(prefix).slice(1))];
  }
  const shelfSnapshot = await openSnapshot(view.options.shelf, open.snapshot.record, createTreeCache());
  for (const folder of ["assets", "images"]) yield* filesUnder(shelfSnapshot, folder);
}

/** wasChanged tells whether the page of a thing leads to its revisions. */
async function wasChanged(open: OpenSnapshot, kind: "objects" | "records", name: string): Promise<boolean> {
  return ((await open.firstSeen(kind, name))?.all.length ?? 0) > 1;
}

/** The files of the public shelf, the same that a server has under /shelf, with the digest of each that is named by one. */
async function* shelfPaths(view: View, open: OpenSnapshot): AsyncGenerator<readonly [path: string, digest: Sha256 | null]> {
  const { shelf, record } = open.snapshot;
  const records = (await view.records()).filter(({ sequence }) => sequence <= record.sequence);
  const withdrawn = (await view.withdrawn()).map(({ sequence }) => sequence);
  const sizes = new Set(await shelf.log.sizes());
  for (const name of ["keys.json", "snapshots.json", "withdrawn.json", "redacted.json"]) yield [`/shelf/${name}`, null];
  if (sizes.has(record.sequence)) {
    yield ["/shelf/checkpoint", null];
    for (const path of tilePaths(record.sequence)) yield [`/shelf/${path}`, null];
  }
  for (const { sequence } of records) {
    yield [`/shelf/snapshots/${sequence}.json`, null];
    if (sizes.has(sequence)) yield [`/shelf/${checkpointPath(sequence)}`, null];
  }
  const first = records[0]?.sequence ?? record.sequence;
  const changed = new Set([...withdrawn, ...Array.from({ length: record.sequence - first + 1 }, (_, at) => first + at)]);
  for (const sequence of changed) if ((await shelf.readChanges(sequence)) !== null) yield [`/shelf/changes/${sequence}.json`, null];
  const reached = await reachable(
    shelf,
    records.map(({ snapshot }) => snapshot),
  );
  const redacted = (await redactedBlobs(shelf)).filter((digest) => reached.has(digest));
  for (const digest of redacted) yield [`/shelf/${redactionPath(digest)}`, null];
  for (const digest of reached.difference(new Set(redacted))) yield [blobPath(digest), digest];
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
    else yield [`/${formatKeyPath(path)}`, path];
  }
}

/** unlessRedacted awaits what an earlier snapshot says; null where that was taken out of it. */
async function unlessRedacted<T>(reading: Promise<T>): Promise<T | null> {
  return reading.catch((error: unknown) => {
    if (error instanceof ShelfError && isWithdrawalError(error)) return null;
    throw error;
  });
}

async function historyPaths(view: View): Promise<string[]> {
  const records = await view.records();
  const kept = new Set<string>();
  for (const { snapshot } of records) {
    const open = await view.byId(snapshot);
    if (open !== null && (await unlessRedacted(open.snapshot.library())) !== null) kept.add(snapshot);
  }
  return [
    ...Array.from({ length: await countSnapshotsParts(view) }, (_, at) => pagePath.snapshotsPart(at + 1)),
    ...records.flatMap(({ snapshot, previous }) =>
      previous !== null && kept.has(previous) && kept.has(snapshot) ? [pagePath.diff(previous, snapshot)] : [],
    ),
  ];
}

/** fileAt gives the server's answer at a path, as a file of that name. */
async function fileAt(view: View, target: string, path: string): Promise<ExportedFile> {
  const { status, headers, body } = await answer(view, { method: "GET", target, header: () => null });
  const chunks: Uint8Array[] = [];
  if (body instanceof Uint8Array) chunks.push(body);
  else if (body !== null) for await (const chunk of body) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  if (status !== 200) throw new ShelfError("build_failed", `${target} answers ${status}: ${bytes.toString("utf8").slice(0, 500)}`);
  const kept = KEPT_HEADERS.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]]));
  return {
    path,
    type: headers["Content-Type"] ?? "application/octet-stream",
    headers: Object.fromEntries(kept),
    bytes,
    alsoFolder: false,
  };
}

/** pastFileAt gives a file of a kept snapshot. Where a file belongs to no snapshot, the server leads to its own path: then a page lies there that
 *  does the same, or its bytes.
 *  @returns null for what that snapshot has not */
async function pastFileAt(view: View, target: string, path: string): Promise<ExportedFile | null> {
  const { status, headers } = await answer(view, { method: "HEAD", target, header: () => null });
  if (status === 404) return null;
  const { Location: location } = headers;
  if (location === undefined) return fileAt(view, target, path);
  if (!path.endsWith(".html")) return fileAt(view, location, path);
  const href = relativeHref(target, location);
  const page = `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8" /><meta http-equiv="refresh" content="0; url=${href}" /><title>Elsewhere</title></head><body><p>This page is <a href="${href}">the same for all snapshots</a>.</p></body></html>\n`;
  return { path, type: "text/html; charset=utf-8", headers: {}, bytes: Buffer.from(page), alsoFolder: false };
}
