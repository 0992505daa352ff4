/** Bodies of GET /api/digests/{sha256} and GET /api/proofs/{key}. */
import { parseKeyPath } from "../format/layout.ts";
import type { Snapshot } from "../shelf/read.ts";
import { mountPath } from "../format/view-data.ts";
import { lookupDigest, parseDigest } from "./lookup-digest.ts";
import { objectProof } from "./object-proof.ts";

/** @param path as sent, without /at/<snapshot>
 *  @throws ShelfError "bad_parameter", "bad_path", "object_not_found" */
export async function evidenceBody(snapshot: Snapshot, route: "digest" | "proof", path: string): Promise<object> {
  const data = await snapshot.data();
  if (route === "digest") return lookupDigest(data, parseDigest(parseKeyPath(path.slice("/api/digests/".length))));
  const key = parseKeyPath(path.slice("/api/proofs/".length));
  return objectProof(snapshot, key, data.library.base_url + mountPath(data.library));
}
