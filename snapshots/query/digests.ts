/** Everything in a view that has a digest: GET /api/digests/{sha256} and the tool lookup_digest. */
import { SHA256_PATTERN } from "#snapshots/digest";
import { ShelfError } from "#snapshots/errors";
import { claimStandings, memoize, mountPath, objectPath, judgedRecord, relationsOf, type ViewData } from "#snapshots/format";
import type { DigestMatches } from "#snapshots/schema";

/** parseDigest reads a SHA-256 digest. @param text from a caller; upper case is the same digest. @throws ShelfError "bad_parameter" */
export function parseDigest(text: string): string {
  const digest = text.toLowerCase().replace(/^sha-?256:/, "");
  if (!SHA256_PATTERN.test(digest)) {
    throw new ShelfError("bad_parameter", "A SHA-256 digest has 64 hex digits.", {
      errors: [{ pointer: "sha256", detail: "64 hex digits" }],
    });
  }
  return digest;
}

/** lookupDigest finds what has a digest. All three lists are empty for a digest that the view does not hold: nothing tells a gated one from none. */
export function lookupDigest(data: ViewData, digest: string): DigestMatches {
  return indexOf(data).get(digest) ?? { sha256: digest, objects: [], evidence: [], cub_files: [] };
}

const indexOf = memoize((data: ViewData): ReadonlyMap<string, DigestMatches> => {
  const index = new Map<string, DigestMatches>();
  const open = (sha256: string): DigestMatches => {
    let found = index.get(sha256);
    if (found === undefined) {
      found = { sha256, objects: [], evidence: [], cub_files: [] };
      index.set(sha256, found);
    }
    return found;
  };
  const mount = mountPath(data.library);
  const standingOf = claimStandings(data);
  for (const { key, title, size, media_type, sha256 } of data.objects)
    open(sha256).objects.push({ key, title, size, media_type, href: mount + objectPath(key) });
  for (const claim of data.claims.claims) {
    for (const { sha256, ...evidence } of claim.evidence) {
      if (sha256 !== undefined)
        open(sha256).evidence.push({ claim: claim.id, status: claim.status, standing: standingOf(claim), ...evidence });
    }
  }
  const { recordById } = relationsOf(data);
  for (const record of data.cubs) {
    const files = data.code.get(record.id);
    for (const [path, sha256] of Object.entries(record.file_shas)) {
      const file = files?.files.find((candidate) => candidate.path === path);
      open(sha256).cub_files.push({
        id: record.id,
        theorem_name: record.theorem_name,
        ...judgedRecord(record),
        repo: record.repo,
        head: files?.head ?? "",
        path,
        role: file?.role ?? "proof",
        system: file?.system ?? "",
        available: file?.available ?? false,
      });
    }
  }
  // Runtime files that the index names beyond file_shas.
  for (const { id, repo, head, files } of data.code.values()) {
    for (const { path, sha256, role, system, available } of files) {
      const found = open(sha256).cub_files;
      if (found.some((known) => known.id === id && known.path === path)) continue;
      const record = recordById.get(id);
      const judged = record === undefined ? {} : judgedRecord(record);
      found.push({ id, theorem_name: record?.theorem_name ?? "", ...judged, repo, head, path, role, system, available });
    }
  }
  return index;
});
