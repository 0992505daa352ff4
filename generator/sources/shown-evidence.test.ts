/** Evidence that says public of something gated is refused before its name is in any public byte, whichever way it names it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { runHere } from "../testing/run-program.ts";
import { Claim } from "../../snapshots/schema/claims.ts";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeFiles } from "../testing/library.ts";
import { findShownEvidence, locateShown } from "./shown-evidence.ts";

const collections = [
  { id: "notes", prefix: "", title: "All", visibility: "public", summary: "" },
  { id: "drafts", prefix: "drafts/", title: "Drafts", visibility: "email-gated", summary: "" },
] as const;
const [A, B, C] = ["a", "b", "c"].map((letter) => letter.repeat(64)) as [string, string, string];
const OBJECTS = [
  { key: "drafts/s t.md", sha256: A },
  { key: "drafts/copy.md", sha256: B },
  { key: "notes/copy.md", sha256: B },
  { key: "drafts/proof.v", sha256: C },
];
const SITE = { collections, baseUrl: "https://lib.example" };

function find(item: Readonly<Record<string, string>>, shown: readonly string[] = []): readonly string[] {
  const evidence = [{ artifact: "A", kind: "note", access: "public", ...item }];
  const claim = Claim.parse({ id: "c", title: "T", status: "partial", scope: "s", statement: "s", evidence });
  return findShownEvidence([claim], OBJECTS, SITE, new Set(shown)).map(({ key }) => key);
}

test("what is gated is found by its key, its folder, its address and its digest, and nothing else is", () => {
  for (const item of [
    { path: "drafts/s t.md" },
    { path: "drafts/" },
    { url: "https://lib.example/objects/drafts/s%20t.md" },
    { url: "https://lib.example/internal/object/drafts/s%20t.md/#line-3" },
    { sha256: A },
    { path: "elsewhere.md", sha256: A },
  ])
    assert.deepEqual(find(item), ["drafts/s t.md"], JSON.stringify(item));
  for (const item of [
    { access: "email-gated", path: "drafts/s t.md" },
    { access: "private", sha256: A },
    { path: "notes/copy.md" },
    { sha256: B },
    { path: "drafts/gone.md" },
    { path: "drafts/s t.md", repo: "other", sha256: A },
    { url: "https://elsewhere.example/objects/drafts/s%20t.md", sha256: A },
  ])
    assert.deepEqual(find(item), [], JSON.stringify(item));
  assert.deepEqual(find({ sha256: C }, [C]), [], "a record shows this digest to everybody");
});

test("each has its line, also where the claims stand in another order than they are read in", () => {
  const text = "claims:\n  - id: x\n  - id: c\n    evidence:\n      - access: private\n      - path: p\n        access: public\n";
  const [found] = locateShown(Buffer.from(text), [{ claim: "c", at: 1, key: "drafts/s.md" }]);
  assert.deepEqual(found, {
    line: 7,
    path: ["claims", 1, "evidence", 1, "access"],
    what: 'says public, and "drafts/s.md" is gated; write email-gated',
  });
});

test("config check and build refuse such a claim with its line, and nothing is published", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "shown-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  await writeFiles(dir, [
    ["library/drafts/s.md", "# Not for everybody\n"],
    ["library/a.md", "# A\n"],
    [
      "claims.yaml",
      "claims:\n  - id: c\n    title: T\n    status: partial\n    scope: s\n    statement: s\n    evidence:\n      - { artifact: A, kind: note, access: public, path: drafts/s.md }\n",
    ],
    [
      "proofshelf.yaml",
      'store: { kind: directory, root: ./library }\nshelf: { kind: directory, root: ./shelf }\nclaims: { path: ./claims.yaml }\nembeddings: { kind: none }\ncollections:\n  - { id: all, prefix: "", title: All, visibility: public }\n  - { id: drafts, prefix: drafts/, title: Drafts, visibility: email-gated }\n',
    ],
  ]);
  for (const command of [["config", "check"], ["build"]]) {
    const { status, stderr } = await runHere([...command, "--config", join(dir, "proofshelf.yaml")]);
    assert.equal(status, 2, command.join(" "));
    assert.match(stderr, /claims\.yaml:8: claims\[0\]\.evidence\[0\]\.access says public, and "drafts\/s\.md" is gated; write email-gated/);
  }
});
