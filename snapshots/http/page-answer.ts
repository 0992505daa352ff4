/** HTML: pages that the snapshot holds, pages that are made per request, and what they load. */
import Negotiator from "negotiator";
import { sha256 } from "#snapshots/digest";
import { ShelfError } from "#snapshots/errors";
import {
  ACCEPTED,
  isPagePath,
  isWithdrawalError,
  pageFile,
  pagePath,
  parseKeyPath,
  parsePart,
  parseRevisionsPath,
  parseSlug,
  relationsOf,
  replacementHref,
} from "#snapshots/format";
import type { Withdrawal } from "#snapshots/schema";
import {
  chromeOf,
  findStoredPage,
  type GoneThing,
  type PageAt,
  type PageInput,
  type PageModel,
  requestPage,
  type WithdrawalRow,
} from "#snapshots/page";
import type { OpenSnapshot } from "#snapshots/query";
import type { RoutePlace } from "#snapshots/routes";
import { contentAnswer } from "./context.ts";
import type { PreparedRoom } from "./prepared.ts";
import { type Answer, CACHE, commonHeaders, type Content, queryTag, redirect } from "./reply.ts";
import { pageLinks } from "./signposts.ts";
import { stampPage } from "./stamp.ts";
import type { SnapshotRequest, Context, View } from "./view.ts";

/** PAGE_POLICY says what a page may do: load its own scripts, styles and images, and nothing else. */
export const PAGE_POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; object-src 'none'; frame-src 'self'";
const HTML_TYPE = "text/html; charset=utf-8";
const PAGE_HEADERS = { "Content-Security-Policy": PAGE_POLICY };

/** pageAnswer answers with a stored page, a page made per request, or a redirect to the page whose path is spelled in another way.
 *  @throws ShelfError "not_found", "not_configured", and what a page made per request throws */
export async function pageAnswer(asked: SnapshotRequest): Promise<Answer> {
  const { context, request, place } = asked;
  const { open, view } = context;
  const { path, match, query } = place;
  const params = new URLSearchParams(query);
  const found = await unlessRedacted(async () =>
    requestPage(view.options.service.pages, { history: view, open, data: await open.snapshot.data(), path, match, params }),
  );
  if (found !== null) {
    const tag = found.tag === null ? null : queryTag(open.snapshot.id, found.tag);
    return contentAnswer(context, request, query === "" ? "files" : "queries", () => rendered(context, found.input, tag));
  }
  const make = isPagePath(path) ? await storedPage(context, place) : null;
  return make === null ? otherSpelling(asked) : contentAnswer(context, request, keepOf(place), make);
}

/** keepOf says where a page is kept. Unknown parameters on pages are ignored, but a page with any is not kept: a stranger could fill the memory
 *  with them. */
export function keepOf({ query }: RoutePlace): PreparedRoom | null {
  return query === "" ? "files" : null;
}

async function storedPage(context: Context, { path, match }: RoutePlace): Promise<(() => Promise<Content>) | null> {
  const { open } = context;
  if (await holdsPages(open)) {
    const entry = await open.snapshot.find(`pages/${pageFile(path)}`);
    if (entry?.kind !== "blob") return null;
    return async () =>
      htmlContent(context, path, await stampPage(context.view.options.service, open, path, await open.snapshot.read(entry)), null);
  }
  const input = await findInput(context, { path, match });
  return input === null ? null : () => rendered(context, input, null);
}

/** otherSpelling redirects to the page that is meant. @throws ShelfError "not_found" */
export async function otherSpelling({ context, place: { path, query, match } }: SnapshotRequest): Promise<Answer> {
  const target = await findRedirect(context, { path, match });
  if (target !== null) return redirect(308, context.mount + target + (query === "" ? "" : `?${query}`), CACHE[context.cache]);
  throw new ShelfError("not_found", "Nothing is served at this path.", {
    fixes: [`See ${context.mount}${pagePath.reference} for every path.`],
  });
}

/** The internal view stores no pages: they are rendered from the same models when they are asked for. */
async function holdsPages(open: OpenSnapshot): Promise<boolean> {
  return (await open.snapshot.find("pages")) !== null;
}

/** findInput finds what the page at a path shows. */
export async function findInput({ view, open }: Context, { path, match }: PageAt): Promise<PageInput | null> {
  const { snapshot } = open;
  const read = async (key: string) => {
    const extract = await snapshot.extract(key);
    if (extract === null) throw new ShelfError("snapshot_damaged", "An object has no extract.");
    return extract;
  };
  const data = await snapshot.data();
  const stored = findStoredPage(data, view.options.service.routes, { path, match }, { digest: () => "", read });
  if (stored !== null) return stored.input();
  return (
    (await requestPage(view.options.service.pages, { history: view, open, data, path, match, params: new URLSearchParams() }))?.input ??
    null
  );
}

async function rendered(context: Context, input: PageInput, tag: string | null): Promise<Content> {
  return htmlContent(
    context,
    input.chrome.path,
    await stampPage(context.view.options.service, context.open, input.chrome.path, await render(context.view, input)),
    tag,
  );
}

async function htmlContent({ open, cache }: Context, path: string, html: Uint8Array, tag: string | null): Promise<Content> {
  const links = (await unlessRedacted(async () => pageLinks(await open.snapshot.data(), path))) ?? {};
  return { bytes: html, type: HTML_TYPE, tag: tag ?? sha256(html), cache, headers: { ...PAGE_HEADERS, ...links } };
}

/** unlessRedacted reads from a snapshot; null when that was redacted: pages that are stored are there all the same. */
async function unlessRedacted<T>(read: () => Promise<T | null>): Promise<T | null> {
  return read().catch((error: unknown) => {
    if (error instanceof ShelfError && isWithdrawalError(error)) return null;
    throw error;
  });
}

async function render(view: View, input: PageInput): Promise<Uint8Array> {
  if (view.options.renderer === null) throw new ShelfError("not_configured", "This process renders no pages.");
  return (await view.options.renderer()).render(input);
}

/** assetAnswer answers with a file that is named by its content. It also looks into the snapshot before, whose pages may still ask for their
 *  files. */
export async function assetAnswer(asked: SnapshotRequest): Promise<Answer> {
  const { context, request, place } = asked;
  const { view, open } = context;
  const file = parseKeyPath(place.path.slice(1));
  const cache = place.match?.route.id === "asset" && context.cache === "live" ? "immutable" : context.cache;
  for (const { snapshot } of [open, await previousOf(context)].filter((one) => one !== null)) {
    const entry = await snapshot.find(file);
    if (entry?.kind !== "blob") continue;
    const { type, sha256: tag } = entry;
    return contentAnswer(context, request, "files", async () => ({ bytes: await snapshot.read(entry), type, tag, cache, headers: {} }));
  }
  // Pages made per request come from the pages of this process, which may be newer than those of the snapshot.
  const own = (await view.options.renderer?.())?.assets.find((asset) => asset.path === file);
  if (own === undefined) return otherSpelling(asked);
  const { bytes, type } = own;
  return contentAnswer(context, request, "files", async () => ({ bytes, type, tag: sha256(bytes), cache, headers: {} }));
}

async function previousOf({ view, open }: Context): Promise<OpenSnapshot | null> {
  const { previous } = open.snapshot.record;
  return previous === null ? null : view.byId(previous);
}

/** A path that means a page under another spelling: without its last slash, a key or prefix instead of its slug. */
async function findRedirect(context: Context, { path, match }: PageAt): Promise<string | null> {
  const data = await context.open.snapshot.data();
  const { folders, objectByKey } = relationsOf(data);
  for (const start of ["/browse/", "/object/"]) {
    if (!path.startsWith(start) && `${path}/` !== start) continue;
    const key = parseKeyPath(path.slice(start.length));
    for (const spelled of [key, parseSlug(key)]) {
      if (spelled === null) continue;
      for (const prefix of [spelled, `${spelled}/`]) if (prefix !== "/" && folders.has(prefix)) return pagePath.browse(prefix);
      const object = spelled.replace(/\/$/, "");
      if (objectByKey.has(object)) return pagePath.object(object);
    }
  }
  if (path.endsWith("/") || match === null) return null;
  // A part of a folder or of a text: its route takes it with and without a slash at its end.
  if (match.exact && parsePart(path).part === 1) return null;
  // A list of snapshots there always is.
  const isThere =
    `${path}/` === pagePath.snapshots || (await findInput(context, { path: `${path}/`, match: { ...match, exact: true } })) !== null;
  return isThere ? `${path}/` : null;
}

/** renderedAnswer renders a page that follows from more than the snapshot and the request. It is made now, and kept by nobody.
 *  @param open the snapshot that it speaks of */
export async function renderedAnswer(view: View, open: OpenSnapshot, status: number, input: PageInput): Promise<Answer> {
  const html = await render(view, input);
  return {
    status,
    headers: {
      ...commonHeaders(view.options.view, open.snapshot.id),
      "Cache-Control": CACHE.none,
      "Content-Type": HTML_TYPE,
      "Content-Length": String(html.length),
      ...PAGE_HEADERS,
    },
    body: html,
  };
}

function noticeOf({ members: { withdrawn } }: ShelfError): { readonly withdrawn?: WithdrawalRow } {
  if (withdrawn === undefined) return {};
  const notice = withdrawn as Withdrawal;
  return { withdrawn: { ...notice, href: replacementHref(notice) } };
}

/** notFoundAnswer renders the page for an address where nothing is. @throws ShelfError when this process renders no pages */
export async function notFoundAnswer(
  view: View,
  open: OpenSnapshot,
  path: string,
  error: ShelfError,
  gone: GoneThing | null,
): Promise<Answer> {
  return strayAnswer(view, open, path, error.status, { page: "not-found", detail: error.message, ...noticeOf(error), gone });
}

/** findGone says where what was at an address was last, and what tells of its going; null where nothing of the kept history was there. */
export async function findGone(view: View, open: OpenSnapshot, path: string): Promise<GoneThing | null> {
  const page = pageBehind(path);
  const item = parseRevisionsPath(`/snapshots${page}`);
  const gone = item === null ? undefined : (await open.firstSeen(`${item.kind}s`, item.name))?.gone;
  if (item === null || gone === undefined) return null;
  const { sequence, created, snapshot, previous, inputs } = gone;
  const isKept = async (id: string | null): Promise<boolean> => id !== null && (await view.byId(id).catch(() => null)) !== null;
  const last = (await isKept(previous)) ? previous : null;
  return {
    name: item.name,
    sequence,
    created,
    last: last === null ? null : pagePath.at(last, path.startsWith(page) ? page : path),
    diff: last !== null && (await isKept(snapshot)) ? pagePath.diff(last, snapshot) : null,
    why: inputs[`${ACCEPTED}${item.name}`] ?? null,
  };
}

/** pageBehind returns the page of what an address is of: its twin, its citation, its bytes, or its record as data. */
function pageBehind(path: string): string {
  const [, id, key] = /^\/(?:api\/cubs\/([^/]+).*|objects\/(.+))$/s.exec(path) ?? [];
  if (id !== undefined) return pagePath.record(id);
  return key === undefined ? path.replace(/(?:index\.md|(?:cite|feed)\.json)$/, "") : pagePath.object(decodeURIComponent(key));
}

/** strayAnswer renders a page that stands at no path of its own. @param path of the request, which a stranger typed
 *  @throws ShelfError when this process renders no pages */
export async function strayAnswer(view: View, open: OpenSnapshot, path: string, status: number, model: PageModel): Promise<Answer> {
  // Links are relative: the page has to know how deep it stands, and nothing else of its path.
  const depth = Math.max(0, path.split("/").length - 2);
  const chrome = { ...chromeOf(await open.snapshot.data(), `/${"x/".repeat(Math.min(depth, 200))}`), canonical: null };
  return renderedAnswer(view, open, status, { chrome, model });
}

/** readsHtml tells whether a client reads pages: every browser names HTML, and no program that wants JSON does. */
export function readsHtml(accept: string | null): boolean {
  return (accept ?? "").includes("text/html");
}

/** prefersMarkdown tells whether a client would rather have Markdown than a page: no browser names it. */
export function prefersMarkdown(accept: string | null): boolean {
  if (accept?.includes("text/markdown") !== true) return false;
  return new Negotiator({ headers: { accept } }).mediaType(["text/html", "text/markdown"]) === "text/markdown";
}
