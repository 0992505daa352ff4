/** A bucket as object store: every object below the prefix, by the rest of its name. What consoles make to show an empty folder, an
 *  object of no bytes whose name ends in "/", is none.
 *
 *  One request reads one version of an object, whole: its own ETag, size and time say which, so what changed since the listing is
 *  seen by the next one. A bucket that fails is no object that is gone: then the build ends. */
import { type Bucket, type HeadObject, type ListedObject, openBucket } from "#snapshots/annex/bucket";
import { ShelfError } from "#snapshots/errors";
import { findKeyProblem } from "#snapshots/format";
import type { SourceRef } from "#snapshots/schema";
import type { StoreConfig } from "#generator/config";
import type { ObjectStore, ReadObject, StoredObject } from "#generator/sources";

const MAX_OBJECT_BYTES = 1024 ** 3; // an object is read whole, and one huge file must not end the build

export function openS3Store(config: Extract<StoreConfig, { kind: "s3" }>): ObjectStore {
  const bucket = openBucket(config);
  const { uploadedFrom } = config;
  const find = async (key: string): Promise<StoredObject | null> => {
    const head = findKeyProblem(key) === null ? await bucket.head(key) : null;
    return head === null ? null : { ...toStored({ ...head, unreadable: false }), uploaded: timeOf(head, uploadedFrom) };
  };
  return { list: () => list(bucket), find, read: (key) => read(bucket, key, uploadedFrom) };
}

async function* list(bucket: Bucket): AsyncGenerator<StoredObject> {
  for await (const object of bucket.list()) if (object.size > 0 || (object.key !== "" && !object.key.endsWith("/"))) yield toStored(object);
}

function toStored(object: ListedObject): StoredObject {
  const { key, size, modified, unreadable } = object;
  const problem = unreadable
    ? "the name is not valid UTF-8"
    : (findKeyProblem(key) ?? (size > MAX_OBJECT_BYTES ? "is larger than 1 GiB, the most that an object may have" : null));
  if (problem !== null) return { key, size: 0, version: "", uploaded: null, problem };
  return { key, size, version: versionOf(object), uploaded: modified, problem: null };
}

/** Whole seconds, because lists have milliseconds and reading has not. */
function versionOf({ etag, size, modified }: Pick<HeadObject, "etag" | "size" | "modified">): string {
  return `${etag}-${size.toString(36)}-${modified === null ? "" : Math.floor(Date.parse(modified) / 1000).toString(36)}`;
}

async function read(bucket: Bucket, key: string, uploadedFrom: string | null): Promise<ReadObject> {
  const problem = findKeyProblem(key);
  if (problem !== null) throw new ShelfError("bad_source", `The object cannot be read: ${problem}.`);
  const got = await bucket.get(key, { maxBytes: MAX_OBJECT_BYTES });
  if (got.state === "longer") throw new ShelfError("bad_source", `The object is larger than ${MAX_OBJECT_BYTES} bytes.`);
  if (got.state !== "found") throw new ShelfError("bad_source", "The object is gone.");
  return { bytes: got.bytes, version: versionOf(got), uploaded: timeOf(got, uploadedFrom), ...sourceOf(got) };
}

/** sourceOf takes the source from the metadata, where it names a repository and a revision. */
function sourceOf({ key, metadata }: HeadObject): { readonly source?: SourceRef } {
  const { "source-repo": repo, "source-ref": ref, "source-path": path = key } = metadata;
  return repo === undefined || ref === undefined || repo === "" || ref === "" ? {} : { source: { repo, ref, path } };
}

/** timeOf takes the time from the metadata, where it says one; else it is when the object was written. */
function timeOf({ metadata, modified }: HeadObject, uploadedFrom: string | null): string | null {
  const said = uploadedFrom === null ? undefined : metadata[uploadedFrom.toLowerCase()];
  const time = /^\d{4}-\d\d-\d\d/.test(said ?? "") ? new Date(said ?? "") : null;
  return time === null || Number.isNaN(time.getTime()) ? modified : time.toISOString();
}
