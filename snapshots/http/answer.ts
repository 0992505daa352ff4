/** The HTTP answer that follows from a view and a request and from nothing else: every public GET and HEAD route.
 *  What needs a secret, a body, a model or an identity is not here; the sidecar adds it. */
import { SHA256_PATTERN } from "#snapshots/digest";
import { ShelfError } from "#snapshots/errors";
import {
  hasTwin,
  isWithdrawalError,
  pagePath,
  parseKeyPath,
  PROBLEM_TYPE,
  problemBody,
  toShelfError,
  withdrawalAt,
  withdrawalError,
} from "#snapshots/format";
import { findByNumber, missingSnapshot, type OpenSnapshot } from "#snapshots/query";
import type { GoneThing } from "#snapshots/page";
import { isGated, isOf, type RoutePlace, splitTarget } from "#snapshots/routes";
import { admit } from "./admit.ts";
import { openContext } from "./context.ts";
import { findGone, notFoundAnswer, pageAnswer, prefersMarkdown, readsHtml } from "./page-answer.ts";
import { findReady } from "./prepared.ts";
import { type Answer, type AnswerRequest, CACHE, commonHeaders, plainAnswer, redirect, snapshotHeaders } from "./reply.ts";
import { type Context, type Handler, mountOf, type View, waitForFirst } from "./view.ts";

/** answer never throws: errors are problem bodies, never cached.
 *  @param request `target` begins with the path inside the view: the sidecar takes /internal off first
 *  @param place where that leads, where somebody has read it already */
export async function answer(view: View, request: AnswerRequest, place: RoutePlace = placeIn(view, request.target)): Promise<Answer> {
  return answerFrom(view, request, place, true);
}

/** Errors that may follow from a publication: it takes things out of service after the pointer has moved, perhaps before this process has followed
 *  it. */
const MAY_BE_GONE: ReadonlySet<string> = new Set(["snapshot_damaged", "search_unavailable"]);

/** @param again whether what may have gone is looked for once more, in what is served then */
async function answerFrom(view: View, request: AnswerRequest, place: RoutePlace, again: boolean): Promise<Answer> {
  let open: OpenSnapshot | null = null;
  let found: Answer;
  try {
    checkPath(pathOf(request));
    const handler = handlerOf(view, place);
    // The process answers for itself in any state.
    if (handler !== null && "live" in handler && place.at === null) {
      found = admit(request.method, place, true) ?? (await handler.live(view, request));
      open = view.peek();
    } else {
      open = await view.current();
      found = await (place.at === null ? nowAnswer(view, open, request, place) : atAnswer(view, open, request, place, place.at));
    }
  } catch (thrown) {
    const error = toShelfError(thrown);
    open ??= view.peek();
    if (again && MAY_BE_GONE.has(error.code) && (await hasMoved(view))) return answerFrom(view, request, place, false);
    found = await errorAnswer(view, open, request, await orNotice(view, open, place, error));
  }
  return withCommon(view, open, found);
}

/** placeIn finds where a target inside a view leads. The public view has nothing under /internal but what the sidecar answers in its place. */
export function placeIn(view: View, target: string): RoutePlace {
  const { router } = view.options.service;
  const place = router.findPlace(mountOf(view) + target);
  // A gated folder is of the sidecar whatever is in it; to a reader it has what its row says.
  const match = isGated(place) ? router.matchPath(place.path, place.mount) : place.match;
  if (place.mount === mountOf(view)) return { ...place, match };
  const described = match !== null && match.exact && "query" in match.route && match.route.views !== "public" && place.at === null;
  return described ? place : { ...place, mount: "", at: null, path: splitTarget(target)[0], match: null, access: "public" };
}

/** Looks at the shelf anew, and tells whether that was possible: another snapshot may be served now. */
async function hasMoved(view: View): Promise<boolean> {
  return view.refresh().then(
    () => true,
    () => false,
  );
}

/** refuse answers a request that is not begun. */
export async function refuse(view: View, request: AnswerRequest, error: ShelfError): Promise<Answer> {
  const open = view.peek();
  return withCommon(view, open, await errorAnswer(view, open, request, error));
}

function withCommon(view: View, open: OpenSnapshot | null, found: Answer): Answer {
  // Nothing of the gated view is kept by anybody, whatever made the answer: errors, redirects and 304 included.
  const kept = view.options.view === "internal" ? { "Cache-Control": CACHE.private } : {};
  return { ...found, headers: { ...commonHeaders(view.options.view, open?.snapshot.id ?? null), ...found.headers, ...kept } };
}

/** Returns the notice of a withdrawal in place of an error, where the address leads to nothing and the thing was withdrawn. */
async function orNotice(view: View, open: OpenSnapshot | null, { at, path }: RoutePlace, error: ShelfError): Promise<ShelfError> {
  const redacted = isWithdrawalError(error);
  if (error.status !== 404 && !redacted) return error;
  // An earlier snapshot may lack a file for its answer, because that was redacted for another thing's sake: the snapshot of now says for which.
  const data = await Promise.try(() => (at === null || redacted ? open : view.byId(at)))
    .then((one) => one?.snapshot.data())
    .catch(() => null);
  const notice = withdrawalAt(data?.withdrawn, path);
  return notice === null ? error : withdrawalError(notice);
}

async function errorAnswer(view: View, open: OpenSnapshot | null, request: AnswerRequest, error: ShelfError): Promise<Answer> {
  const missing = error.status === 404 || isWithdrawalError(error);
  const answer = await formOfError(view, open, request, error, missing);
  // A client is told of a missing page in the form that it asked for.
  return !missing || pathOf(request).startsWith("/api/") ? answer : chosenByAccept(answer);
}

/** chosenByAccept tells caches that a client which accepts something else is to be asked for anew. */
function chosenByAccept(answer: Answer): Answer {
  const { Vary: others } = answer.headers;
  if (others?.startsWith("Accept,") === true) return answer;
  return { ...answer, headers: { ...answer.headers, Vary: others === undefined ? "Accept" : `Accept, ${others}` } };
}

async function formOfError(
  view: View,
  open: OpenSnapshot | null,
  request: AnswerRequest,
  error: ShelfError,
  missing: boolean,
): Promise<Answer> {
  const path = pathOf(request);
  const gone = open === null || error.status !== 404 ? null : await findGone(view, open, path).catch(() => null);
  // A twin is told of in Markdown, as is whoever would rather have that; all else in the form that all errors have.
  const accept = request.header("accept");
  const isTold = path.endsWith("/index.md") && !/json/.test(accept ?? "");
  if (missing && (isTold || (prefersMarkdown(accept) && !path.startsWith("/api/")))) {
    return plainAnswer(request, error.status, missingTwin(error, gone, mountOf(view)), MARKDOWN_TYPE, error.headers);
  }
  const html = missing && readsHtml(request.header("accept")) && !path.startsWith("/api/") && !BESIDE.test(path);
  const page = html && open !== null ? await notFoundAnswer(view, open, path, error, gone).catch(() => null) : null;
  if (page !== null) return request.method === "HEAD" ? { ...page, body: null } : page;
  const library = await open?.snapshot.library().catch(() => null);
  const told =
    gone === null ? error : new ShelfError(error.code, `${error.message} ${saidOf(gone)}`, { fixes: linksOf(gone, mountOf(view)) });
  return problemAnswer(told, request, library?.base_url ?? view.options.baseUrl ?? "", open?.snapshot.id ?? null);
}

/** Addresses beside a page that programs ask for, whatever they accept. */
const BESIDE = /\/(?:feed|cite)\.json$/;
const MARKDOWN_TYPE = "text/markdown; charset=utf-8";

/** missingTwin says in Markdown what is not there, and where it was last. */
function missingTwin(error: ShelfError, gone: GoneThing | null, mount: string): string {
  const { message, fixes } = error;
  if (gone === null)
    return [isWithdrawalError(error) ? "# Withdrawn" : "# Not found", message, ...fixes.map((fix) => `- ${fix}`)].join("\n\n").concat("\n");
  return ["# Not there any more", saidOf(gone), ...linksOf(gone, mount).map((link) => `- ${link}`)].join("\n\n").concat("\n");
}

const saidOf = ({ sequence, created }: GoneThing): string => `It was here until snapshot ${sequence}, of ${created.slice(0, 10)}.`;

function linksOf({ last, diff }: GoneThing, mount: string): readonly string[] {
  return [last && `As it was last: ${mount}${last}`, diff && `What changed when it went: ${mount}${diff}`].filter((link) => link !== null);
}

function problemAnswer(error: ShelfError, request: AnswerRequest, baseUrl: string, snapshot: string | null): Answer {
  const body = problemBody(error, baseUrl, snapshot);
  if (error.code === "internal") console.error(`request ${body.request_id}:`, error.cause);
  return plainAnswer(request, error.status, JSON.stringify(body), PROBLEM_TYPE, error.headers);
}

function pathOf(request: AnswerRequest): string {
  return splitTarget(request.target)[0];
}

/** @throws ShelfError "bad_path" for what no path of ours can hold */
function checkPath(path: string): void {
  if (!path.startsWith("/")) throw new ShelfError("bad_path", "The path does not begin with a slash.");
  parseKeyPath(path);
}

/** Null for an effect, which another process answers, and for what has no row: that may be another spelling of a page. */
function handlerOf(view: View, { match, mount }: RoutePlace): Handler | null {
  const { handlers } = view.options.service;
  return mount === mountOf(view) && isOf(match, handlers) ? (handlers[match.route.id] ?? null) : null;
}

async function nowAnswer(view: View, open: OpenSnapshot | null, request: AnswerRequest, place: RoutePlace): Promise<Answer> {
  const handler = handlerOf(view, place);
  const early = admit(request.method, place, handler !== null);
  if (early !== null) return early;
  if (open !== null) return readAnswer(await openContext(view, open, place), request, place);
  if (handler === null || !("before" in handler) || handler.before === undefined) waitForFirst();
  return handler.before(view, request, place.match?.parts ?? {});
}

/** Any public path in a kept snapshot: immutable. */
async function atAnswer(view: View, current: OpenSnapshot | null, request: AnswerRequest, place: RoutePlace, id: string): Promise<Answer> {
  const { path, match, query } = place;
  const { memento } = view.options.service;
  const time = memento.parsePathTime(id);
  const top = mountOf(view);
  const rest = query === "" ? "" : `?${query}`;
  if (time !== null && current !== null) {
    return (
      admit(request.method, { ...place, match: null }, true) ??
      memento.timeAnswer(view, current.snapshot.record.sequence, time, top, path + rest)
    );
  }
  const numbered = current === null ? null : await findByNumber(view, id);
  if (numbered !== null)
    return (
      admit(request.method, { ...place, match: null }, true) ??
      redirect(302, top + pagePath.at(numbered, path + rest), CACHE[view.options.view === "internal" ? "private" : "live"])
    );
  const open = SHA256_PATTERN.test(id) ? await view.byId(id) : null;
  if (open === null) throw await missingSnapshot(view, id);
  // Kept snapshots are read, asked by meaning, and nothing else.
  if (match?.route.at === "none") throw new ShelfError("not_found", "Nothing is served at this path.");
  const early = admit(request.method, place, handlerOf(view, place) !== null);
  if (early !== null) return early;
  if (match?.route.at === "now") return redirect(307, (match.route.views === "both" ? top : "") + path + rest, CACHE.none);
  const context = await openContext(view, open, place);
  // Links on pages are relative: the front page of a snapshot has to end in a slash.
  if (path === "") return redirect(308, `${context.mount}/${rest}`, CACHE[context.cache]);
  const found = await readAnswer(context, request, place);
  const { record } = open.snapshot;
  return {
    ...found,
    headers: {
      ...found.headers,
      ...snapshotHeaders(id),
      ...memento.mementoHeaders(record.created, top, path + rest, found.headers["Link"]),
    },
  };
}

async function readAnswer(context: Context, request: AnswerRequest, place: RoutePlace): Promise<Answer> {
  if (!hasTwin(place.path)) return oneAnswer(context, request, place);
  // No cache keeps where a twin is: no browser may be sent one, whatever its cache thinks of Vary.
  const leads = prefersMarkdown(request.header("accept"));
  return chosenByAccept(
    leads ? redirect(302, `${context.mount}${place.path}index.md`, CACHE.none) : await oneAnswer(context, request, place),
  );
}

async function oneAnswer(context: Context, request: AnswerRequest, place: RoutePlace): Promise<Answer> {
  const known = findReady(context.view.prepared, context.basis, request);
  if (known !== null) {
    const { ready, held } = known;
    return held ? ready.unmodified : request.method === "HEAD" ? { ...ready.answer, body: null } : ready.answer;
  }
  const asked = { context, request, place };
  const beside = context.view.options.service.beside[place.match?.beside ?? ""];
  if (beside !== undefined) return beside(asked);
  const handler = handlerOf(context.view, place);
  return handler !== null && "read" in handler ? handler.read(asked) : pageAnswer(asked);
}
