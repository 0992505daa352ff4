/** A file of lean4export, as what it is known by in checks: there is no Lean here whose program could have a digest. */
import { createHash } from "node:crypto";
import { closeSync, existsSync, openSync, readFileSync, readSync } from "node:fs";
import type { AdapterRequest } from "./request.ts";
import type { ProverTool } from "./tool.ts";

export const LEAN_EXPORT_ADAPTER = "lean4export 4";

/** describeChanged names files that are not what the export was made of, by the digests beside it; empty where all are. */
export function describeChanged({ files, options }: AdapterRequest): string {
  const rows = readFileSync(`${options.exported}.sha256`, "utf8").matchAll(/^([0-9a-f]{64}) [ *](.+)$/gm);
  const made = new Map([...rows].map(([, digest = "", path = ""]) => [path.replace(/^\.\//, ""), digest]));
  const changed = files.filter(({ path, sha256: of }) => made.get(path) !== of).map(({ path }) => path);
  return changed.length === 0 ? "" : `The export was made of other bytes: ${changed.slice(0, 20).join(", ")}.`;
}

/** findLeanExport gives the export as a tool; null where its file, or that of its sources' digests, is not there. */
export function findLeanExport(file: string | undefined): ProverTool | null {
  if (file === undefined || !existsSync(file) || !existsSync(`${file}.sha256`)) return null;
  return { version: "3", digest: digestExport(file), installed: "", adapter: LEAN_EXPORT_ADAPTER };
}

/** digestExport reads a file in pieces: an export has gigabytes. */
export function digestExport(file: string): string {
  const hash = createHash("sha256");
  const opened = openSync(file, "r");
  const buffer = Buffer.alloc(1 << 20);
  try {
    for (let size = readSync(opened, buffer); size > 0; size = readSync(opened, buffer)) hash.update(buffer.subarray(0, size));
  } finally {
    closeSync(opened);
  }
  return hash.digest("hex");
}
