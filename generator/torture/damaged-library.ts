/** A small library of three snapshots with everything that a shelf can hold, for damaging copies of it: a signed log, a snapshot that was taken
 *  out of service, blobs that were redacted, vectors. */
import assert from "node:assert/strict";
import { readdirSync, statSync, truncateSync } from "node:fs";
import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Embedder } from "../../snapshots/embed/embedder.ts";
import { sha256 } from "../../snapshots/digest.ts";
import { openIndex } from "../../snapshots/index/open.ts";
import { type Config, openConfig } from "../config/config.ts";
import { fixtureRegistry, SILENT, writeFiles } from "../testing/library.ts";
import { vectorsDir } from "../shelves/shelves.ts";
import { PAIR } from "../annex/trust/mirror-fixture.ts";
import { countErrors } from "../publish/verify-library.ts";
import { build, openShelves, repair, verifyLibrary } from "../testing/whole.ts";

/** @param plans who sees what was public at first */
const configOf = (plans: "public" | "email-gated"): string => `title: Library under torture
baseUrl: http://library.example
store: { kind: directory, root: ./library }
shelf: { kind: directory, root: ./shelf }
collections:
  - { id: notes, prefix: notes/, title: Notes, visibility: public }
  - { id: drafts, prefix: drafts/, title: Drafts, visibility: email-gated }
  - { id: plans, prefix: plans/, title: Plans, visibility: ${plans} }
claims: { path: ./claims.yaml }
registry: { path: ./registry.json }
withdrawals: { path: ./withdrawals.yaml }
log: { origin: library.example/shelf, publicKey: "${PAIR.publicKey}" }
embeddings: { kind: none }
`;
const REDACTED = `withdrawals:
  - { key: notes/private.md, reason: privacy, date: 2026-04-03, note: Somebody asked for it., redact: true }
`;
const CLAIMS =
  "meta: { title: Claims }\nclaims: [{ id: one, title: One, status: scoped, scope: Here, statement: It is written in the note that turns. }]\n";

/** A vector for a text that nobody has to compute for long. */
const EMBEDDER: Embedder = {
  id: "torture",
  dimensions: 4,
  close: async () => {},
  embed: async (texts) => texts.map((text) => Float32Array.from(Buffer.from(sha256(text), "hex").subarray(0, 4), (byte) => byte / 255)),
};

export type DamagedLibrary = {
  readonly config: Config;
  /** The shelf that is damaged. */
  readonly shelf: string;
  /** Its whole twin, which nothing touches. */
  readonly whole: string;
  /** Makes the shelf whole again. */
  reset(): Promise<void>;
};

/** makeDamagedLibrary makes a library to be damaged.
 *  @param dir an empty folder */
export async function makeDamagedLibrary(dir: string): Promise<DamagedLibrary> {
  process.env["LOG_KEY"] = PAIR.privateKey;
  const { meta, cubs } = fixtureRegistry();
  await writeFiles(dir, [
    ["claims.yaml", CLAIMS],
    ["registry.json", JSON.stringify({ meta, cubs: cubs.slice(0, 3) })],
    ["library/notes/steady.md", "# Steady\n\nAlways the same zebra.\n"],
    ["library/notes/table.csv", "name,value\na,1\n"],
    ["library/notes/page.html", "<!doctype html><title>A page</title><p>Of words.</p>\n"],
    ["library/notes/private.md", "# Private\n\nThe heliotrope of somebody who wants no part in it.\n"],
    ["library/plans/plan.md", "# Plan of the year\n\nPublic at first, and gated later.\n"],
    ["library/drafts/gated.md", "# Gated\n\nNot for everybody.\n"],
  ]);
  const file = join(dir, "proofshelf.yaml");
  // The first is taken out of service by the second, which gates what it holds; the last redacts what the others hold.
  for (const turn of [0, 1, 2, 3]) {
    await writeFiles(dir, [
      ["proofshelf.yaml", configOf(turn === 0 ? "public" : "email-gated")],
      ["withdrawals.yaml", turn === 3 ? REDACTED : "withdrawals: []\n"],
      ["library/notes/turn.md", `# Turn\n\nThe zebra turns, ${turn}.\n`],
    ]);
    await build(await openConfig(file), { progress: SILENT, now: () => new Date(`2026-04-0${turn + 1}T00:00:00Z`) });
  }
  const config = await openConfig(file);
  const shelves = openShelves(config);
  for (const view of ["public", "internal"] as const) {
    const index = await openIndex(shelves[view].indexUri);
    const tag = (await shelves[view].readPointer())?.snapshot ?? "";
    await index.embed({ tag, embedder: EMBEDDER, cacheUri: join(vectorsDir(shelves), "cache") });
    index.close();
  }
  const [shelf, whole] = [join(dir, "shelf"), join(dir, "whole")];
  await cp(shelf, whole, { recursive: true });
  return {
    config,
    shelf,
    whole,
    async reset() {
      await rm(shelf, { recursive: true, force: true });
      await cp(whole, shelf, { recursive: true });
    },
  };
}

/** expectMended repairs the shelf. Then a build has nothing to do, and a verification finds no more than the repair said. */
export async function expectMended({ config }: DamagedLibrary): Promise<void> {
  const { findings, notes } = await repair(config, SILENT);
  assert.doesNotMatch(notes.join("\n"), /No build/);
  const built = await build(config, { progress: SILENT });
  assert.equal(built.published, false, JSON.stringify([notes, findings.slice(0, 2)]));
  assert.ok(countErrors(await verifyLibrary(config, { snapshots: "all", derive: false })) <= countErrors(findings));
}

/** cutPack makes the shelf whole, and cuts a pack of the internal root after a share of its bytes. */
export async function cutPack(library: DamagedLibrary, share: number): Promise<void> {
  await library.reset();
  const [name = ""] = readdirSync(join(library.shelf, "internal/packs"));
  const pack = join(library.shelf, "internal/packs", name);
  truncateSync(pack, Math.floor(statSync(pack).size * share));
}
