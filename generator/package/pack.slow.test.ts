/** The package at work, as an installation has it. */
import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { folder, installed, library, manifest } from "./pack-fixture.ts";

const command = (): string => join(installed, manifest.bin["proofshelf"] ?? "");

function run(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const env = { PATH: process.env["PATH"], HOME: folder };
    const child: ChildProcess = execFile(process.execPath, [command(), ...args], { cwd: library, env }, (_, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    );
  });
}

test("a library is built, built again without work, verified, served and searched, and what is not installed is said", async () => {
  assert.match((await run("--help")).stdout, /^Usage: proofshelf /);
  const first = await run("build", "--json");
  assert.equal(first.code, 0, first.stderr);
  const summary = JSON.parse(first.stdout) as { snapshot: string };
  assert.match(first.stdout + first.stderr, /npm install -g @energetic-ai\/core/);
  assert.doesNotMatch(first.stderr, /Warning|deprecated/i);
  const plan = await run("build", "--plan", "--json");
  assert.equal((JSON.parse(plan.stdout) as { nothing: boolean }).nothing, true, plan.stdout);
  assert.equal((JSON.parse((await run("build", "--json")).stdout) as { snapshot: string }).snapshot, summary.snapshot);
  const verified = await run("verify", "--all");
  assert.equal(verified.code, 0, verified.stdout + verified.stderr);

  const server = spawn(process.execPath, [command(), "serve", "--port", "0", "--config", "proofshelf.yaml"], {
    cwd: library,
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const [line] = (await once(server.stdout, "data")) as [Buffer];
    const url = /http:\/\/[\w.:]+/.exec(line.toString())?.[0];
    assert.ok(url !== undefined, line.toString());
    const found = (await (await fetch(`${url}/api/search?q=elephants`)).json()) as { results: { key: string }[] };
    assert.deepEqual(
      found.results.map(({ key }) => key),
      ["notes/paper.html"],
    );
    assert.match(await (await fetch(`${url}/objects/notes/sorting.md`)).text(), /stable/);
    assert.match(await (await fetch(`${url}/browse/notes/sorting.md/`)).text(), /<strong>stable<\/strong>/);
    assert.equal((await fetch(`${url}/objects/drafts/secret.md`)).status, 404);
    const program =
      'import { createClient } from "@proofshelf/client";\nconst { data } = await createClient({ baseUrl: process.argv[2] }).GET("/objects/{key}", { params: { path: { key: "notes/sorting.md" } }, parseAs: "text" });\nconsole.log(data.trim());\n';
    writeFileSync(join(library, "use.mjs"), program);
    const said = await new Promise<string>((resolve) =>
      execFile(process.execPath, ["use.mjs", url], { cwd: library }, (_, stdout, stderr) => resolve(stdout + stderr)),
    );
    assert.match(said, /^# Sorting\n\nInsertion sort is \*\*stable\*\*\.\n$/);
  } finally {
    server.kill("SIGTERM");
    await once(server, "exit");
  }
});
