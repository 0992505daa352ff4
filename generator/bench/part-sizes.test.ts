/** The table of the README says what the parts cost that are installed here. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { PARTS, partSizes } from "./part-sizes.ts";

const GUIDE = new URL("../README.md", import.meta.url);
/** A tenth, and rounding: packages differ a little from one machine to the next. */
const isNear = (told: number, bytes: number): boolean => Math.abs(told - bytes / 1e6) <= Math.max(1, bytes / 1e7);

test("what parts cost on disk is what the guide says, and every part of the guide is one", (t) => {
  if (process.platform !== "linux" || process.arch !== "x64") return t.skip("the guide's figures are of another machine");
  const [, section = ""] = readFileSync(GUIDE, "utf8").split("## What parts cost\n");
  const told = [...(section.split("\n## ")[0] ?? "").matchAll(/^\| ([^|]+) \| (\d+) \|/gm)].map(
    ([, part = "", mb]) => [part, Number(mb)] as const,
  );
  assert.deepEqual(told.map(([part]) => part).sort(), Object.keys(PARTS).sort());
  const sizes = partSizes();
  for (const [part, mb] of told)
    assert.ok(isNear(mb, sizes.get(part) ?? 0), `${part}: ${mb} MB told, ${((sizes.get(part) ?? 0) / 1e6).toFixed(1)} there`);
});
