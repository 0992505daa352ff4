/** The log of publications in a folder. Each file appears whole; one of a head is there only behind all that it is over. */
import { readFileSync } from "node:fs";
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { absent } from "./absent.ts";
import { checkpointPath } from "./log.ts";
import type { LogFiles } from "./shelf.ts";

export type LogFolder = {
  /** Survives a power cut. */
  writeDurable(path: string, bytes: Uint8Array): void;
  /** Runs work while no other process does. */
  alone(work: () => void): Promise<void>;
};

/** A full tile or bundle, which takes the place of those that were not full. */
const FULL = /^tile\/(\d+|entries)\/[x\d/]+$/;

export function openLogDirectory(root: string, folder: LogFolder): LogFiles {
  return {
    read: (path) => readFile(join(root, path)).catch(absent),
    async sizes() {
      const names = (await readdir(join(root, "checkpoints")).catch(absent)) ?? [];
      return names
        .filter((name) => /^[1-9][0-9]*$/.test(name))
        .map(Number)
        .sort((a, b) => a - b);
    },
    async tiles() {
      const found = (await readdir(join(root, "tile"), { recursive: true, withFileTypes: true }).catch(absent)) ?? [];
      return found.filter((entry) => !entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
    },
    async put(size, make) {
      const path = join(root, checkpointPath(size));
      let full: readonly string[] = [];
      await folder.alone(() => {
        const head = make(readNow(path));
        if (head === null) return;
        for (const file of head.files) folder.writeDurable(join(root, file.path), file.bytes);
        folder.writeDurable(path, Buffer.from(head.checkpoint));
        full = head.files.map((file) => file.path).filter((name) => FULL.test(name));
      });
      for (const name of full) await rm(join(root, `${name}.p`), { recursive: true, force: true });
    },
  };
}

function readNow(path: string): Uint8Array | null {
  try {
    return readFileSync(path);
  } catch (error) {
    return absent(error as NodeJS.ErrnoException);
  }
}
