/** How a server process is told what to serve: one message from the process that starts it. The starter has read the
 *  configuration; a server imports nothing that can, and the site server is sent nothing secret. */
import type { Catalog } from "./schema/resources.ts";

export type SiteServing = {
  readonly part: "site";
  readonly host: string;
  readonly port: number;
  /** Folder of the public root of the shelf. */
  readonly publicDir: string;
  /** Folder of the compiled pages. */
  readonly dist: string;
  readonly version: string;
};

/** From the server to its starter. `listing` asks for what the object store holds before the first snapshot. */
export type ServerMessage =
  | { readonly type: "ready"; readonly url: string; readonly snapshot: string | null }
  | { readonly type: "failed"; readonly message: string; readonly code: string | null }
  | { readonly type: "listing"; readonly id: number };

/** From the starter to the server. */
export type StarterMessage<Serving> =
  | { readonly type: "serve"; readonly serving: Serving }
  | { readonly type: "listing"; readonly id: number; readonly catalog: Catalog | null };

/** The first message of the starter, and a way to ask it for a listing.
 *  Only for a process that was started with a channel; another has nobody to ask. */
export function receiveServing<Serving>(): Promise<{ readonly serving: Serving; readonly listing: () => Promise<Catalog> }> {
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
