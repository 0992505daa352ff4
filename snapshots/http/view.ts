/** A view that is being served: follows the pointer, opens kept snapshots by id, and tells when things were first seen.
 *  A request takes one open snapshot at its start and uses nothing else, so nobody ever reads a mix of two. */
import { setImmediate } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { LRUCache } from "lru-cache";
import { ShelfError } from "../errors.ts";
import { partsPath } from "../format/parts.ts";
import { relationsOf } from "../format/relations.ts";
import type { ViewIndex } from "../index/open.ts";
import type { IndexReader } from "../index/reader.ts";
import { withinLimit } from "../index/time-limit.ts";
import type { Renderer } from "../page/renderer.ts";
import type { History } from "../query/history.ts";
import type { FirstSeen, OpenSnapshot } from "../query/open-snapshot.ts";
import type { Catalog, Component } from "../schema/resources.ts";
import { createTreeCache, openSnapshot, type Snapshot, WHOLE_CATALOG } from "../shelf/read.ts";
import { openInService } from "../shelf/in-service.ts";
import { findSetback } from "../shelf/record-index.ts";
import type { RecordIndex, Shelf, SnapshotRecord } from "../shelf/shelf.ts";
import { openPreparedStore, type PreparedStore } from "./prepared.ts";

/** How long a look at the shelf is trusted: at the pointer, and at which snapshots are kept. */
const LOOK_MS = 250;
/** What snapshots that stay open beside the current one, for /at and cursors, may have in their JSON together; bytes. */
const OPEN_BYTES = 64 * 1024 * 1024;
const OPEN_SNAPSHOTS = 64;

/** What the running process is, for capabilities and health. */
export type Runtime = {
  readonly version: string;
  /** Optional parts and how they stand now for what is served; read when asked, never a constant. */
  components(open: OpenSnapshot | null): readonly Component[] | Promise<readonly Component[]>;
  readonly limits: Readonly<Record<string, number | string>>;
  readonly auth: Readonly<Record<string, unknown>>;
  readonly mcp: { readonly endpoint: string; readonly versions: readonly string[]; readonly tools: readonly string[] };
};

export type ViewOptions = {
  readonly view: "public" | "internal";
  readonly shelf: Shelf;
  /** The compiled pages, for what is rendered per request; null when this process renders nothing. */
  readonly renderer: (() => Promise<Renderer>) | null;
  readonly index: (() => Promise<ViewIndex>) | null;
  readonly runtime: Runtime;
  /** Milliseconds since 1970, for ages; a test passes its own. */
  readonly now: () => number;
  /** Milliseconds of a clock that is never set back, for how long a look is trusted. */
  readonly monotonic?: () => number;
  /** A catalog of what the object store holds now, for the time before the first snapshot. */
  readonly listing: (() => Promise<Catalog>) | null;
};

export type View = History & {
  readonly options: ViewOptions;
  readonly prepared: PreparedStore;
  /** The snapshot served now, or null before the first publication. Waits only while none is open: the next one is opened
   *  and loaded aside, and the one before is served until it is ready.
   *  @throws ShelfError "snapshot_damaged" when none could ever be opened; otherwise the last good one stays */
  current(): Promise<OpenSnapshot | null>;
  /** The snapshot served now without waiting; null when none is open. */
  peek(): OpenSnapshot | null;
  /** Looks at the shelf now and serves what the pointer names before it returns: for who has just published. */
  refresh(): Promise<void>;
  /** A kept snapshot if that is known without waiting, else null. */
  peekById(id: string): OpenSnapshot | null;
  /** Whether a kept snapshot is open, so that asking for it costs no more than asking for the one of now. */
  isOpen(id: string): boolean;
  /** Bytes of a blob that a kept snapshot reaches, none newer than the one that is served; null for every other. */
  sizeInService(digest: string): Promise<number | null>;
  /** Changes when a snapshot is published or pruned: what pages of the history follow from. */
  historyVersion(): Promise<number>;
  /** What is wrong with the pointer, or null. */
  trouble(): string | null;
};

type Kept = Pick<RecordIndex, "records" | "withdrawn" | "byId"> & {
  readonly version: number;
  /** As the shelf tells it. */
  readonly redactions: string;
};

/** Beside what everybody sees: what a snapshot that follows can go on from. */
type Opened = OpenSnapshot & {
  /** Whether anybody has searched it. */
  searched(): boolean;
  past(): Past | null;
};

/** When things were first seen on the way to a snapshot: the last that anybody asked for. */
type Past = { readonly sequence: number; readonly seen: Promise<Seen> };

/** A pointer that was damaged may still name the right snapshot, with another time or other inputs. A record that cannot be read says
 *  nothing against it.
 *  @throws ShelfError "snapshot_damaged" */
async function assertRecorded(shelf: Shelf, pointer: SnapshotRecord): Promise<void> {
  const written = await shelf.readRecord(pointer.sequence).catch(() => null);
  if (written === null || isDeepStrictEqual(written, pointer)) return;
  throw new ShelfError("snapshot_damaged", `current.json is not what snapshots/${pointer.sequence}.json says.`, {
    fixes: ["Run: proofshelf repair"],
  });
}

export function openView(options: ViewOptions): View {
  const { shelf } = options;
  const monotonic = options.monotonic ?? (() => performance.now());
  const trees = createTreeCache();
  const prepared = openPreparedStore();
  const inService = openInService(shelf);
  const opened = new LRUCache<string, OpenSnapshot>({
    max: OPEN_SNAPSHOTS,
    maxSize: OPEN_BYTES,
  });
  let index: Promise<ViewIndex> | null = null;
  let current: Opened | null = null;
  let looked = Number.NEGATIVE_INFINITY;
  let looking: Promise<void> | null = null;
  let kept: Kept = { records: [], withdrawn: [], byId: new Map(), version: 0, redactions: "" };
  let listed = Number.NEGATIVE_INFINITY;
  let trouble: string | null = null;

  const openViewIndex = (): Promise<ViewIndex> => {
    if (options.index === null) throw new ShelfError("search_unavailable", "This process has no search index.");
    index ??= options.index().catch((error: unknown) => {
      index = null;
      throw error;
    });
    return index;
  };

  const open = async (record: SnapshotRecord): Promise<Opened> => {
    const snapshot = await openSnapshot(shelf, record, trees);
    let reader: Promise<IndexReader> | null = null;
    let held: IndexReader | null = null;
    let history: Promise<Seen> | null = null;
    const known = current?.past() ?? null;
    const past = known !== null && known.sequence < record.sequence ? known : null;
    return {
      snapshot,
      searched: () => reader !== null,
      past: () => (history === null ? past : { sequence: record.sequence, seen: history }),
      async firstSeen(kind, name) {
        history ??= loadHistory(shelf, record, past).catch((error: unknown) => {
          history = null;
          throw error;
        });
        return (await history)[kind].get(name) ?? null;
      },
      reader() {
        // A file of its index is not what was written any more: no search until the index is made anew.
        if (held?.whole() === false) {
          held.close();
          held = null;
          reader = null;
        }
        reader ??= (async () => (held = await (await openViewIndex()).at(record.snapshot)))().catch((error: unknown) => {
          reader = null;
          if (error instanceof ShelfError) throw error;
          throw new ShelfError("search_unavailable", "The search index cannot be opened.", { cause: error });
        });
        return withinLimit(reader);
      },
    };
  };

  const follow = async (): Promise<void> => {
    try {
      // Before the pointer, which may move meanwhile: never the other way round.
      const index = await shelf.records.index();
      const record = await shelf.readPointer();
      const served = current?.snapshot.record ?? null;
      if (record !== null && served !== null && record.sequence < served.sequence) {
        trouble = `the newest pointer is not served: current.json names snapshot ${record.sequence}, but ${served.sequence} was published after it and is served on`;
        return;
      }
      if (record !== null && !isDeepStrictEqual(record, served)) {
        await assertRecorded(shelf, record);
        const next = await open(record);
        // Loaded before it is served: no reader waits, and a damaged snapshot never becomes current.
        await load(next, current?.searched() === true);
        const before = current;
        current = next;
        if (before !== null) prepared.forget(before.snapshot.id);
      }
      trouble = findSetback(record, index);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      trouble = `the newest pointer is not served: ${error.message}`;
      if (current === null) throw error;
    } finally {
      looked = monotonic();
    }
  };

  const look = (): Promise<void> => {
    looking ??= follow().finally(() => {
      looking = null;
    });
    return looking;
  };

  /** A look that nobody waits for. While a snapshot is open none fails: `trouble` says what is wrong. */
  const lookAside = (): void => {
    if (monotonic() - looked >= LOOK_MS) void look();
  };

  const list = async (): Promise<Kept> => {
    if (monotonic() - listed < LOOK_MS) return kept;
    const { records, withdrawn, byId } = await shelf.records.index();
    const redactions = await shelf.redactions.version();
    const redacted = redactions !== kept.redactions;
    if (records !== kept.records || redacted) {
      kept = { records, withdrawn, byId, redactions, version: kept.version + 1 };
      // What was taken out of earlier snapshots is not answered from memory.
      if (redacted) trees.parsed.clear();
      for (const id of redacted ? byId.keys() : [...opened.keys()].filter((name) => !byId.has(name))) {
        opened.delete(id);
        prepared.forget(atBasis(id));
      }
    }
    listed = monotonic();
    return kept;
  };

  const view: View = {
    options,
    prepared,
    async current() {
      if (current === null) {
        await look();
        return current;
      }
      lookAside();
      return current;
    },
    peek() {
      if (current !== null) lookAside();
      return current;
    },
    async refresh() {
      // One that is under way may have read the pointer before it moved.
      await looking?.catch(() => undefined);
      await look();
      listed = Number.NEGATIVE_INFINITY;
    },
    async byId(id) {
      const record = (await list()).byId.get(id);
      if (current?.snapshot.id === id) return current;
      if (record === undefined) return null;
      const known = opened.get(id);
      if (known !== undefined) return known;
      const found = await open(record);
      // However large: two at least stay open.
      opened.set(id, found, { size: Math.min(Math.max(1, await objectBytes(found.snapshot)), OPEN_BYTES / 2) });
      return found;
    },
    peekById: (id) => (monotonic() - listed < LOOK_MS && kept.byId.has(id) ? (opened.get(id) ?? null) : null),
    isOpen: (id) => current?.snapshot.id === id || opened.has(id),
    async records() {
      return (await list()).records;
    },
    async withdrawn() {
      return (await list()).withdrawn;
    },
    async sizeInService(digest) {
      const { records } = await list();
      const served = current?.snapshot.record;
      if (served === undefined) return null;
      return inService.sizeOf(digest, [...records.filter(({ sequence }) => sequence < served.sequence), served]);
    },
    async historyVersion() {
      return (await list()).version;
    },
    trouble: () => trouble,
  };
  return view;
}

/** What answers under /at follow from, so that they are told from those of the same snapshot while it is served. */
export function atBasis(id: string): string {
  return `at ${id}`;
}

/** What the rows of all objects take in the shelf. */
async function objectBytes(snapshot: Snapshot): Promise<number> {
  const whole = await snapshot.find(WHOLE_CATALOG);
  if (whole !== null) return whole.size;
  const { collections } = await snapshot.library();
  let bytes = 0;
  for (const { id } of collections) for (const { size } of await snapshot.files(partsPath.objects(id))) bytes += size;
  return bytes;
}

/** Everything that the first requests would have to wait for, with room for others' requests between the steps. */
async function load(open: OpenSnapshot, searched: boolean): Promise<void> {
  const relations = relationsOf(await open.snapshot.data());
  const steps = [() => relations.objectByKey, () => relations.folders, () => relations.recordById, () => relations.claimsOfRecord];
  for (const step of steps) {
    step();
    await setImmediate();
  }
  // A search index that cannot be opened is told by searching, and keeps nobody from reading.
  if (searched) await open.reader().catch(() => undefined);
}

type Seen = Readonly<Record<"objects" | "claims" | "records", ReadonlyMap<string, FirstSeen>>>;

/** Replays the changes of every snapshot that led to `record`. They are kept when snapshots are pruned.
 *  @param past of an earlier snapshot, to go on from */
async function loadHistory(shelf: Shelf, record: SnapshotRecord, past: Past | null): Promise<Seen> {
  const { records } = await shelf.records.index();
  // Its own may be lost: then the pointer alone has it.
  const bySequence = new Map([...records, record].map((other) => [other.sequence, other]));
  const { from, way } = findWay(record, bySequence, past?.sequence ?? 0);
  // One that could not be read then is read from the beginning.
  const known = past === null || from === 0 ? null : await past.seen.catch(() => null);
  if (past !== null && from > 0 && known === null) return loadHistory(shelf, record, null);
  const maps = { objects: new Map(known?.objects), claims: new Map(known?.claims), records: new Map(known?.records) };
  for await (const [sequence, changes] of shelf.records.changes(from, record.sequence)) {
    if (!way.has(sequence)) continue;
    const at = bySequence.get(sequence) ?? null;
    for (const kind of ["objects", "claims", "records"] as const) {
      const map = maps[kind];
      for (const name of changes.removed[kind]) map.delete(name);
      if (at === null) continue;
      for (const name of changes.added[kind]) map.set(name, { key: at, bytes: at, all: [at] });
      for (const name of changes.changed[kind]) {
        const past = map.get(name);
        map.set(name, { key: past?.key ?? at, bytes: at, all: [...(past?.all ?? []), at] });
      }
    }
  }
  return maps;
}

/** The publications that led to a record. What a rollback undid is not among them: it goes on from the record that it restores.
 *  @param known sequence of a record to go on from, or 0
 *  @returns `from`: `known` when the way leads over it, else 0 */
function findWay(
  record: SnapshotRecord,
  bySequence: ReadonlyMap<number, SnapshotRecord>,
  known: number,
): { readonly from: number; readonly way: ReadonlySet<number> } {
  const way = new Set<number>();
  let at = record.sequence;
  while (at > 0 && at !== known) {
    const restored = (at === record.sequence ? record : bySequence.get(at))?.restores;
    if (restored === undefined || restored >= at) way.add(at--);
    else at = restored;
  }
  return { from: at, way };
}
