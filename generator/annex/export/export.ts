/** The public view as a folder of plain files for any static host. It takes the place of an earlier one as a whole
 *  (`switch-folder.ts`). */
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { z } from "zod";
import { parseJson } from "#snapshots/digest";
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
const markerSchema = z.object({ snapshot: z.string(), files: z.array(z.string()) });

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
  const written = await switchFolder(options.dir, findForeign, (folder) => writeFolder(view, snapshot, folder, options));
  return { snapshot: snapshot.id, ...written };
}

/** findForeign returns what lies in a folder and is not in its list of exported files. */
async function findForeign(folder: string): Promise<readonly string[]> {
  if (!(await stat(folder)).isDirectory())
    throw new ShelfError("bad_config", `${folder} is a file; name a new folder, or an earlier export.`);
  const { data } = markerSchema.safeParse(parseJson((await readFile(join(folder, MARKER), "utf8").catch(absent)) ?? ""));
  const ours = new Set([MARKER, ...(data?.files ?? [])]);
  const there = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = there.filter((entry) => !entry.isDirectory()).map((entry) => relative(folder, join(entry.parentPath, entry.name)));
  return paths.filter((path) => !ours.has(path)).sort(compareNames);
}

async function writeFolder(view: View, snapshot: Snapshot, folder: string, options: ExportOptions): Promise<Omit<Exported, "snapshot">> {
  const files: string[] = [];
  let bytes = 0;
  const skipped: string[] = [];
  const write = async (file: string, body: Uint8Array): Promise<void> => {
    try {
      await mkdir(dirname(join(folder, file)), { recursive: true });
      await writeFile(join(folder, file), body);
      files.push(file);
      bytes += body.length;
    } catch (error) {
      // A key that is a folder of another key, or a name that this file system refuses: the rest is still worth having.
      const { code } = error as NodeJS.ErrnoException;
      if (!["EISDIR", "ENOTDIR", "EEXIST", "ENAMETOOLONG", "EINVAL", "EILSEQ"].includes(code ?? "")) throw error;
      skipped.push(file);
    }
  };
  const routes = new Set<string>();
  const types = new Map<string, string>();
  for await (const file of exportedFiles(view, options)) {
    const isElsewhere = file.alsoFolder || isOfRecord(file);
    if (file.path.startsWith("api/")) types.set(file.path, file.type);
    if (isElsewhere) routes.add(file.route ?? file.path);
    else await write(file.path, file.bytes);
  }
  const { base_url: baseUrl } = await snapshot.library();
  const base = URL.canParse(baseUrl) ? new URL(baseUrl).pathname.replace(/\/$/, "") : "";
  const rules = typeRules(types);
  for (const [name, text] of Object.entries({
    _headers: formatHeaders(rules),
    _redirects: formatRedirects([...routes]),
    "nginx.conf": formatNginx(base, rules),
  }))
    await write(name, Buffer.from(text));
  await write(MARKER, Buffer.from(JSON.stringify({ snapshot: snapshot.id, files } satisfies z.infer<typeof markerSchema>)));
  return { files: files.length, bytes, skipped };
}
