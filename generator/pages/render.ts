/** The public view's pages: renders those whose inputs changed since the last build. */
import { sha256 } from "../../snapshots/digest.ts";
import { pagePath } from "../../snapshots/format/layout.ts";
import { storedPages } from "../../snapshots/page/stored-pages.ts";
import { llmsText, robotsText, sitemapXml } from "../../snapshots/page/text-files.ts";
import type { Renderer } from "../../snapshots/page/renderer.ts";
import type { Extract } from "../../snapshots/schema/extract.ts";
import type { Shelf } from "../../snapshots/shelf/shelf.ts";
import type { FileEntry } from "../../snapshots/format/tree.ts";
import type { ViewData } from "../../snapshots/format/view-data.ts";
import type { Progress } from "../progress.ts";
import type { BuildState, KnownFile } from "../state.ts";
import { openTurns } from "../turns.ts";

export const HTML_TYPE = "text/html; charset=utf-8";

export type Rendered = {
  readonly files: readonly FileEntry[];
  readonly pages: Readonly<Record<string, KnownFile>>;
  /** Digest of what every page shares. */
  readonly shared: string;
  /** Site paths of the pages that were rendered now. */
  readonly rendered: readonly string[];
};

export async function renderPages(options: {
  readonly data: ViewData;
  readonly siteDigest: string;
  readonly renderer: Promise<Renderer>;
  readonly extractDigest: (key: string) => string;
  readonly extract: (key: string) => Promise<Extract>;
  readonly shelf: Shelf;
  readonly known: Pick<BuildState, "pages" | "shared">;
  /** Folders whose objects are others than when `known` was made. */
  readonly touched: ReadonlySet<string>;
  readonly progress: Progress;
}): Promise<Rendered> {
  const { data, siteDigest, extractDigest, extract, shelf, known, touched, progress } = options;
  const shared = sha256(siteDigest + JSON.stringify([data.library, data.claims, data.cubs]));
  const same = shared === known.shared;
  const files: FileEntry[] = [];
  const pages: Record<string, KnownFile> = {};
  const rendered: string[] = [];
  const paths: string[] = [];
  const turn = openTurns();
  for (const page of storedPages(data, { digest: extractDigest, read: extract })) {
    let file = known.pages[page.file];
    if (file === undefined || !same || page.folder === null || touched.has(page.folder)) {
      const facts = sha256(siteDigest + JSON.stringify(page.facts()));
      if (file?.facts !== facts) {
        const html = await (await options.renderer).render(await page.input());
        const digest = sha256(html);
        await shelf.putBlob(digest, html);
        file = { facts, sha256: digest, size: html.length };
        rendered.push(page.path);
        progress.step("render", rendered.length);
      }
    }
    await turn();
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
  return { files, pages, shared, rendered };
}

/** @param paths of all stored pages; a crawler is told of those that people look for */
export function textFiles(
  data: ViewData,
  paths: readonly string[],
): readonly { readonly path: string; readonly type: string; readonly text: string }[] {
  const base = data.library.base_url;
  const known = paths.filter((path) => !path.startsWith(pagePath.problems) && path !== pagePath.notFound);
  return [
    { path: "pages/llms.txt", type: "text/plain; charset=utf-8", text: llmsText(data) },
    { path: "pages/sitemap.xml", type: "application/xml", text: sitemapXml(base, known) },
    { path: "pages/robots.txt", type: "text/plain; charset=utf-8", text: robotsText(base) },
  ];
}
