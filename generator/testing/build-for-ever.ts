/** Commands that build for ever, as processes: what they keep must not grow for ever. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { PLAIN_CLI } from "./serving-process.ts";
import { openConfig } from "../config/config.ts";
import { writeFiles } from "./library.ts";
import { verifyLibrary } from "./whole.ts";

const KEEP = 2;
const CONFIG = `store: { kind: directory, root: ./library }
shelf: { kind: directory, root: ./shelf }
keep: ${KEEP}
embeddings: { kind: embedded }
collections:
  - { id: notes, prefix: notes/, title: Notes, visibility: public }
  - { id: drafts, prefix: drafts/, title: Drafts, visibility: email-gated }
`;
/** Rows that wait to be merged: the index does so when it has forty pieces. */
const WAITING = /\.lance\/(?:data|_deletions)\//;

/** buildForEver lets a command build a few turns, and again, and compares what is there. */
export async function buildForEver(t: TestContext, command: readonly string[]): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), "every-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const file = join(dir, "proofshelf.yaml");
  await writeFiles(dir, [
    ["proofshelf.yaml", CONFIG],
    ["library/notes/steady.md", "# Steady\n\nAlways the same.\n"],
  ]);
  /** Builds these turns, ends, and counts what is there. */
  const run = async (turns: readonly number[]): Promise<Record<string, number>> => {
    const turn = (n: number): Promise<void> =>
      writeFiles(dir, [
        ["library/notes/turn.md", `# Turn ${n}\n\nWords of the turn ${n}.\n`],
        ["library/drafts/turn.md", `# Draft ${n}\n\nGated words of the turn ${n}.\n`],
      ]);
    await turn(turns[0] ?? 0);
    // A tenth of a second between builds.
    const child = spawn(process.execPath, [PLAIN_CLI, ...command, "--every", "0.0017m", "--config", file], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    t.after(() => child.kill("SIGKILL"));
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (text: Buffer) => (said += text.toString()));
    for (const n of turns) {
      await turn(n);
      // The next build begins when this one has made its vectors and pruned.
      while (!said.includes(`Nothing has changed; snapshot ${n} `)) {
        assert.equal(child.exitCode, null, said);
        await wait(20);
      }
    }
    child.kill("SIGTERM");
    await once(child, "close");
    if (turns.includes(KEEP + 1)) assert.match(said, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ public: removed 1 snapshot/m);
    return Object.fromEntries(
      ["public", "internal"].flatMap((view) =>
        ["snapshots", "packs", "index"].map((kind) => {
          const paths = readdirSync(join(dir, "shelf", view, kind), { recursive: true }).map(String);
          return [`${view} ${kind}`, paths.filter((path) => !WAITING.test(path)).length];
        }),
      ),
    );
  };
  const before = await run([1, 2, 3]);
  assert.deepEqual([before["public snapshots"], before["internal snapshots"]], [KEEP, KEEP]);
  assert.deepEqual(await run([4, 5]), before);
  assert.deepEqual(await verifyLibrary(await openConfig(file), { snapshots: "all", derive: false }), []);
}
