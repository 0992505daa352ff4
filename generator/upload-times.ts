/** When an object was uploaded. The same bytes under the same key keep the time that is served: a copy, a clone or a checkout of what
 *  was published gives every file a new time, and nothing has changed. Other bytes have the time of their commit or of their file. */
import { ShelfError } from "../snapshots/errors.ts";
import type { ObjectRow } from "../snapshots/format/view-data.ts";
import type { Facts } from "./facts.ts";
import { openCheckout } from "./sources/git-checkout.ts";
import type { StoredObject } from "./sources/object-store.ts";

/** RFC 3339 UTC, or null when nobody knows. */
export type TimeOf = (row: StoredObject, sha256: string, bytes: Uint8Array) => Promise<string | null>;

/** @param before objects that are served now
 *  @throws ShelfError "bad_source" when times are to come from git and the store is no checkout with its whole history */
export async function openUploadTimes({ config, state }: Pick<Facts, "config" | "state">, before: readonly ObjectRow[]): Promise<TimeOf> {
  const { uploaded, store } = config;
  if (uploaded === "none") return async () => null;
  // Where times come from elsewhere than the last time, the old ones do not count. What is not known has not changed.
  const kept = state.uploaded === null || state.uploaded === uploaded;
  const served = new Map(kept ? before.map((row) => [row.key, row]) : []);
  const checkout = uploaded === "mtime" || store.kind !== "directory" ? null : await openCheckout(store.root);
  if (uploaded === "git" && checkout === null) {
    throw new ShelfError("bad_source", "The store is in no git checkout that git can read with its whole history, but uploaded is git.", {
      fixes: ["Fetch the history (git fetch --unshallow), or write uploaded: auto, mtime or none."],
    });
  }
  return async (row, sha256, bytes) => {
    const was = served.get(row.key);
    if (was?.sha256 === sha256 && was.uploaded !== null) return was.uploaded;
    const commit = (await checkout?.find(row.key, bytes)) ?? null;
    return commit?.time ?? (uploaded === "git" ? null : row.uploaded);
  };
}
