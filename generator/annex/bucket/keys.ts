/** The keys of buckets in the configuration: of a store of objects, of a shelf and of a code store, all of `kind: s3`. */
import { join, resolve } from "node:path";
import { z } from "zod";
import { type AnnexKeys, type ConfigProblem, isWithin, maybe, refuse, some, valueAt, webAddress } from "#generator/config";

const MIN_CACHE_BYTES = 1024 * 1024;
const DEFAULT_CACHE_BYTES = 10 * 1024 * 1024 * 1024;

const code = z.strictObject({
  kind: z.literal("s3"),
  bucket: z
    .string()
    .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, "is not a bucket name; 3 to 63 of a-z, 0-9, dot and hyphen")
    .meta({ description: "Name of the bucket" }),
  prefix: z
    .string()
    .default("")
    .superRefine(refuse(findPrefixProblem))
    .meta({ description: 'Leading part of the names inside the bucket; ends in "/"' }),
  endpoint: maybe(webAddress("Address of the service; AWS when left out")),
  region: some("the region").default("us-east-1").meta({ description: "Region of the bucket" }),
  forcePathStyle: z.boolean().default(false).meta({ description: "Put the bucket's name into the path" }),
});

function findPrefixProblem(prefix: string): string | null {
  return prefix === "" || prefix.endsWith("/") ? null : `does not end in "/"; write ${JSON.stringify(`${prefix}/`)}`;
}

const store = code.extend({
  uploadedFrom: maybe(z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, "is not a name of metadata; write it without x-amz-meta-")).meta({
    description: "Metadata of an object that has its time (RFC 3339), without x-amz-meta-; else it is when it was written",
  }),
});

const shelf = code.extend({
  copy: some("a folder, relative to this file")
    .default("snapshots/data")
    .meta({ description: "Folder of this machine that holds a copy of it; relative to this file" }),
  cache: z
    .strictObject({
      dir: some("a folder, relative to this file")
        .optional()
        .meta({ description: "Folder of what servers keep, relative to this file; cache inside copy when left out" }),
      maxBytes: z
        .int("is not a whole number of bytes")
        .min(MIN_CACHE_BYTES, `is under ${MIN_CACHE_BYTES} (1 MiB)`)
        .default(DEFAULT_CACHE_BYTES)
        .meta({ description: "What that folder may take of the disk, in bytes" }),
    })
    .optional()
    .meta({ description: "Servers keep a part of it, in a folder of their own, and fetch the rest when it is asked for" }),
});

type S3Shelf = z.output<typeof shelf>;

declare module "../../config/keys.ts" {
  interface PlaceKinds {
    readonly s3: { readonly store: z.output<typeof store>; readonly shelf: S3Shelf; readonly code: z.output<typeof code> };
  }
}

function resolveShelf(parsed: S3Shelf, folder: string): S3Shelf {
  const copy = resolve(folder, parsed.copy);
  const { cache } = parsed;
  if (cache === undefined) return { ...parsed, copy };
  return { ...parsed, copy, cache: { ...cache, dir: cache.dir === undefined ? join(copy, "cache") : resolve(folder, cache.dir) } };
}

/** A cache loses files whenever others need the room: what a builder keeps must not be among them. */
function check(raw: unknown, folder: string): readonly ConfigProblem[] {
  const [dir, from] = [valueAt(raw, ["shelf", "cache", "dir"]), valueAt(raw, ["store", "root"])];
  const copy = valueAt(raw, ["shelf", "copy"]) ?? "snapshots/data";
  if (typeof dir !== "string" || typeof copy !== "string" || `${dir}${copy}${String(from)}`.includes("\0")) return [];
  const path = ["shelf", "cache", "dir"];
  const at = resolve(folder, dir);
  if (typeof from === "string" && isWithin(at, resolve(folder, from)))
    return [{ path, what: "lies inside the store, so that snapshots would become objects; choose a folder outside store.root" }];
  if (isWithin(resolve(folder, copy), at) || ["public", "internal"].some((name) => isWithin(at, resolve(folder, copy, name))))
    return [{ path, what: "is where shelf.copy keeps the whole shelf; choose another folder, or leave it out" }];
  return [];
}

export const KEYS: AnnexKeys = {
  place: { kind: "s3", store, shelf, code, resolveShelf },
  secrets: ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"],
  check,
};
