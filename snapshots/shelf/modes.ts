/** Modes of the files in a shelf: anybody the public root, and its owner alone the internal one. */
import { statSync } from "node:fs";

export type Modes = { readonly folder: number; readonly file: number };

export const OPEN: Modes = { folder: 0o755, file: 0o644 };
export const CLOSED: Modes = { folder: 0o700, file: 0o600 };

/** modesUnder closes what lies in a folder that is closed to other users. */
export function modesUnder(folder: string): Modes {
  const mode = statSync(folder, { throwIfNoEntry: false })?.mode ?? OPEN.folder;
  return (mode & 0o077) === 0 ? CLOSED : OPEN;
}
