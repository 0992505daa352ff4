/** The start of each page: its own model, and links made relative to where it lies. */
import { pagePath, relativeHref } from "#snapshots/format";
import type { Chrome, PageModel } from "#snapshots/page";

/** Href makes the text of an href from a site path ("/claims/", "/objects/a.md", with query or fragment). */
export type Href = (path: string) => string;

export type OpenedPage<K extends PageModel["page"]> = {
  readonly chrome: Chrome;
  readonly model: Extract<PageModel, { page: K }>;
  readonly href: Href;
};

/** openPage gives a page its own model. @throws Error when the model is another page's; site/entry.ts picks the page by the model, so it cannot
 *  be. */
export function openPage<K extends PageModel["page"]>(locals: App.Locals, page: K): OpenedPage<K> {
  const { chrome, model } = locals.input;
  if (model.page !== page) throw new Error(`page "${page}" was given the model of "${model.page}"`);
  return { chrome, model: model as Extract<PageModel, { page: K }>, href: makeHref(chrome) };
}

/** Relative links, so that a page works at "/", under /at/<snapshot>/, under /internal/ and in any folder of a static host.
 *  Only 404.html is shown at paths of any depth: its links start at the folder that its canonical address names. */
function makeHref(chrome: Chrome): Href {
  const root = chrome.path === pagePath.notFound ? findBaseUrl(chrome) : null;
  // Files of records have one address, which is outside of the internal view.
  const from = (path: string): string =>
    chrome.view === "internal" && path.startsWith("/api/code/") ? `/internal${chrome.path}` : chrome.path;
  return (path) => (root === null ? relativeHref(from(path), path) : new URL(root).pathname + path.slice(1));
}

/** The absolute URL of the site's root, ending in "/", or null when no base URL is known. */
function findBaseUrl(chrome: Chrome): string | null {
  if (chrome.canonical === null || !chrome.canonical.endsWith(chrome.path)) return null;
  const base = `${chrome.canonical.slice(0, chrome.canonical.length - chrome.path.length)}/`;
  return URL.canParse(base) ? base : null;
}

/** findAbsoluteUrl gives the absolute URL of a site path, or null when no base URL is known. */
export function findAbsoluteUrl(chrome: Chrome, path: string): string | null {
  const base = findBaseUrl(chrome);
  return base === null ? null : base + path.slice(1);
}
