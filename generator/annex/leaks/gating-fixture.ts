/** A library of which a collection is gated, for tests. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext } from "node:test";
import { gunzipSync } from "node:zlib";
import type { Finding } from "../../../snapshots/verify/finding.ts";
import { type Config, openConfig } from "../../config/config.ts";
import { SILENT, writeFiles } from "../../testing/library.ts";
import { filesUnder } from "../../testing/shelf-files.ts";
import { runHere } from "../../testing/run-program.ts";
import { useParts } from "../../publish/parts.ts";
import { PLAIN_PARTS } from "../../testing/plain-parts.ts";
import type { BuildSummary } from "../../pipeline/summary.ts";
import { build, verifyLibrary } from "../../testing/whole.ts";

useParts(PLAIN_PARTS);

/** SECRET stands in the key, the title and the text of what is gated later, and in no other file. */
export const SECRET = /heliotrope/i;

export const config = (visibility: "public" | "email-gated"): string => `title: Gating library
baseUrl: http://library.example
store: { kind: directory, root: ./library }
shelf: { kind: directory, root: ./shelf }
collections:
  - { id: notes, prefix: notes/, title: Notes, visibility: public }
  - { id: plans, prefix: plans/, title: Plans, visibility: ${visibility} }
embeddings: { kind: none }
`;

type Room = {
  readonly dir: string;
  readonly file: string;
  run(visibility: "public" | "email-gated", options?: { keepHistory?: boolean }): Promise<BuildSummary>;
  turn(n: number): Promise<void>;
  open(): Promise<Config>;
};

export async function newRoom(t: TestContext): Promise<Room> {
  const dir = mkdtempSync(join(tmpdir(), "proofshelf-gating-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const file = join(dir, "proofshelf.yaml");
  await writeFiles(join(dir, "library"), [
    ["notes/steady.md", "# Steady\n\nAlways the same.\n"],
    [
      "plans/rare/heliotrope-garden.md",
      "# The heliotrope garden\n\nWhere the heliotrope flowers shall stand, and in what rows they are planted.\n",
    ],
    ["plans/other.md", "# Another plan\n\nA plan without a flower.\n"],
  ]);
  return {
    dir,
    file,
    turn: (n) => writeFiles(join(dir, "library"), [["notes/turn.md", `# Turn ${n}\n`]]),
    async run(visibility, options = {}) {
      await writeFiles(dir, [["proofshelf.yaml", config(visibility)]]);
      return build(await openConfig(file), { progress: SILENT, ...options });
    },
    open: () => openConfig(file),
  };
}

/** tellers returns files under a folder that say the secret, as they stand or unpacked. */
export function tellers(dir: string): string[] {
  return [...filesUnder(dir)]
    .filter(({ path, bytes }) => {
      const text = (bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes).toString("latin1");
      return SECRET.test(text) || SECRET.test(path);
    })
    .map(({ path }) => path);
}

export const cli = (...args: string[]) => runHere(args);

export const verifyAll = async (file: string): Promise<readonly Finding[]> => verifyLibrary(await openConfig(file), { snapshots: "all" });
