/** The HTTP answer that follows from a view and a request and from nothing else: every public GET and HEAD route.
 *  What needs a secret, a body, a model or an identity is not here; the sidecar adds it. */
import type { OpenSnapshot } from "../query/open-snapshot.ts";
import { LRUCache } from "lru-cache";
import { capabilities, health } from "./capabilities.ts";
import { canonicalJson, sha256, SHA256_PATTERN } from "../digest.ts";
import { ShelfError } from "../errors.ts";
import { formatKeyPath, objectPath, pageFile, pagePath, parseKeyPath, parseListPath, parseSlug } from "../format/layout.ts";
import { objectAnswer } from "./objects-answer.ts";
import type { PageInput } from "../page/model.ts";
import { agentFile } from "../page/agent-answer.ts";
import { relationsOf } from "../format/relations.ts";
import { requestPage } from "../page/request-pages.ts";
import { storedPages } from "../page/stored-pages.ts";
import { llmsText } from "../page/text-files.ts";
import { checkParameters } from "../routes/parameters.ts";
import { PROBLEM_TYPE, problemBody, toShelfError } from "../format/problem.ts";
import { parseCubId } from "../query/cubs.ts";
import { queryAnswer } from "./query-answer.ts";
import { evidenceBody } from "../tools/evidence-answer.ts";
import {
  type Answer,
  type AnswerRequest,
  CACHE,
  type CacheClass,
  chooseEncoding,
  commonHeaders,
  type Prepared,
  prepare,
  queryTag,
  reply,
} from "./reply.ts";
import type { Route } from "../routes/route.ts";
import { matchRoute } from "../routes/routes.ts";
import { stampJson, stampPage } from "./stamp.ts";
import type { View } from "./view.ts";

/** What a page may do: load its own scripts, styles and images, and nothing else. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; object-src 'none'; frame-src 'self'";
const HTML_TYPE = "text/html; charset=utf-8";

/** Prepared answers of one open snapshot, by target. Bytes; a page with its variants is about 30 kB. */
const MAX_PREPARED_BYTES = 64 * 1024 * 1024;
/** Of those that follow from more than a path: anybody can ask for as many as they like, and each only once. */
const MAX_QUERIED_BYTES = 4 * 1024 * 1024;
/** Beside the bytes themselves: headers in three forms, maps, functions. */
const PREPARED_OVERHEAD = 4096;

type Context = {
  readonly view: View;
  readonly open: OpenSnapshot;
  /** Site path of this view and, under /at, of the snapshot: "" or "/internal" or "/at/<id>". */
  readonly mount: string;
  readonly cache: CacheClass;
  /** Under /at a cache for one answer: old snapshots are seldom read, and never at speed. */
  readonly prepared: LRUCache<string, Prepared>;
};

/** Two, so that strangers' queries never push files out. */
type Caches = { readonly files: LRUCache<string, Prepared>; readonly queries: LRUCache<string, Prepared> };

const caches = new WeakMap<OpenSnapshot, Caches>();

function preparedOf(open: OpenSnapshot): Caches {
  let found = caches.get(open);
  if (found === undefined) {
    const sizeCalculation = (item: Prepared): number => item.size() + PREPARED_OVERHEAD;
    found = {
      files: new LRUCache({ maxSize: MAX_PREPARED_BYTES, sizeCalculation }),
      queries: new LRUCache({ maxSize: MAX_QUERIED_BYTES, sizeCalculation }),
    };
    caches.set(open, found);
  }
  return found;
}

/** An answer that is ready, without waiting; null when `answer` has to be asked. For the listener's fast path. */
export function readyAnswer(
  view: View,
  method: string,
  target: string,
  acceptEncoding: string | null,
  ifNoneMatch: string | null,
): Answer | null {
  if (method !== "GET") return null;
  const open = view.peek();
  const known = open === null ? undefined : caches.get(open);
  const prepared = known?.files.get(target) ?? known?.queries.get(target);
  if (prepared === undefined) return null;
  const encoding = chooseEncoding(acceptEncoding);
  const found = prepared.notModified(ifNoneMatch, encoding) ?? prepared.peek(encoding);
  return found === null ? null : withCommonHeaders(found, view.options.view, open?.snapshot.id ?? null);
}

/** Never throws: errors are problem bodies, never cached.
 *  @param request `target` begins with the path inside the view: the sidecar takes /internal off first */
export async function answer(view: View, request: AnswerRequest): Promise<Answer> {
  let snapshot: string | null = null;
  let baseUrl = "";
  let found: Answer;
  try {
    const [path, query] = splitTarget(request.target);
    checkPath(path);
    const current = await view.current();
    if (current !== null) {
      snapshot = current.snapshot.id;
      baseUrl = (await current.snapshot.data()).library.base_url;
    }
    found = await dispatch(view, current, request, path, query);
  } catch (thrown) {
    const error = toShelfError(thrown);
    found =
      error.status === 404 && acceptsHtml(request) && !request.target.startsWith("/api/")
        ? await notFoundPage(view, request, error).catch(() => problemAnswer(error, request, baseUrl, snapshot))
        : problemAnswer(error, request, baseUrl, snapshot);
  }
  return withCommonHeaders(found, view.options.view, snapshot);
}

const common = new WeakMap<Answer, { readonly snapshot: string | null; readonly answer: Answer }>();

/** Shared answers get their common headers once. */
function withCommonHeaders(found: Answer, view: "public" | "internal", snapshot: string | null): Answer {
  const known = common.get(found);
  if (known !== undefined && known.snapshot === snapshot) return known.answer;
  // Nothing of the gated view is kept by anybody, whatever made the answer: errors, redirects and 304 included.
  const kept = view === "internal" ? { "Cache-Control": CACHE.private } : {};
  const complete: Answer = { ...found, headers: { ...commonHeaders(view, snapshot), ...found.headers, ...kept } };
  common.set(found, { snapshot, answer: complete });
  return complete;
}

function problemAnswer(error: ShelfError, request: AnswerRequest, baseUrl: string, snapshot: string | null): Answer {
  const body = problemBody(error, baseUrl, snapshot);
  if (error.code === "internal") console.error(`request ${body.request_id}:`, error.cause);
  const bytes = new TextEncoder().encode(JSON.stringify(body));
  return {
    status: error.status,
    headers: {
      "Cache-Control": CACHE.none,
      "Content-Type": PROBLEM_TYPE,
      "Content-Length": String(bytes.length),
      ...error.headers,
    },
    body: request.method === "HEAD" ? null : bytes,
  };
}

function splitTarget(target: string): readonly [path: string, query: string] {
  const at = target.indexOf("?");
  return at < 0 ? [target, ""] : [target.slice(0, at), target.slice(at + 1)];
}

/** @throws ShelfError "bad_path" for what no path of ours can hold */
function checkPath(path: string): void {
  if (!path.startsWith("/")) throw new ShelfError("bad_path", "The path does not begin with a slash.");
  parseKeyPath(path);
}

function acceptsHtml(request: AnswerRequest): boolean {
  return (request.header("accept") ?? "").includes("text/html");
}

async function dispatch(view: View, current: OpenSnapshot | null, request: AnswerRequest, path: string, query: string): Promise<Answer> {
  const at = /^\/at\/([^/]*)(\/.*)?$/.exec(path);
  if (at !== null) return answerAt(view, request, at[1] ?? "", at[2] ?? "", query);
  if (path === "/health") return healthAnswer(view, request, query);
  const route = matchRoute(apiPath(path));
  allow(request, route);
  if (route?.kind === "effect") throw elsewhere(route);
  if (current === null) return beforeFirst(view, request, route);
  const mount = view.options.view === "internal" ? "/internal" : "";
  const cache: CacheClass = view.options.view === "internal" ? "private" : "live";
  const { files, queries } = preparedOf(current);
  const prepared = query !== "" || route?.kind === "query" ? queries : files;
  return answerFrom({ view, open: current, mount, cache, prepared }, request, path, query, route);
}

/** `/api/catalog.json` is the same file as `/api/catalog`: a static host needs the ending. */
function apiPath(path: string): string {
  if (parseListPath(path) !== null) return "/api/list";
  if (!path.startsWith("/api/") || !path.endsWith(".json") || path === "/api/openapi.json" || path === "/api/cubs.json") return path;
  return path.slice(0, -".json".length);
}

/** The query of a listing that is asked for by its path. */
function withPrefix(path: string, query: string): string {
  const prefix = parseListPath(path);
  return prefix === null ? query : `prefix=${encodeURIComponent(prefix)}${query === "" ? "" : `&${query}`}`;
}

function elsewhere(route: Route): ShelfError {
  return new ShelfError("not_configured", `This process serves files and queries; ${route.path} is served by the sidecar.`, {
    fixes: ["Send the request to the sidecar's address."],
  });
}

/** Any public path in a kept snapshot: immutable. */
async function answerAt(view: View, request: AnswerRequest, id: string, path: string, query: string): Promise<Answer> {
  const open = SHA256_PATTERN.test(id) ? await view.byId(id) : null;
  if (open === null) {
    throw new ShelfError("snapshot_not_found", "No snapshot with this id is kept.", {
      fixes: [`See ${pagePath.snapshots} for those that are.`],
    });
  }
  const route = matchRoute(apiPath(path));
  allow(request, route);
  const top = view.options.view === "internal" ? "/internal" : "";
  const rest = query === "" ? "" : `?${query}`;
  const live = path === "/health" || path === "/api/capabilities" || path.startsWith(pagePath.snapshots);
  if (live) return redirect(307, (path === "/health" ? "" : top) + path + rest, CACHE.none);
  if (route?.kind === "effect") throw elsewhere(route);
  const mount = `${top}/at/${id}`;
  const cache: CacheClass = view.options.view === "internal" ? "private" : "immutable";
  // Links on pages are relative: the front page of a snapshot has to end in a slash.
  if (path === "") return redirect(308, `${mount}/${rest}`, CACHE[cache]);
  const found = await answerFrom({ view, open, mount, cache, prepared: new LRUCache({ max: 1 }) }, request, path, query, route);
  return { ...found, headers: { ...found.headers, "X-Snapshot": id } };
}

async function answerFrom(context: Context, request: AnswerRequest, path: string, query: string, route: Route | null): Promise<Answer> {
  if (route !== null && route.id !== "browse") {
    checkParameters(route, query);
    if (route.id === "capabilities") return capabilitiesAnswer(context, request);
    if (route.id === "object") return objectRoute(context, request, path);
    if (route.id === "digest" || route.id === "proof") return evidenceAnswer(context, request, path, route.id);
    if (route.kind === "query") return queryAnswer(context, request, route, withPrefix(path, query));
    return fileAnswer(context, request, route, path);
  }
  return pageAnswer(context, request, path, query);
}

function allow(request: AnswerRequest, route: Route | null): void {
  const methods: readonly string[] = route?.methods ?? ["GET", "HEAD"];
  if (!methods.includes(request.method)) {
    throw new ShelfError("method_not_allowed", `This path takes ${methods.join(" and ")}.`, { headers: { Allow: methods.join(", ") } });
  }
}

/** Before the first publication only the catalog can be answered, from what the object store lists. */
async function beforeFirst(view: View, request: AnswerRequest, route: Route | null): Promise<Answer> {
  if (route?.id === "catalog" && view.options.listing !== null) {
    const bytes = new TextEncoder().encode(canonicalJson(await view.options.listing()));
    return reply(request, prepare({ bytes, type: "application/json", tag: sha256(bytes), headers: {} }, "none"));
  }
  if (route?.id === "capabilities") return jsonAnswer(request, await capabilities(view), "none");
  throw new ShelfError("no_snapshot", "No snapshot has been published yet.", { fixes: ["Run a build, then try again."] });
}

async function healthAnswer(view: View, request: AnswerRequest, query: string): Promise<Answer> {
  const route = matchRoute("/health");
  allow(request, route);
  if (route !== null) checkParameters(route, query);
  const body = await health(view);
  const bytes = new TextEncoder().encode(JSON.stringify(body));
  return {
    status: body.status === "fail" ? 503 : 200,
    headers: { "Cache-Control": CACHE.none, "Content-Type": "application/health+json", "Content-Length": String(bytes.length) },
    body: request.method === "HEAD" ? null : bytes,
  };
}

async function capabilitiesAnswer(context: Context, request: AnswerRequest): Promise<Answer> {
  return jsonAnswer(request, await capabilities(context.view), context.cache);
}

function jsonAnswer(request: AnswerRequest, value: unknown, cache: CacheClass): Promise<Answer> {
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  return reply(request, prepare({ bytes, type: "application/json", tag: sha256(bytes), headers: {} }, cache));
}

async function evidenceAnswer(context: Context, request: AnswerRequest, path: string, route: "digest" | "proof"): Promise<Answer> {
  const known = context.prepared.get(request.target);
  if (known !== undefined) return reply(request, known);
  const { snapshot } = context.open;
  const bytes = new TextEncoder().encode(canonicalJson(await evidenceBody(snapshot, route, path)));
  const prepared = prepare({ bytes, type: "application/json", tag: sha256(bytes), headers: {} }, context.cache);
  context.prepared.set(request.target, prepared);
  return reply(request, prepared);
}

function redirect(status: 307 | 308, location: string, cache: string): Answer {
  // The query comes along as it was sent: whatever a header cannot carry is escaped.
  const safe = location.toWellFormed().replaceAll(/[^\x21-\x7e]/gu, encodeURIComponent);
  return { status, headers: { Location: safe, "Cache-Control": cache, "Content-Length": "0" }, body: null };
}

async function objectRoute(context: Context, request: AnswerRequest, path: string): Promise<Answer> {
  const raw = path.slice("/objects/".length);
  const key = parseKeyPath(raw);
  const entry = await context.open.snapshot.find(`objects/${key}`);
  if (entry?.kind !== "blob") {
    throw new ShelfError("object_not_found", "No object of this view has this key.", {
      fixes: ["List its prefix with /api/list.", "Look in /api/rejected."],
    });
  }
  if (formatKeyPath(key) !== raw) return redirect(308, context.mount + objectPath(key), CACHE[context.cache]);
  return objectAnswer(context.open.snapshot, key, entry, request, context.cache);
}

/** Where a file route's bytes lie in the tree. */
async function filePath(context: Context, route: Route, path: string): Promise<string> {
  const data = await context.open.snapshot.data();
  if (route.group === "registry" && data.meta === null) {
    throw new ShelfError("registry_unavailable", "The registry could not be read when this snapshot was built.");
  }
  if (route.id === "cub" || route.id === "cub-code") {
    const id = parseCubId(decodeURIComponent(path.split("/")[3] ?? "").replace(/\.json$/, ""));
    if (!relationsOf(data).recordById.has(id)) {
      throw new ShelfError("cub_not_found", `No record has the id ${id} in this snapshot.`, {
        fixes: ["Search /api/cubs.", "Look in /api/rejected."],
      });
    }
    return route.id === "cub" ? `api/cubs/${id}.json` : `api/cubs/${id}/code.json`;
  }
  if (route.path.startsWith("/api/"))
    return `${apiPath(route.path)
      .slice(1)
      .replace(/\.json$/, "")}.json`;
  return `pages${route.path}`;
}

async function fileAnswer(context: Context, request: AnswerRequest, route: Route, path: string): Promise<Answer> {
  const known = context.prepared.get(request.target);
  if (known !== undefined) return reply(request, known);
  const { snapshot } = context.open;
  const data = await snapshot.data();
  const file = await filePath(context, route, path);
  const entry = await snapshot.find(file);
  let prepared: Prepared;
  if (entry?.kind === "blob") {
    const stored = await snapshot.read(entry);
    // The one stored body that has a snapshot field; the others keep the digest of their file as validator.
    const stamped = route.id === "catalog";
    const bytes = stamped ? stampJson(snapshot.id, stored) : stored;
    prepared = prepare({ bytes, type: entry.type, tag: stamped ? sha256(bytes) : entry.sha256, headers: {} }, context.cache);
  } else if (route.id === "llms") {
    const bytes = new TextEncoder().encode(llmsText(data));
    prepared = prepare({ bytes, type: "text/plain; charset=utf-8", tag: sha256(bytes), headers: {} }, context.cache);
  } else {
    const made = await agentContent(context, path);
    if (made === null) throw new ShelfError("not_found", "This view does not have that file.");
    prepared = made;
  }
  context.prepared.set(request.target, prepared);
  return reply(request, prepared);
}

const PAGE_HEADERS = { "Content-Security-Policy": PAGE_POLICY };

async function pageAnswer(context: Context, request: AnswerRequest, path: string, query: string): Promise<Answer> {
  const known = context.prepared.get(request.target);
  if (known !== undefined) return reply(request, known);
  const requested = await requestPage(context.view, context.open, path, new URLSearchParams(query));
  const prepared = requested === null ? await storedPage(context, path) : await renderedPage(context, requested.input, requested.tag);
  if (prepared !== null) {
    // Unknown parameters on pages are ignored but never remembered: a stranger could fill the memory with them.
    if (query === "" || requested !== null) context.prepared.set(request.target, prepared);
    return reply(request, prepared);
  }
  const target = await findRedirect(context, path);
  if (target !== null) return redirect(308, context.mount + target + (query === "" ? "" : `?${query}`), CACHE[context.cache]);
  throw new ShelfError("not_found", "Nothing is served at this path.", {
    fixes: [`See ${context.mount}${pagePath.reference} for every path.`],
  });
}

async function storedPage(context: Context, path: string): Promise<Prepared | null> {
  const { snapshot } = context.open;
  if (path.startsWith("/assets/") || path.startsWith("/pagefind/")) return assetFile(context, path);
  const page = (await storedInputs(context.open)).get(path);
  if (page === undefined) return agentContent(context, path);
  const entry = await snapshot.find(`pages/${pageFile(path)}`);
  // A view whose pages are not stored (the internal one) has them rendered from the same models.
  if (entry?.kind !== "blob") return renderedPage(context, await page(), null);
  const html = await stampPage(context.open, path, await snapshot.read(entry));
  return prepare({ bytes: html, type: HTML_TYPE, tag: sha256(html), headers: PAGE_HEADERS }, context.cache);
}

async function agentContent(context: Context, path: string): Promise<Prepared | null> {
  const made = await agentFile(context.open, path, async (page) => {
    const stored = (await storedInputs(context.open)).get(page);
    return stored === undefined ? ((await requestPage(context.view, context.open, page, new URLSearchParams()))?.input ?? null) : stored();
  });
  return made === null ? null : prepare({ bytes: made.bytes, type: made.type, tag: sha256(made.bytes), headers: {} }, context.cache);
}

async function renderedPage(context: Context, input: PageInput, tag: string | null): Promise<Prepared> {
  const html = await stampPage(context.open, input.chrome.path, await render(context.view, input));
  return prepare(
    { bytes: html, type: HTML_TYPE, tag: tag === null ? sha256(html) : queryTag(context.open.snapshot.id, tag), headers: PAGE_HEADERS },
    context.cache,
  );
}

function render(view: View, input: PageInput): Promise<Uint8Array> {
  if (view.options.renderer === null) throw new ShelfError("not_configured", "This process renders no pages.");
  return view.options.renderer().then((renderer) => renderer.render(input));
}

const inputs = new WeakMap<OpenSnapshot, Promise<ReadonlyMap<string, () => Promise<PageInput>>>>();

/** Path → model of every stored page, listed once for an open snapshot. */
function storedInputs(open: OpenSnapshot): Promise<ReadonlyMap<string, () => Promise<PageInput>>> {
  let known = inputs.get(open);
  if (known === undefined) {
    known = open.snapshot.data().then((data) => {
      const extract = async (key: string) => {
        const found = await open.snapshot.extract(key);
        if (found === null) throw new ShelfError("snapshot_damaged", "An object has no extract.");
        return found;
      };
      return new Map([...storedPages(data, () => "", extract)].map((page) => [page.path, () => page.input()]));
    });
    inputs.set(open, known);
  }
  return known;
}

/** Files named by their content stay reachable while a page of the snapshot before still asks for them. */
async function assetFile(context: Context, path: string): Promise<Prepared | null> {
  const file = decodeURIComponent(path.slice(1));
  const { snapshot } = context.open;
  let entry = await snapshot.find(file);
  let from = snapshot;
  if (entry === null && snapshot.record.previous !== null) {
    const before = await context.view.byId(snapshot.record.previous);
    if (before !== null) {
      entry = await before.snapshot.find(file);
      from = before.snapshot;
    }
  }
  const cache = path.startsWith("/assets/") && context.cache === "live" ? "immutable" : context.cache;
  if (entry?.kind === "blob") return prepare({ bytes: await from.read(entry), type: entry.type, tag: entry.sha256, headers: {} }, cache);
  // Pages made per request come from the pages of this process, which may be newer than those of the snapshot.
  const own = (await context.view.options.renderer?.())?.assets.find((asset) => asset.path === file);
  return own === undefined ? null : prepare({ bytes: own.bytes, type: own.mediaType, tag: sha256(own.bytes), headers: {} }, cache);
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
  const pages = await storedInputs(context.open);
  return pages.has(`${path}/`) || `${path}/` === pagePath.snapshots ? `${path}/` : null;
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

async function notFoundPage(view: View, request: AnswerRequest, error: ShelfError): Promise<Answer> {
  const open = await view.current();
  if (open === null) throw error;
  const { library } = await open.snapshot.data();
  // Links are relative: the page has to know how deep it stands. Its own path may be anything a stranger typed.
  const depth = Math.max(0, splitTarget(request.target)[0].split("/").length - 2);
  const path = `/${"x/".repeat(Math.min(depth, 200))}`;
  const html = await render(view, {
    chrome: { library: library.title, view: library.view, path, canonical: null },
    model: { page: "not-found", detail: error.message },
  });
  return {
    status: 404,
    headers: { "Cache-Control": CACHE.none, "Content-Type": HTML_TYPE, "Content-Length": String(html.length), ...PAGE_HEADERS },
    body: request.method === "HEAD" ? null : html,
  };
}
