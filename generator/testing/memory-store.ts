/** An object store in memory, for tests of what reads one. */
import { sha256 } from "../../snapshots/digest.ts";
import { ShelfError } from "../../snapshots/errors.ts";
import { findKeyProblem } from "../../snapshots/format/layout.ts";
import type { ObjectStore, StoredObject } from "../sources/object-store.ts";

export type MemoryObject = { readonly bytes: Uint8Array | string; readonly uploaded?: string | null };

/** openMemoryStore reads `objects` at the time of each call: add to it or change it between builds. */
export function openMemoryStore(objects: ReadonlyMap<string, MemoryObject>): ObjectStore {
  const encode = (bytes: Uint8Array | string) => (typeof bytes === "string" ? new TextEncoder().encode(bytes) : bytes);
  const stored = (key: string, object: MemoryObject): StoredObject => {
    const bytes = encode(object.bytes);
    return { key, size: bytes.length, version: sha256(bytes), uploaded: object.uploaded ?? null, problem: findKeyProblem(key) };
  };
  return {
    async *list() {
      for (const [key, object] of [...objects].sort(([a], [b]) => (a < b ? -1 : 1))) yield stored(key, object);
    },
    async find(key) {
      const object = objects.get(key);
      return object === undefined ? null : stored(key, object);
    },
    async read(key) {
      const object = objects.get(key);
      if (object === undefined) throw new ShelfError("bad_source", "The object is gone.");
      const bytes = encode(object.bytes);
      return { bytes, version: sha256(bytes) };
    },
  };
}
