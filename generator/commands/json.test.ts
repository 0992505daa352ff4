/** `--json` is one document on standard output for every command, whatever was wrong. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Command } from "commander";
import { program } from "../cli.ts";
import { withoutPlaces } from "../files/failure.ts";
import { writeFiles } from "../testing/library.ts";
import { type Ran, runIn } from "../testing/run-program.ts";

function leaves(command: Command, path: readonly string[] = []): string[][] {
  return command.commands.length === 0 ? [[...path]] : command.commands.flatMap((one) => leaves(one, [...path, one.name()]));
}

function errorOf({ stdout }: Ran): { code: string; message: string; errors: unknown[]; fixes: unknown[] } {
  assert.match(stdout, /^[^\n]+\n$/, "one line");
  return (JSON.parse(stdout) as { error: { code: string; message: string; errors: unknown[]; fixes: unknown[] } }).error;
}

test("every command that is called wrongly says so in one document", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "proofshelf-json-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const all = leaves(program);
  assert.ok(all.length > 25, String(all.length));
  const groups = [...new Set(all.filter(({ length }) => length > 1).map(([name = ""]) => name))].map((name) => [name]);
  for (const command of [[], ["nosuch"], ...groups, ...all.map((path) => [...path, "--bogus"])]) {
    const ran = await runIn(folder, [...command, "--json"]);
    const { code, message, errors, fixes } = errorOf(ran);
    assert.deepEqual([ran.status, code, errors, fixes], [2, "bad_config", [], []], command.join(" "));
    assert.doesNotMatch(message, /^error:|^$/, command.join(" "));
  }
});

test("every command that finds no library says so in one document", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "proofshelf-json-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const command of [
    ["build"],
    ["verify"],
    ["prune"],
    ["repair"],
    ["registry", "scan"],
    ["registry", "recheck"],
    ["snapshots", "list"],
    ["export", "x"],
  ])
    assert.equal(errorOf(await runIn(folder, [...command, "--json"])).code, "bad_config", command.join(" "));
});

test("a graph is one document, and has one form", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "proofshelf-json-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  await writeFiles(folder, [
    ["registry.yaml", "sources:\n  - { repo: r, folder: ./src, rev: one, prover: lean }\n"],
    ["src/A.lean", "theorem t : 1 = 1 := rfl\n"],
  ]);
  await runIn(folder, ["registry", "scan"]);
  const graph = await runIn(folder, ["registry", "graph", "CUB-0001", "--json"]);
  assert.deepEqual(
    (JSON.parse(graph.stdout) as { graph: { t: string }[] }).graph.map(({ t: kind }) => kind),
    ["node", "end"],
  );
  assert.equal((await runIn(folder, ["registry", "graph", "CUB-0001", "--dot", "--json"])).status, 2);
});

test("what nobody has foreseen names no place of this machine", () => {
  const error = new Error(`ENOENT: no such file, open '${join("/home/ada", "secret folder", "x.json")}'\n    at somewhere`);
  assert.equal(withoutPlaces(error, error.stack ?? ""), "Error: ENOENT: no such file, open 'x.json'");
  assert.equal(withoutPlaces(error, "The disk is full."), "The disk is full.");
});
