import assert from "node:assert/strict";
import { test } from "node:test";
import { Candidates } from "./candidates.ts";
import type { FoundPassage } from "./found-texts.ts";
import { readSources } from "./sources.ts";

test("of a long text what stands around each passage that was found is read, wherever that is, under its heading", async () => {
  const lines = Array.from({ length: 30_000 }, (_, at) => (at % 2 === 0 ? `Line ${at + 1} says something of seals.` : ""));
  lines[20_000] = "## Otters";
  const bytes = Buffer.from(`${lines.join("\n")}\n`);
  assert.ok(bytes.length > 512 * 1024);
  const passage = (line: number, heading: string): FoundPassage => {
    const place = {
      doc: "a.md",
      n: line,
      key: "a.md",
      title: "A",
      kind: "markdown" as const,
      collection: "",
      name: "",
      page: null,
      sha256: "s",
    };
    return { row: { ...place, heading, text: lines[line - 1] ?? "", start_line: line, end_line: line }, words: 1, near: 0.5 };
  };
  const passages = [passage(19_951, "Seals \u203a Food"), passage(25_001, "Otters"), passage(25_101, "Otters")];
  const found = { rank: 1, share: 1, passages };
  const sources = await readSources([found], { readObject: async () => ({ sha256: "s", bytes }), readPage: async () => null });
  assert.deepEqual(
    sources.map(({ start_line, source, above }) => [start_line, source.split("\n").length, above]),
    [
      [19_851, 201, ["Seals", "Food"]],
      [24_901, 301, ["Otters"]],
    ],
  );
  const read = sources.flatMap((source) => new Candidates().read(source));
  const headingOf = (line: number) => read.find(({ unit }) => unit.plain.startsWith(`Line ${line} `))?.unit.heading;
  assert.deepEqual([headingOf(19_901), headingOf(20_003), headingOf(25_001)], [["Seals", "Food"], ["Otters"], ["Otters"]]);
  const nothing = await readSources([found], { readObject: async () => ({ sha256: "other", bytes }), readPage: async () => null });
  assert.deepEqual(nothing, []);
});
