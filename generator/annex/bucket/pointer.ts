/** The one object of a root in a bucket that changes: which inventory holds now. It moves by compare-and-swap, and its sequence makes
 *  its bytes, hence its ETag, other ones each time. */
import { z } from "zod";
import { canonicalJson, parseJson, SHA256_PATTERN } from "#snapshots/digest";
import { ShelfError } from "#snapshots/errors";

const pointerSchema = z.strictObject({
  sequence: z.int().positive(),
  /** Number of the lease under which it was written: none with a lower number moves it again. */
  fence: z.int().min(0),
  inventory: z.string().regex(SHA256_PATTERN),
  /** When a build last found this view up to date, or published it. */
  checked: z.iso.datetime().nullable(),
});
export type Pointer = z.infer<typeof pointerSchema>;

export function formatPointer(pointer: Pointer): Uint8Array {
  return Buffer.from(canonicalJson(pointer));
}

/** parsePointer reads a pointer. @throws ShelfError "snapshot_damaged" */
export function parsePointer(bytes: Uint8Array): Pointer {
  const parsed = pointerSchema.safeParse(parseJson(Buffer.from(bytes).toString()));
  if (parsed.success) return parsed.data;
  throw new ShelfError("snapshot_damaged", "The pointer in the bucket is not what was written.", {
    fixes: ["Look at the bucket and the prefix of the configuration: another program may write there."],
  });
}
