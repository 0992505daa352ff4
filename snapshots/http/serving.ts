/** How a server process is told what to serve: one message from the process that starts it. The starter has read the
 *  configuration; a server imports nothing that can, and the site server is sent nothing secret. */
import type { AccessConfig } from "../schema/access.ts";
import type { CodeStorage } from "../shelf/code-store.ts";
import type { EmbeddingsConfig } from "../embed/config.ts";
import type { Catalog } from "../schema/resources.ts";

/** Where an operator's tools ask. */
export type OperationsServing = { readonly host: string; readonly port: number };

/** What is told of either server to its operator. */
type Watched = {
  readonly operations: OperationsServing | null;
  /** Whether public reads are logged, too. */
  readonly accessLog: boolean;
};

export type SiteServing = Watched & {
  readonly part: "site";
  readonly host: string;
  readonly port: number;
  /** Folder of the public root of the shelf. */
  readonly publicDir: string;
  /** Folder of the compiled pages. */
  readonly dist: string;
  readonly version: string;
};

/** Proxies in front, whose word on whom they speak for is taken: their addresses and networks, or how many stand one behind the other. */
export type TrustProxy = readonly string[] | number | null;

/** What the sidecar is told; its secrets are in its environment and in no message. */
export type SidecarServing = Watched & {
  readonly part: "sidecar";
  readonly host: string;
  readonly port: number;
  readonly publicDir: string;
  readonly internalDir: string;
  readonly dist: string;
  readonly version: string;
  /** Of the service, for the addresses of problems. */
  readonly baseUrl: string;
  /** null closes every gated route; "development" lets a key in that this process makes for itself. */
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

/** From the server to its starter. `listing` asks for what the object store holds before the first snapshot. */
export type ServerMessage =
  | {
      readonly type: "ready";
      readonly url: string;
      readonly snapshot: string | null;
      /** Lines for the operator. */
      readonly notes?: readonly string[];
    }
  | { readonly type: "failed"; readonly message: string; readonly code: string | null }
  | { readonly type: "listing"; readonly id: number };

/** From the starter to the server. */
export type StarterMessage<Serving> =
  | { readonly type: "serve"; readonly serving: Serving }
  | { readonly type: "listing"; readonly id: number; readonly catalog: Catalog | null }
  /** The access section was edited; holds from the next request on. Only the sidecar is sent it. */
  | { readonly type: "access"; readonly access: AccessConfig | null };

/** The first message of the starter, and a way to ask it for a listing.
 *  Only for a process that was started with a channel; another has nobody to ask. */
export function receiveServing<Serving>(
  onAccess: (access: AccessConfig | null) => void = () => undefined,
): Promise<{ readonly serving: Serving; readonly listing: () => Promise<Catalog> }> {
  const waiting = new Map<number, { resolve: (catalog: Catalog) => void; reject: (error: Error) => void }>();
  let next = 0;
  const listing = (): Promise<Catalog> =>
    new Promise((resolve, reject) => {
      const id = next++;
      waiting.set(id, { resolve, reject });
      sendToStarter({ type: "listing", id });
    });
  return new Promise((resolve) => {
    process.on("message", (message: StarterMessage<Serving>) => {
      if (message.type === "serve") resolve({ serving: message.serving, listing });
      else if (message.type === "access") onAccess(message.access);
      else {
        const asked = waiting.get(message.id);
        waiting.delete(message.id);
        if (message.catalog === null) asked?.reject(new Error("the object store cannot be listed"));
        else asked?.resolve(message.catalog);
      }
    });
  });
}

export function sendToStarter(message: ServerMessage): void {
  process.send?.(message);
}

/** Ends the process when it is told to, or when its starter is gone, after requests under way have been answered. */
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
