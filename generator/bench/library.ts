/** Libraries to measure with, and the command line over them. */
import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { BuildSummary } from "../pipeline/summary.ts";
import { CLI } from "../testing/serving-process.ts";
import { type Cost, measure } from "./measure.ts";

/** As `npm run proofshelf` starts it. */
const NODE_OPTIONS = ["--max-semi-space-size=16"];
const LIMIT_S = 3_600;
/** WORDS are searched for; all of them occur in the demo library. */
export const WORDS = "digest proof sorted number tree claim theorem bytes list insert canonical record".split(" ");
const DEMO = fileURLToPath(new URL("../demo/", import.meta.url));

/** writeConfig writes a configuration.
 *  @param folder of the configuration, the shelf, and the objects in `library/`
 *  @param prefixes one public collection each
 *  @param gated one gated collection each
 *  @param registry its file
 *  @returns the configuration file */
export async function writeConfig(
  folder: string,
  title: string,
  prefixes: readonly string[],
  gated: readonly string[] = [],
  registry: string | null = null,
): Promise<string> {
  const file = join(folder, "proofshelf.yaml");
  const config = {
    title,
    store: { kind: "directory", root: "./library" },
    shelf: { kind: "directory", root: "./shelf" },
    // The cost of a build is measured without vectors.
    embeddings: { kind: "none" },
    ...(registry === null ? {} : { registry: { path: registry } }),
    collections: [...prefixes, ...gated].map((name) => ({
      id: name.replaceAll(".", "-"),
      prefix: `${name}/`,
      title: name,
      visibility: gated.includes(name) ? "email-gated" : "public",
    })),
  };
  await writeFile(file, JSON.stringify(config));
  return file;
}

/** buildDemo returns the demo library, built, with a shelf of its own.
 *  @param access the section of who gets in; a path in it is relative to the folder
 *  @returns the configuration file */
export async function buildDemo(folder: string, access: object): Promise<string> {
  await cp(DEMO, folder, { recursive: true });
  const file = join(folder, "proofshelf.yaml");
  const text = (await readFile(file, "utf8")).replace(/^(shelf|embeddings):.*$/gm, "");
  await writeFile(
    file,
    `${text}\nshelf: { kind: directory, root: ./shelf }\nembeddings: { kind: none }\naccess: ${JSON.stringify(access)}\n`,
  );
  await measureBuild(file);
  return file;
}

/** measureBuild measures one build.
 *  @param before what starts the program, as `nice` */
export async function measureBuild(
  config: string,
  before: readonly string[] = [],
): Promise<{ readonly cost: Cost; readonly summary: BuildSummary }> {
  const cost = await runCommand(["build", "--json", "--config", config], before);
  return { cost, summary: JSON.parse(cost.stdout) as BuildSummary };
}

export function runCommand(args: readonly string[], before: readonly string[] = []): Promise<Cost> {
  return measure([...before, process.execPath, ...NODE_OPTIONS, CLI, ...args], { limit_s: LIMIT_S });
}
