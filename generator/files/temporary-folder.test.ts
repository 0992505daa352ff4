import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { withTemporaryFolder } from "./temporary-folder.ts";

const MODULE = JSON.stringify(new URL("temporary-folder.ts", import.meta.url).href);

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  test(`a process that ${signal} ends leaves nothing in the temporary folder, and ends by it`, async () => {
    const script = `const { withTemporaryFolder } = await import(${MODULE});
      await withTemporaryFolder("signal", async (outer) => withTemporaryFolder("signal", async (inner) => {
        console.log(JSON.stringify([outer, inner]));
        await new Promise((resolve) => setTimeout(resolve, 60_000));
      }));`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: ["ignore", "pipe", "inherit"] });
    const [text] = (await once(child.stdout, "data")) as [Buffer];
    const folders = JSON.parse(text.toString()) as string[];
    assert.deepEqual(folders.map(existsSync), [true, true]);
    child.kill(signal);
    assert.deepEqual(await once(child, "exit"), [null, signal]);
    assert.deepEqual(folders.map(existsSync), [false, false]);
  });

test("work that ends or fails leaves nothing in the temporary folder, and no listener", async () => {
  const before = process.listenerCount("SIGTERM");
  let folder = "";
  assert.equal(await withTemporaryFolder("end", async (dir) => (folder = dir).length), folder.length);
  await assert.rejects(
    withTemporaryFolder("end", async (dir) => Promise.reject(new Error((folder = dir)))),
    /proofshelf-end-/,
  );
  assert.deepEqual([existsSync(folder), process.listenerCount("SIGTERM")], [false, before]);
});
