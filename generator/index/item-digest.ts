import { canonicalJson, sha256 } from "#snapshots/digest";
import { memoize } from "#snapshots/format";

/** digestOfItem digests a claim or a record; both views have the same ones. */
export const digestOfItem = memoize((item: object) => ({ sha256: sha256(canonicalJson(item)) }));
