/** Bytes of a file that must have a digest, however long it is, without ever holding more than a part of it.
 *
 *  A short file is read whole. Of a longer one the first reader takes the digest of every part on one pass over all of it; that is
 *  remembered for as long as the file is the same one by its inode, size and times, and whoever asks meanwhile waits for the same
 *  pass. From then on a reader reads the parts that it needs and no others, and each is compared before it is handed on: what
 *  changes under way ends the reading, and is never sent. */
import { createHash, hash } from "node:crypto";
import { type BigIntStats, closeSync, fstatSync, openSync, readSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { LRUCache } from "lru-cache";
import { openByteBudget } from "./byte-budget.ts";
import type { Sha256 } from "#snapshots/digest";

/** PART_BYTES is the number of bytes that a reader holds at a time. */
export const PART_BYTES = 64 * 1024;
/** Parts that the pass over a file reads at a time, so that few calls lead through many bytes. */
const PARTS_AT_ONCE = 4;
/** Bytes that are read, unpacked and hashed in one round of the event loop for all readers together: however many there are, other work has its
 *  turn in between. Bytes. */
const READ_AT_ONCE = 256 * 1024;
/** A blob that is no longer than this holds nobody up, and does not wait for those who read much: health and the pointer are read so. Bytes. */
const SHORT = 4 * 1024;
/** Bytes of the digest of a part. */
const DIGEST_BYTES = 32;
/** Room for the digests of parts, together: those of 64 GB of files. Bytes. */
const MAX_SURVEYS = 32 * 1024 * 1024;
/** Bytes of a survey beside its digests. */
const OVERHEAD = 512;

/** An OpenFile is a file that is open. Its opener closes it, or hands it to `readChecked`, which does. */
export type OpenFile = {
  readonly size: number;
  /** Another one may hold other bytes. */
  readonly identity: string;
  /** Fewer bytes where the file ends. */
  read(position: number, length: number): Promise<Buffer>;
  close(): Promise<void>;
};

/** A CheckedBody closes its file when it has been read, or when its reader goes. */
export type CheckedBody = AsyncIterableIterator<Buffer>;

type Survey = { readonly sha256: Sha256; readonly parts: Buffer };

const surveys = new LRUCache<string, Survey>({ maxSize: MAX_SURVEYS, sizeCalculation: ({ parts }) => parts.length + OVERHEAD });
const surveying = new Map<string, Promise<Survey>>();

const reading = openByteBudget(READ_AT_ONCE);

export class WrongBytes extends Error {}

/** toOpenFile makes a regular file of its handle, which stays the caller's when this fails. */
export async function toOpenFile(handle: FileHandle): Promise<OpenFile> {
  const stats = await handle.stat({ bigint: true });
  return {
    size: Number(stats.size),
    identity: identityOf(stats),
    async read(position, length) {
      const turn = length <= SHORT ? 0 : length;
      if (turn > 0) await reading.take(turn);
      try {
        const buffer = Buffer.allocUnsafeSlow(length);
        let filled = 0;
        while (filled < length) {
          const { bytesRead } = await handle.read(buffer, filled, length - filled, position + filled);
          if (bytesRead === 0) break;
          filled += bytesRead;
        }
        return buffer.subarray(0, filled);
      } finally {
        // In the next round: what comes of these bytes is worked on in this one.
        setImmediate(() => reading.give(turn));
      }
    },
    close: () => handle.close(),
  };
}

/** openAtOnce does the same without a turn for others, for builds. */
export function openAtOnce(path: string): OpenFile {
  const file = openSync(path, "r");
  const stats = fstatSync(file, { bigint: true });
  return {
    size: Number(stats.size),
    identity: identityOf(stats),
    async read(position, length) {
      const buffer = Buffer.allocUnsafeSlow(length);
      let filled = 0;
      while (filled < length) {
        const read = readSync(file, buffer, filled, length - filled, position + filled);
        if (read === 0) break;
        filled += read;
      }
      return buffer.subarray(0, filled);
    },
    close: async () => closeSync(file),
  };
}

function identityOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(" ");
}

/** readChecked reads bytes [start, end] of a file; the file belongs to the body from here on, or is closed when there is none.
 *  @param accept whether the file may have the digest that it has
 *  @returns the bytes of a short file, or a body whose first part has been read and found right
 *  @throws WrongBytes when the file has another digest, or loses it on the way */
export async function readChecked(
  file: OpenFile,
  accept: (digest: Sha256) => boolean,
  start: number,
  end: number,
): Promise<Buffer | CheckedBody> {
  try {
    if (file.size <= PART_BYTES) {
      // One byte more than it had, so that one that grows shows.
      const bytes = await file.read(0, file.size + 1);
      if (!accept(hash("sha256", bytes, "hex"))) throw new WrongBytes("The file has another digest.");
      await file.close();
      return bytes.subarray(start, end + 1);
    }
    const survey = await surveyOf(file);
    if (!accept(survey.sha256)) throw new WrongBytes("The file has another digest.");
    return await startBody(file, survey, start, end);
  } catch (error) {
    await file.close();
    throw error;
  }
}

function surveyOf(file: OpenFile): Promise<Survey> {
  const { identity } = file;
  const known = surveys.get(identity);
  if (known !== undefined) return Promise.resolve(known);
  let pass = surveying.get(identity);
  if (pass === undefined) {
    pass = survey(file)
      .then((found) => {
        surveys.set(identity, found);
        return found;
      })
      .finally(() => surveying.delete(identity));
    surveying.set(identity, pass);
  }
  return pass;
}

async function survey(file: OpenFile): Promise<Survey> {
  const whole = createHash("sha256");
  const digests = Buffer.alloc(Math.ceil(file.size / PART_BYTES) * DIGEST_BYTES);
  for (let at = 0, part = 0; at < file.size; at += PART_BYTES * PARTS_AT_ONCE) {
    const bytes = await file.read(at, PART_BYTES * PARTS_AT_ONCE);
    whole.update(bytes);
    for (let from = 0; from < bytes.length; from += PART_BYTES, part++)
      hash("sha256", bytes.subarray(from, from + PART_BYTES), "buffer").copy(digests, part * DIGEST_BYTES);
  }
  return { sha256: whole.digest("hex"), parts: digests };
}

/** An object and no generator: one that nobody has begun to read closes its file all the same. */
async function startBody(file: OpenFile, { parts }: Survey, start: number, end: number): Promise<CheckedBody> {
  let part = Math.floor(start / PART_BYTES);
  const last = Math.floor(end / PART_BYTES);
  const readPart = async (): Promise<Buffer> => {
    const from = part * PART_BYTES;
    const bytes = await file.read(from, PART_BYTES);
    if (!hash("sha256", bytes, "buffer").equals(parts.subarray(part * DIGEST_BYTES, ++part * DIGEST_BYTES)))
      throw new WrongBytes("The file has changed while it was read.");
    return bytes.subarray(Math.max(0, start - from), end + 1 - from);
  };
  let first: Buffer | null = await readPart();
  let closed = false;
  const done = async (): Promise<IteratorReturnResult<undefined>> => {
    first = null;
    if (!closed) {
      closed = true;
      await file.close();
    }
    return { done: true, value: undefined };
  };
  const body: CheckedBody = {
    [Symbol.asyncIterator]: () => body,
    async next() {
      if (closed) return done();
      if (first !== null) {
        const value = first;
        first = null;
        return { done: false, value };
      }
      if (part > last) return done();
      try {
        return { done: false, value: await readPart() };
      } catch (error) {
        await done();
        throw error;
      }
    },
    return: done,
  };
  return body;
}
