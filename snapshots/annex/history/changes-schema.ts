/** Bodies of the routes that say what changed. */
import { z } from "zod";
import { Count, DateTime, SnapshotId } from "#snapshots/schema";

const Field = z.object({
  field: z.string().meta({ description: "Member that differs; members of members as files.coq_file" }),
  before: z.string().meta({ description: "JSON text; empty when it was not there" }),
  after: z.string().meta({ description: "JSON text; empty when it is not there any more" }),
});

const ChangedItem = z.object({
  what: z.enum(["object", "claim", "record", "other"]),
  name: z.string().meta({ description: "Key of an object, id of a claim or record" }),
  path: z.string().nullable().meta({ description: "Site path of its page, or of the notice in its place; null when it is gone" }),
  change: z.enum(["added", "changed", "removed", "withdrawn"]),
  before: z
    .string()
    .nullable()
    .meta({ description: "SHA-256 of the bytes, or of the canonical JSON; null when there was none, or it is not kept" }),
  after: z.string().nullable(),
  fields: z.array(Field).readonly(),
  weaker: z
    .array(z.string())
    .readonly()
    .meta({ description: "Why a claim or a record is weaker than before, in words; empty when it is not" }),
});

const Named = z.object({ sequence: Count, snapshot: SnapshotId, created: DateTime });

export const ChangesResponse = z
  .object({
    since: Count.meta({ description: "Number of the publication after which this begins; 0 is the beginning" }),
    until: Count.meta({ description: "Number of the last publication that is looked at" }),
    complete: z.boolean().meta({ description: "False when publications after `since` are so old that nothing of them is kept" }),
    changes: z
      .array(
        ChangedItem.extend({
          sequence: Count.meta({ description: "Number of the publication" }),
          snapshot: SnapshotId.nullable().meta({ description: "What it published; null when that is not kept" }),
          created: DateTime.nullable(),
        }),
      )
      .meta({ description: "By publication, then added, changed, removed, then objects, claims, records" }),
    next: z.string().exactOptional().meta({ description: "Cursor of the next page; absent on the last" }),
  })
  .meta({ id: "ChangesResponse" });
export type ChangesResponse = z.infer<typeof ChangesResponse>;

export const Comparison = z
  .object({
    from: Named,
    to: Named,
    count: Count.meta({ description: "Changes in all" }),
    changes: z.array(ChangedItem).readonly().meta({ description: "Objects by key, then claims, records and the rest" }),
    files: z
      .array(z.object({ folder: z.string(), added: Count, changed: Count, removed: Count }))
      .readonly()
      .meta({ description: "Files that differ by top folder of the snapshot, what is made of the sources included" }),
    next: z.string().exactOptional().meta({ description: "Cursor of the next page; absent on the last" }),
  })
  .meta({ id: "Comparison" });
export type Comparison = z.infer<typeof Comparison>;
