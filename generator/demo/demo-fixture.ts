/** The demo's sources as its tests read them, and the programs that check them. */
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { DemoRecord } from "./pin-registry.ts";
import { readRegistry } from "./pin-registry.ts";

export const demo = dirname(fileURLToPath(import.meta.url));
export const registry = readRegistry(demo);

/** rootOf names the folder of a repository at its pinned revision. */
export const rootOf = (repo: string): string => join(demo, "code", repo, registry.meta.sources[repo]?.head ?? "");
export const textOf = (record: DemoRecord, path: string): string => readFileSync(join(rootOf(record.repo), path), "utf8");

/** findTool tells whether a program is there. Absent means skipped with a message, except in CI, where it means failed. */
export function findTool(name: string): { skip: string } | undefined {
  if (spawnSync(name, ["--version"]).status === 0) return undefined;
  if (process.env["CI"] === "true" && name === "coqc") return undefined;
  return { skip: `${name} is not installed, so nothing was checked with it` };
}

/** compileRust compiles the crate of a repository into a file; a warning is an error. */
export function compileRust(repo: string, mode: readonly string[], to: string): void {
  const source = join(rootOf(repo), "src", "main.rs");
  execFileSync("rustc", ["--edition", "2021", "-D", "warnings", ...mode, "-o", to, source], { stdio: "pipe" });
}
