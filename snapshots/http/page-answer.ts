/** HTML: pages that the snapshot holds, pages that are made per request, their Markdown twins, and what they load. */
import { sha256 } from "../digest.ts";
import { ShelfError } from "../errors.ts";
import { CITATION_FILES, isPagePath, pageFile, pagePath, parseKeyPath, parseSlug } from "../format/layout.ts";
import { relationsOf } from "../format/relations.ts";
import { isWithdrawalError, replacementHref } from "../format/withdrawn.ts";
import type { Withdrawal } from "../schema/withdrawals.ts";
import { citation } from "../page/citations.ts";
import { markdownTwin, TWIN_FILE } from "../page/markdown-twin.ts";
import type { PageInput, PageModel, WithdrawalRow } from "../page/model.ts";
import { ICON_FILE } from "../page/renderer.ts";
import { requestPage } from "../page/request-pages.ts";
import { findStoredPage } from "../page/stored-pages.ts";
import type { OpenSnapshot } from "../query/open-snapshot.ts";
import { type Context, contentAnswer } from "./context.ts";
import { chooseEncoding } from "./encoding.ts";
import { textContent } from "./file-answer.ts";
import { historyContext } from "./history-answer.ts";
import type { Room } from "./prepared.ts";
import { type Answer, type AnswerRequest, CACHE, commonHeaders, type Content, queryTag, redirect, reply } from "./reply.ts";
import { pageLinks } from "./signposts.ts";
import { stampPage } from "./stamp.ts";
import type { View } from "./view.ts";

/** What a page may do: load its own scripts, styles and images, and nothing else. */
export const PAGE_POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; object-src 'none'; frame-src 'self'";
const HTML_TYPE = "text/html; charset=utf-8";
const PAGE_HEADERS = { "Content-Security-Policy": PAGE_POLICY };

/** What is at a path, before it is made. */
type Found = {
  /** Unknown parameters on pages are ignored but what they lead to is not kept: a stranger could fill the memory with them. */
  readonly keep: Room | null;
  make(): Promise<Content>;
};

/** @param query as sent, without its question mark
 *  @throws ShelfError "not_found", "not_configured", and what a page made per request throws */
export async function pageAnswer(context: Context, request: AnswerRequest, path: string, query: string): Promise<Answer> {
  // Pages of the history follow from all records, which a publication or a prune changes.
  const ofHistory = path.startsWith(pagePath.snapshots);
  const within = ofHistory ? await historyContext(context) : context;
  const known = within.view.prepared.get(within.basis, request.target, chooseEncoding(request.header("accept-encoding")));
  if (known !== null) return reply(request, known);
  const found = await findPage(within, path, query);
  if (found !== null) return contentAnswer(within, request, found.keep, found.make);
  const target = await findRedirect(within, path);
  if (target !== null) return redirect(308, context.mount + target + (query === "" ? "" : `?${query}`), CACHE[context.cache]);
  throw new ShelfError("not_found", "Nothing is served at this path.", {
    fixes: [`See ${context.mount}${pagePath.reference} for every path.`],
  });
}

async function findPage(context: Context, path: string, query: string): Promise<Found | null> {
  const { open, view, cache } = context;
  if (path.startsWith("/assets/") || path.startsWith("/pagefind/") || path === `/${ICON_FILE}`) return findAsset(context, path);
  // Pages that are stored are there whatever else of the snapshot was redacted.
  const requested = await requestPage(view, open, path, new URLSearchParams(query)).catch((error: unknown) => {
    if (error instanceof ShelfError && isWithdrawalError(error)) return null;
    throw error;
  });
  if (requested !== null) {
    const tag = requested.tag === null ? null : queryTag(open.snapshot.id, requested.tag);
    return { keep: query === "" ? "files" : "queries", make: () => rendered(context, requested.input, tag) };
  }
  const keep = query === "" ? "files" : null;
  if (path.endsWith(`/${TWIN_FILE}`)) {
    const input = await findInput(context, path.slice(0, -TWIN_FILE.length));
    const text = input === null ? null : await markdownTwin(open, input);
    return text === null ? null : { keep, make: async () => textContent(text, "text/markdown; charset=utf-8", cache) };
  }
  const [, page = "", file = ""] = /^(.*\/)([^/]+)$/s.exec(path) ?? [];
  const type = Object.hasOwn(CITATION_FILES, file) ? CITATION_FILES[file] : undefined;
  if (type !== undefined) {
    const input = await findInput(context, page);
    const text = input === null ? null : await citation(open, input, file);
    return text === null ? null : { keep, make: async () => textContent(text, type, cache) };
  }
  if (!isPagePath(path)) return null;
  const { snapshot } = open;
  if (await holdsPages(open)) {
    const entry = await snapshot.find(`pages/${pageFile(path)}`);
    if (entry?.kind !== "blob") return null;
    return { keep, make: async () => htmlContent(context, await stampPage(open, path, await snapshot.read(entry)), null) };
  }
  const input = await findInput(context, path);
  return input === null ? null : { keep, make: () => rendered(context, input, null) };
}

/** The internal view stores no pages: they are rendered from the same models when they are asked for. */
async function holdsPages(open: OpenSnapshot): Promise<boolean> {
  return (await open.snapshot.find("pages")) !== null;
}

async function findInput({ view, open }: Context, path: string): Promise<PageInput | null> {
  const { snapshot } = open;
  const read = async (key: string) => {
    const extract = await snapshot.extract(key);
    if (extract === null) throw new ShelfError("snapshot_damaged", "An object has no extract.");
    return extract;
  };
  const stored = findStoredPage(await snapshot.data(), path, { digest: () => "", read });
  return stored === null ? ((await requestPage(view, open, path, new URLSearchParams()))?.input ?? null) : stored.input();
}

async function rendered(context: Context, input: PageInput, tag: string | null): Promise<Content> {
  return htmlContent(context, await stampPage(context.open, input.chrome.path, await render(context.view, input)), tag);
}

function htmlContent({ cache }: Context, html: Uint8Array, tag: string | null): Content {
  return { bytes: html, type: HTML_TYPE, tag: tag ?? sha256(html), cache, headers: { ...PAGE_HEADERS, ...pageLinks(html) } };
}

async function render(view: View, input: PageInput): Promise<Uint8Array> {
  if (view.options.renderer === null) throw new ShelfError("not_configured", "This process renders no pages.");
  return (await view.options.renderer()).render(input);
}

/** Files named by their content stay reachable while a page of the snapshot before still asks for them. */
async function findAsset(context: Context, path: string): Promise<Found | null> {
  const { view, open } = context;
  const file = parseKeyPath(path.slice(1));
  const cache = path.startsWith("/assets/") && context.cache === "live" ? "immutable" : context.cache;
  for (const { snapshot } of [open, await previousOf(context)].filter((one) => one !== null)) {
    const entry = await snapshot.find(file);
    if (entry?.kind !== "blob") continue;
    const { type, sha256: tag } = entry;
    return { keep: "files", make: async () => ({ bytes: await snapshot.read(entry), type, tag, cache, headers: {} }) };
  }
  // Pages made per request come from the pages of this process, which may be newer than those of the snapshot.
  const own = (await view.options.renderer?.())?.assets.find((asset) => asset.path === file);
  if (own === undefined) return null;
  const { bytes, mediaType: type } = own;
  return { keep: "files", make: async () => ({ bytes, type, tag: sha256(bytes), cache, headers: {} }) };
}

async function previousOf({ view, open }: Context): Promise<OpenSnapshot | null> {
  const { previous } = open.snapshot.record;
  return previous === null ? null : view.byId(previous);
}

/** A path that means a page under another spelling: without its last slash, a key or prefix instead of its slug. */
async function findRedirect(context: Context, path: string): Promise<string | null> {
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
    return null;
  }
  if (path.endsWith("/")) return null;
  return `${path}/` === pagePath.snapshots || (await findInput(context, `${path}/`)) !== null ? `${path}/` : null;
}

/** A page that follows from more than the snapshot and the request: made now, kept by nobody.
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

/** @throws ShelfError when this process renders no pages */
export async function notFoundAnswer(view: View, open: OpenSnapshot, path: string, error: ShelfError): Promise<Answer> {
  return strayAnswer(view, open, path, error.status, { page: "not-found", detail: error.message, ...noticeOf(error) });
}

/** A page that stands at no path of its own. @param path of the request, which a stranger typed
 *  @throws ShelfError when this process renders no pages */
export async function strayAnswer(view: View, open: OpenSnapshot, path: string, status: number, model: PageModel): Promise<Answer> {
  const library = await open.snapshot.library();
  // Links are relative: the page has to know how deep it stands, and nothing else of its path.
  const depth = Math.max(0, path.split("/").length - 2);
  const chrome = { library: library.title, view: library.view, path: `/${"x/".repeat(Math.min(depth, 200))}`, canonical: null };
  return renderedAnswer(view, open, status, { chrome, model });
}

/** Whether who asks reads pages: every browser names HTML, and no program that wants JSON does. */
export function readsHtml(accept: string | null): boolean {
  return (accept ?? "").includes("text/html");
}
