/** The cache of what Coq made of a file: its list of names and its compiled file, in one file with the digest of both. What a full disk or a machine
 *  that went out left of it is none, and what nobody has used for long goes. */
import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "#snapshots/digest";
import { OPEN, writeWhole } from "#snapshots/shelf";

const KEPT_MS = 60 * 24 * 3600 * 1000;

/** Made is what a compiler writes of a file. */
export type Made = { readonly glob: Uint8Array; readonly object: Uint8Array };

/** readMade gives what was kept; null where nothing is, or not all of it. */
export function readMade(file: string): Made | null {
  if (!existsSync(file)) return null;
  const bytes = readFileSync(file);
  const end = bytes.indexOf(10);
  const [digest, length] = bytes.toString("latin1", 0, Math.max(0, end)).split(" ");
  const both = bytes.subarray(end + 1);
  if (digest !== sha256(both)) return null;
  utimesSync(file, new Date(), new Date());
  return { glob: both.subarray(0, Number(length)), object: both.subarray(Number(length)) };
}

/** keep writes a file of the cache. Where there is no room, it is not kept. */
export function keep(file: string, bytes: Uint8Array | string): void {
  try {
    writeWhole(file, bytes, { modes: OPEN, durable: false });
  } catch {
    // It is made again the next time.
  }
}

export function keepMade(file: string, { glob, object }: Made): void {
  const both = Buffer.concat([glob, object]);
  keep(file, Buffer.concat([Buffer.from(`${sha256(both)} ${glob.length}\n`), both]));
}

/** clearOld removes what nobody has used for long. */
export function clearOld(folder: string, now = Date.now()): void {
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const file = join(folder, name);
    if (now - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? now) > KEPT_MS) rmSync(file, { force: true });
  }
}
