/** A proof of False that Coq 8.16 accepts, in a library: each surface that tells what is recalled, and the gate that refuses it. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { stringify } from "yaml";
import { openConfig } from "../../config/config.ts";
import { SILENT, writeFiles } from "../../testing/library.ts";
import { PLAIN_PARTS } from "../../testing/plain-parts.ts";
import { ask, openFixtureView } from "../../testing/view.ts";
import { build } from "../../testing/whole.ts";
import type { Health } from "../../../snapshots/schema/index.ts";
import { readAdvisories } from "./advisories.ts";
import { eventsOf } from "../webhooks/events.ts";
import { openSource, skip } from "../registry/source-fixture.ts";

const LIE = `Definition oops : False :=
  (fix rec (x : unit) : False :=
  let f (b : False) := match b return False with end in
  let g x := x in
  rec ((ltac:(fix rec' 1; exact g) : unit -> unit) x)) tt.
Theorem wrong : 0 = 1. Proof. destruct oops. Qed.
`;
const NONE = stringify({ advisories: [] });
/** Takes every hole back that the program knows. */
const WITHDRAWN = stringify({
  advisories: (await readAdvisories([], [])).map((one) => ({ ...one, withdrawn: "it is not what is tested" })),
});

test("what a checker with a hole alone accepted is refused by its gate, told by build, health, feed and dashboard, and by one event", {
  skip,
}, async (t) => {
  const source = openSource(t, "advisories: [./mine.yaml]\n", "coq", true);
  source.put({ "src/Lie.v": LIE, "mine.yaml": WITHDRAWN });
  await source.recheck();
  const verified = (await source.records()).find(({ theorem_name: name }) => name === "wrong") ?? assert.fail();
  assert.equal(verified.recall, undefined, "one that is withdrawn recalls nothing");
  // One that recalls everything says so of each record, with the versions that it names.
  const all = { id: "ALL-1", title: "t", url: "https://a.example", checkers: [{ name: "coq", introduced: "0" }] };
  source.put({ "mine.yaml": stringify({ advisories: [all] }) });
  assert.deepEqual(
    (await source.records()).map(({ recall }) => recall?.affected.some(({ id, by }) => id === "ALL-1" && by.startsWith("coq 8."))),
    [true, true],
  );
  source.put({ "mine.yaml": NONE });
  const lie = (await source.records()).find(({ theorem_name: name }) => name === "wrong") ?? assert.fail();
  if (lie.status !== "RECALLED") return t.skip("this Coq has no such hole");
  const library = async (gates: string): Promise<Parameters<typeof build>[0]> => {
    await writeFiles(source.folder, [
      [
        "proofshelf.yaml",
        `baseUrl: http://library.example
store: { kind: directory, root: ./library }
shelf: { kind: directory, root: ./shelf }
collections: [{ id: notes, prefix: notes/, title: Notes, visibility: public }]
registry: { sources: ./registry.yaml }
embeddings: { kind: none }
gates: ${gates}
`,
      ],
      ["library/notes/a.md", "# A\n"],
    ]);
    return openConfig(join(source.folder, "proofshelf.yaml"));
  };
  source.put({ "mine.yaml": WITHDRAWN });
  await build(await library("{ recall: refuse }"), { progress: SILENT }, PLAIN_PARTS);
  source.put({ "mine.yaml": NONE });
  const refused = { code: "gate_refused", message: /Recalled: record CUB-\d+, all that accepted it have a known hole .*ROCQ-/ };
  await assert.rejects(build(await library("{ recall: refuse }"), { progress: SILENT }, PLAIN_PARTS), refused);
  const config = await library("{ regressions: refuse }");
  const { notes } = await build(config, { progress: SILENT }, PLAIN_PARTS);
  assert.match(notes.join("\n"), /Recalled: record/);
  const view = await openFixtureView(config);
  const get = async (path: string) => (await ask(view, path)).text;
  const { checks } = JSON.parse(await get("/health")) as Health;
  assert.deepEqual(checks["recall"]?.status, "warn");
  assert.match(checks["recall"]?.detail ?? "", new RegExp(`\\b${lie.id}\\b`));
  assert.match(await get("/registry/dashboard/"), /"recalled":\[\{"id":"CUB-\d+","name":"wrong"/);
  assert.match(await get("/registry/feed.json"), /got weaker: all that accepted it have a known hole that it may use: ROCQ-/);
  // With the gate shut it is refused also where nothing else is new.
  await assert.rejects(build(await library("{ recall: refuse }"), { progress: SILENT }, PLAIN_PARTS), refused);
});

test("a recall is an event of its own that has ids, told once for as long as it lasts", () => {
  const found = [{ gate: "recall" as const, what: "record" as const, id: "CUB-0001", reason: "r" }];
  const end = { config: { baseUrl: "" }, buildDir: "", at: new Date(), weaker: found, summary: null, error: null } as never;
  const { events, told } = eventsOf(end, {});
  assert.deepEqual(events, [{ name: "recalled", data: { refused: false, found: [{ gate: "recall", what: "record", id: "CUB-0001" }] } }]);
  assert.deepEqual(eventsOf(end, told).events, []);
});
