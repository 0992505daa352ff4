/** The shelf as a directory. Every file appears whole: written under tmp/, then renamed. */
import { constants } from "node:fs";
import { access, readdir, readFile, rm, stat } from "node:fs/promises";
import { userInfo } from "node:os";
import { dirname, join, relative } from "node:path";
import { ShelfError } from "#snapshots/errors";
import { absent } from "./absent.ts";
import { BlobDirectory, type Use } from "./blob-directory.ts";
import { HistoryDirectory } from "./history-directory.ts";
import { openLogDirectory } from "./log-directory.ts";
import type { Modes } from "./modes.ts";
import { RootRecords } from "./record-index.ts";
import { RootRedactions } from "./redactions-directory.ts";
import { RootFiles } from "./root-files.ts";
import { makeFolder } from "./make-folder.ts";
import type { LogFiles, Shelf } from "./shelf.ts";

/** openDirectoryShelf opens one root of a shelf; it creates nothing until something is put.
 *  @param root folder that holds blobs/, snapshots/, changes/, index/ and current.json
 *  @param fallback the public root, when this is the internal one: whose blobs it may refer to, never the other way, and whose pointer decides
 *  what is served
 *  @param announce told what current.json is about to hold, when this is a copy of a shelf elsewhere: that moves first, or throws */
export function openDirectoryShelf(
  root: string,
  fallback: Shelf | null = null,
  use: Use = "serving",
  announce: (current: Uint8Array) => Promise<void> = async () => undefined,
): DirectoryShelf {
  return new DirectoryShelf(root, fallback, use, announce);
}

/** A DirectoryShelf is one root of a shelf, for readers and for its writer: its blobs, its history and its log. */
export class DirectoryShelf implements Shelf {
  readonly indexUri: string;
  readonly sharedIndexUri: string | null;
  readonly blobs: BlobDirectory;
  readonly history: HistoryDirectory;
  readonly records: RootRecords;
  readonly log: LogFiles;
  readonly redactions: RootRedactions;
  private readonly root: string;
  private readonly files: RootFiles;

  constructor(root: string, fallback: Shelf | null, use: Use, announce: (current: Uint8Array) => Promise<void>) {
    const files = new RootFiles(root);
    this.root = root;
    this.files = files;
    this.indexUri = join(root, "index");
    this.sharedIndexUri = fallback?.indexUri ?? null;
    const besides = fallback === null ? null : { shelf: fallback, blobs: fallback instanceof DirectoryShelf ? fallback.blobs : null };
    this.blobs = new BlobDirectory(root, files, besides, use);
    this.history = new HistoryDirectory(root, files, fallback, announce);
    this.log = openLogDirectory(root, files);
    this.records = new RootRecords(root, this.history, this.log, files);
    this.redactions = new RootRedactions(root, files, fallback?.redactions ?? null);
  }

  readonly getBlob: Shelf["getBlob"] = (digest) => this.blobs.get(digest);
  readonly openBlob: Shelf["openBlob"] = (digest) => this.blobs.open(digest);
  readonly readMany: Shelf["readMany"] = (digests) => this.blobs.readMany(digests);
  readonly hasBlob: Shelf["hasBlob"] = (digest) => this.blobs.has(digest);
  readonly readPointer: Shelf["readPointer"] = () => this.history.readPointer();
  readonly readRecord: Shelf["readRecord"] = (sequence) => this.history.readRecord(sequence);
  readonly readChanges: Shelf["readChanges"] = (sequence) => this.history.readChanges(sequence);

  /** listFiles returns the path of every file of the root, in no order. */
  async *listFiles(): AsyncGenerator<string> {
    for (const entry of (await readdir(this.root, { recursive: true, withFileTypes: true }).catch(absent)) ?? [])
      if (!entry.isDirectory()) yield relative(this.root, join(entry.parentPath, entry.name));
  }

  async readChecked(): Promise<string | null> {
    const text = await readFile(join(this.root, "checked"), "utf8").catch(absent);
    return text === null || Number.isNaN(Date.parse(text)) ? null : text;
  }

  async writeChecked(time: string): Promise<void> {
    this.files.writeWhole(join(this.root, "checked"), Buffer.from(time));
  }

  async readFollowed(): Promise<number | null> {
    return (await stat(join(this.root, FOLLOWED)).catch(absent))?.mtimeMs ?? null;
  }
}

/** FOLLOWED is a file of a root that is a copy: its time is that of the last look at what it is a copy of. */
export const FOLLOWED = "followed";

/** clearTemporary removes what killed builds left under tmp/. Only under the build lock. */
export async function clearTemporary(root: string): Promise<void> {
  await rm(join(root, "tmp"), { recursive: true, force: true });
}

/** checkWritable looks whether the folder can be written, so that a build says so before it works.
 *  @param modes of the folder, when it has to be made */
export async function checkWritable(root: string, modes: Modes): Promise<void> {
  try {
    makeFolder(dirname(root));
    makeFolder(root, modes.folder);
    await access(root, constants.W_OK);
  } catch (cause) {
    const error = new ShelfError("build_failed", "The shelf folder cannot be written.", {
      cause,
      fixes: ["Choose another shelf.root, or give this user the right to write there."],
    });
    // Beside the message, which may be served.
    throw Object.assign(error, { detail: `  ${root}, as the user ${userInfo().username}: ${(cause as NodeJS.ErrnoException).code}\n` });
  }
}
