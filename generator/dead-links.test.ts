import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { build } from "./build.ts";
import { openConfig } from "./config/config.ts";
import { SILENT, writeFiles } from "./fixtures/library.ts";
import { ask, openFixtureView } from "./fixtures/view.ts";
import { verifyLibrary } from "./publish/verify-library.ts";

/** One pixel. */
const DOT = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");

test("a link to nothing is text and reported, one to what is gated is text for the public, and each is a link when it leads somewhere", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "dead-links-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const links =
    "[gone](gone.md) [out](https://example.org/x.md) [there](deep/there.md#part) [folder](deep/) [no folder](none/) [gated](../b/plan.md) [self](#here) ![pic of a pin](p.png) ![there it is](dot.png)";
  await writeFiles(dir, [
    ["library/a/one.md", `# One\n\n${links}\n`],
    ["library/a/dot.png", DOT],
    ["library/a/deep/there.md", "# There\n\n## Part\n"],
    ["library/b/plan.md", "# Plan\n\n[back](../a/one.md)\n"],
    [
      "proofshelf.yaml",
      "store: { kind: directory, root: ./library }\nshelf: { kind: directory, root: ./shelf }\nembeddings: { kind: none }\ncollections:\n  - { id: a, prefix: a/, title: A, visibility: public }\n  - { id: b, prefix: b/, title: B, visibility: email-gated }\n",
    ],
  ]);
  const config = await openConfig(join(dir, "proofshelf.yaml"));
  const linked = async (name: "public" | "internal"): Promise<string[]> => {
    const { text } = await ask(await openFixtureView(config, name), "/object/a/one.md/");
    assert.match(text, /gone/);
    const content = /aria-label="Content"[^]*?<\/section>/.exec(text)?.[0] ?? "";
    return [...content.matchAll(/<a [^>]*>([^<]*)<\/a>/g)].map(([, shown = ""]) => shown);
  };
  const first = await build(config, { progress: SILENT });
  assert.match(
    first.notes.join("\n"),
    /These links and images lead to nothing .*: "a\/one\.md" to "a\/gone\.md"; "a\/one\.md" to "a\/none\/"; "a\/one\.md" to "a\/p\.png"\./,
  );
  assert.deepEqual(await linked("public"), ["out", "there", "folder", "self"]);
  const { text } = await ask(await openFixtureView(config, "public"), "/object/a/one.md/");
  assert.match(text, / pic of a pin <img src="[^"]*objects\/a\/dot\.png" alt="there it is"/);
  assert.deepEqual(await linked("internal"), ["out", "there", "folder", "gated", "self"]);
  assert.match((await build(config, { progress: SILENT })).notes.join(), /a\/gone\.md/, "said at every build");
  // In another folder than the page that links to it.
  await writeFiles(dir, [["library/a/none/new.md", "# New\n"]]);
  rmSync(join(dir, "library/a/deep/there.md"));
  await build(config, { progress: SILENT, acceptLoss: true });
  assert.deepEqual(await linked("public"), ["out", "no folder", "self"]);
  // The source itself names the gated key, which is a warning.
  const findings = await verifyLibrary(config, { snapshots: "current" });
  assert.deepEqual(
    findings.filter(({ severity }) => severity === "error"),
    [],
  );
});
