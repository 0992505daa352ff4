/** Files that appear whole: whatever ends the process, a reader finds the bytes from before or those of now. */
import { randomUUID } from "node:crypto";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeFolder } from "./make-folder.ts";
import { CLOSED, type Modes, modesUnder } from "./modes.ts";

export type WholeOptions = {
  /** Modes of the file, and of folders that are missing. Default: closed to other users. */
  readonly modes?: Modes;
  /** Where the bytes lie until all are there: of this writer alone, on the same disk. Default: beside the file, as FILE.PID.tmp. */
  readonly temporary?: string;
  /** True when the bytes outlive a power cut as soon as this returns. Default true. */
  readonly durable?: boolean;
};

/** writeWhole puts bytes in the place of a file. It leaves nothing behind when it fails. */
export function writeWhole(path: string, bytes: Uint8Array | string, options: WholeOptions = {}): void {
  const { modes = CLOSED, temporary = `${path}.${process.pid}.tmp`, durable = true } = options;
  for (const file of [temporary, path]) makeFolder(dirname(file), modes.folder);
  try {
    writeFileSync(temporary, bytes, { flush: durable, mode: modes.file });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** writeInRoot writes a file of a shelf's root whole, with the root's modes. What is not whole yet lies in the root's tmp/, which is
 *  cleared of what killed processes left. */
export function writeInRoot(root: string, path: string, bytes: Uint8Array): void {
  writeWhole(path, bytes, { modes: modesUnder(root), temporary: join(root, "tmp", randomUUID()) });
}
