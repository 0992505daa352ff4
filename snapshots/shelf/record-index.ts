/** What a root has published, without opening a file for each record: a list that is read once, and followed by the names in
 *  `snapshots/` for as long as the process lives.
 *
 *  `records.log` beside them has one line for each record that was served, ascending:
 *
 *      <seal> {"counts":…,"record":…}<tab><changes>
 *
 *  The seal is the SHA-256 of the seal before and the rest of the line, so that nothing behind a damaged line is believed. All of
 *  it follows from the records and their changes, and they decide: a record without a line is read, a line without a record
 *  counts for nothing, and where the last line is not what its record says, none does. A publication adds a line; a log that
 *  does not fit is then written anew. */
import { appendFileSync } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { canonicalJson, type Sha256, sha256 } from "../digest.ts";
import { ShelfError } from "../errors.ts";
import { absent } from "./absent.ts";
import { countChanges } from "./diff.ts";
import type { ChangeCounts, Changes, RecordIndex, RecordLog, SnapshotRecord } from "./shelf.ts";

/** The newest sequence that was served, as far as the shelf itself can tell. One record beyond the pointer, of which the log says
 *  nothing, is a publication that was cut short. */
export function newestServed(pointer: SnapshotRecord | null, { records, served }: Pick<RecordIndex, "records" | "served">): number {
  const told = Math.max(pointer?.sequence ?? 0, served);
  const beyond = records.filter(({ sequence }) => sequence > told);
  return beyond.length > 1 ? (beyond.at(-1)?.sequence ?? told) : told;
}

/** In words, when the pointer names an older record than was served before: a rollback has a record of its own. */
export function findSetback(pointer: SnapshotRecord | null, index: RecordIndex): string | null {
  const newest = newestServed(pointer, index);
  return pointer === null || newest === pointer.sequence
    ? null
    : `current.json names snapshot ${pointer.sequence}, but ${newest} was published after it: somebody put an older one back.`;
}

/** How the files of a root are read and written. */
export type RecordFiles = {
  /** Null when it is not there. @throws ShelfError "snapshot_damaged" */
  readRecord(sequence: number): Promise<SnapshotRecord | null>;
  /** The same of a list of changes. */
  readChanges(sequence: number): Promise<Changes | null>;
  /** @throws ShelfError "snapshot_damaged" */
  readWithdrawn(): Promise<readonly SnapshotRecord[]>;
  writeWhole(path: string, bytes: Uint8Array): void;
};

/** A folder changed longer ago than this has been seen with that change: its time has a tick of some milliseconds. */
const SETTLED_NS = 50_000_000n;
/** Lines that are read before others have their turn. */
const SLICE = 256;
/** Lists of changes that are read from files of their own sooner than from the log as a whole. */
const FEW = 32;

type Line = { readonly counts: ChangeCounts | null; readonly record: SnapshotRecord };
type KnownLine = Line & { readonly changesDigest: Sha256 };
type Sealed = { readonly seal: string; readonly line: Line; readonly changes: string; readonly end: number };

export function openRecordLog(root: string, files: RecordFiles): RecordLog {
  const folder = join(root, "snapshots");
  const path = join(root, "records.log");
  let known: ReadonlyMap<number, SnapshotRecord> = new Map();
  let current: RecordIndex = { records: [], withdrawn: [], byId: new Map(), served: 0 };
  /** Time of the folder when it was listed, null when that may have changed within the same tick. */
  let seen: bigint | null = null;
  let lines: Promise<ReadonlyMap<number, KnownLine>> | null = null;
  /** Which file the lines are of: one that is written anew is another. */
  let linesOf = "";
  const unreadable = new Set<string>();

  const readLines = async (there: ReadonlySet<number>): Promise<ReadonlyMap<number, KnownLine>> => {
    const found = new Map<number, KnownLine>();
    for await (const { line, changes } of sealedLines(await readLog()))
      found.set(line.record.sequence, { ...line, changesDigest: sha256(changes) });
    // The last that can be read decides: one that is damaged says nothing against the log.
    for (const sequence of [...found.keys()].filter((one) => there.has(one)).reverse()) {
      const record = await readGood(sequence);
      if (record !== null) return isDeepStrictEqual(record, found.get(sequence)?.record) ? found : new Map();
    }
    return found;
  };
  const knownLines = async (there: ReadonlySet<number>): Promise<ReadonlyMap<number, KnownLine>> => {
    const file = await stat(path, { bigint: true }).catch(absent);
    const found = file ? `${file.ino} ${file.birthtimeNs}` : "";
    if (lines === null || found !== linesOf) lines = readLines(there);
    linesOf = found;
    return lines;
  };
  const readLog = async (): Promise<Buffer> => (await readFile(path).catch(absent)) ?? Buffer.alloc(0);
  /** Null for a file that is damaged, which is remembered. */
  const readable = async <T>(file: string, reading: Promise<T>): Promise<T | null> => {
    try {
      const found = await reading;
      unreadable.delete(file);
      return found;
    } catch (error) {
      if (!(error instanceof ShelfError && error.code === "snapshot_damaged")) throw error;
      unreadable.add(file);
      return null;
    }
  };
  const readGood = (sequence: number) => readable(`snapshots/${sequence}.json`, files.readRecord(sequence));
  const readChangesFile = (sequence: number) => readable(`changes/${sequence}.json`, files.readChanges(sequence));
  /** From its own file; where that is not what the log says, from the log, which is sealed. */
  const readChanges = async (sequence: number): Promise<Changes | null> => {
    const found = await readChangesFile(sequence);
    const logged = (await lines)?.get(sequence);
    if (logged === undefined || (found !== null && sha256(canonicalJson(found)) === logged.changesDigest)) return found;
    // It may have been written again since, and the log with it.
    for await (const { line, changes } of sealedLines(await readLog())) {
      if (line.record.sequence !== sequence || canonicalJson(found) === changes) continue;
      unreadable.add(`changes/${sequence}.json`);
      return JSON.parse(changes) as Changes | null;
    }
    return found;
  };
  const index = async (): Promise<RecordIndex> => {
    const time = (await stat(folder, { bigint: true }).catch(absent))?.mtimeNs ?? 0n;
    if (time === seen) return current;
    const settled = BigInt(Date.now()) * 1_000_000n - time > SETTLED_NS;
    const there = new Set(sequencesOf((await readdir(folder).catch(absent)) ?? []));
    const logged = await knownLines(there);
    // Named here before its record goes.
    const withdrawn = (await readable("withdrawn.json", files.readWithdrawn())) ?? [];
    for (const { sequence } of withdrawn) there.delete(sequence);
    const newest = [...there].at(-1);
    const next = new Map<number, SnapshotRecord>();
    for (const sequence of there) {
      // None ever changes but the newest, which a publication that was cut short may have left to the next.
      const told = known.get(sequence) ?? logged.get(sequence)?.record ?? null;
      const record = (sequence === newest ? null : told) ?? (await readGood(sequence)) ?? told;
      if (record !== null) next.set(sequence, record);
    }
    const same = next.size === known.size && [...next].every(([sequence, record]) => known.get(sequence)?.snapshot === record.snapshot);
    if (!same) {
      const records = [...next.values()];
      const served = Math.max(current.served, ...[...logged.keys()].slice(-1));
      current = { records, withdrawn, byId: new Map(records.map((record) => [record.snapshot, record])), served };
    }
    known = next;
    seen = settled ? time : null;
    return current;
  };

  return {
    index,
    async counts(sequence) {
      const { records } = await index();
      const logged = (await knownLines(new Set(records.map((record) => record.sequence)))).get(sequence);
      if (logged !== undefined) return logged.counts;
      const changes = await readChanges(sequence);
      return changes === null ? null : countChanges(changes);
    },
    async *changes(after, upTo) {
      const { records } = await index();
      // What nothing is kept of any more, nobody can have seen first.
      const first = Math.max(after + 1, records[0]?.sequence ?? upTo);
      const logged = new Map<number, Changes | null>();
      if (upTo - first >= FEW && (await lines)?.size !== 0) {
        for await (const { line, changes } of sealedLines(await readLog()))
          if (line.record.sequence >= first) logged.set(line.record.sequence, JSON.parse(changes) as Changes | null);
      }
      for (let sequence = first; sequence <= upTo; sequence++) {
        const changes = logged.get(sequence) ?? (await readChanges(sequence));
        if (changes !== null) yield [sequence, changes];
      }
    },
    async keep(served) {
      // What it says already it goes on saying, also when somebody has put an older pointer back.
      const last = Math.max(served, (await index()).served);
      const wanted = current.records.filter(({ sequence }) => sequence <= last);
      const bytes = await readLog();
      let [good, end, seal] = [0, 0, ""];
      for await (const one of sealedLines(bytes)) {
        if (!isDeepStrictEqual(wanted[good], one.line.record)) break;
        good++;
        ({ end, seal } = one);
      }
      const fits = end === bytes.length;
      const added: Buffer[] = [];
      if (!fits) seal = "";
      for (const record of fits ? wanted.slice(good) : wanted) {
        const rest = formatLine(record, await readChanges(record.sequence));
        seal = sha256(seal + rest);
        added.push(Buffer.from(`${seal} ${rest}\n`));
      }
      if (!fits || bytes.length === 0) files.writeWhole(path, Buffer.concat(added));
      // Torn by a power cut, a line is no line.
      else if (added.length > 0) appendFileSync(path, Buffer.concat(added));
      current = { ...current, served: Math.max(current.served, wanted.at(-1)?.sequence ?? 0) };
    },
    async told() {
      const found = new Map<number, { record: SnapshotRecord; changes: Changes | null }>();
      for await (const { line, changes } of sealedLines(await readLog()))
        found.set(line.record.sequence, { record: line.record, changes: JSON.parse(changes) as Changes | null });
      return found;
    },
    trouble: () => (unreadable.size === 0 ? null : `${[...unreadable].join(", ")} cannot be read; run: proofshelf repair`),
    async findProblem() {
      await files.readWithdrawn();
      const bytes = await readLog();
      let end = 0;
      for await (const { line, changes, end: next } of sealedLines(bytes)) {
        end = next;
        const { sequence } = line.record;
        const record = await readGood(sequence);
        if (record !== null && `${canonicalJson(line)}\t${changes}` !== formatLine(record, await readChangesFile(sequence)))
          return `What it says of snapshot ${sequence} is not what that record and its changes say.`;
      }
      return end === bytes.length ? null : `It cannot be read beyond byte ${end}.`;
    },
  };
}

function formatLine(record: SnapshotRecord, changes: Changes | null): string {
  return `${canonicalJson({ counts: changes === null ? null : countChanges(changes), record })}\t${canonicalJson(changes)}`;
}

/** The lines up to the first that is not what was written. The others are, so their shape is trusted. */
async function* sealedLines(bytes: Buffer): AsyncGenerator<Sealed> {
  let seal = "";
  let count = 0;
  for (let start = 0, newline = bytes.indexOf("\n"); newline >= 0; newline = bytes.indexOf("\n", start)) {
    const [told = "", rest = ""] = splitAt(bytes.toString("utf8", start, newline), " ");
    if (sha256(seal + rest) !== told) return;
    const [line, changes] = splitAt(rest, "\t");
    seal = told;
    start = newline + 1;
    yield { seal, line: JSON.parse(line) as Line, changes, end: start };
    if (++count % SLICE === 0) await setImmediate();
  }
}

function splitAt(text: string, sign: string): readonly [before: string, after: string] {
  const at = text.indexOf(sign);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

/** @param names of the files in `snapshots/`
 *  @returns ascending */
export function sequencesOf(names: readonly string[]): readonly number[] {
  return names
    .filter((name) => /^[1-9][0-9]*\.json$/.test(name))
    .map((name) => Number.parseInt(name, 10))
    .sort((a, b) => a - b);
}
