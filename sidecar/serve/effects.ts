/** How the addresses of app.ts are answered: one function each, behind gate, methods and limit. */
import { SHA256_PATTERN } from "#snapshots/digest";
import { answer, type Answer, CACHE, isOfProcess, renderedAnswer, type View, waitForFirst } from "#snapshots/http";
import { pagePath, toShelfError } from "#snapshots/format";
import { askedPage, askedWith, askForm, chromeOf, isAsked } from "#snapshots/page";
import { DEFAULT_SEMANTIC_LIMIT, findByNumber, findSnapshot, missingSnapshot, type OpenSnapshot, parseSearch } from "#snapshots/query";
import { askResponse, wholeAnswer } from "#sidecar/ask";
import { jsonResponse, parseAskBody, parseAsked, parseReindexBody, rateLimited, toResponse } from "#sidecar/http";
import { codeAnswer } from "./code.ts";
import { addressOf, type Call, clientOf, type SidecarParts, viewOf } from "./passage.ts";

type Effect = (call: Call) => Promise<Response>;

export function openEffects(parts: SidecarParts) {
  const { publicView, internalView, limits, reindexer, codeStore: store } = parts;
  const bodyOf = async ({ req }: Call): Promise<Uint8Array> => new Uint8Array(await req.arrayBuffer());
  const records = async () => (await (await internalView.current())?.snapshot.data()) ?? null;

  const read: Effect = async (call) => {
    const { place } = call.env;
    const { path, query, mount, at } = place;
    const search = query === "" ? "" : `?${query}`;
    // Links are relative: without its last slash the front page would point outside the mount.
    if (mount !== "" && path === "" && at === null) return new Response(null, { status: 308, headers: { Location: `${mount}/${search}` } });
    const { method, headers } = call.req.raw;
    const target = addressOf({ ...place, mount: "" }) + search;
    const make = (): Promise<Answer> => answer(viewOf(parts, call), { method, target, header: (name) => headers.get(name) }, place);
    return isOfProcess(place) ? toResponse(await make()) : counted(call, make);
  };

  /** counted has its share of what the process holds for readers until the answer is sent or its connection gone. */
  async function counted({ env: { outgoing } }: Call, make: () => Promise<Answer>): Promise<Response> {
    const turn = await parts.admission.begin();
    outgoing?.once("close", () => turn.end());
    try {
      const made = await make();
      if (outgoing?.destroyed !== true) turn.hold(made.body);
      return toResponse(made);
    } finally {
      if (outgoing === undefined || outgoing.destroyed) turn.end();
    }
  }

  const ask: Effect = async (call) => {
    const { raw } = call.req;
    const of = viewOf(parts, call);
    const request = parseAskBody(await bodyOf(call), raw.headers.get("content-type"));
    const open = await (request.snapshot === undefined ? currentOf(of) : findSnapshot(of, request.snapshot));
    const gone = new AbortController();
    const events = parts.ask(request, open, AbortSignal.any([gone.signal, raw.signal]));
    const response = await askResponse(events, raw.headers.get("accept"), () => gone.abort());
    response.headers.set("X-Snapshot", open.snapshot.id);
    return response;
  };

  /** The page is an answer as soon as it has a question, which counts as one; its refusal is a page too. GET, because the same form then works
   *  where nothing answers. The question is in the address: nothing here may be cached, indexed or logged with its query. */
  const askPage: Effect = async (call) => {
    const { raw } = call.req;
    const params = new URLSearchParams(call.env.place.query);
    if (!isAsked(params)) return read(call);
    if (raw.method === "HEAD")
      return new Response(null, { headers: { "Content-Type": "text/html; charset=utf-8", "Cache-Control": CACHE.none } });
    const of = viewOf(parts, call);
    const open = await currentOf(of);
    const data = await open.snapshot.data();
    const verdict = limits.take("ask", clientOf(parts, call));
    let status = 200;
    let model = { ...askForm(data), ...askedWith(params) };
    try {
      if (!verdict.ok) throw rateLimited("ask");
      model = askedPage(data, await wholeAnswer(parts.ask(parseAsked(askedWith(params)), open, raw.signal)));
    } catch (thrown) {
      const problem = toShelfError(thrown);
      call.set("reason", problem.code);
      status = problem.status;
      model = { ...model, problem: problem.message };
    }
    const page = await renderedAnswer(of, open, status, { chrome: chromeOf(data, pagePath.ask), model });
    // A page is for its reader; scripts of other sites have POST /api/ask.
    const { "Access-Control-Allow-Origin": _, ...headers } = page.headers;
    return toResponse({ ...page, headers: { ...headers, ...verdict.headers, "X-Robots-Tag": "noindex" } });
  };

  const semantic: Effect = async (call) => {
    const { query: text, at } = call.env.place;
    const of = viewOf(parts, call);
    const open = await (at === null ? currentOf(of) : keptIn(of, at));
    const query = parseSearch(new URLSearchParams(text), DEFAULT_SEMANTIC_LIMIT);
    const found = await parts.semantic(query, open, call.req.raw.signal).catch(() => {
      return { mode: "unavailable" as const, notice: "Semantic search is not available at the moment; /api/search is.", results: [] };
    });
    const { id } = open.snapshot;
    return jsonResponse({ query: query.q, prefix: query.prefix, snapshot: id, ...found }, { "X-Snapshot": id });
  };

  return {
    ask,
    askPage,
    semantic,
    read,
    code: (call: Call) => counted(call, () => codeAnswer({ store, records }, call.req.raw.method, call.env.place.path)),
    async reindex(call: Call) {
      call.env.incoming?.socket.setTimeout(0);
      const summary = await reindexer.run(parseReindexBody(await bodyOf(call)));
      await Promise.all([publicView.refresh(), internalView.refresh()]);
      return jsonResponse(summary);
    },
    mcp(call: Call) {
      const client = clientOf(parts, call);
      return parts.mcp[viewOf(parts, call) === publicView ? "public" : "internal"](call.req.raw, (group) => limits.take(group, client).ok);
    },
  };
}

async function currentOf(of: View): Promise<OpenSnapshot> {
  return (await of.current()) ?? waitForFirst();
}

/** @param name that stands after /at/: a number or a whole id */
async function keptIn(of: View, name: string): Promise<OpenSnapshot> {
  const id = (await findByNumber(of, name)) ?? name;
  const open = SHA256_PATTERN.test(id) ? await of.byId(id) : null;
  if (open === null) throw await missingSnapshot(of, id);
  return open;
}
