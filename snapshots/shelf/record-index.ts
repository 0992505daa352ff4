/** Knows what a root has published, without opening a file for each record: the records come out of the log of publications (log.ts), whose n-th
 *  entry is `snapshots/<n>.json`, in bundles of 256; from then on the names in `snapshots/` are followed for as long as the process lives.
 *   The records decide: one without an entry is read, an entry without a record counts for nothing, and where the newest that can be read is not
 *  what its entry says, or the entries are not those that their head is over, no entry does.
 *   The log does not say what was served: its head moves before the pointer. `served` says it, a file of its own that holds the number of the
 *  newest publication that was. */
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { ShelfError } from "#snapshots/errors";
import { absent } from "./absent.ts";
import { countChanges } from "./diff.ts";
import { checkpointPath, readRecordsOf } from "./log.ts";
import type { RootFiles } from "./root-files.ts";
import type { ChangeCounts, Changes, LogFiles, RecordIndex, RecordLog, SnapshotRecord } from "./shelf.ts";

/** newestServed gives the newest sequence that was served, as far as the shelf itself can tell. One record beyond the pointer, of which `served`
 *  says nothing, is a publication that was cut short. */
export function newestServed(pointer: SnapshotRecord | null, { records, served }: Pick<RecordIndex, "records" | "served">): number {
  const told = Math.max(pointer?.sequence ?? 0, served);
  const beyond = records.filter(({ sequence }) => sequence > told);
  return beyond.length > 1 ? (beyond.at(-1)?.sequence ?? told) : told;
}

/** findSetback says in words when the pointer names an older record than was served before: a rollback has a record of its own. */
export function findSetback(pointer: SnapshotRecord | null, index: RecordIndex): string | null {
  const newest = newestServed(pointer, index);
  return pointer === null || newest === pointer.sequence
    ? null
    : `current.json names snapshot ${pointer.sequence}, but ${newest} was published after it: somebody put an older one back.`;
}

/** RecordFiles reads the files of a root's history. */
type RecordFiles = {
  /** Null when it is not there. @throws ShelfError "snapshot_damaged" */
  readRecord(sequence: number): Promise<SnapshotRecord | null>;
  /** The same of a list of changes. */
  readChanges(sequence: number): Promise<Changes | null>;
  /** @throws ShelfError "snapshot_damaged" */
  readWithdrawn(): Promise<readonly SnapshotRecord[]>;
};

/** A folder changed longer ago than this has been seen with that change: its time has a tick of some milliseconds. */
const SETTLED_NS = 50_000_000n;
/** Records that are read from files of their own sooner than from the log. */
const FEW = 32;
/** Newest records whose publication may not have got to a head of the log. */
const WITHOUT_HEAD = 3;
/** Lists of changes that are read side by side. */
const SIDE_BY_SIDE = 64;

export class RootRecords implements RecordLog {
  private readonly root: string;
  private readonly history: RecordFiles;
  private readonly log: Pick<LogFiles, "read">;
  private readonly files: Pick<RootFiles, "writeWhole">;
  private known: ReadonlyMap<number, SnapshotRecord> = new Map();
  private current: RecordIndex = { records: [], withdrawn: [], byId: new Map(), served: 0 };
  /** Time of `snapshots/` when it was listed; null when that may have changed within the same tick. */
  private seen: bigint | null = null;
  private readonly unreadable = new Set<string>();
  /** The records that `withdrawn.json` named when it was last held against the log. */
  private withdrawn: { readonly told: readonly SnapshotRecord[]; readonly held: readonly SnapshotRecord[] } = { told: [], held: [] };
  /** In what that was not what the log says, in words. */
  private otherWithdrawn: string | null = null;

  constructor(root: string, history: RecordFiles, log: Pick<LogFiles, "read">, files: Pick<RootFiles, "writeWhole">) {
    this.root = root;
    this.history = history;
    this.log = log;
    this.files = files;
  }

  async index(): Promise<RecordIndex> {
    const folder = join(this.root, "snapshots");
    const time = (await stat(folder, { bigint: true }).catch(absent))?.mtimeNs ?? 0n;
    if (time === this.seen) return this.current;
    const settled = BigInt(Date.now()) * 1_000_000n - time > SETTLED_NS;
    const there = new Set(sequencesOf((await readdir(folder).catch(absent)) ?? []));
    // Named here before its record goes.
    const withdrawn = await this.readWithdrawn(there);
    for (const { sequence } of withdrawn) there.delete(sequence);
    const next = await this.readAll([...there]);
    // A number that was cut short may be used again, with the same snapshot and other inputs.
    const same = isDeepStrictEqual(next, this.known);
    if (!same || !isDeepStrictEqual(withdrawn, this.current.withdrawn)) {
      const records = [...next.values()];
      const served = Math.max(this.current.served, await this.readServed(there));
      this.current = { records, withdrawn, byId: new Map(records.map((record) => [record.snapshot, record])), served };
    }
    this.known = next;
    // Nothing in `snapshots/` shows that the other file was mended.
    this.seen = settled && !this.unreadable.has(WITHDRAWN) && this.otherWithdrawn === null ? time : null;
    return this.current;
  }

  async counts(sequence: number): Promise<ChangeCounts | null> {
    const changes = await this.readChanges(sequence);
    return changes === null ? null : countChanges(changes);
  }

  async *changes(after: number, upTo: number): AsyncGenerator<readonly [sequence: number, changes: Changes]> {
    const { records } = await this.index();
    // A snapshot of which nothing is kept any more can be nobody's first.
    const first = Math.max(after + 1, records[0]?.sequence ?? upTo);
    for (let from = first; from <= upTo; from += SIDE_BY_SIDE) {
      const sequences = Array.from({ length: Math.min(SIDE_BY_SIDE, upTo - from + 1) }, (_, at) => from + at);
      const lists = await Promise.all(sequences.map((sequence) => this.readChanges(sequence)));
      for (const [at, changes] of lists.entries()) if (changes !== null) yield [from + at, changes];
    }
  }

  /** keep remembers that a publication was served. Only under the build lock. */
  async keep(sequence: number): Promise<void> {
    // The newest number goes on being said, also when somebody has put an older pointer back.
    if (sequence <= (await this.index()).served) return;
    this.files.writeWhole(join(this.root, SERVED), Buffer.from(String(sequence)));
    this.current = { ...this.current, served: sequence };
  }

  trouble(): string | null {
    const unreadable = this.unreadable.size === 0 ? [] : [`${[...this.unreadable].join(", ")} cannot be read`];
    const all = [...unreadable, ...(this.otherWithdrawn === null ? [] : [this.otherWithdrawn])];
    return all.length === 0 ? null : `${all.join("; ")}; run: proofshelf repair`;
  }

  /** The records of snapshots that were taken out of service, as the log has them. What it does not have was never published, and nobody
   *  is told of it.
   *  @param there numbers of the records that have a file */
  private async readWithdrawn(there: ReadonlySet<number>): Promise<readonly SnapshotRecord[]> {
    const told = await this.readable(WITHDRAWN, this.history.readWithdrawn());
    if (told === null || told.length === 0) {
      this.otherWithdrawn = null;
      return [];
    }
    if (isDeepStrictEqual(told, this.withdrawn.told)) return this.withdrawn.held;
    const logged = await this.readNewestLogged([...there]);
    const held = logged === null ? told : told.filter((record) => isDeepStrictEqual(record, logged.get(record.sequence)));
    const other = told.filter((record) => !held.includes(record)).map(({ sequence }) => sequence);
    this.otherWithdrawn = other.length === 0 ? null : `${WITHDRAWN} says of ${other.join(", ")} what the log of publications does not`;
    this.withdrawn = { told, held };
    return held;
  }

  /** The records of the newest head that is there; null where nothing that can be believed is. */
  private async readNewestLogged(there: readonly number[]): Promise<ReadonlyMap<number, SnapshotRecord> | null> {
    for (const size of there.slice(-WITHOUT_HEAD).reverse()) {
      const logged = await readRecordsOf(this.log, size);
      if (logged !== null) return logged;
    }
    return null;
  }

  /** @param there ascending */
  private async readAll(there: readonly number[]): Promise<ReadonlyMap<number, SnapshotRecord>> {
    const newest = there.at(-1);
    const unknown = there.filter((sequence) => !this.known.has(sequence));
    const logged = unknown.length > FEW ? await this.readLogged(there) : new Map<number, SnapshotRecord>();
    const found = new Map<number, SnapshotRecord>();
    for (const sequence of there) {
      // None ever changes but the newest, which a publication that was cut short may have left to the next.
      const told = this.known.get(sequence) ?? logged.get(sequence) ?? null;
      const record = (sequence === newest ? null : told) ?? (await this.readGood(sequence)) ?? told;
      if (record !== null) found.set(sequence, record);
    }
    return found;
  }

  /** The log's words about the records; nothing when that cannot be believed. */
  private async readLogged(there: readonly number[]): Promise<ReadonlyMap<number, SnapshotRecord>> {
    for (const size of there.slice(-WITHOUT_HEAD).reverse()) {
      const logged = await readRecordsOf(this.log, size);
      if (logged === null) continue;
      for (const sequence of there.filter((one) => one <= size).reverse()) {
        const record = await this.readGood(sequence);
        // One that is damaged says nothing against the log.
        if (record !== null) return isDeepStrictEqual(record, logged.get(sequence)) ? logged : new Map();
      }
    }
    return new Map();
  }

  /** A number that is damaged is believed only where it happens to be that of another publication. */
  private async readServed(there: ReadonlySet<number>): Promise<number> {
    const text = (await readFile(join(this.root, SERVED), "utf8").catch(() => null)) ?? "";
    const served = /^[1-9][0-9]{0,14}$/.test(text) ? Number(text) : 0;
    return there.has(served) || (served > 0 && (await this.log.read(checkpointPath(served))) !== null) ? served : 0;
  }

  private readGood(sequence: number): Promise<SnapshotRecord | null> {
    return this.readable(`snapshots/${sequence}.json`, this.history.readRecord(sequence));
  }

  private readChanges(sequence: number): Promise<Changes | null> {
    return this.readable(`changes/${sequence}.json`, this.history.readChanges(sequence));
  }

  /** Null for a file that is damaged, which is remembered. */
  private async readable<T>(file: string, reading: Promise<T>): Promise<T | null> {
    try {
      const found = await reading;
      this.unreadable.delete(file);
      return found;
    } catch (error) {
      if (!(error instanceof ShelfError && error.code === "snapshot_damaged")) throw error;
      this.unreadable.add(file);
      return null;
    }
  }
}

/** Beside the records. */
const SERVED = "served";
const WITHDRAWN = "withdrawn.json";

/** sequencesOf returns the sequences of records.
 *  @param names of the files in `snapshots/`
 *  @returns ascending */
export function sequencesOf(names: readonly string[]): readonly number[] {
  return names
    .filter((name) => /^[1-9][0-9]*\.json$/.test(name))
    .map((name) => Number.parseInt(name, 10))
    .sort((a, b) => a - b);
}
