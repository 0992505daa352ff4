/** Answers that are ready, by the snapshot and the target that they follow from: asked for again, they cost a look-up. */
import { LRUCache } from "lru-cache";
import type { Encoding } from "./encoding.ts";
import type { Ready } from "./reply.ts";

/** What each kind of answer may take, so that one never pushes out another. Bytes. */
const ROOM = {
  /** Files and pages of the snapshot that is served. */
  files: 64 * 1024 * 1024,
  /** Compressed objects. */
  objects: 16 * 1024 * 1024,
  /** What follows from a query: anybody can ask for as many as they like, and each but once. */
  queries: 4 * 1024 * 1024,
  /** What was asked for under /at. */
  kept: 32 * 1024 * 1024,
} as const;
/** Of an answer beside its body: headers, key, the map's own. Bytes. */
const OVERHEAD = 4096;

/** With the header lists as Node's writeHead takes them, flat. */
type Prepared = Ready & { readonly head: readonly string[]; readonly unmodifiedHead: readonly string[] };

export type Room = keyof typeof ROOM;

export type PreparedStore = {
  /** @param basis what the answer follows from besides its target: a snapshot's id, or that and the shelf's history */
  get(basis: string, target: string, encoding: Encoding): Prepared | null;
  /** The answer of that name, made once however many ask for it meanwhile. A failure is not remembered.
   *  @param room null keeps it only until it has been made */
  obtain(room: Room | null, basis: string, target: string, encoding: Encoding, make: () => Promise<Ready>): Promise<Ready>;
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

  const keep = (room: Room, key: string, ready: Ready): void => {
    const [head = [], unmodifiedHead = []] = [ready.answer, ready.unmodified].map(({ headers }) => Object.entries(headers).flat());
    rooms[room].set(key, { ...ready, head, unmodifiedHead });
  };

  return {
    get(basis, target, encoding) {
      const found = find(keyOf(basis, target, encoding));
      if (found !== null || encoding === "identity") return found;
      const plain = find(keyOf(basis, target, "identity"));
      return plain?.onlyForm === true ? plain : null;
    },
    obtain(room, basis, target, encoding, work) {
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

function keyOf(basis: string, target: string, encoding: Encoding): string {
  return `${basis} ${encoding} ${target}`;
}
