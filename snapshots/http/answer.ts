/** The HTTP answer that follows from a view and a request and from nothing else: every public GET and HEAD route.
 *  What needs a secret, a body, a model or an identity is not here; the sidecar adds it. */
import { canonicalJson, SHA256_PATTERN } from "../digest.ts";
import { ShelfError } from "../errors.ts";
import { formatKeyPath, objectPath, pagePath, parseKeyPath } from "../format/layout.ts";
import { PROBLEM_TYPE, problemBody, toShelfError } from "../format/problem.ts";
import { isWithdrawalError, withdrawalAt, withdrawalError } from "../format/withdrawn.ts";
import { QUERIES, type QueryRouteId } from "../query/bodies.ts";
import { isRows } from "../query/rows.ts";
import { missingSnapshot } from "../query/history.ts";
import type { OpenSnapshot } from "../query/open-snapshot.ts";
import type { CollectionCatalog } from "../schema/resources.ts";
import { type Match, matchRoute, matchService, splitAt } from "../routes/match.ts";
import { checkParameters } from "../routes/parameters.ts";
import type { FileRouteId, HistoryRouteId, LiveRouteId, Route } from "../routes/route.ts";
import { archiveAnswer } from "./archive-answer.ts";
import { capabilities, health } from "./capabilities.ts";
import type { Context } from "./context.ts";
import { chooseEncoding } from "./encoding.ts";
import { fileAnswer, noCollection, textContent } from "./file-answer.ts";
import { objectAnswer } from "./object-answer.ts";
import { notFoundAnswer, pageAnswer, readsHtml } from "./page-answer.ts";
import { HISTORY, mementoHeaders, parsePathTime, timeAnswer } from "./history-answer.ts";
import { preflight } from "./preflight.ts";
import { queryAnswer } from "./query-answer.ts";
import { type Answer, type AnswerRequest, CACHE, type CacheClass, commonHeaders, makeReady, redirect, reply } from "./reply.ts";
import { rowsAnswer } from "./rows-answer.ts";
import { shelfAnswer } from "./shelf-answer.ts";
import { atBasis, type View } from "./view.ts";

/** Never throws: errors are problem bodies, never cached.
 *  @param request `target` begins with the path inside the view: the sidecar takes /internal off first */
export async function answer(view: View, request: AnswerRequest): Promise<Answer> {
  const [path, query] = splitTarget(request.target);
  let open: OpenSnapshot | null = null;
  let found: Answer;
  try {
    checkPath(path);
    const match = matchRoute(path);
    // What the process says of itself it says in any state.
    if (isOf(match, LIVE)) {
      found = admit(view, request, match.route, query) ?? (await LIVE[match.route.id](view, request, liveCache(view)));
      open = view.peek();
    } else {
      open = await view.current();
      found = await dispatch(view, open, request, match, path, query);
    }
  } catch (thrown) {
    found = await errorAnswer(view, open, request, path, await orNotice(view, open, path, toShelfError(thrown)));
  }
  return withCommon(view, open, found);
}

/** The answer to a request that is not begun. */
export async function refuse(view: View, request: AnswerRequest, error: ShelfError): Promise<Answer> {
  const open = view.peek();
  return withCommon(view, open, await errorAnswer(view, open, request, splitTarget(request.target)[0], error));
}

function withCommon(view: View, open: OpenSnapshot | null, found: Answer): Answer {
  // Nothing of the gated view is kept by anybody, whatever made the answer: errors, redirects and 304 included.
  const kept = view.options.view === "internal" ? { "Cache-Control": CACHE.private } : {};
  return { ...found, headers: { ...commonHeaders(view.options.view, open?.snapshot.id ?? null), ...found.headers, ...kept } };
}

/** What was withdrawn has a notice where its address leads to nothing. */
async function orNotice(view: View, open: OpenSnapshot | null, path: string, error: ShelfError): Promise<ShelfError> {
  const redacted = isWithdrawalError(error);
  if (error.status !== 404 && !redacted) return error;
  const at = splitAt(path);
  // What an earlier snapshot needs for an answer may have been redacted for another thing's sake: what is served now says which.
  const data = await Promise.try(() => (at === null || redacted ? open : view.byId(at.id)))
    .then((one) => one?.snapshot.data())
    .catch(() => null);
  const notice = withdrawalAt(data?.withdrawn, at?.path ?? path);
  return notice === null ? error : withdrawalError(notice);
}

async function errorAnswer(
  view: View,
  open: OpenSnapshot | null,
  request: AnswerRequest,
  path: string,
  error: ShelfError,
): Promise<Answer> {
  const html = (error.status === 404 || isWithdrawalError(error)) && readsHtml(request.header("accept")) && !path.startsWith("/api/");
  const page = html && open !== null ? await notFoundAnswer(view, open, path, error).catch(() => null) : null;
  if (page !== null) return request.method === "HEAD" ? { ...page, body: null } : page;
  const library = await open?.snapshot.library().catch(() => null);
  return problemAnswer(error, request, library?.base_url ?? "", open?.snapshot.id ?? null);
}

function problemAnswer(error: ShelfError, request: AnswerRequest, baseUrl: string, snapshot: string | null): Answer {
  const body = problemBody(error, baseUrl, snapshot);
  if (error.code === "internal") console.error(`request ${body.request_id}:`, error.cause);
  return plainAnswer(request, error.status, JSON.stringify(body), PROBLEM_TYPE, error.headers);
}

function plainAnswer(
  request: AnswerRequest,
  status: number,
  text: string,
  type: string,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  const bytes = new TextEncoder().encode(text);
  return {
    status,
    headers: { "Cache-Control": CACHE.none, "Content-Type": type, "Content-Length": String(bytes.length), ...headers },
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

async function dispatch(
  view: View,
  current: OpenSnapshot | null,
  request: AnswerRequest,
  match: Match<Route> | null,
  path: string,
  query: string,
): Promise<Answer> {
  const at = splitAt(path);
  if (at !== null) return atAnswer(view, current, request, at.id, at.path, query);
  const early = admit(view, request, match?.route ?? matchService(path)?.route ?? null, query);
  if (early !== null) return early;
  if (current === null) return beforeFirst(view, request, match);
  const mount = view.options.view === "internal" ? "/internal" : "";
  const context: Context = { view, open: current, mount, cache: liveCache(view), basis: current.snapshot.id, room: null };
  return answerFrom(context, request, match, path, query);
}

function liveCache(view: View): CacheClass {
  return view.options.view === "internal" ? "private" : "live";
}

/** Any public path in a kept snapshot: immutable. */
async function atAnswer(
  view: View,
  current: OpenSnapshot | null,
  request: AnswerRequest,
  id: string,
  path: string,
  query: string,
): Promise<Answer> {
  const time = parsePathTime(id);
  const top = view.options.view === "internal" ? "/internal" : "";
  const rest = query === "" ? "" : `?${query}`;
  if (time !== null && current !== null) {
    return admit(view, request, null, "") ?? timeAnswer(view, current.snapshot.record.sequence, time, top, path + rest);
  }
  const open = SHA256_PATTERN.test(id) ? await view.byId(id) : null;
  if (open === null) throw await missingSnapshot(view, id);
  const match = matchRoute(path);
  // Kept snapshots are read, asked by meaning, and nothing else.
  if (match?.route.kind === "effect" && match.route.id !== "ai-search")
    throw new ShelfError("not_found", "Nothing is served at this path.");
  const early = admit(view, request, match?.route ?? null, query);
  if (early !== null) return early;
  if (match?.route.kind === "live") return redirect(307, (match.route.id === "health" ? "" : top) + path + rest, CACHE.none);
  const ofHistory = match?.route.kind === "history" || path.startsWith(pagePath.snapshots);
  if (ofHistory || match?.route.id === "shelf") return redirect(307, top + path + rest, CACHE.none);
  const mount = `${top}/at/${id}`;
  const cache: CacheClass = view.options.view === "internal" ? "private" : "immutable";
  // Links on pages are relative: the front page of a snapshot has to end in a slash.
  if (path === "") return redirect(308, `${mount}/${rest}`, CACHE[cache]);
  const found = await answerFrom({ view, open, mount, cache, basis: atBasis(id), room: "kept" }, request, match, path, query);
  const { record } = open.snapshot;
  return {
    ...found,
    headers: { ...found.headers, "X-Snapshot": id, ...mementoHeaders(record.created, top, path + rest, found.headers["Link"]) },
  };
}

/** Methods, and what other processes answer; parameters of a route are checked before anything is looked up.
 *  @returns the answer to a preflight, else null */
function admit(view: View, request: AnswerRequest, route: Route | null, query: string): Answer | null {
  if (request.method === "OPTIONS" && view.options.view === "public") return preflight(route);
  const methods: readonly string[] = route?.methods ?? ["GET", "HEAD"];
  if (!methods.includes(request.method)) {
    throw new ShelfError("method_not_allowed", `This path takes ${methods.join(" and ")}.`, { headers: { Allow: methods.join(", ") } });
  }
  if (route?.kind === "effect") {
    throw new ShelfError("not_configured", `This process serves files and queries; ${route.path} is served by the sidecar.`, {
      fixes: ["Send the request to the sidecar's address."],
    });
  }
  if (route !== null && route.id !== "browse") checkParameters(route, query);
  return null;
}

async function answerFrom(
  context: Context,
  request: AnswerRequest,
  match: Match<Route> | null,
  path: string,
  query: string,
): Promise<Answer> {
  if (isOf(match, HISTORY)) return HISTORY[match.route.id]({ context, request, match, path, query });
  if (isOf(match, QUERIES)) return queryAnswer(context, request, match, new URLSearchParams(query));
  if (match === null || match.route.id === "browse") return pageAnswer(context, request, path, query);
  if (match.route.id === "object") return objectRoute(context, request, match.parts["key"] ?? "", path);
  if (isRows(match.route.id)) return rowsAnswer(context, request, match.route.id);
  if (match.route.id === "archive") return archiveAnswer(context, request);
  // Spelled as it stands: the parts are decoded.
  if (match.route.id === "shelf") return shelfAnswer(context, request, path.slice("/shelf/".length));
  return fileAnswer(context, request, match as Match<Route<FileRouteId>>);
}

/** Whether a route is one of a table's. */
function isOf<Id extends QueryRouteId | HistoryRouteId | LiveRouteId>(
  match: Match<Route> | null,
  table: Readonly<Record<Id, unknown>>,
): match is Match<Route<Id>> {
  return match !== null && Object.hasOwn(table, match.route.id);
}

async function objectRoute(context: Context, request: AnswerRequest, key: string, path: string): Promise<Answer> {
  const entry = await context.open.snapshot.find(`objects/${key}`);
  if (entry?.kind !== "blob") {
    throw new ShelfError("object_not_found", "No object of this view has this key.", {
      fixes: ["List its prefix with /api/list.", "Look in /api/rejected."],
    });
  }
  if (path !== `/objects/${formatKeyPath(key)}`) return redirect(308, context.mount + objectPath(key), CACHE[context.cache]);
  return objectAnswer(context, key, entry, request);
}

const LIVE: Readonly<Record<LiveRouteId, (view: View, request: AnswerRequest, cache: CacheClass) => Promise<Answer>>> = {
  async health(view, request) {
    const body = await health(view);
    return plainAnswer(request, body.status === "fail" ? 503 : 200, JSON.stringify(body), "application/health+json");
  },
  async capabilities(view, request, cache) {
    const text = JSON.stringify(await capabilities(view));
    return jsonAnswer(view, request, text, view.peek() === null ? "none" : cache);
  },
};

/** Before the first publication only the catalog can be answered, from what the object store lists. */
async function beforeFirst(view: View, request: AnswerRequest, match: Match | null): Promise<Answer> {
  const { listing } = view.options;
  if (listing !== null && match?.route.id === "catalog") return jsonAnswer(view, request, canonicalJson(await listing()), "none");
  if (listing !== null && match?.route.id === "catalog-collection") {
    const { schema_version, snapshot, source, collections } = await listing();
    const collection = collections.find(({ id }) => id === match.parts["collection"]) ?? noCollection();
    const body: CollectionCatalog = { schema_version, snapshot, source, collection };
    return jsonAnswer(view, request, canonicalJson(body), "none");
  }
  throw new ShelfError("no_snapshot", "No snapshot has been published yet.", { fixes: ["Run a build, then try again."] });
}

async function jsonAnswer(view: View, request: AnswerRequest, text: string, cache: CacheClass): Promise<Answer> {
  const common = commonHeaders(view.options.view, view.peek()?.snapshot.id ?? null);
  return reply(
    request,
    await makeReady(textContent(text, "application/json", cache), chooseEncoding(request.header("accept-encoding")), common),
  );
}
