/** Checkpoints: the head of a log at one size, as the text of a signed note, after C2SP tlog-checkpoint (https://c2sp.org/tlog-checkpoint):
 *
 *      <origin>
 *      <number of entries>
 *      <root of the Merkle tree, base64>
 *
 *  A log without a key has these lines alone, without signatures: nobody answers for them. */
import { ShelfError } from "#snapshots/errors";
import { decodeBase64, formatNote, type Note, type NoteKey, parseBareNote, verifiedBy } from "./note.ts";
import { splitHead } from "./shape.ts";

export type LogHead = { readonly origin: string; readonly size: number; readonly root: Buffer };
export type Checkpoint = LogHead & { readonly note: Note };

export function formatHead({ origin, size, root }: LogHead): string {
  return `${origin}\n${size}\n${root.toString("base64")}\n`;
}

/** @throws ShelfError "bad_checkpoint" */
function parseHead(text: string): LogHead {
  const head = splitHead(text);
  const root = head === null ? null : decodeBase64(head.root);
  if (head === null || root === null)
    throw new ShelfError(
      "bad_checkpoint",
      "The note is no checkpoint: an origin, a number of entries and a root of 32 bytes, a line each.",
    );
  return { ...head, root };
}

/** parseCheckpoint reads a checkpoint, signed or not; no signature is checked. @throws ShelfError "bad_checkpoint" */
export function parseCheckpoint(bytes: Uint8Array): Checkpoint {
  const note = parseBareNote(bytes);
  return { ...parseHead(note.text), note };
}

/** formatCheckpoint writes a checkpoint as it is stored and served. */
export function formatCheckpoint(head: LogHead, signatures: readonly { readonly line: string }[]): string {
  return signatures.length === 0 ? formatHead(head) : formatNote({ text: formatHead(head), signatures });
}

export type Trusted = { readonly checkpoint: Checkpoint; readonly signedBy: readonly NoteKey[] };

/** openCheckpoint reads a checkpoint of this log that one of its keys signed, and which others of `keys` did.
 *  @param keys of the log, and of witnesses; the log's have its origin, or the name that they were made with
 *  @throws ShelfError "bad_checkpoint" saying what is wrong */
export function openCheckpoint(
  bytes: Uint8Array,
  {
    origin,
    log,
    witnesses = [],
  }: {
    readonly origin: string;
    readonly log: readonly NoteKey[];
    readonly witnesses?: readonly NoteKey[];
  },
): Trusted {
  const checkpoint = parseCheckpoint(bytes);
  if (checkpoint.origin !== origin)
    throw new ShelfError(
      "bad_checkpoint",
      `The checkpoint is of another log: ${JSON.stringify(checkpoint.origin)}, not ${JSON.stringify(origin)}.`,
    );
  const signedBy = verifiedBy(checkpoint.note, [...log, ...witnesses]);
  if (!signedBy.some((key) => log.includes(key)))
    throw new ShelfError(
      "bad_checkpoint",
      checkpoint.note.signatures.length === 0 ? "The checkpoint is unsigned." : "No key of the log signed the checkpoint.",
    );
  return { checkpoint, signedBy };
}
