/** A library of three snapshots whose shelf tests damage. */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, type TestContext } from "node:test";
import { openDirectoryShelf } from "../../../snapshots/shelf/shelf-directory.ts";
import { type Config, openConfig } from "../../config/config.ts";
import { describeLibrary, SILENT, writeFiles } from "../../testing/library.ts";
import { useParts } from "../../publish/parts.ts";
import { PAGED_PARTS } from "../../testing/plain-parts.ts";
import { build, openShelves } from "../../testing/whole.ts";
import { mendHistory } from "./history.ts";
import type { Mended } from "./lost.ts";

useParts(PAGED_PARTS);

const CONFIG = `${describeLibrary("Library that breaks")}embeddings: { kind: none }
`;

/** A library of three snapshots, built once; each test damages a copy. */
let base: string;

before(async () => {
  base = mkdtempSync(join(tmpdir(), "proofshelf-repair-"));
  await writeFiles(base, [
    ["proofshelf.yaml", CONFIG],
    ["library/notes/steady.md", "# Steady\n\nAlways the same.\n"],
    ["library/drafts/gated.md", "# Gated\n\nNot for everybody.\n"],
  ]);
  for (const turn of [1, 2, 3]) {
    await writeFiles(base, [["library/notes/turn.md", `# Turn\n\nTurn ${turn}.\n`]]);
    await build(await openConfig(join(base, "proofshelf.yaml")), { progress: SILENT, now: () => new Date(`2026-04-0${turn}T00:00:00Z`) });
  }
});

after(() => rmSync(base, { recursive: true, force: true }));

export async function copy(t: TestContext): Promise<{ dir: string; config: Config; shelf: string }> {
  const dir = mkdtempSync(join(tmpdir(), "proofshelf-repair-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  cpSync(base, dir, { recursive: true, preserveTimestamps: true });
  return { dir, config: await openConfig(join(dir, "proofshelf.yaml")), shelf: join(dir, "shelf") };
}

/** mendHistoryOf mends the history alone, and says what that has done. */
export async function mendHistoryOf(config: Config): Promise<readonly Mended[]> {
  const mended: Mended[] = [];
  await mendHistory({ shelves: openShelves(config), mended });
  return mended;
}

/** contents reads what a shelf says and holds: path or digest → bytes. */
export async function contents(shelf: string): Promise<Map<string, string>> {
  const files = readdirSync(shelf, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(shelf.length + 1))
    .filter((path) => /^(public|internal)\/(snapshots\/|changes\/|current\.json$)/.test(path));
  const found = new Map(files.map((path) => [path, readFileSync(join(shelf, path)).toString("latin1")]));
  for (const root of ["public", "internal"]) {
    const opened = openDirectoryShelf(join(shelf, root));
    for await (const { digest } of opened.blobs.list())
      found.set(digest, Buffer.from((await opened.getBlob(digest)) ?? []).toString("latin1"));
  }
  return found;
}
