/** The key of `registry` that names proof sources, and the files that belong to the registry which is made of them. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { type AnnexKeys, type OwnPaths, parseLocatedYaml, some, valueAt } from "#generator/config";

/** Members of registry.yaml that name files, with what they are where they are left out. */
const FILES = { lock: "./registry.lock.jsonl", overlay: "./registry.overlay.yaml", records: "", advisories: "" } as const;
const CHECKS = "./checks";

/** ownFiles reads what a registry.yaml names, also one that is wrong elsewhere: what may not be published does not wait until it is right. */
function ownFiles(file: string): OwnPaths {
  const bytes = existsSync(file) ? readFileSync(file) : Buffer.from("");
  const { value, problems } = parseLocatedYaml(bytes);
  const at = (name: string): string => resolve(dirname(file), name);
  const text = bytes.toString("utf8");
  const named = (member: string): string[] =>
    [...text.matchAll(new RegExp(`\\b${member}["']?:\\s*["']?([^\\s"',{}#]+)`, "g"))].map(([, name = ""]) => name);
  const of = (path: readonly string[], usual: string): string[] => {
    const found = problems.length > 0 ? named(path.at(-1) ?? "") : [valueAt(value, path)];
    return [usual, ...found].flatMap((name) => (typeof name === "string" && name !== "" && !name.includes("\0") ? [at(name)] : []));
  };
  return { files: Object.entries(FILES).flatMap(([member, usual]) => of([member], usual)), folders: of(["checks", "store"], CHECKS) };
}

const sources = some("the file that names them")
  .optional()
  .meta({ description: "Or YAML that names the repositories whose proofs it is made of" });

export const KEYS: AnnexKeys = { registry: { sources, ownFiles } };
