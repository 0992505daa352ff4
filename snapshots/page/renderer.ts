/** The compiled site as one function: page data in, HTML out. The bundle is an artefact on disk, found by path:
 *      dist/current           one line: the name of the version to use
 *      dist/<version>/server/entry.mjs    exports renderPage(input): Promise<Uint8Array>
 *      dist/<version>/client/assets/…     stylesheets and scripts, named by content hash
 *      dist/<version>/client/favicon.ico  what programs ask for that read no page */
import { access, readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { sha256 } from "#snapshots/digest";
import { ShelfError } from "#snapshots/errors";
import type { DerivedFile } from "./api-files.ts";
import type { PageInput } from "./model.ts";

export type Renderer = {
  /** SHA-256 over the compiled bundle and its assets: a page is rendered again when it changes. */
  readonly digest: string;
  /** Stylesheets and scripts, named by content hash, e.g. path "assets/page.3f9a.css", and the icon. */
  readonly assets: readonly DerivedFile[];
  /** Complete UTF-8 HTML of one page; the same input gives the same bytes. */
  render(input: PageInput): Promise<Uint8Array>;
};

type RenderPage = (input: PageInput) => Promise<Uint8Array>;

/** ICON_FILE is the name of the icon, also at the root of a snapshot. */
export const ICON_FILE = "favicon.ico";
export const CURRENT_VERSION_FILE = "current";

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
  ico: "image/x-icon",
};

/** openRenderer loads the compiled site. Any number may be open at once, in any thread. @param distDir site/dist, or one version folder in it
 *  @throws ShelfError "build_failed" when there is no compiled site in that folder */
export async function openRenderer(distDir: string): Promise<Renderer> {
  const dir = await findVersion(distDir);
  const entry = join(dir, "server", "entry.mjs");
  // Before anything else is read: the folder may be any folder.
  await access(entry).catch((cause: unknown) => {
    throw new ShelfError("build_failed", "The pages have not been compiled.", { cause });
  });
  const files = new Map([...(await readAll(dir, "client")), ...(await readAll(dir, "server"))]);
  const bundle: unknown = await import(pathToFileURL(entry).href);
  const renderPage = findRenderPage(bundle);
  return {
    digest: sha256([...files].map(([path, bytes]) => `${sha256(bytes)}  ${path}\n`).join("")),
    assets: [...files].filter(([path]) => path.startsWith("client/assets/") || path === `client/${ICON_FILE}`).map(toAsset),
    render: renderPage,
  };
}

/** lazyRenderer returns a function that loads the compiled site when it is first called; after a failure the next call loads it anew. */
export function lazyRenderer(distDir: string): () => Promise<Renderer> {
  let renderer: Promise<Renderer> | null = null;
  return () =>
    (renderer ??= openRenderer(distDir).catch((error: unknown) => {
      renderer = null;
      throw error;
    }));
}

async function findVersion(distDir: string): Promise<string> {
  try {
    return join(distDir, (await readFile(join(distDir, CURRENT_VERSION_FILE), "utf8")).trim());
  } catch {
    return distDir;
  }
}

/** Every file under one folder of the bundle by its path in the bundle, with "/" between segments, ascending. */
async function readAll(dir: string, folder: string): Promise<ReadonlyMap<string, Uint8Array>> {
  const entries = await readdir(join(dir, folder), { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(dir.length).replaceAll("\\", "/").replace(/^\/+/, ""))
    .sort();
  return new Map(await Promise.all(paths.map(async (path) => [path, await readFile(join(dir, path))] as const)));
}

function toAsset([path, bytes]: readonly [string, Uint8Array]): DerivedFile {
  const extension = path.slice(path.lastIndexOf(".") + 1);
  return { path: path.slice("client/".length), type: MEDIA_TYPES[extension] ?? "application/octet-stream", bytes };
}

function findRenderPage(bundle: unknown): RenderPage {
  if (typeof bundle === "object" && bundle !== null && "renderPage" in bundle && typeof bundle.renderPage === "function") {
    return bundle.renderPage as RenderPage;
  }
  throw new ShelfError("build_failed", "The compiled pages have no renderPage function; compile them again.");
}
