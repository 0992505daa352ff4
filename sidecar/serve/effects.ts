/** How every row is answered that has an effect: one for each, by its id. Who may call it, what is counted and which methods it takes
 *  stands in its row. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { SHA256_PATTERN } from "../../snapshots/digest.ts";
import { ShelfError } from "../../snapshots/errors.ts";
import { type Admission, answer, type Answer, CACHE, isOfProcess, type View, waitForFirst } from "../../snapshots/http/index.ts";
import {
  DEFAULT_SEMANTIC_LIMIT,
  findByNumber,
  findSnapshot,
  missingSnapshot,
  type OpenSnapshot,
  parseSearch,
} from "../../snapshots/query/index.ts";
import type { EffectRouteId, Place } from "../../snapshots/routes/index.ts";
import type { CodeStore } from "../../snapshots/shelf/index.ts";
import { isAsked } from "../../snapshots/page/index.ts";
import { askPage } from "../ask/ask-page.ts";
import { askResponse } from "../ask/ask-response.ts";
import { MAX_ASK_BYTES, MAX_REINDEX_BYTES, parseAskBody, parseReindexBody, readBody } from "../http/body.ts";
import type { openClients } from "../gate/client.ts";
import { codeAnswer } from "./code.ts";
import type { Identity } from "../gate/gate.ts";
import { type Ask, wholeAnswer } from "../ask/library.ts";
import type { RateLimiter } from "../http/limits.ts";
import { shareAnswer } from "../mcp/origin.ts";
import type { McpEndpoint } from "../mcp/serve.ts";
import type { SemanticTool } from "../ask/semantic-tool.ts";
import type { Reindexer } from "./reindex.ts";
import { jsonResponse, toResponse } from "../http/respond.ts";

/** What effects work with. */
export type EffectParts = {
  readonly publicView: View;
  readonly internalView: View;
  readonly limits: RateLimiter;
  /** Who is counted where nobody has a name. */
  readonly clientOf: ReturnType<typeof openClients>;
  readonly ask: Ask;
  readonly semantic: SemanticTool;
  /** Endpoints over the two views; null when this process has none. */
  readonly mcp: { readonly public: McpEndpoint; readonly internal: McpEndpoint } | null;
  readonly codeStore: CodeStore | null;
  readonly reindexer: Reindexer;
  /** What this process holds for readers, gated or not. */
  readonly admission: Admission;
};

/** One request on its way through the app. */
export type Call = {
  readonly request: Request;
  readonly place: Place;
  /** The view that it is of. */
  readonly of: View;
  readonly incoming: IncomingMessage | undefined;
  readonly outgoing: Pick<ServerResponse, "once" | "destroyed"> | undefined;
  /** Null until the gate has let it in, and for whoever needs no name. */
  identity: Identity | null;
  /** For the log: why it was refused or failed. */
  reason: string | null;
};

export type Effect = {
  answer(call: Call): Promise<Response>;
  /** Counts itself, because its refusal is more than a problem body. */
  readonly counts?: true;
  /** Takes every method, because its protocol has its own words for those that it does not take. */
  readonly anyMethod?: true;
  /** Lets scripts of other sites read the answer: everybody's, or only those that it names. */
  share?(headers: Headers, origin: string | null): void;
};

/** Besides the effects, the page that is an answer as soon as it has a question. */
export type EffectId = EffectRouteId | "ask-page";

export function openEffects(parts: EffectParts): Readonly<Record<EffectId, Effect>> {
  const ask: Effect = { answer: (call) => askIn(parts, call), share: shareWithAll };
  const records = async () => (await (await parts.internalView.current())?.snapshot.data()) ?? null;
  return {
    ask,
    "person-ask": ask,
    "ai-search": { answer: (call) => semanticIn(parts, call), share: shareWithAll },
    "ask-page": { answer: (call) => askPageIn(parts, call), counts: true },
    code: {
      answer: (call) => counted(parts, call, () => codeAnswer({ store: parts.codeStore, records }, call.request.method, call.place.path)),
    },
    reindex: {
      async answer({ request, incoming }) {
        parts.reindexer.authorize(request.headers);
        incoming?.socket.setTimeout(0);
        const keys = parseReindexBody(await readBody(request, MAX_REINDEX_BYTES));
        const summary = await parts.reindexer.run(keys);
        await Promise.all([parts.publicView.refresh(), parts.internalView.refresh()]);
        return jsonResponse(summary);
      },
    },
    mcp: {
      anyMethod: true,
      answer(call) {
        const mcp = call.of === parts.publicView ? parts.mcp?.public : parts.mcp?.internal;
        if (mcp === undefined) throw new ShelfError("not_configured", "This process has no MCP endpoint.");
        const client = clientOf(parts, call);
        return mcp(call.request, (group) => parts.limits.take(group, client).ok);
      },
      share: (headers, origin) => shareAnswer(headers, origin, parts.mcp?.public.sharedWith ?? []),
    },
  };
}

/** Who is counted: the identity behind the gate, else the network of the client. */
export function clientOf(parts: Pick<EffectParts, "clientOf">, { identity, incoming }: Call): string {
  return identity === null ? parts.clientOf(incoming) : `${identity.kind} ${identity.name}`;
}

/** What the view itself answers. */
export async function readFrom(parts: EffectParts, call: Call): Promise<Response> {
  const { request, of, place } = call;
  const { path, query, mount, at } = place;
  const rest = query === "" ? "" : `?${query}`;
  // Links are relative: without its last slash the front page would point outside the mount.
  if (mount !== "" && path === "" && at === null) return new Response(null, { status: 308, headers: { Location: `${mount}/${rest}` } });
  const target = (at === null ? "" : `/at/${at}`) + path + rest;
  const read = (): Promise<Answer> => answer(of, { method: request.method, target, header: (name) => request.headers.get(name) }, place);
  return isOfProcess(place) ? toResponse(await read()) : counted(parts, call, read);
}

/** Has its share of what the process holds for readers until the answer is sent or its connection gone. */
async function counted({ admission }: EffectParts, { outgoing }: Call, make: () => Promise<Answer>): Promise<Response> {
  const turn = await admission.begin();
  outgoing?.once("close", () => turn.end());
  try {
    const made = await make();
    if (outgoing?.destroyed !== true) turn.hold(made.body);
    return toResponse(made);
  } finally {
    if (outgoing === undefined || outgoing.destroyed) turn.end();
  }
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

async function askIn(parts: EffectParts, { request: raw, of }: Call): Promise<Response> {
  const request = parseAskBody(await readBody(raw, MAX_ASK_BYTES), raw.headers.get("content-type"));
  const open = await (request.snapshot === undefined ? currentOf(of) : findSnapshot(of, request.snapshot));
  const gone = new AbortController();
  const events = parts.ask(request, open, AbortSignal.any([gone.signal, raw.signal]));
  const response = await askResponse(events, raw.headers.get("accept"), () => gone.abort());
  response.headers.set("X-Snapshot", open.snapshot.id);
  return response;
}

async function askPageIn(parts: EffectParts, call: Call): Promise<Response> {
  const { request: raw, of, place } = call;
  const params = new URLSearchParams(place.query);
  if (!isAsked(params)) return readFrom(parts, call);
  if (raw.method === "HEAD")
    return new Response(null, { headers: { "Content-Type": "text/html; charset=utf-8", "Cache-Control": CACHE.none } });
  const open = await currentOf(of);
  return askPage(of, params, {
    open,
    verdict: parts.limits.take("ask", clientOf(parts, call)),
    answer: (request) => wholeAnswer(parts.ask(request, open, raw.signal)),
    onProblem: ({ code }) => {
      call.reason = code;
    },
  });
}

async function semanticIn(parts: EffectParts, { request, of, place: { query: params, at } }: Call): Promise<Response> {
  const open = await (at === null ? currentOf(of) : keptIn(of, at));
  const query = parseSearch(new URLSearchParams(params), DEFAULT_SEMANTIC_LIMIT);
  const found = await parts.semantic(query, open, request.signal).catch(() => {
    return { mode: "unavailable" as const, notice: "Semantic search is not available at the moment; /api/search is.", results: [] };
  });
  return jsonResponse({ query: query.q, prefix: query.prefix, snapshot: open.snapshot.id, ...found }, { "X-Snapshot": open.snapshot.id });
}

const READABLE = "X-Snapshot, RateLimit, RateLimit-Policy, Retry-After";

function shareWithAll(headers: Headers): void {
  headers.set("Access-Control-Allow-Origin", "*");
  headers.set("Access-Control-Expose-Headers", READABLE);
}
