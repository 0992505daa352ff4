/** Answers that are ready, by the snapshot and the target that they follow from: asked for again, they cost a look-up. */
import { LRUCache } from "lru-cache";
import { chooseEncoding, type Encoding } from "./encoding.ts";
import type { AnswerRequest, Ready } from "./reply.ts";

/** Bytes that each kind of answer may take, so that one never pushes out another. */
const ROOM = {
  /** Files and pages of the snapshot that is served. */
  files: 64 * 1024 * 1024,
  /** Compressed objects. */
  objects: 16 * 1024 * 1024,
  /** Answers to queries: anybody can ask for as many as they like, and each but once. */
  queries: 4 * 1024 * 1024,
  /** Answers under /at. */
  kept: 32 * 1024 * 1024,
} as const;
/** Bytes that an answer takes beside its body: headers, key, the map's own. */
const OVERHEAD = 4096;

/** With the header lists as Node's writeHead takes them, flat. */
type Prepared = Ready & { readonly head: readonly string[]; readonly unmodifiedHead: readonly string[] };

export type PreparedRoom = keyof typeof ROOM;

export type PreparedStore = {
  /** @param basis what the answer follows from besides its target: a snapshot's id, or that and the shelf's history */
  get(basis: string, target: string, encoding: Encoding): Prepared | null;
  /** The answer of that name, as it is ready or made once however many ask for it meanwhile. A failure is not remembered.
   *  @param room null keeps it only until it has been made */
  obtain(room: PreparedRoom | null, basis: string, target: string, encoding: Encoding, make: () => Promise<Ready>): Promise<Ready>;
  /** Drops what follows from a snapshot. @param start of a basis */
  forget(start: string): void;
};

export function openPreparedStore(): PreparedStore {
  const sizeCalculation = ({ answer }: Prepared): number => (answer.body as Uint8Array).length + OVERHEAD;
  const openRoom = (maxSize: number): LRUCache<string, Prepared> => new LRUCache({ maxSize, sizeCalculation });
  const rooms = {
    files: openRoom(ROOM.files),
    objects: openRoom(ROOM.objects),
    queries: openRoom(ROOM.queries),
    kept: openRoom(ROOM.kept),
  };
  const making = new Map<string, Promise<Ready>>();
  const find = (key: string): Prepared | null =>
    rooms.files.get(key) ?? rooms.objects.get(key) ?? rooms.queries.get(key) ?? rooms.kept.get(key) ?? null;

  const keep = (room: PreparedRoom, key: string, ready: Ready): void => {
    const [head = [], unmodifiedHead = []] = [ready.answer, ready.unmodified].map(({ headers }) => Object.entries(headers).flat());
    rooms[room].set(key, { ...ready, head, unmodifiedHead });
  };

  const get: PreparedStore["get"] = (basis, target, encoding) => {
    const found = find(keyOf(basis, target, encoding));
    if (found !== null || encoding === "identity") return found;
    const plain = find(keyOf(basis, target, "identity"));
    return plain?.onlyForm === true ? plain : null;
  };

  return {
    get,
    async obtain(room, basis, target, encoding, work) {
      const ready = get(basis, target, encoding);
      if (ready !== null) return ready;
      const key = keyOf(basis, target, encoding);
      let promise = making.get(key);
      if (promise === undefined) {
        promise = work().then((ready) => {
          if (room !== null) keep(room, keyOf(basis, target, ready.encoding), ready);
          return ready;
        });
        promise = promise.finally(() => making.delete(key));
        making.set(key, promise);
      }
      return promise;
    },
    forget(start) {
      for (const room of Object.values(rooms)) for (const key of room.keys()) if (key.startsWith(start)) room.delete(key);
    },
  };
}

/** Headers that ask for more than the plain answer or its 304. */
const SPECIAL = ["range", "if-match", "if-unmodified-since", "if-modified-since"] as const;

/** findReady finds what a plain request is sent without making anything.
 *  @returns the answer that is ready, and whether its client holds it; null for a request that is not plain, or not ready */
export function findReady(
  store: PreparedStore,
  basis: string,
  request: AnswerRequest,
): { readonly ready: Prepared; readonly held: boolean } | null {
  // A page that is ready is not what a client wants that prefers its Markdown twin.
  if (SPECIAL.some((name) => request.header(name) !== null) || request.header("accept")?.includes("text/markdown") === true) return null;
  const ready = store.get(basis, request.target, chooseEncoding(request.header("accept-encoding")));
  if (ready === null) return null;
  // Nearly every client sends back the one validator that it was given.
  const tag = request.header("if-none-match");
  return tag === null || tag === ready.answer.headers["ETag"] ? { ready, held: tag !== null } : null;
}

function keyOf(basis: string, target: string, encoding: Encoding): string {
  return `${basis} ${encoding} ${target}`;
}
