/** The compiled bundle's one export. Loaded by `openRenderer`, never imported by other sources. */
import { createApp } from "astro/app/entrypoint";
import { VERIFY_SCRIPT } from "./annexes.ts";
import type { PageInput } from "#snapshots/page";

const app = createApp({ streaming: false });

// The error reaches the caller, who reports it; Astro would also print it.
(await app.getLogger()).options.level = "silent";

// Astro would answer a failing page with a page of its own; a caller who stores pages must get the failure itself.
app.renderError = async (_request, { error, status }) => {
  throw error ?? new Error(`Astro answered ${status}`);
};

const routes = new Map(app.manifest.routes.map(({ routeData }) => [routeData.route.slice(1), routeData]));

/** renderPage renders one page as UTF-8 HTML. Each kind of page is one route, named like its model. */
export async function renderPage(input: PageInput): Promise<Uint8Array> {
  const routeData = routes.get(input.model.page);
  if (routeData === undefined) throw new Error(`the site has no page "${input.model.page}"`);
  const request = new Request(`http://site.invalid${routeData.route}`);
  const response = await app.render(request, { routeData, locals: { input, verifyScript: VERIFY_SCRIPT } });
  return new TextEncoder().encode(replaceComments(await response.text()));
}

/** Stamps are comments that the server replaces in stored pages. Astro writes no double quote into an attribute, and a stamp has one,
 *  so no stranger's text can be one. Any other comment is defused: as "&lt;" it reads the same inside an attribute. */
const COMMENT = /<!--(?:stamp:(\w+)"-->)?/g;

function replaceComments(html: string): string {
  return html.replaceAll(COMMENT, (_, stamp: string | undefined) => (stamp === undefined ? "&lt;!--" : `<!--stamp:${stamp}-->`));
}
