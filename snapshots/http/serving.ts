/** How a server process is told what to serve: one message from the process that starts it. The starter has read the
 *  configuration; a server imports nothing that can, and the site server is sent nothing secret. */
import type { AccessConfig, Catalog } from "#snapshots/schema";
import type { CodeStorage } from "#snapshots/shelf";
import type { EmbeddingsConfig } from "#snapshots/embed";

/** OperationsServing is the address at which an operator's tools ask. */
export type OperationsServing = { readonly host: string; readonly port: number };

/** Settings of either server: its address, and what its operator watches it by. */
type Common = {
  /** Address of the service, for the addresses of problems. */
  readonly baseUrl: string;
  readonly operations: OperationsServing | null;
  /** True when public reads are logged, too. */
  readonly accessLog: boolean;
};

export type SiteServing = Common & {
  readonly part: "site";
  readonly host: string;
  readonly port: number;
  /** Folder of the public root of the shelf. */
  readonly publicDir: string;
  /** Folder of the compiled pages. */
  readonly dist: string;
  readonly version: string;
};

/** TrustProxy names the proxies in front that may say for whom they speak: their addresses and networks, or how many stand one behind the other. */
export type TrustProxy = readonly string[] | number | null;

/** SidecarServing is what the sidecar is told; its secrets are in its environment and in no message. */
export type SidecarServing = Common & {
  readonly part: "sidecar";
  readonly host: string;
  readonly port: number;
  readonly publicDir: string;
  readonly internalDir: string;
  readonly dist: string;
  readonly version: string;
  /** null closes every gated route; "development" lets a key in that this process makes for itself, on a host of this machine alone. */
  readonly access: AccessConfig | "development" | null;
  readonly answers: { readonly baseUrl: string; readonly model: string } | null;
  /** The model that made the vectors; queries go to the same one. */
  readonly embeddings: EmbeddingsConfig;
  readonly gateway: { readonly baseUrl: string } | null;
  readonly code: CodeStorage | null;
  /** Program and arguments of a rebuild that prints its summary as JSON; null when this process may not build. */
  readonly reindexCommand: readonly [program: string, ...args: string[]] | null;
  /** False behind a gateway that limits better. */
  readonly rateLimits: boolean;
  readonly trustProxy: TrustProxy;
  /** Only the sidecar's own routes: files, pages and queries come from site servers or a CDN. */
  readonly alone: boolean;
  /** Names besides baseUrl's under which the MCP endpoints may be called, and pages elsewhere that may call them. */
  readonly mcp: { readonly hosts: readonly string[]; readonly origins: readonly string[] };
};

/** A ServerMessage goes from the server to its starter. `listing` asks for what the object store holds before the first snapshot. */
export type ServerMessage =
  | {
      readonly type: "ready";
      readonly url: string;
      readonly snapshot: string | null;
      /** Lines for the operator. */
      readonly notes?: readonly string[];
      /** Lets in whoever started it; for no log. */
      readonly token?: string;
    }
  | { readonly type: "failed"; readonly message: string; readonly code: string | null }
  | { readonly type: "listing"; readonly id: number };

/** A StarterMessage goes from the starter to the server. */
export type StarterMessage<Serving> =
  | { readonly type: "serve"; readonly serving: Serving }
  | { readonly type: "listing"; readonly id: number; readonly catalog: Catalog | null }
  | { readonly type: "built"; readonly outcome: BuildOutcome; readonly seconds: number; readonly next: string }
  /** The access section was edited; holds from the next request on. Only the sidecar is sent it. */
  | { readonly type: "access"; readonly access: AccessConfig | null };

/** BuildOutcome is how a build of `serve --every` ended: "refused" is one that published nothing, for a reason of its own. */
export type BuildOutcome = "published" | "unchanged" | "refused" | "failed";

/** A BuildTally counts the builds that the starter made since it started. */
export type BuildTally = {
  readonly counts: Readonly<Record<BuildOutcome, number>>;
  /** Seconds that the last one took, by the clock; null before it. */
  readonly seconds: number | null;
  /** When the next one begins; null where that is not known. */
  readonly next: string | null;
};

/** A Starter answers what a server asks of the process that started it. */
export type Starter = {
  builds(): BuildTally;
  /** The listing of what the object store holds now. */
  listing(): Promise<Catalog>;
};

/** receiveServing returns the first message of the starter, and ways to ask it.
 *  It is only for a process that was started with a channel; another has nobody to ask. */
export function receiveServing<Serving extends Common>(
  onAccess: (access: AccessConfig | null) => void = () => undefined,
): Promise<{ readonly serving: Serving; readonly starter: Starter }> {
  const listings = openQuestions<Catalog | null>((id) => sendToStarter({ type: "listing", id }));
  let tally: BuildTally = { counts: { published: 0, unchanged: 0, refused: 0, failed: 0 }, seconds: null, next: null };
  const listing = async (): Promise<Catalog> => {
    const catalog = await listings.ask();
    if (catalog === null) throw new Error("the object store cannot be listed");
    return catalog;
  };
  return new Promise((resolve) => {
    process.on("message", (message: StarterMessage<Serving>) => {
      if (message.type === "serve") {
        const { serving } = message;
        resolve({ serving, starter: { builds: () => tally, listing } });
      } else if (message.type === "access") onAccess(message.access);
      else if (message.type === "built") {
        const { outcome, seconds, next } = message;
        tally = { counts: { ...tally.counts, [outcome]: tally.counts[outcome] + 1 }, seconds, next };
      } else listings.answer(message.id, message.catalog);
    });
  });
}

function openQuestions<Answer>(send: (id: number) => void) {
  const waiting = new Map<number, (answer: Answer) => void>();
  let next = 0;
  return {
    ask: (): Promise<Answer> =>
      new Promise((resolve) => {
        const id = next++;
        waiting.set(id, resolve);
        send(id);
      }),
    answer(id: number, answer: Answer): void {
      waiting.get(id)?.(answer);
      waiting.delete(id);
    },
  };
}

export function sendToStarter(message: ServerMessage): void {
  process.send?.(message);
}

/** stopWithStarter ends the process when it is told to, or when its starter is gone, after requests under way have been answered. */
export function stopWithStarter(close: () => Promise<void>): void {
  let stopping = false;
  const stop = (): void => {
    if (stopping) return;
    stopping = true;
    void close().finally(() => process.exit(0));
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  process.on("disconnect", stop);
}
