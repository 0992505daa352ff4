/** Everything that claims.yaml pins: the digest of each piece of evidence that lies in the demo, and the revisions. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseDocument } from "yaml";
import { z } from "zod";
import { sha256 } from "../../snapshots/digest.ts";
import type { Finding } from "./finding.ts";
import { readRegistry } from "./pin-registry.ts";

/** Only what pinning needs: a new claim has an empty digest, which the real schema would refuse. */
const PinnedClaims = z.object({
  meta: z.object({ pins: z.record(z.string(), z.string()) }),
  claims: z.array(
    z.object({
      id: z.string(),
      evidence: z.array(
        z.object({
          artifact: z.string(),
          access: z.string(),
          repo: z.string().exactOptional(),
          ref: z.string().exactOptional(),
          path: z.string().exactOptional(),
          sha256: z.string().exactOptional(),
        }),
      ),
    }),
  ),
});

/** The repository name under which evidence points into library/, by object key. */
const LIBRARY_REPO = "demo-library";

/** Where a piece of evidence lies in the demo, or null when it is kept elsewhere. */
function findEvidence(demo: string, evidence: { repo?: string; ref?: string; path?: string }): string | null {
  const { repo, ref, path } = evidence;
  if (repo === undefined || path === undefined) return null;
  const file = repo === LIBRARY_REPO ? join(demo, "library", path) : join(demo, "code", repo, ref ?? "", path);
  return existsSync(file) ? file : null;
}

/** claims.yaml with true pins, its comments kept, and what was wrong in it.
 *  @throws Error when public or email-gated evidence points at nothing */
export function pinClaims(demo: string): { text: string; wrong: Finding[] } {
  const document = parseDocument(readFileSync(join(demo, "claims.yaml"), "utf8"));
  const registry = PinnedClaims.parse(document.toJS());
  const wrong: Finding[] = [];
  const pin = (path: (string | number)[], is: string | undefined, should: string): void => {
    if (is === should) return;
    wrong.push({ file: "claims.yaml", pointer: `/${path.join("/")}`, is: is ?? "nothing", should });
    document.setIn(path, should);
  };
  registry.claims.forEach((claim, c) =>
    claim.evidence.forEach((evidence, e) => {
      const file = findEvidence(demo, evidence);
      if (file !== null) pin(["claims", c, "evidence", e, "sha256"], evidence.sha256, sha256(readFileSync(file)));
      else if (evidence.access !== "private") throw new Error(`${claim.id}: no file behind ${evidence.artifact}`);
    }),
  );
  for (const [repo, { head }] of Object.entries(readRegistry(demo).meta.sources)) {
    pin(["meta", "pins", repo], registry.meta.pins[repo], head);
  }
  const digest = sha256(readFileSync(join(demo, "registry.json")));
  pin(["meta", "pins", "registry.json"], registry.meta.pins["registry.json"], digest);
  return { text: document.toString({ lineWidth: 0 }), wrong };
}
