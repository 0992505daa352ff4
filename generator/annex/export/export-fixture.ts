/** Shared by export.test.ts and its slow tests. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { sha256 } from "../../../snapshots/digest.ts";
import { compileSite } from "../../pages/compile-site.ts";
import { type Config, openConfig } from "../../config/config.ts";
import { type Exported, exportView } from "./export.ts";
import type { ExportOptions } from "./exported-files.ts";
import { SILENT, writeFiles, writeFixture } from "../../testing/library.ts";
import { PAGED_PARTS } from "../../testing/plain-parts.ts";
import { build, openShelves } from "../../testing/whole.ts";

export let base: string;

export let config: Config;

export let exported: Exported;

export const at = (...names: string[]): string => join(base, "export", ...names);

before(async () => {
  base = mkdtempSync(join(tmpdir(), "proofshelf-export-"));
  config = await openConfig(await writeFixture(base));
  await build(config, { progress: SILENT }, PAGED_PARTS);
  await writeFiles(join(base, "library"), [
    ["notes/second.md", "# Second\n\nNew.\n"],
    ["notes/short.md", "# Short\n\nA zebra, changed.\n"],
  ]);
  await build(config, { progress: SILENT }, PAGED_PARTS);
  exported = await run(at());
});

after(() => rmSync(base, { recursive: true, force: true }));

export async function run(dir: string, parts: Pick<ExportOptions, "withoutShelf" | "withoutSearch"> = {}): Promise<Exported> {
  return exportView({ shelf: openShelves(config).public, dist: (await compileSite()).dist, dir, ...parts });
}

export function digestsUnder(dir: string): Map<string, string> {
  return new Map(
    readdirSync(dir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path): [string, string] => [path.slice(dir.length + 1), sha256(readFileSync(path))])
      .sort(),
  );
}

/** withoutTemplates leaves templates out, which are inert: no browser and no parser of HTML follows what stands in them before a script has filled it. */
export function withoutTemplates(html: string): string {
  return html.replaceAll(/<template\b[\s\S]*?<\/template>/g, "");
}
