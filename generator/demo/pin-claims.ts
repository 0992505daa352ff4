/** Everything that claims.yaml pins: the digest of each piece of evidence that lies in the demo, and the revisions. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { EVENT_ID, getScalarValue, load, parseEvents } from "js-yaml";
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

/** pinClaims returns claims.yaml with true pins, everything else in it as it was, and what was wrong in it.
 *  @throws Error when public or email-gated evidence points at nothing, or a pin has no place in the file */
export function pinClaims(demo: string): { text: string; wrong: Finding[] } {
  const text = readFileSync(join(demo, "claims.yaml"), "utf8");
  const registry = PinnedClaims.parse(load(text));
  const places = findPlaces(text);
  const wrong: Finding[] = [];
  const edits: { readonly start: number; readonly end: number; readonly should: string }[] = [];
  const pin = (path: (string | number)[], is: string | undefined, should: string): void => {
    if (is === should) return;
    const pointer = `/${path.join("/")}`;
    const place = places.get(pointer);
    if (place === undefined) throw new Error(`claims.yaml has nothing at ${pointer}: write "" there.`);
    wrong.push({ file: "claims.yaml", pointer, is: is ?? "nothing", should });
    edits.push({ ...place, should });
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
  let pinned = text;
  // From the end, so that the places before stay where they are.
  for (const { start, end, should } of edits.sort((a, b) => b.start - a.start)) {
    pinned = `${pinned.slice(0, start)}${should}${pinned.slice(end)}`;
  }
  return { text: pinned, wrong };
}

/** Where each scalar of a YAML text stands, without its quotes, by its path as `/claims/0/id`. */
function findPlaces(text: string): ReadonlyMap<string, { readonly start: number; readonly end: number }> {
  const places = new Map<string, { start: number; end: number }>();
  /** The collections around the next value: of a mapping the key that is waiting for it, of a sequence its number. */
  const around: { readonly mapping: boolean; at: string | number | null }[] = [];
  const pathOf = (): string => `/${around.map(({ at }) => at).join("/")}`;
  const next = (): void => {
    const last = around.at(-1);
    if (last !== undefined) last.at = last.mapping ? null : Number(last.at) + 1;
  };
  for (const event of parseEvents(text, {})) {
    const inside = around.at(-1);
    if (event.type === EVENT_ID.SCALAR && inside?.mapping === true && inside.at === null) inside.at = getScalarValue(text, event);
    else if (event.type === EVENT_ID.SCALAR) {
      places.set(pathOf(), { start: event.valueStart, end: event.valueEnd });
      next();
    } else if (event.type === EVENT_ID.MAPPING) around.push({ mapping: true, at: null });
    else if (event.type === EVENT_ID.SEQUENCE) around.push({ mapping: false, at: 0 });
    else if (event.type === EVENT_ID.ALIAS) next();
    else if (event.type === EVENT_ID.POP && around.pop() !== undefined) next();
  }
  return places;
}
