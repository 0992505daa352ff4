/** What has to be read, quoted, and what of it changed since a snapshot or an approval; with a real Coq, whose sources are objects of the library. */
import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { sha256 } from "../../../snapshots/digest.ts";
import { HISTORY_STAMPS } from "../../../snapshots/annex/history/index.ts";
import { openConfig } from "../../config/config.ts";
import { openSource, skip } from "./source-fixture.ts";
import { SILENT, writeFiles } from "../../testing/library.ts";
import { PLAIN_PARTS } from "../../testing/plain-parts.ts";
import { ask, openFixtureView } from "../../testing/view.ts";
import { build } from "../../testing/whole.ts";

const TEXT = `Fixpoint sum (l : list nat) : nat := match l with nil => 0 | cons x r => x + sum r end.
(* SECRET *)
Definition small (l : list nat) : Prop := sum l <= 0.
Theorem again : small nil. Proof. unfold small. simpl. constructor. Qed.
Theorem none : small nil. Proof. unfold small. simpl. constructor. Qed.
`;

type Answer = {
  parts: { name: string; sha256?: string; text: string | null }[];
  same: { id: string; first_seen: number }[];
  reviews: { holds: boolean }[];
  since?: { sequence: number; same: boolean; changes: { name: string; lines: { kind: string; text: string }[] }[] };
};

test("definitions are quoted with their digest, and what changed is told line by line, since a snapshot and since an approval", {
  skip,
}, async (t) => {
  const source = openSource(t, "reviews: [./reviews.yaml]\n");
  const library = (visibility: string): Promise<void> =>
    writeFiles(source.folder, [
      [
        "proofshelf.yaml",
        `baseUrl: http://library.example
store: { kind: directory, root: ./library }
shelf: { kind: directory, root: ./shelf }
collections:
  - { id: proofs, prefix: proofs/, title: Proofs, visibility: ${visibility} }
  - { id: notes, prefix: notes/, title: Notes, visibility: public }
registry: { sources: ./registry.yaml }
embeddings: { kind: none }
`,
      ],
      ["library/notes/a.md", "# A\n"],
    ]);
  const publish = async (text: string, reviews = "reviews: []\n"): Promise<void> => {
    source.put({ "src/A.v": text, "reviews.yaml": reviews });
    await source.recheck();
    if (text.includes("=> sum r")) await source.accept().then(() => source.recheck());
    await writeFiles(source.folder, [["library/proofs/A.v", text]]);
    await build(await openConfig(join(source.folder, "proofshelf.yaml")), { progress: SILENT }, PLAIN_PARTS);
  };
  await library("public");
  await publish(TEXT);
  const none = (await source.records()).find(({ theorem_name: name }) => name === "none") ?? assert.fail();
  const meaning = none.meaning?.sha256 ?? assert.fail();
  const view = await openFixtureView(await openConfig(join(source.folder, "proofshelf.yaml")));
  const get = async (query = ""): Promise<Answer> => {
    const { status, text } = await ask(view, `/api/cubs/${none.id}/meaning${query}`);
    assert.equal(status, 200, text);
    return JSON.parse(text) as Answer;
  };
  assert.deepEqual(
    (await get()).parts.map(({ name, sha256: digest, text }) => [name, digest, text]),
    [
      ["L.A.sum", sha256(TEXT), TEXT.split("\n")[0]],
      ["L.A.small", sha256(TEXT), TEXT.split("\n")[2]],
    ],
  );
  assert.deepEqual((await get()).same, [
    { id: (await source.records()).find(({ theorem_name: name }) => name === "again")?.id, first_seen: 1 },
  ]);
  const again = (await get()).same[0]?.id ?? "";
  const stamp = HISTORY_STAMPS.find(({ pages }) => pages.includes("record-page")) ?? assert.fail();
  assert.match(
    await stamp.html((await view.current()) ?? assert.fail(), `/registry/${none.id}/`),
    new RegExp(`^<p>Also proved as <a href="[^"]+${again}/"><bdi>${again}</bdi></a>, first seen in <a [^>]+>snapshot 1</a>\\.</p>`),
  );
  assert.match(
    (await ask(view, `/registry/${none.id}/index.md`)).text,
    new RegExp(`also proved as \\[${again}\\].*, first seen in snapshot 1`),
  );
  const approval = `reviews: [{ record: ${none.id}, meaning: ${meaning}, by: Ada, says: faithful, on: 2025-11-28 }]\n`;
  await publish(TEXT.replace("SECRET", "SECRET, more"), approval);
  const comment = await get("?since=1");
  assert.deepEqual(
    [comment.since?.same, comment.since?.changes, comment.reviews.map(({ holds }) => holds)],
    [true, [], [true]],
    "a comment",
  );
  await publish(TEXT.replace("x + sum r", "sum r"), approval);
  for (const since of ["1", "2", meaning]) {
    const { since: told, reviews } = await get(`?since=${since}`);
    assert.deepEqual(
      [told?.same, told?.changes.map(({ name }) => name), reviews.map(({ holds }) => holds)],
      [false, ["L.A.sum"], [false]],
      since,
    );
    assert.deepEqual(
      told?.changes[0]?.lines.map(({ kind, text }) => [kind, /cons x r => (x \+ )?sum r end/.test(text)]),
      [
        ["removed", true],
        ["added", true],
      ],
    );
  }
  assert.equal((await get(`?since=${meaning}`)).since?.sequence, 2, "the newest that has it");
  // On the pages of the comparison and of the record's revisions, to which its review leads.
  assert.match(
    (await ask(view, "/snapshots/2..3/")).text,
    /means? something else, by a definition below[^]*below it, <code>[^]*class="removed"/,
  );
  const revisions = (await ask(view, `/snapshots/registry/${none.id}/?from=${meaning}`)).text;
  assert.match(revisions, /From snapshot 2 to 3[^]*What has to be read: <code>L\.A\.sum<\/code>[^]*class="removed"/);
  assert.doesNotMatch(JSON.stringify(await get("?since=1")), /SECRET/, "only lines of the definitions");
  for (const [query, status] of [
    ["?since=99", 404],
    [`?since=${"0".repeat(64)}`, 404],
    ["?since=x&since=y", 400],
    ["?other=1", 400],
  ] as const)
    assert.equal((await ask(view, `/api/cubs/${none.id}/meaning${query}`)).status, status, query);
  // What is gated by now is quoted nowhere in the public view.
  await library("email-gated");
  cpSync(join(source.folder, "src/A.v"), join(source.folder, "library/proofs/B.v"));
  await build(await openConfig(join(source.folder, "proofshelf.yaml")), { progress: SILENT }, PLAIN_PARTS);
  const { parts } = await get();
  assert.ok(parts.length > 0 && parts.every(({ text }) => text === null));
  for (const path of [`/api/cubs/${none.id}/meaning?since=1`, "/snapshots/1..4/", `/snapshots/registry/${none.id}/`])
    assert.doesNotMatch((await ask(view, path)).text, /cons x r/, path);
});
