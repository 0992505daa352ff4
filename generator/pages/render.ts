/** The public view's pages, in the shelf. */
import { scheduler } from "node:timers/promises";
import { type Sha256, sha256 } from "../../snapshots/digest.ts";
import { pagePath } from "../../snapshots/format/layout.ts";
import { isInSitemap, llmsText, robotsText, sitemapFiles } from "../../snapshots/page/text-files.ts";
import type { Renderer, StoredPage } from "../../snapshots/page/index.ts";
import type { DirectoryShelf } from "../../snapshots/shelf/shelf-directory.ts";
import type { FileEntry } from "../../snapshots/format/tree.ts";
import type { ViewData } from "../../snapshots/format/view-data.ts";
import type { Progress } from "../files/progress.ts";
import type { Why } from "../kept/why.ts";
import type { KnownFile } from "../kept/state.ts";

/** A page with its blob where it is kept, or null and why it is to be rendered. */
export type PlannedPage = { readonly page: StoredPage; readonly facts: Sha256; readonly kept: KnownFile | null; readonly why: Why | null };

const HTML_TYPE = "text/html; charset=utf-8";

export type Rendered = {
  readonly files: readonly FileEntry[];
  readonly pages: Readonly<Record<string, KnownFile>>;
  readonly rendered: number;
};

/** Renders those of the planned pages that are not kept. */
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
  const files: FileEntry[] = [];
  const pages: Record<string, KnownFile> = {};
  const paths: string[] = [];
  let rendered = 0;
  for (const { page, facts, kept } of options.pages) {
    signal.throwIfAborted();
    let file = kept;
    if (file === null) {
      const html = await (await options.renderer).render(await page.input());
      const digest = sha256(html);
      await shelf.putBlob(digest, html);
      file = { facts, sha256: digest, size: html.length };
      progress.step("render", ++rendered, options.total ?? undefined);
    }
    await scheduler.yield();
    pages[page.file] = file;
    files.push({ path: page.file, sha256: file.sha256, size: file.size, type: HTML_TYPE });
    paths.push(page.path);
  }
  for (const { path, type, text } of textFiles(data, paths)) {
    const bytes = Buffer.from(text);
    const digest = sha256(bytes);
    await shelf.putBlob(digest, bytes);
    files.push({ path, sha256: digest, size: bytes.length, type });
  }
  return { files, pages, rendered };
}

/** @param paths of all stored pages */
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
