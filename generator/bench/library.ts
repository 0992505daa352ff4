/** The corpus as a library, and the command line over it. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { BuildSummary } from "../build.ts";
import { CLI } from "../fixtures/serving-process.ts";
import { type Cost, measure } from "./measure.ts";

/** As `npm run proofshelf` starts it. */
export const NODE_OPTIONS = ["--max-semi-space-size=64"];
const BUILD_LIMIT_S = 600;

/** @param folder of the configuration, the shelf, and the objects in `library/`
 *  @returns the configuration file */
export async function writeConfig(folder: string): Promise<string> {
  const file = join(folder, "proofshelf.yaml");
  await writeFile(
    file,
    [
      "title: Files of two Debian packages",
      "store: { kind: directory, root: ./library }",
      "shelf: { kind: directory, root: ./shelf }",
      // What a build costs is measured without vectors; those have figures of their own.
      "embeddings: { kind: none }",
      "collections:",
      "  - { id: proofs, prefix: coq/, title: Proofs, visibility: public }",
      "  - { id: pages, prefix: libcoq-stdlib/, title: Proofs as pages, visibility: public }",
      "  - { id: documentation, prefix: linux-doc-6.1/, title: Documentation, visibility: public }",
      "",
    ].join("\n"),
  );
  return file;
}

export async function measureBuild(config: string): Promise<{ readonly cost: Cost; readonly summary: BuildSummary }> {
  const cost = await measure([process.execPath, ...NODE_OPTIONS, CLI, "build", "--json", "--config", config], { limit_s: BUILD_LIMIT_S });
  return { cost, summary: JSON.parse(cost.stdout) as BuildSummary };
}
