/** The demo's registry, which follows from registry.yaml: from sources, checks and what people wrote into the overlay. */
import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { sha256 } from "../../snapshots/digest.ts";
import { openRegistrySources } from "../annex/registry/config.ts";
import { makeRegistry } from "../annex/registry/make-registry.ts";

const DemoRecord = z.looseObject({
  id: z.string(),
  repo: z.string(),
  theorem_name: z.string(),
  module: z.string(),
  kind: z.string(),
  statement: z.string(),
  verification_state: z.string(),
  invocation: z.string(),
  production_consumption: z.string(),
  proof_consumption: z.string(),
  wiring: z.string(),
  crate: z.string(),
  lane: z.string(),
  tier: z.string(),
  deployable: z.boolean(),
  no_holes: z.boolean(),
  note: z.string(),
  claims: z.array(z.string()),
  files: z.object({ coq_file: z.string(), lean_file: z.string() }),
  file_shas: z.record(z.string(), z.string()),
  exec_file: z.string(),
  exec_fn: z.string(),
  exec_fns: z.array(z.string()),
  rust_anchor: z.string(),
  reproduce: z.object({
    proof_files: z.array(z.string()),
    verify_hash: z.string(),
    recheck: z.string(),
    get_code: z.string(),
  }),
  links: z.object({ api: z.string(), code: z.string(), registry: z.string() }),
});
const DemoRegistry = z.object({
  meta: z.looseObject({
    authoritative_ui: z.string(),
    public_api: z.string(),
    sources: z.record(z.string(), z.object({ head: z.string(), ref: z.string(), csv_rows: z.number() })),
  }),
  cubs: z.array(DemoRecord),
});
export type DemoRecord = z.infer<typeof DemoRecord>;
export type DemoRegistry = z.infer<typeof DemoRegistry>;

/** readRegistry reads the registry of the demo.
 *  @throws ZodError when registry.json has lost a field that tests read */
export function readRegistry(demo: string): DemoRegistry {
  const raw: unknown = JSON.parse(readFileSync(join(demo, "registry.json"), "utf8"));
  DemoRegistry.parse(raw);
  // The parsed copy has the schema's field order; the file keeps its own.
  return raw as DemoRegistry;
}

/** listFiles returns files below `folder`, as paths with "/", in the byte order of `LC_ALL=C sort`. */
export function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

/** headOf returns the revision id of a folder of the code store: the SHA-1 of what this prints in it:
 *  `find . -type f | LC_ALL=C sort | xargs sha256sum`. */
export function headOf(folder: string): string {
  const manifest = listFiles(folder).map((path) => `${sha256(readFileSync(join(folder, path)))}  ./${path}\n`);
  return createHash("sha1").update(manifest.join("")).digest("hex");
}

/** libraryName returns the Coq library name of a repository: sorted-lists → SortedLists. */
export function libraryName(repo: string): string {
  return repo.replace(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** modulesInOrder returns the Coq modules of a revision that `module` needs, itself last. */
export function modulesInOrder(root: string, repo: string, module: string): string[] {
  const source = readFileSync(join(root, "coq", `${module}.v`), "utf8");
  const needs = [...source.matchAll(new RegExp(`From ${libraryName(repo)} Require Import (\\w+)\\.`, "g"))];
  return [...new Set([...needs.flatMap((need) => modulesInOrder(root, repo, need[1] ?? "")), module])];
}

/** readRows returns data rows of a CSV file of the code store, by column; none of these files quotes a field. */
export function readRows(path: string): Record<string, string>[] {
  const [header = "", ...lines] = readFileSync(path, "utf8").trimEnd().split("\n");
  const names = header.split(",");
  return lines.map((line) => {
    const fields = line.split(",");
    return Object.fromEntries(names.map((name, i) => [name, fields[i] ?? ""]));
  });
}

/** makeDemoRegistry returns the registry as the sources, the checks and the overlay give it. */
export async function makeDemoRegistry(demo: string): Promise<string> {
  return Buffer.from(await makeRegistry(openRegistrySources(join(demo, "registry.yaml")))).toString();
}
