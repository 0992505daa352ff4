/** The public view as a folder of plain files for any static host. It takes the place of an earlier one as a whole
 *  (`switch-folder.ts`). */
import { linkSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { readdir, readFile, realpath, stat } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { z } from "zod";
import { parseJson, type Sha256, sha256 } from "#snapshots/digest";
import { ShelfError } from "#snapshots/errors";
import { compareNames } from "#snapshots/format";
import { openIndex } from "#snapshots/index";
import { openRenderer, type Renderer } from "#snapshots/page";
import { absent, type Shelf, type Snapshot } from "#snapshots/shelf";
import { openView, type Runtime, type View } from "#snapshots/http";
import { VERSION } from "#generator/files";
import { type ExportOptions, exportedFiles, isOfRecord } from "./exported-files.ts";
import { formatHeaders, formatNginx, formatRedirects, typeRules } from "./host-rules.ts";
import { switchFolder } from "./switch-folder.ts";
import { PLAIN_FILES_SERVICE } from "#snapshots/service";

/** Names the snapshot of an export and each of its files: whatever else lies in the folder is somebody's own, and is
 *  never taken away. */
const MARKER = ".proofshelf-export";
const markerSchema = z.object({
  snapshot: z.string(),
  /** The program that wrote it: another may have other rules for what lies at a path. */
  version: z.string(),
  /** Digest and size of each file by its path. */
  files: z.record(z.string(), z.tuple([z.string(), z.number()])),
});
type Marker = z.infer<typeof markerSchema>;
type Entries = Marker["files"];

export const STATIC: Runtime = {
  version: VERSION,
  components: () => [
    { name: "files", status: "live", note: "catalog, claims, records, objects and pages as plain files" },
    { name: "queries", status: "unavailable", note: "a static host heeds no parameters: /api/cubs has every record, /api/list the root" },
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

/** openStaticView opens the public view as a static host has it, and the snapshot in it.
 *  @param dist folder of the compiled pages */
export async function openStaticView(shelf: Shelf, dist: string): Promise<{ readonly view: View; readonly snapshot: Snapshot }> {
  let renderer: Promise<Renderer> | null = null;
  const view = openView({
    service: PLAIN_FILES_SERVICE,
    view: "public",
    shelf,
    renderer: () => (renderer ??= openRenderer(dist)),
    index: () => openIndex(shelf.indexUri),
    runtime: STATIC,
    now: () => 0,
    listing: null,
  });
  const open = await view.current();
  if (open === null) throw new ShelfError("no_snapshot", "No snapshot has been published yet.", { fixes: ["Run: proofshelf build"] });
  return { view, snapshot: open.snapshot };
}

/** exportView exports the public view into a folder. @throws ShelfError "build_failed" when the target holds something that is no export */
export async function exportView(
  options: ExportOptions & { readonly shelf: Shelf; readonly dist: string; readonly dir: string },
): Promise<Exported> {
  const { view, snapshot } = await openStaticView(options.shelf, options.dist);
  const earlier = await openEarlier(options.dir);
  const written = await switchFolder(options.dir, findForeign, (folder) => writeFolder(view, snapshot, folder, earlier, options));
  return { snapshot: snapshot.id, ...written };
}

async function readMarker(folder: string): Promise<Marker | null> {
  return markerSchema.safeParse(parseJson((await readFile(join(folder, MARKER), "utf8").catch(absent)) ?? "")).data ?? null;
}

/** findForeign returns what lies in a folder and is not in its list of exported files. */
async function findForeign(folder: string): Promise<readonly string[]> {
  if (!(await stat(folder)).isDirectory())
    throw new ShelfError("bad_config", `${folder} is a file; name a new folder, or an earlier export.`);
  const marker = await readMarker(folder);
  if (marker === null) return (await readdir(folder)).sort(compareNames);
  const { files = {} } = marker;
  const ours = new Set([MARKER, ...Object.keys(files)]);
  const there = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = there.filter((entry) => !entry.isDirectory()).map((entry) => relative(folder, join(entry.parentPath, entry.name)));
  return paths.filter((path) => !ours.has(path)).sort(compareNames);
}

/** Earlier is an export that is about to be replaced. */
type Earlier = { readonly folder: string; readonly written: number; readonly files: Entries };

/** openEarlier reads what an earlier export wrote; nothing where there is none. */
async function openEarlier(dir: string): Promise<Earlier | null> {
  const folder = await realpath(dir).catch(() => null);
  const { files, version } = (folder === null ? null : await readMarker(folder)) ?? {};
  if (folder === null || files === undefined || version !== VERSION) return null;
  return { folder, written: (await stat(join(folder, MARKER))).mtimeMs, files };
}

/** FolderWriter writes the files of an export. A file that is there already with the same bytes, in this export or in the earlier one, gets a
 *  second name in place of a copy: that costs no reading, and its time says since when it is as it is. */
class FolderWriter {
  readonly files: Entries = {};
  readonly skipped: string[] = [];
  bytes = 0;
  readonly #folder: string;
  readonly #earlier: Earlier | null;
  readonly #made = new Set<string>();
  /** The paths that have the bytes of a digest, in this export. */
  readonly #places = new Map<Sha256, string>();

  constructor(folder: string, earlier: Earlier | null) {
    this.#folder = folder;
    this.#earlier = earlier;
  }

  /** keep gives a path what lay there in the earlier export, if that has this digest. @returns whether it has */
  keep(path: string, digest: Sha256): boolean {
    if (this.#earlier === null) return false;
    const { folder, files, written } = this.#earlier;
    const [known, size = 0] = files[path] ?? [];
    const file = join(folder, path);
    return known === digest && isUntouched(file, size, written) && this.#link(file, path, digest, size);
  }

  /** repeat gives a path the bytes of a digest that lie at another path of this export. The name at which a browser finds them is another: not for
   *  what a browser might run. @returns whether they do */
  repeat(path: string, digest: Sha256): boolean {
    const place = this.#places.get(digest);
    return place !== undefined && this.#link(join(this.#folder, place), path, digest, this.files[place]?.[1] ?? 0);
  }

  write(path: string, bytes: Uint8Array): void {
    const digest = sha256(bytes);
    if (this.keep(path, digest) || this.repeat(path, digest)) return;
    if (this.#put(path, (file) => writeFileSync(file, bytes))) this.#note(path, digest, bytes.length);
  }

  #link(from: string, path: string, digest: Sha256, size: number): boolean {
    try {
      if (this.#put(path, (file) => linkSync(from, file))) this.#note(path, digest, size);
      return true;
    } catch {
      return false; // a file system without links, or one that has no more of them for this file
    }
  }

  /** @returns false for what this folder cannot hold: a key that is a folder of another key, or a name that its file system refuses. The
   *  rest is still worth having. */
  #put(path: string, write: (file: string) => void): boolean {
    const file = join(this.#folder, path);
    try {
      if (!this.#made.has(dirname(file))) mkdirSync(dirname(file), { recursive: true });
      this.#made.add(dirname(file));
      write(file);
      return true;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (!["EISDIR", "ENOTDIR", "EEXIST", "ENAMETOOLONG", "EINVAL", "EILSEQ"].includes(code ?? "")) throw error;
      this.skipped.push(path);
      return false;
    }
  }

  #note(path: string, digest: Sha256, size: number): void {
    this.files[path] = [digest, size];
    this.bytes += size;
    if (!this.#places.has(digest)) this.#places.set(digest, path);
  }
}

/** isUntouched tells whether a file has its size still, and was not written since the export was done. */
function isUntouched(file: string, size: number, done: number): boolean {
  const found = statSync(file, { throwIfNoEntry: false });
  return found?.isFile() === true && found.size === size && found.mtimeMs <= done;
}

async function writeFolder(
  view: View,
  snapshot: Snapshot,
  folder: string,
  earlier: Earlier | null,
  options: ExportOptions,
): Promise<Omit<Exported, "snapshot">> {
  const writer = new FolderWriter(folder, earlier);
  const routes = new Set<string>();
  const types = new Map<string, string>();
  const isKept = (path: string, digest: Sha256): boolean =>
    writer.keep(path, digest) || (path.startsWith("shelf/") && writer.repeat(path, digest));
  for await (const file of exportedFiles(view, { ...options, isKept })) {
    const isElsewhere = file.alsoFolder || isOfRecord(file);
    if (file.path.startsWith("api/")) types.set(file.path, file.type);
    if (isElsewhere) routes.add(file.route ?? file.path);
    else writer.write(file.path, file.bytes);
  }
  const { base_url: baseUrl } = await snapshot.library();
  const base = URL.canParse(baseUrl) ? new URL(baseUrl).pathname.replace(/\/$/, "") : "";
  const rules = typeRules(types);
  for (const [name, text] of Object.entries({
    _headers: formatHeaders(rules),
    _redirects: formatRedirects([...routes]),
    "nginx.conf": formatNginx(base, rules),
  }))
    writer.write(name, Buffer.from(text));
  const { files, bytes, skipped } = writer;
  // Last, and never a second name of an earlier one: its time is that of the export.
  writeFileSync(join(folder, MARKER), JSON.stringify({ snapshot: snapshot.id, version: VERSION, files } satisfies Marker));
  return { files: Object.keys(files).length + 1, bytes, skipped };
}
