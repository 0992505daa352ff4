/** The public view as a folder of plain files for any static host. It takes the place of an earlier one as a whole
 *  (`switch-folder.ts`). */
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ShelfError } from "../../snapshots/errors.ts";
import { openIndex } from "../../snapshots/index/open.ts";
import { openRenderer, type Renderer } from "../../snapshots/page/renderer.ts";
import type { Shelf } from "../../snapshots/shelf/shelf.ts";
import { openView, type Runtime, type View } from "../../snapshots/http/view.ts";
import { PAGE_POLICY } from "../../snapshots/http/page-answer.ts";
import { VERSION } from "../version.ts";
import { exportedFiles } from "./exported-files.ts";
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
  const written = await switchFolder(options.dir, isOurs, (folder) => writeFolder(view, snapshot.id, folder));
  return { snapshot: snapshot.id, ...written };
}

async function writeFolder(view: View, snapshot: string, folder: string): Promise<Omit<Exported, "snapshot">> {
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
  for await (const file of exportedFiles(view)) await write(file.path, file.bytes);
  await write("_headers", Buffer.from(HEADERS));
  await write(MARKER, Buffer.from(`${snapshot}\n`));
  return { files, bytes, skipped };
}
