/** The public view's pages, in the shelf. */
import { scheduler } from "node:timers/promises";
import { type Sha256, sha256 } from "#snapshots/digest";
import { type FileEntry, pagePath, type ViewData } from "#snapshots/format";
import { isInSitemap, llmsText, type Renderer, robotsText, sitemapFiles, type StoredPage } from "#snapshots/page";
import type { DirectoryShelf } from "#snapshots/shelf";
import { concurrently, type Progress } from "#generator/files";
import type { KnownFile } from "#generator/kept";

/** A PlannedPage is a page with its blob where it is kept, or with null where it is to be rendered. */
export type PlannedPage = { readonly page: StoredPage; readonly facts: Sha256; readonly kept: KnownFile | null };

/** Pages under way at once. */
const AT_ONCE = 4;
const HTML_TYPE = "text/html; charset=utf-8";

export type Rendered = {
  readonly files: readonly FileEntry[];
  readonly pages: Readonly<Record<string, KnownFile>>;
  readonly rendered: number;
};

/** renderPages renders those of the planned pages that are not kept. */
export async function renderPages(options: {
  readonly data: ViewData;
  readonly pages: Iterable<PlannedPage>;
  readonly renderer: Promise<Renderer>;
  readonly shelf: DirectoryShelf;
  readonly total: number | null;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}): Promise<Rendered> {
  const { data, shelf, progress, signal } = options;
  // No more than this is held of a page, since a page holds the text of its object.
  const made: { readonly path: string; readonly file: string; readonly known: KnownFile }[] = [];
  let rendered = 0;
  let count = 0;
  // While one is deflated by another thread the next is rendered.
  await concurrently(options.pages, AT_ONCE, async ({ page, facts, kept }) => {
    signal.throwIfAborted();
    const at = count++;
    let known = kept;
    if (known === null) {
      const html = await (await options.renderer).render(await page.input());
      const digest = sha256(html);
      await shelf.blobs.put(digest, html);
      known = { facts, sha256: digest, size: html.length };
      progress.step("render", ++rendered, options.total ?? undefined);
    }
    await scheduler.yield();
    made[at] = { path: page.path, file: page.file, known };
  });
  const files = made.map(({ file, known }): FileEntry => ({ path: file, sha256: known.sha256, size: known.size, type: HTML_TYPE }));
  const pages = Object.fromEntries(made.map(({ file, known }) => [file, known]));
  const paths = made.map(({ path }) => path);
  for (const { path, type, text } of textFiles(data, paths)) {
    const bytes = Buffer.from(text);
    const digest = sha256(bytes);
    await shelf.blobs.put(digest, bytes);
    files.push({ path, sha256: digest, size: bytes.length, type });
  }
  return { files, pages, rendered };
}

/** textFiles makes the text files beside the pages. @param paths of all stored pages */
export function textFiles(
  data: ViewData,
  paths: readonly string[],
): readonly { readonly path: string; readonly type: string; readonly text: string }[] {
  const base = data.library.base_url;
  const times = new Map(data.objects.map(({ key, uploaded }) => [pagePath.object(key), uploaded]));
  const known = paths.filter(isInSitemap).map((path) => ({ path, changed: times.get(path) ?? null }));
  return [
    { path: "pages/llms.txt", type: "text/plain; charset=utf-8", text: llmsText(data) },
    ...Array.from(sitemapFiles(base, known), ([name, text]) => ({ path: `pages/${name}`, type: "application/xml", text })),
    { path: "pages/robots.txt", type: "text/plain; charset=utf-8", text: robotsText(base) },
  ];
}
