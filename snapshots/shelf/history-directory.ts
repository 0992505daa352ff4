/** The history of a root in a folder: the pointer, a record for each publication with its changes, and what was withdrawn. */
import { existsSync, readFileSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { canonicalJson, sha256 } from "#snapshots/digest";
import { ShelfError } from "#snapshots/errors";
import { absent } from "./absent.ts";
import { ChangesSums } from "./changes-sums.ts";
import { sequencesOf } from "./record-index.ts";
import { parseExactly, readSmall, REPAIR, type RootFiles, syncFolder } from "./root-files.ts";
import { findServed, namedWith, readServed } from "./served.ts";
import {
  type Changes,
  changesSchema,
  internalPointerSchema,
  type Shelf,
  type SnapshotRecord,
  snapshotRecordSchema,
  withdrawnSchema,
} from "./shelf.ts";

const WITHDRAWN = "withdrawn.json";
const recordPath = (sequence: number): string => `snapshots/${sequence}.json`;
const changesPath = (sequence: number): string => `changes/${sequence}.json`;

/** A HistoryDirectory reads and writes the history of one root. */
export class HistoryDirectory {
  private readonly root: string;
  private readonly files: RootFiles;
  private readonly fallback: Shelf | null;
  private readonly announce: (current: Uint8Array) => Promise<void>;
  private readonly sums: ChangesSums;

  /** @param fallback the public root, when this is the internal one
   *  @param announce told what current.json is about to hold */
  constructor(root: string, files: RootFiles, fallback: Shelf | null, announce: (current: Uint8Array) => Promise<void>) {
    this.root = root;
    this.files = files;
    this.fallback = fallback;
    this.announce = announce;
    this.sums = new ChangesSums(root, files);
  }

  async readPointer(): Promise<SnapshotRecord | null> {
    const { fallback } = this;
    if (fallback === null) return (await this.readNamed())?.[0] ?? null;
    return readServed(
      () => fallback.readPointer(),
      () => this.readNamed(),
    );
  }

  /** swapPointer makes `record` current if `expected` still is; an internal record with a `public` that is not served yet is served
   *  together with that. @throws ShelfError "lost_race" otherwise */
  async swapPointer(record: SnapshotRecord, expected: SnapshotRecord | null): Promise<void> {
    const pointerPath = join(this.root, "current.json");
    const published = (await this.fallback?.readPointer()) ?? null;
    const planNext = (): Uint8Array => {
      const named = existsSync(pointerPath) ? parseNamed(readFileSync(pointerPath), this.fallback !== null) : [];
      const current = this.fallback === null ? (named[0] ?? null) : findServed(named, published);
      if ((current?.sequence ?? 0) !== (expected?.sequence ?? 0) || current?.snapshot !== expected?.snapshot) {
        throw new ShelfError("lost_race", "Another publisher moved the pointer first; nothing was changed.");
      }
      return Buffer.from(canonicalJson(this.fallback === null ? record : namedWith(record, current, published)));
    };
    await this.announce(planNext());
    // No call inside awaits: in one process nothing comes between the comparison and the rename, and among processes
    // the lock keeps everyone else out.
    await this.files.alone(() => this.files.writeWhole(pointerPath, planNext(), true));
    syncFolder(this.root);
  }

  /** listRecords returns all records as they are now, ascending by sequence. One beyond the pointer is left by a crash and was never
   *  served. @throws ShelfError "snapshot_damaged" */
  async listRecords(): Promise<readonly SnapshotRecord[]> {
    const records: SnapshotRecord[] = [];
    for (const sequence of await this.listSequences()) {
      const record = await this.readRecord(sequence);
      if (record !== null) records.push(record);
    }
    return records;
  }

  /** listSequences returns the numbers of the records that are there, readable or not, ascending. */
  async listSequences(): Promise<readonly number[]> {
    return sequencesOf((await readdir(join(this.root, "snapshots")).catch(absent)) ?? []);
  }

  async readRecord(sequence: number): Promise<SnapshotRecord | null> {
    const record = await this.files.readJson(recordPath(sequence), snapshotRecordSchema);
    if (record === null || record.sequence === sequence) return record;
    throw new ShelfError("snapshot_damaged", `${recordPath(sequence)} is the record of another sequence.`, REPAIR);
  }

  async readChanges(sequence: number): Promise<Changes | null> {
    const path = changesPath(sequence);
    const found = await this.files.readJson(path, changesSchema);
    const sum = found === null ? null : this.sums.find(path);
    if (sum === null || sum === sha256(canonicalJson(found))) return found;
    throw new ShelfError("snapshot_damaged", `${path} is not what was written.`, REPAIR);
  }

  /** putRecord writes both durably, because the pointer may follow at once: a record that a power cut tore would stop every later build. */
  async putRecord(record: SnapshotRecord, changes: Changes): Promise<void> {
    await this.putChanges(record.sequence, changes);
    this.files.writeJson(recordPath(record.sequence), record);
  }

  /** restoreRecord writes a record again, without its changes. */
  async restoreRecord(record: SnapshotRecord): Promise<void> {
    this.files.writeJson(recordPath(record.sequence), record);
  }

  /** putChanges writes changes in place of those that a publication left. Only under the build lock. */
  async putChanges(sequence: number, changes: Changes): Promise<void> {
    this.sums.put(changesPath(sequence), Buffer.from(canonicalJson(changes)));
    this.files.writeJson(changesPath(sequence), changes);
  }

  async deleteRecord(sequence: number): Promise<void> {
    await rm(join(this.root, recordPath(sequence)), { force: true });
  }

  /** dropUnserved removes a record that was never served, with its changes. Only under the build lock. */
  async dropUnserved(sequence: number): Promise<void> {
    await this.deleteRecord(sequence);
    await rm(join(this.root, changesPath(sequence)), { force: true });
  }

  /** withdraw takes snapshots out of service: their records are only remembered as withdrawn from then on. Only under the build lock. */
  async withdraw(records: readonly SnapshotRecord[]): Promise<void> {
    const all = new Map([...(await this.readWithdrawn()), ...records].map((record) => [record.sequence, record]));
    this.files.writeJson(
      WITHDRAWN,
      [...all.values()].sort((a, b) => a.sequence - b.sequence),
    );
    for (const { sequence } of records) await this.deleteRecord(sequence);
  }

  /** @throws ShelfError "snapshot_damaged" */
  async readWithdrawn(): Promise<readonly SnapshotRecord[]> {
    return (await this.files.readJson(WITHDRAWN, withdrawnSchema)) ?? [];
  }

  private async readNamed(): Promise<readonly SnapshotRecord[] | null> {
    const bytes = await readSmall(join(this.root, "current.json"), "current.json");
    return bytes === null ? null : parseNamed(bytes, this.fallback !== null);
  }
}

/** The records that a pointer names: a record, or the one or two of an internal root. */
function parseNamed(bytes: Uint8Array, internal: boolean): readonly SnapshotRecord[] {
  return internal
    ? parseExactly(internalPointerSchema, bytes, "current.json")
    : [parseExactly(snapshotRecordSchema, bytes, "current.json")];
}
