/** The compiled site as one function: page data in, HTML out. The compiled bundle is an artefact on disk, found by path;
 *  nothing here imports the site's sources. */
import type { PageInput } from "./page/model.ts";

export type Asset = { readonly path: string; readonly mediaType: string; readonly bytes: Uint8Array };

export type Renderer = {
  /** SHA-256 over the compiled bundle and its assets: a page is rendered again when it changes. */
  readonly digest: string;
  /** Stylesheets and scripts, named by content hash, e.g. path "assets/page.3f9a.css". */
  readonly assets: readonly Asset[];
  /** Complete UTF-8 HTML of one page; the same input gives the same bytes. */
  render(input: PageInput): Promise<Uint8Array>;
};
