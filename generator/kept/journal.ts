/** Objects that a build has read and not published yet: what a build that is stopped, or fails, leaves to the next one. A line for
 *  each, behind its own digest, so that half a line counts as none; it says nothing of what is served, and losing it costs time. */
import { appendFileSync, closeSync, mkdirSync, openSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "#snapshots/digest";
import { CLOSED } from "#snapshots/shelf";
import type { KnownObject } from "./state.ts";

export type Journal = {
  add(object: KnownObject): void;
  close(): void;
};

function journalFile(dir: string): string {
  return join(dir, "read.journal");
}

function line(value: unknown): string {
  const json = JSON.stringify(value);
  return `${sha256(json)} ${json}\n`;
}

/** readJournal reads the last entry of each key, whole ones only. @param maker digest of what reads objects: another one's work is void */
export function readJournal(dir: string, maker: string): ReadonlyMap<string, KnownObject> {
  const found = new Map<string, KnownObject>();
  for (const text of linesOf(dir)) {
    const { maker: by, object } = JSON.parse(text) as { maker: string; object: KnownObject };
    if (by === maker) found.set(object.key, object);
  }
  return found;
}

/** countJournal tells how many objects are kept for the next build. */
export function countJournal(dir: string): number {
  return linesOf(dir).length;
}

function linesOf(dir: string): readonly string[] {
  let text: string;
  try {
    text = readFileSync(journalFile(dir), "utf8");
  } catch {
    return [];
  }
  return text.split("\n").flatMap((row) => (sha256(row.slice(65)) === row.slice(0, 64) ? [row.slice(65)] : []));
}

/** openJournal opens the journal for writing. A disk that is full keeps no build from going on. */
export function openJournal(dir: string, maker: string): Journal {
  let file: number | null = null;
  const attempt = (work: () => void): void => {
    try {
      work();
    } catch {
      if (file !== null) closeSync(file);
      file = null;
    }
  };
  attempt(() => {
    mkdirSync(dir, { recursive: true, mode: CLOSED.folder });
    file = openSync(journalFile(dir), "a", CLOSED.file);
  });
  return {
    add: (object) =>
      attempt(() => {
        if (file !== null) appendFileSync(file, line({ maker, object }));
      }),
    close: () =>
      attempt(() => {
        if (file !== null) closeSync(file);
        file = null;
      }),
  };
}

/** clearJournal removes the journal, when all of it is published. */
export function clearJournal(dir: string): void {
  rmSync(journalFile(dir), { force: true });
}
