/** Digests of the lists of changes, by which a list is known that is no longer what was written, or stands under another's name. A record
 *  is an entry of the log of publications; its changes are not, because what is gated or redacted leaves them.
 *
 *  `changes.sha256` has a line for each, as sha256sum writes it, and at the end the digest of these lines. It is derived: where it is
 *  missing or not whole, it says nothing. `head -n -1 changes.sha256 | sha256sum -c` checks the lists. */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Sha256, sha256 } from "#snapshots/digest";
import type { RootFiles } from "./root-files.ts";

const CHANGES_SUMS = "changes.sha256";

const LINE = /^([0-9a-f]{64}) {2}(changes\/[1-9][0-9]*\.json)$/;

export class ChangesSums {
  private readonly path: string;
  private readonly files: RootFiles;
  private sums: ReadonlyMap<string, Sha256> = new Map();
  /** Time and size of the file when it was read; null before. */
  private seen: string | null = null;

  constructor(root: string, files: RootFiles) {
    this.path = join(root, CHANGES_SUMS);
    this.files = files;
  }

  /** find returns the digest that was written down for a list. @param file `changes/<n>.json` */
  find(file: string): Sha256 | null {
    return this.read().get(file) ?? null;
  }

  /** put writes a digest down. Call it before the list is written: a list that a crash left behind is then told, and written again. */
  put(file: string, bytes: Uint8Array): void {
    const digest = sha256(bytes);
    const sums = this.read();
    if (sums.get(file) === digest) return;
    const lines = [...new Map([...sums, [file, digest]])].map(([name, sum]) => `${sum}  ${name}\n`).join("");
    this.files.writeDurable(this.path, Buffer.from(`${lines}${sha256(lines)}\n`));
  }

  private read(): ReadonlyMap<string, Sha256> {
    const found = statSync(this.path, { bigint: true, throwIfNoEntry: false });
    const now = found === undefined ? "" : `${found.mtimeNs} ${found.size} ${found.ino}`;
    if (now !== this.seen) {
      this.sums = found === undefined ? new Map() : parseSums(readText(this.path));
      this.seen = now;
    }
    return this.sums;
  }
}

/** A thing in its place that is no file says nothing either. */
function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** @returns nothing where the file is not exactly what was written */
function parseSums(text: string): ReadonlyMap<string, Sha256> {
  const end = text.lastIndexOf("\n", text.length - 2) + 1;
  const lines = text.slice(0, end);
  if (text.slice(end) !== `${sha256(lines)}\n`) return new Map();
  return new Map(lines.split("\n").flatMap((line) => (LINE.exec(line) === null ? [] : [[line.slice(66), line.slice(0, 64)] as const])));
}
