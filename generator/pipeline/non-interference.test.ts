/** Two libraries that differ in gated content alone are one library to the public: the same snapshot, the same log, the same bytes. */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { sha256 } from "../../snapshots/digest.ts";

import { openConfig } from "../config/config.ts";
import { describeLibrary, SILENT, writeFiles } from "../testing/library.ts";
import { ask, openFixtureView } from "../testing/view.ts";
import { PAGED_PARTS } from "../testing/plain-parts.ts";
import { build } from "../testing/whole.ts";

const CONFIG = `${describeLibrary("One library")}claims: { path: ./claims.yaml }
uploaded: none
embeddings: { kind: none }
`;
const DRAFT = "# Another draft\n\nWith words that nothing public says.\n";

test("gated content shows through nothing public: not the snapshot's id, not the log, not one answer", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "proofshelf-interference-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const make = async (name: string, gated: readonly (readonly [key: string, text: string])[]) => {
    const home = join(dir, name);
    await writeFiles(home, [
      ["proofshelf.yaml", CONFIG],
      // Pinned to what only one of the two has, and to what neither shows.
      [
        "claims.yaml",
        `claims:
  - id: pinned
    title: A claim
    status: verified
    scope: This test
    statement: It holds.
    evidence:
      - { artifact: A draft, kind: text, access: private, sha256: ${sha256(DRAFT)} }
      - { artifact: A log, kind: log, access: email-gated, sha256: ${sha256(DRAFT)} }
`,
      ],
      ["library/notes/first.md", "# First\n\nSee [the draft](../drafts/secret.md).\n"],
      ["library/notes/data.csv", "1,2\n"],
      ...gated.map(([key, text]) => [`library/drafts/${key}`, text] as const),
    ]);
    const config = await openConfig(join(home, "proofshelf.yaml"));
    for (const turn of [1, 2]) {
      await writeFiles(home, [["library/notes/turn.md", `# Turn\n\nTurn ${turn}.\n`]]);
      await build(config, { progress: SILENT, now: () => new Date(`2026-05-0${turn}T00:00:00Z`) }, PAGED_PARTS);
    }
    return { home, view: await openFixtureView(config) };
  };
  const some = await make("some", [["secret.md", "# A secret\n\nIts words.\n"]]);
  const others = await make("others", [
    ["one.md", DRAFT],
    ["two/deep.md", "# Two\n\nMore.\n"],
  ]);
  const said = ({ home }: { home: string }) =>
    new Map(
      ["current.json", "snapshots", "changes", "checkpoints", "tile"].flatMap((part) => {
        const path = join(home, "shelf/public", part);
        const files = part === "current.json" ? [""] : readdirSync(path, { recursive: true, encoding: "utf8" }).sort();
        return files.flatMap((file) => {
          try {
            return [[join(part, file), readFileSync(join(path, file), "latin1")] as const];
          } catch {
            return [];
          }
        });
      }),
    );
  assert.deepEqual(said(some), said(others));
  for (const target of [
    "/",
    "/api/catalog",
    "/api/claims",
    "/api/list",
    "/api/list?prefix=drafts/",
    "/api/search?q=secret",
    "/api/search?q=words",
    "/api/rejected",
    "/api/proofs/drafts/one.md",
    "/api/proofs/pinned?kind=claim",
    `/api/digests/${sha256(DRAFT)}`,
    "/claims/pinned/",
    "/object/notes/first.md/",
    "/snapshots/",
    "/sitemap.xml",
    "/llms.txt",
    "/objects/drafts/one.md",
    "/health",
  ]) {
    const [one, other] = [await ask(some.view, target), await ask(others.view, target)];
    const steady = (text: string) => text.replaceAll(/"request_id":"[^"]*"|"age_s":\d+/g, "");
    assert.equal(one.status, other.status, target);
    assert.equal(steady(one.text), steady(other.text), target);
  }
});
