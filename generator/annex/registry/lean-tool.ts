/** A file of lean4export, as what it is known by in checks: there is no Lean here whose program could have a digest. */
import { createHash } from "node:crypto";
import { closeSync, existsSync, openSync, readSync } from "node:fs";
import type { ProverTool } from "./tool.ts";

export const LEAN_EXPORT_ADAPTER = "lean4export 2";

/** Null where the file, or that of its sources' digests, is not there. */
export function findLeanExport(file: string | undefined): ProverTool | null {
  if (file === undefined || !existsSync(file) || !existsSync(`${file}.sha256`)) return null;
  const hash = createHash("sha256");
  const opened = openSync(file, "r");
  const buffer = Buffer.alloc(1 << 20);
  try {
    for (let size = readSync(opened, buffer); size > 0; size = readSync(opened, buffer)) hash.update(buffer.subarray(0, size));
  } finally {
    closeSync(opened);
  }
  return { version: "3", digest: hash.digest("hex"), installed: "", adapter: LEAN_EXPORT_ADAPTER };
}
