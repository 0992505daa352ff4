/** The memory of a process that copies from an origin which means to fill it. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { attacks, serveHostile } from "./hostile-origin-fixture.ts";
import { temporary } from "./mirror-fixture.ts";

const CLI = fileURLToPath(new URL("../../cli.ts", import.meta.url));
const MAX_RESIDENT_KB = 300 * 1024;

for (const { name, root, answers, said } of attacks(2_000_000).concat(attacks(50_000))) {
  test(`${name}, ${root.length} bytes: a copy keeps below 300 MB`, { skip: process.platform !== "linux" }, async (t) => {
    const home = temporary("bounds");
    const server = await serveHostile(join(home.dir, "origin"), root, answers);
    t.after(async () => {
      await server.close();
      home.remove();
    });
    const child = spawn(process.execPath, [CLI, "mirror", server.url, join(home.dir, "copy"), "--max-bytes", "1g"], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    let [stderr, most] = ["", 0];
    child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
    const watch = setInterval(() => {
      const status = ((): string => {
        try {
          return readFileSync(`/proc/${child.pid}/status`, "utf8");
        } catch {
          return "";
        }
      })();
      most = Math.max(most, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0));
    }, 50);
    const code = await new Promise((resolve) => child.on("exit", resolve));
    clearInterval(watch);
    assert.match(stderr, said);
    assert.equal(code, 3);
    assert.ok(most > 0 && most < MAX_RESIDENT_KB, `${most} kB`);
    t.diagnostic(`${Math.round(most / 1024)} MB, ${Math.round(server.sent() / 2 ** 20)} MiB sent`);
  });
}
