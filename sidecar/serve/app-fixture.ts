/** A whole sidecar on a free port for tests, over the small views, with a shelf and a store that count their calls. */
import { NO_MODELS } from "../mcp/fixture.ts";
import { openMcp } from "../mcp/handler.ts";
import { request as sendRequest, type IncomingHttpHeaders } from "node:http";
import { changed } from "../../snapshots/http/changed-fixture.ts";
import { listen, type Listening } from "../../snapshots/http/listen.ts";
import type { CodeStore } from "../../snapshots/shelf/code-store.ts";
import { openCodeStore } from "../../snapshots/code/code-store.ts";
import { openAdmission } from "../../snapshots/http/admission.ts";
import { type LogEntry, type SidecarParts } from "./passage.ts";
import { accessConfig, clock, readKeys } from "../gate/gate-fixture.ts";
import { openClients } from "../gate/client.ts";
import { openGate } from "../gate/gate.ts";
import { openAsk } from "../ask/library.ts";
import { noRateLimits } from "../http/limits.ts";
import { sidecarListener } from "./listener.ts";
import { openReindexer } from "./reindex.ts";
import { makeViews, type Views } from "./view-fixture.ts";

export type Reply = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: string };

export type Running = {
  readonly views: Views;
  readonly listening: Listening;
  readonly log: LogEntry[];
  /** Calls to the internal view and to the code store since the last look. */
  takeCalls(): number;
  /** Sends a target exactly as it is written. */
  send(method: string, target: string, headers?: Readonly<Record<string, string | string[]>>, body?: string | Uint8Array): Promise<Reply>;
};

/** makeParts gives an app what it needs, over small views, with nothing that is not asked for. */
export function makeParts(
  views: Pick<Views, "publicView" | "internalView">,
  log: LogEntry[],
  change: Partial<SidecarParts> = {},
): SidecarParts {
  return {
    publicView: views.publicView,
    internalView: views.internalView,
    signIn: { addresses: [], answer: () => null },
    codeStore: null,
    gate: openGate(accessConfig(), { now: clock, readKeys }),
    limits: noRateLimits,
    clientOf: openClients(null),
    admission: openAdmission(),
    accessLog: null,
    semantic: NO_MODELS.semantic,
    mcp: {
      public: openMcp({ ...NO_MODELS, view: views.publicView }),
      internal: openMcp({ ...NO_MODELS, view: views.internalView }),
    },
    ask: openAsk({ model: null, deadline: 1_000, delimiter: () => "delimiter" }),
    reindexer: openReindexer({ token: null, command: null, timeout: 1_000 }),
    baseUrl: "http://test",
    log: (entry) => log.push(entry),
    ...change,
  };
}

export async function startSidecar(change: Partial<SidecarParts> = {}, publish = true, alone = false, code?: string): Promise<Running> {
  const views = await makeViews(publish, code);
  let calls = 0;
  const count = <T>(value: T): T => {
    calls++;
    return value;
  };
  const internalView = changed(views.internalView, {
    current: () => count(views.internalView.current()),
    byId: (id) => count(views.internalView.byId(id)),
    records: () => count(views.internalView.records()),
    peek: () => count(views.internalView.peek()),
  });
  const store = openCodeStore({ kind: "directory", root: views.codeRoot });
  const codeStore: CodeStore = {
    stat: (ref) => count(store.stat(ref)),
    read: (ref) => count(store.read(ref)),
    open: (ref) => count(store.open(ref)),
    list: () => count(store.list()),
  };
  const log: LogEntry[] = [];
  const parts = makeParts({ ...views, internalView }, log, { codeStore, ...change });
  const listening = await listen(sidecarListener(parts, { alone }), { host: "127.0.0.1", port: 0 });
  return {
    views,
    listening,
    log,
    takeCalls() {
      const taken = calls;
      calls = 0;
      return taken;
    },
    send: (method, target, headers = {}, body) =>
      new Promise((resolve, reject) => {
        const message = sendRequest(
          { host: "127.0.0.1", port: listening.port, method, path: target, headers, agent: false },
          (response) => {
            let text = "";
            response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
            response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }));
            response.on("error", reject);
          },
        );
        message.on("error", reject);
        message.end(body);
      }),
  };
}
