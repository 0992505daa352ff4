/** Everything that a sidecar process holds, put together from what it was told and from its environment. */
import { LIST_PAGE, MAX_LIMIT, MAX_QUERY, type OpenSnapshot } from "#snapshots/query";
import { randomBytes } from "node:crypto";
import type { RequestListener } from "node:http";
import { dirname, join } from "node:path";
import type { Logger } from "pino";
import { type AccessConfig, type Component, MAX_QUESTION } from "#snapshots/schema";
import { type CodeStore, openDirectoryShelf, type Shelf, watchPointer } from "#snapshots/shelf";
import { openCodeStore } from "#snapshots/code";
import { openEmbedder } from "#snapshots/embedders";
import { openIndex } from "#snapshots/index";
import { lazyRenderer } from "#snapshots/page";
import { openAccessLog, openAdmission, openView, type Runtime, type SidecarServing, type Starter, type View } from "#snapshots/http";
import {
  type AnswerModel,
  type AskTool,
  type Counting,
  limitModel,
  MODEL_DEADLINE,
  openAnswerModel,
  openAsk,
  openSemantic,
  QUERY_EMBEDDING_MS,
  type Semantic,
  wholeAnswer,
} from "#sidecar/ask";
import type { SidecarParts, SignInAddresses } from "./passage.ts";
import { MAX_ASK_BYTES, MAX_MCP_BYTES, noRateLimits, openRateLimiter, RATES } from "#sidecar/http";
import { type Gate, openClients } from "#sidecar/gate";
import { requestLog } from "./log.ts";
import { sidecarListener } from "./listener.ts";
import { MCP_RUNTIME, type McpEndpoint, openMcp } from "#sidecar/mcp";
import { openReindexer } from "./reindex.ts";
import { SERVICE } from "#snapshots/service";

/** Answers that a model writes at once; a local one slows down for everybody above it. */
const MAX_MODEL_CALLS = 4;
/** Milliseconds after which a rebuild is stopped: half the time between two scheduled ones. */
const REINDEX_TIMEOUT = 3 * 60 * 60_000;
/** Milliseconds for a query to a model that runs here: the first one after a pause starts its process. */
const PROCESS_QUERY_MS = 8_000;

export type Environment = {
  readonly REINDEX_TOKEN?: string | undefined;
  readonly AI_GATEWAY_ID?: string | undefined;
  readonly INFERENCE_API_KEY?: string | undefined;
  readonly SESSION_KEY?: string | undefined;
  readonly OIDC_CLIENT_SECRET?: string | undefined;
};

/** SidecarAnnexes is what annexes register with a sidecar: ../annexes.ts hands it in. */
export type SidecarAnnexes = {
  readonly counting: Counting;
  /** @param access asked each time, so a policy that is read again takes effect at once */
  openSignIn(
    access: () => AccessConfig | null,
    given: { readonly baseUrl: string; readonly env: Environment; readonly log: Pick<Logger, "warn">; readonly ended: string },
  ): SignIn;
  /** Lets whoever started this look at the gated view; null where others could reach what listens on a host. */
  openDevelopmentAccess(host: string): Promise<DevelopmentAccess | null>;
};

/** SignIn is a gate with the addresses at which somebody is let in. */
type SignIn = SignInAddresses & { readonly gate: Gate };

/** DevelopmentAccess is a gate for one's own look: at its address a link with the token is answered with a cookie, which counts as the token. */
export type DevelopmentAccess = SignIn & { readonly access: AccessConfig; readonly token: string };

type SidecarOptions = { readonly annexes: SidecarAnnexes; readonly starter?: Starter };
type Watcher = { countModelCall(outcome: string): void; countRebuild(outcome: string): void };

export type Sidecar = {
  readonly listener: RequestListener;
  readonly publicView: View;
  setAccess(access: AccessConfig | null): void;
  /** Lets in whoever started this, for a day; null where the configuration says who is let in. */
  readonly token: string | null;
  /** Tells of models and rebuilds, from now on. */
  watch(watcher: Watcher): void;
  /** Ends a rebuild that is under way; everything else goes on. */
  stop(): void;
  close(): Promise<void>;
};

/** openSidecar opens the sidecar.
 *  @param given the environment, in which a variable that is set but empty is not set */
export async function openSidecar(serving: SidecarServing, given: Environment, log: Logger, options: SidecarOptions): Promise<Sidecar> {
  const env: Environment = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ""));
  const { annexes } = options;
  const development = serving.access === "development" ? await annexes.openDevelopmentAccess(serving.host) : null;
  let access: AccessConfig | null = development?.access ?? (serving.access === "development" ? null : serving.access);
  const ended = join(dirname(serving.internalDir), "ended-sessions");
  const signIn = development ?? annexes.openSignIn(() => access, { baseUrl: serving.baseUrl, env, log, ended });
  let watcher: Watcher | null = null;
  const { model, notice } = openModel(serving, env, (outcome) => watcher?.countModelCall(outcome));
  const semantic = await openConfiguredSemantic(serving, env);
  const codeStore: CodeStore | null = serving.code === null ? null : openCodeStore(serving.code);
  const reindexToken = env.REINDEX_TOKEN ?? null;
  const reindexer = openReindexer({
    token: reindexToken,
    command: serving.reindexCommand,
    timeout: REINDEX_TIMEOUT,
    onEnd: (outcome) => watcher?.countRebuild(outcome),
    onFailure: (exitCode, trace) => log.error({ exitCode, trace }, "the rebuild failed"),
  });

  const components = async (open: OpenSnapshot | null): Promise<readonly Component[]> => [
    ...describeCore(serving, notice, model),
    await semantic.component(open),
    ...describeOptions(access, codeStore !== null, reindexToken !== null),
    describeGateway(serving, env.AI_GATEWAY_ID !== undefined),
  ];
  const runtime: Runtime = {
    nextBuild: () => options.starter?.builds().next ?? null,
    version: serving.version,
    components,
    limits: limitsOf(serving),
    // Read when asked: the access section can change while the process runs.
    get auth() {
      return {
        public: "none",
        internal:
          access === null ? "closed" : { token: access.headers.token, pair: [access.headers.clientId, access.headers.clientSecret] },
        code: access === null ? "closed" : "as /internal",
        reindex: reindexToken === null ? "closed" : "bearer",
      };
    },
    mcp: MCP_RUNTIME,
  };

  const { publicView, internalView } = openViews(serving, runtime, options.starter ?? null);
  // The pointer of the public root is the switch for both.
  const watching = watchPointer([serving.publicDir, serving.internalDir], () => {
    for (const view of [publicView, internalView]) void view.refresh().catch(() => undefined);
  });
  const ask = openAsk(
    { model, deadline: MODEL_DEADLINE, delimiter: () => randomBytes(12).toString("base64url") },
    semantic,
    annexes.counting,
  );
  const answers: AskTool = (request, open, signal) => wholeAnswer(ask(request, open, signal));
  const onError = (error: unknown): void => log.error({ err: error }, "an MCP call failed");
  const mcpOver = (view: View): McpEndpoint => openMcp({ view, semantic: semantic.tool, ...serving.mcp, ask: answers, onError });
  const logged = requestLog(log);
  const parts: SidecarParts = {
    publicView,
    internalView,
    gate: signIn.gate,
    signIn,
    ask,
    semantic: semantic.tool,
    codeStore,
    reindexer,
    mcp: { public: mcpOver(publicView), internal: mcpOver(internalView) },
    limits: serving.rateLimits ? openRateLimiter() : noRateLimits,
    clientOf: openClients(serving.trustProxy),
    admission: openAdmission(),
    baseUrl: serving.baseUrl,
    accessLog: serving.accessLog ? openAccessLog() : null,
    log: (entry) => (entry.status >= 500 ? logged.error(entry) : logged.info(entry)),
  };
  return {
    listener: sidecarListener(parts, { alone: serving.alone }),
    publicView,
    setAccess: (changed) => {
      if (serving.access !== "development") access = changed;
    },
    token: development?.token ?? null,
    watch: (changed) => {
      watcher = changed;
    },
    stop: () => {
      watching.close();
      reindexer.stop();
    },
    close: () => semantic.close(),
  };
}

const component = (name: string, status: Component["status"], note: string): Component => ({ name, status, note });

/** describeCore tells of files, search and answers. */
function describeCore({ alone }: SidecarServing, notice: string, model: AnswerModel | null): readonly Component[] {
  return [
    alone
      ? component("files", "bound", "served by site servers or a CDN beside this process")
      : component("files", "live", "catalog, claims, records, objects and pages from the snapshot"),
    component("full-text search", "live", "the snapshot's own index"),
    model === null
      ? component("answers", "wired (opt-in)", `${notice} See answers in proofshelf.yaml.`)
      : component("answers", "bound", `written by ${model.name} from cited excerpts`),
  ];
}

/** describeOptions tells of what is there where the configuration says so. */
function describeOptions(access: AccessConfig | null, hasCode: boolean, hasToken: boolean): readonly Component[] {
  const wired = (name: string, isThere: boolean, note: string, missing: string): Component =>
    isThere ? component(name, "live", note) : component(name, "wired (opt-in)", missing);
  const behind = access?.oidc === null ? "behind the access gateway" : "behind a sign-in of its own";
  return [
    wired("gated view", access !== null, behind, "closed: no access section is configured"),
    wired("code files", hasCode, "re-hashed before they are sent", "no exact-revision store is configured"),
    wired("reindex", hasToken, "POST /api/reindex", "REINDEX_TOKEN is not set"),
    component("mcp", "live", "read-only tools"),
  ];
}

function describeGateway({ gateway }: SidecarServing, isNamed: boolean): Component {
  const name = "ai gateway";
  if (!isNamed) return component(name, "wired (opt-in)", "AI_GATEWAY_ID is not set");
  if (gateway === null) return component(name, "unavailable", "AI_GATEWAY_ID is set, but gateway.baseUrl is not");
  return component(name, "bound", "answers go through it");
}

/** limitsOf returns what the document of capabilities says of limits. */
function limitsOf({ rateLimits }: SidecarServing): Runtime["limits"] {
  return {
    question_characters: MAX_QUESTION,
    ask_body_bytes: MAX_ASK_BYTES,
    mcp_body_bytes: MAX_MCP_BYTES,
    query_characters: MAX_QUERY,
    records_per_page: MAX_LIMIT,
    list_entries_per_page: LIST_PAGE,
    answer_deadline_ms: MODEL_DEADLINE,
    answers_at_once: MAX_MODEL_CALLS,
    ...(rateLimits
      ? Object.fromEntries(Object.entries(RATES).map(([group, rate]) => [`${group}_per_minute`, rate]))
      : { rate_limits: "off" }),
  };
}

function openViews(serving: SidecarServing, runtime: Runtime, starter: Starter | null) {
  const { publicDir, internalDir } = serving;
  const renderer = lazyRenderer(serving.dist);
  const open = (view: "public" | "internal", shelf: Shelf): View => {
    const listing = view === "public" ? (starter?.listing ?? null) : null;
    const index = () => openIndex(shelf.indexUri, shelf.sharedIndexUri);
    return openView({ view, shelf, baseUrl: serving.baseUrl, index, listing, renderer, runtime, service: SERVICE, now: Date.now });
  };
  const shared = openDirectoryShelf(publicDir);
  return {
    publicView: open("public", shared),
    internalView: open("internal", openDirectoryShelf(internalDir, shared)),
  };
}

async function openConfiguredSemantic({ embeddings, gateway }: SidecarServing, env: Environment): Promise<Semantic> {
  const { embedder, notice } = await openEmbedder(embeddings, { env, gateway, threads: 1, timeoutMs: QUERY_EMBEDDING_MS });
  const isElsewhere = embeddings.kind === "openai";
  return openSemantic({
    embedder,
    notice,
    model: isElsewhere ? embeddings.model : `the ${embeddings.kind} model`,
    limitMs: isElsewhere ? QUERY_EMBEDDING_MS : PROCESS_QUERY_MS,
  });
}

function openModel(
  serving: SidecarServing,
  env: Environment,
  count: (outcome: string) => void,
): { readonly model: AnswerModel | null; readonly notice: string } {
  const { answers, gateway } = serving;
  if (answers === null) return { model: null, notice: "No answer model is configured, so the best passages are quoted." };
  const { AI_GATEWAY_ID: id, INFERENCE_API_KEY: apiKey = null } = env;
  if (id !== undefined && gateway === null)
    return { model: null, notice: "AI_GATEWAY_ID is set, but gateway.baseUrl is not, so no answer model is asked." };
  const through = id === undefined || gateway === null ? null : { baseUrl: gateway.baseUrl, id };
  return { model: limitModel(openAnswerModel({ ...answers, apiKey, gateway: through }), MAX_MODEL_CALLS, count), notice: "" };
}
