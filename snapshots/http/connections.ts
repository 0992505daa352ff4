/** The connections of a server: one answer at a time on each, none for long for a client that hardly reads. At the end no answer that was asked
 *  for is lost. */
import { type IncomingMessage, type RequestListener, Server, type ServerResponse } from "node:http";

/** The least that a client has to take while an answer waits for it; bytes per second. */
const LEAST_RATE = 16 * 1024;
/** Stops accepting and nothing else. An HTTP server's own way to close cuts idle connections at once, and with them requests that are on
 *  their way. */
const { close: stopAccepting } = Object.getPrototypeOf(Server.prototype) as Pick<Server, "close">;
/** Requests that wait behind an answer, of all connections: some kilobytes each, and whoever sends one more loses its connection. */
const MAX_WAITING = 10_000;
/** How often connections without a request are looked for when the server stops. Milliseconds. */
const IDLE_CHECK_MS = 100;

type Socket = IncomingMessage["socket"];
type Connection = {
  /** The newest answer that was asked for, and how many are not sent yet. */
  last: ServerResponse | null;
  open: number;
  /** Requests whose turn has not come. */
  waiting: number;
  /** Since when bytes have been waiting for the client, and how many it had taken by then. */
  slow: { readonly since: number; readonly taken: number } | null;
};

export type Connections = {
  /** Answers a request when the answers before it on its connection have been taken: until then it is a few lines of headers. */
  answer(message: IncomingMessage, response: ServerResponse, listener: RequestListener): void;
  /** Accepts no more connections, answers what arrives on those that there are, and closes each after its next answer.
   *  @param options.farewell how long an idle client may go on to ask: it does not know yet that nobody listens. Milliseconds
   *  @param options.drain what is not sent by then is cut off; milliseconds
   *  @returns when all are closed */
  leave(options: { readonly farewell: number; readonly drain: number }): Promise<void>;
};

/** openConnections watches over the connections of a server.
 *  @param options.check how often the rate of readers is looked at; milliseconds
 *  @param options.leeway bytes that a reader may be behind the least rate */
export function openConnections(server: Server, { check, leeway }: { readonly check: number; readonly leeway: number }): Connections {
  const connections = new Map<Socket, Connection>();
  let leaving = false;
  let waiting = 0;
  /** Runs while there are connections: a server that nobody asks is not woken. */
  let watch: NodeJS.Timeout | undefined;

  server.on("connection", (socket: Socket) => {
    const connection: Connection = { last: null, open: 0, waiting: 0, slow: null };
    connections.set(socket, connection);
    watch ??= setInterval(look, check).unref();
    socket.once("close", () => {
      connections.delete(socket);
      waiting -= connection.waiting;
      if (connections.size === 0) rest();
    });
  });
  server.once("close", rest);

  function rest(): void {
    clearInterval(watch);
    watch = undefined;
  }

  function look(): void {
    const now = performance.now();
    for (const [socket, connection] of connections) {
      if (socket.writableLength === 0) {
        connection.slow = null;
        continue;
      }
      const taken = socket.bytesWritten - socket.writableLength;
      connection.slow ??= { since: now, taken };
      const { since, taken: before } = connection.slow;
      if (taken - before + leeway < (LEAST_RATE * (now - since)) / 1000) socket.destroy();
    }
  }

  return {
    answer(message, response, listener) {
      const connection = connections.get(message.socket);
      // Closed while what it had sent was read.
      if (connection === undefined || message.socket.destroyed) return;
      connection.last = response;
      connection.open++;
      response.once("close", () => connection.open--);
      const begin = (): void => {
        if (leaving && connection.last === response) response.shouldKeepAlive = false;
        listener(message, response);
      };
      if (response.socket !== null) return begin();
      connection.waiting++;
      if (++waiting > MAX_WAITING) message.socket.destroy();
      response.once("socket", () => {
        connection.waiting--;
        waiting--;
        // Not at once: others have their turn between the answers of one connection.
        setImmediate(() => response.destroyed || begin());
      });
    },
    async leave({ farewell, drain }) {
      leaving = true;
      const closed = new Promise<void>((resolve) => {
        // Connections that the system has accepted meanwhile are still handed over.
        setImmediate(() => stopAccepting.call(server, () => resolve()));
      });
      for (const { last, open } of connections.values()) if (open > 0 && last?.headersSent === false) last.shouldKeepAlive = false;
      const began = performance.now();
      const idle = setInterval(() => {
        if (performance.now() - began < farewell) return;
        // Requests that have arrived by now are read first.
        setImmediate(() => {
          for (const [socket, { open }] of connections) if (open === 0) socket.destroySoon();
        });
      }, IDLE_CHECK_MS);
      const end = setTimeout(() => server.closeAllConnections(), drain);
      await closed;
      clearInterval(idle);
      clearTimeout(end);
    },
  };
}
