/** The compiled bundle's one export. Loaded by `openRenderer`, never imported by other sources. */
import { createApp } from "astro/app/entrypoint";
import type { PageInput } from "../snapshots/page/model.ts";

const app = createApp({ streaming: false });

// The error reaches the caller, who reports it; Astro would also print it.
(await app.getLogger()).options.level = "silent";

// Astro would answer a failing page with a page of its own; a caller who stores pages must get the failure itself.
app.renderError = async (_request, { error, status }) => {
  throw error ?? new Error(`Astro answered ${status}`);
};

const routes = new Map(app.manifest.routes.map(({ routeData }) => [routeData.route.slice(1), routeData]));

/** UTF-8 HTML of one page. Each kind of page is one route, named like its model. */
export async function renderPage(input: PageInput): Promise<Uint8Array> {
  const routeData = routes.get(input.model.page);
  if (routeData === undefined) throw new Error(`the site has no page "${input.model.page}"`);
  const request = new Request(`http://site.invalid${routeData.route}`);
  const response = await app.render(request, { routeData, locals: { input } });
  return replaceComments(Buffer.from(await response.arrayBuffer()));
}

/** Stamps are comments that the server replaces in stored pages (the first snapshot of an object, what changed). components/stamp.astro
 *  writes them with a double quote inside: Astro leaves "<" alone in attributes, but never a double quote, so no
 *  stranger's text can be one. Any other comment is defused: as "&lt;" it reads the same inside an attribute. */
const COMMENT = "<!--";
const STAMP = /^<!--stamp:(\w+)"-->/;
/** Bytes of the longest stamp; their names are ours. */
const MAX_STAMP = 40;

/** In bytes, because pages are long and comments few: a page is decoded and encoded again for nothing. */
function replaceComments(html: Buffer): Uint8Array {
  const parts: Uint8Array[] = [];
  let done = 0;
  for (let at = html.indexOf(COMMENT); at >= 0; at = html.indexOf(COMMENT, done)) {
    const [whole = COMMENT, stamp] = STAMP.exec(html.toString("latin1", at, at + MAX_STAMP)) ?? [];
    parts.push(html.subarray(done, at), Buffer.from(stamp === undefined ? "&lt;!--" : `<!--stamp:${stamp}-->`));
    done = at + whole.length;
  }
  return parts.length === 0 ? html : Buffer.concat([...parts, html.subarray(done)]);
}
