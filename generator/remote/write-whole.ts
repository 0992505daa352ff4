/** A file of a copy that appears whole. */
import { randomUUID } from "node:crypto";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { modesUnder } from "../../snapshots/shelf/modes.ts";

/** @param root of the shelf, whose modes it gets */
export function writeWhole(path: string, root: string, bytes: Uint8Array): void {
  const modes = modesUnder(root);
  const temporary = join(root, "tmp", randomUUID());
  for (const file of [temporary, path]) mkdirSync(dirname(file), { recursive: true, mode: modes.folder });
  try {
    writeFileSync(temporary, bytes, { flag: "wx", flush: true, mode: modes.file });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
