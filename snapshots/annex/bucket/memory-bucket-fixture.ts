/** A bucket in memory: what the interface promises and nothing else. Tests of what stands above a bucket use it; several of them share
 *  one store, as machines share a bucket. */
import { hash } from "node:crypto";
import type { Bucket, GetOptions, Got, HeadObject, ListedObject, PutOptions } from "./bucket.ts";

type StoredObject = {
  readonly bytes: Buffer;
  readonly etag: string;
  readonly modified: Date;
  readonly options: PutOptions;
};

/** A MemoryStore maps keys to objects. Buckets with different prefixes may share it. */
export type MemoryStore = Map<string, StoredObject>;

export class MemoryBucket implements Bucket {
  readonly address: string;
  readonly #prefix: string;
  readonly #objects: MemoryStore;

  constructor(prefix = "", objects: MemoryStore = new Map()) {
    this.address = `memory://${prefix}`;
    this.#prefix = prefix;
    this.#objects = objects;
  }

  async get(key: string, { range, ifMatch, ifNoneMatch, maxBytes = Number.POSITIVE_INFINITY }: GetOptions = {}): Promise<Got> {
    const found = this.#objects.get(this.#prefix + key);
    if (found === undefined) return { state: "absent" };
    if (ifMatch !== undefined && ifMatch !== found.etag) return { state: "changed" };
    if (ifNoneMatch === found.etag) return { state: "unchanged" };
    const bytes = range === undefined ? found.bytes : found.bytes.subarray(range.start, range.end + 1);
    const head = headOf(key, found);
    return bytes.length > maxBytes ? { state: "longer", ...head } : { state: "found", bytes: Buffer.from(bytes), ...head };
  }

  async head(key: string): Promise<HeadObject | null> {
    const found = this.#objects.get(this.#prefix + key);
    return found === undefined ? null : headOf(key, found);
  }

  async put(key: string, bytes: Uint8Array, options: PutOptions = {}): Promise<string> {
    const etag = hash("md5", bytes);
    this.#objects.set(this.#prefix + key, { bytes: Buffer.from(bytes), etag, modified: new Date(), options });
    return etag;
  }

  async putIfAbsent(key: string, bytes: Uint8Array, options: PutOptions = {}): Promise<"written" | "same" | "other"> {
    const found = this.#objects.get(this.#prefix + key);
    if (found !== undefined) return found.bytes.equals(bytes) ? "same" : "other";
    await this.put(key, bytes, options);
    return "written";
  }

  async putIfMatch(key: string, bytes: Uint8Array, etag: string, options: PutOptions = {}): Promise<string | null> {
    return this.#objects.get(this.#prefix + key)?.etag === etag ? this.put(key, bytes, options) : null;
  }

  async *list(under = ""): AsyncGenerator<ListedObject> {
    const from = this.#prefix + under;
    const keys = [...this.#objects.keys()].filter((key) => key.startsWith(from));
    for (const key of keys.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))) {
      const found = this.#objects.get(key);
      if (found === undefined) continue;
      const { metadata: _, ...object } = headOf(key.slice(this.#prefix.length), found);
      yield { ...object, unreadable: false };
    }
  }

  async delete(key: string): Promise<void> {
    this.#objects.delete(this.#prefix + key);
  }
}

function headOf(key: string, { bytes, etag, modified, options }: StoredObject): HeadObject {
  return { key, size: bytes.length, etag, modified: modified.toISOString(), metadata: options.metadata ?? {} };
}
