import assert from "node:assert/strict";
import { test } from "node:test";
import { findLastChange } from "./provenance.ts";

const record = { sequence: 3, created: "2026-05-01T10:00:00Z" };
const none = { claims: [], objects: [], records: [] };
const changes = {
  added: { ...none, objects: ["notes/a.md", "papers/b.md"], records: ["CUB-0001"] },
  changed: { ...none, objects: Array.from({ length: 12 }, (_, at) => `notes/${at}.md`) },
  removed: none,
};

async function say(question: string, prefix = "", found: typeof changes | null = changes): Promise<string | null> {
  const told = await findLastChange(question, prefix, record, (sequence) => Promise.resolve(sequence === record.sequence ? found : null));
  return told?.parts.map((part) => (typeof part === "string" ? part : "name" in part ? part.name : part.value)).join("") ?? null;
}

test("what changed last is told as the newest publication changed it, whatever it is asked with", async () => {
  const said =
    "Publication 3 of 2026-05-01 added 3: notes/a.md, papers/b.md, CUB-0001; changed 12: notes/0.md, notes/1.md, notes/2.md, notes/3.md, " +
    "notes/4.md, notes/5.md, notes/6.md, notes/7.md and 4 more.";
  for (const question of [
    "What changed last?",
    "what's new",
    "What is new here?",
    "What was added lately?",
    "latest changes",
    "Show me the recent additions",
  ])
    assert.equal(await say(question), said, question);
  assert.equal(await say("What changed last?", "papers/"), "Publication 3 of 2026-05-01 added 1: papers/b.md.");
  assert.equal(
    await say("What changed last?", "", { ...changes, added: none, changed: none } as typeof changes),
    "Publication 3 of 2026-05-01 changed nothing here.",
  );
  for (const question of ["What changed in the sorting note?", "What is the newest algorithm?", "What is new in Coq 8.16?", "changes"])
    assert.equal(await say(question), null, question);
  assert.equal(await say("What changed last?", "", null), null);
});
