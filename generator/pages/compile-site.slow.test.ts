import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { openRenderer } from "../../snapshots/page/renderer.ts";
import { compileSite } from "./compile-site.ts";

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "compile-site-"));
});
after(() => rm(folder, { recursive: true, force: true }));

test("two processes may compile at once: both get the same complete version, and nothing else stays, nor what a killed compiler left behind", async () => {
  const distDir = join(folder, "both");
  const [one, same] = await Promise.all([compileSite({ distDir }), compileSite({ distDir })]);
  assert.equal(one.dist, same.dist);
  assert.equal((await readdir(distDir)).length, 2, "the version and the pointer");
  const renderer = await openRenderer(distDir);
  assert.match(renderer.digest, /^[0-9a-f]{64}$/);
  const names = renderer.assets.map(({ path }) => path);
  for (const name of names) assert.match(name, /^(?:assets\/[a-z-]+[-.][\w-]{8}\.(?:css|js|svg)|favicon\.ico)$/);
  assert.deepEqual(
    names
      .map((name) => name.replace(/[-.][\w-]{8}\./, "."))
      .filter((name) => /\/page\./.test(name))
      .sort(),
    ["assets/page.css", "assets/page.js"],
  );

  // Compiled elsewhere, the bytes are the same: the digest must not depend on the folder, nor on what a killed compiler left there.
  const other = join(folder, "a folder with spaces");
  await mkdir(join(other, ".compile-left", "out"), { recursive: true });
  await writeFile(join(other, "current"), "0123456789abcdef\n");
  const elsewhere = await compileSite({ distDir: other });
  assert.equal(elsewhere.compiled, true);
  assert.equal((await openRenderer(elsewhere.dist)).digest, renderer.digest);
  assert.equal((await openRenderer(other)).digest, renderer.digest);

  assert.deepEqual(await compileSite({ distDir }), { ...one, compiled: false });
});

test("a compiler that is ended takes along what it has started, and leaves no half of a version", { timeout: 60_000 }, async () => {
  const distDir = join(folder, "ended");
  const module = JSON.stringify(new URL("compile-site.ts", import.meta.url).href);
  const script = `await (await import(${module})).compileSite({ distDir: ${JSON.stringify(distDir)} });`;
  // A group of its own, so that whoever is left of it can be asked for.
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], { detached: true, stdio: "ignore" });
  const group = -(child.pid ?? 0);
  const half = async (): Promise<number> => (await readdir(distDir, { recursive: true }).catch(() => [])).length;
  // A cache of the compiler's own.
  while ((await half()) < 2) await setTimeout(100);
  child.kill("SIGTERM");
  assert.deepEqual(await once(child, "exit"), [null, "SIGTERM"]);
  while (isThere(group)) await setTimeout(100);
  assert.deepEqual(await readdir(distDir), []);
});

function isThere(group: number): boolean {
  try {
    return process.kill(group, 0);
  } catch {
    return false;
  }
}
