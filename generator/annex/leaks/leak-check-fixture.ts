/** Shared by leak-check.test.ts and its slow tests. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext } from "node:test";
import { describeLibrary, writeFiles } from "../../testing/library.ts";
import { useParts } from "../../publish/parts.ts";
import { PAGED_PARTS } from "../../testing/plain-parts.ts";
import { openShelves } from "../../testing/whole.ts";
import { LEAK_INPUT } from "../../../snapshots/annex/leaks/index.ts";
import { type Config, openConfig } from "../../config/config.ts";

useParts(PAGED_PARTS);

/** SAID stands on the page of a public object, and is a gated object's title: no public source says it. */
export const SAID = "curl -s http://library.example/objects/notes/a.txt";

export const config = (allow: string): string => `${describeLibrary("Library that refuses")}embeddings: { kind: none }
${allow}`;

export type Looked = { readonly files: number; readonly bytes: number; readonly since: string | null };

/** lookedAt says what the look of the last build read. */
export async function lookedAt(config: Config): Promise<Looked> {
  const record = await openShelves(config).internal.readPointer();
  return (JSON.parse(record?.inputs[LEAK_INPUT] ?? "{}") as { details: Looked }).details;
}

export async function makeLibrary(t: TestContext, files: readonly (readonly [string, string])[]): Promise<{ dir: string; opened: Config }> {
  const dir = mkdtempSync(join(tmpdir(), "proofshelf-leaks-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const more = Array.from({ length: 12 }, (_, n) => [`library/notes/more/${n}.md`, `# Number ${n}\n\nOf many.\n`] as const);
  await writeFiles(dir, [["proofshelf.yaml", config("")], ...more, ...files]);
  return { dir, opened: await openConfig(join(dir, "proofshelf.yaml")) };
}
