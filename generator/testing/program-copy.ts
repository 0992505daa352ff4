/** A copy of this program that a test edits, in a folder beside a library. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PARTS = ["generator", "snapshots", "site", "astro.config.mjs", "package.json", "package-lock.json", "tsconfig.json"];

export type ProgramCopy = {
  /** Holds the copy, and whatever a test puts beside it. */
  readonly folder: string;
  readonly copy: string;
  /** Runs Node beside the copy. @returns what it prints */
  node(...args: readonly string[]): string;
  /** Appends to a file of the copy while `work` runs. */
  edited<T>(path: string, text: string, work: () => T): T;
  remove(): void;
};

export function copyProgram(): ProgramCopy {
  const folder = mkdtempSync(join(tmpdir(), "proofshelf-dependencies-"));
  const copy = join(folder, "program");
  for (const part of PARTS) {
    cpSync(join(ROOT, part), join(copy, part), { recursive: true, filter: (path) => !path.startsWith(join(ROOT, "snapshots/data")) });
  }
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
  return {
    folder,
    copy,
    node(...args) {
      const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", cwd: folder });
      assert.equal(status, 0, stderr);
      return stdout;
    },
    edited(path, text, work) {
      const file = join(copy, path);
      const before = readFileSync(file);
      appendFileSync(file, text);
      try {
        return work();
      } finally {
        writeFileSync(file, before);
      }
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
