/** The keys of buckets in the configuration: of a store of objects, of a shelf and of a code store, all of `kind: s3`. */
import { resolve } from "node:path";
import { z } from "zod";
import { type AnnexKeys, maybe, refuse, some, webAddress } from "#generator/config";

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
});

type S3Shelf = z.output<typeof shelf>;

declare module "../../config/keys.ts" {
  interface PlaceKinds {
    readonly s3: { readonly store: z.output<typeof store>; readonly shelf: S3Shelf; readonly code: z.output<typeof code> };
  }
}

function resolveShelf(parsed: S3Shelf, folder: string): S3Shelf {
  return { ...parsed, copy: resolve(folder, parsed.copy) };
}

export const KEYS: AnnexKeys = {
  place: { kind: "s3", store, shelf, code, resolveShelf },
  secrets: ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"],
};
