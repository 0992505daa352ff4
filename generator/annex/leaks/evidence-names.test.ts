/** The name and the kind of evidence are public, whoever may see it: where one says what is gated, the build tells who builds, and refuses. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { sha256 } from "../../../snapshots/digest.ts";
import { openConfig } from "../../config/config.ts";
import { SILENT, writeFiles } from "../../testing/library.ts";
import { build } from "../../testing/whole.ts";
import { config, newRoom } from "./gating-fixture.ts";

const GATED = "plans/rare/heliotrope-garden.md";

test("evidence whose name or kind is a gated key, title or digest is told, and nothing is published", async (t) => {
  const room = await newRoom(t);
  const attempt = async (artifact: string, kind: string): Promise<unknown> => {
    const evidence = [{ artifact, kind, access: "email-gated", path: "plans/other.md" }];
    const claim = { id: "one", title: "One", status: "verified", scope: "Here", statement: "It stands.", evidence };
    await writeFiles(room.dir, [
      ["proofshelf.yaml", `${config("email-gated")}claims: { path: ./claims.json }\n`],
      ["claims.json", JSON.stringify({ claims: [claim] })],
    ]);
    return build(await openConfig(room.file), { progress: SILENT }).then(
      () => null,
      (error: { leaks?: unknown }) => error.leaks ?? error,
    );
  };
  const digest = sha256(readFileSync(join(room.dir, "library", GATED)));
  for (const [artifact, kind] of [
    ["See The heliotrope garden, part two", "document"],
    ["A plan", GATED],
    [`The file ${digest}`, "document"],
  ] as const) {
    const told = JSON.stringify(await attempt(artifact, kind));
    assert.ok(told.includes(`"gated":"${GATED}"`) && told.includes("claims"), `${artifact}, ${kind}: ${told}`);
  }
  assert.equal(await attempt("A plan of ours", "document"), null, "what says nothing of it passes");
});
