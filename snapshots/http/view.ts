/** A view that is being served: follows the pointer, opens kept snapshots by id, and tells when things were first seen.
 *  A request takes one open snapshot at its start and uses nothing else, so nobody ever reads a mix of two. */
import type { FirstSeen, OpenSnapshot } from "../query/open-snapshot.ts";
import { LRUCache } from "lru-cache";
import { ShelfError } from "../errors.ts";
import type { ViewIndex } from "../index/open.ts";
import type { IndexReader } from "../index/reader.ts";
import { createTreeCache, openSnapshot, type Snapshot } from "../shelf/read.ts";
import type { Renderer } from "../page/renderer.ts";
import type { Catalog, Component } from "../schema/resources.ts";
import type { Shelf, SnapshotRecord } from "../shelf/shelf.ts";

/** How long a pointer is trusted before it is read again. */
const POINTER_MS = 250;
/** Snapshots that stay open beside the current one, for /at and cursors. */
const OPEN_SNAPSHOTS = 4;

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
  /** Milliseconds since 1970; a test passes its own. */
  readonly now: () => number;
  /** A catalog of what the object store holds now, for the time before the first snapshot. */
  readonly listing: (() => Promise<Catalog>) | null;
};

export type View = {
  readonly options: ViewOptions;
  /** The snapshot served now, or null before the first publication.
   *  @throws ShelfError "snapshot_damaged" when none could ever be opened; otherwise the last good one stays */
  current(): Promise<OpenSnapshot | null>;
  /** The snapshot served now if that is known without waiting, else null. */
  peek(): OpenSnapshot | null;
  /** A kept snapshot, or null. */
  byId(id: string): Promise<OpenSnapshot | null>;
  /** Ascending by sequence. */
  records(): Promise<readonly SnapshotRecord[]>;
  /** Why the newest pointer is not served, or null. */
  trouble(): string | null;
};

export function openView(options: ViewOptions): View {
  const { shelf } = options;
  const trees = createTreeCache();
  const byId = new LRUCache<string, OpenSnapshot>({ max: OPEN_SNAPSHOTS, dispose: (left) => left !== current && left.release() });
  let index: Promise<ViewIndex> | null = null;
  let current: OpenSnapshot | null = null;
  let checked = Number.NEGATIVE_INFINITY;
  let checking: Promise<void> | null = null;
  let trouble: string | null = null;

  const openViewIndex = (): Promise<ViewIndex> => {
    if (options.index === null) throw new ShelfError("search_unavailable", "This process has no search index.");
    index ??= options.index().catch((error: unknown) => {
      index = null;
      throw error;
    });
    return index;
  };

  const open = async (record: SnapshotRecord): Promise<OpenSnapshot> => {
    const snapshot = await openSnapshot(shelf, record, trees);
    let reader: Promise<IndexReader> | null = null;
    let history: Promise<History> | null = null;
    return {
      snapshot,
      async firstSeen(kind, name) {
        history ??= loadHistory(shelf, record).catch((error: unknown) => {
          history = null;
          throw error;
        });
        return (await history)[kind].get(name) ?? null;
      },
      reader() {
        reader ??= (async () => (await openViewIndex()).at(record.snapshot))().catch((error: unknown) => {
          reader = null;
          if (error instanceof ShelfError) throw error;
          throw new ShelfError("search_unavailable", "The search index cannot be opened.", { cause: error });
        });
        return reader;
      },
      release() {
        void reader?.then(
          (opened) => opened.release(),
          () => undefined,
        );
      },
    };
  };

  const follow = async (): Promise<void> => {
    try {
      const record = await shelf.readPointer();
      if (record !== null && (record.snapshot !== current?.snapshot.id || record.sequence !== current.snapshot.record.sequence)) {
        const next = await open(record);
        // Loaded before it is served: the first reader does not wait, and a damaged snapshot never becomes current.
        await next.snapshot.data();
        const before = current;
        current = next;
        before?.release();
        byId.set(record.snapshot, next);
      }
      trouble = null;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      trouble = error.message;
      if (current === null) throw error;
    } finally {
      checked = options.now();
    }
  };

  return {
    options,
    async current() {
      if (options.now() - checked >= POINTER_MS) {
        checking ??= follow().finally(() => {
          checking = null;
        });
        await checking;
      }
      return current;
    },
    peek: () => (options.now() - checked < POINTER_MS ? current : null),
    async byId(id) {
      const known = current?.snapshot.id === id ? current : byId.get(id);
      if (known !== undefined) return known;
      const record = (await shelf.listRecords()).findLast((candidate) => candidate.snapshot === id);
      if (record === undefined) return null;
      const opened = await open(record);
      byId.set(id, opened);
      return opened;
    },
    records: () => shelf.listRecords(),
    trouble: () => trouble,
  };
}

type History = Readonly<Record<"objects" | "claims" | "records", ReadonlyMap<string, FirstSeen>>>;

/** Replays the changes of every snapshot that led to `record`. They are kept when snapshots are pruned. */
async function loadHistory(shelf: Shelf, record: SnapshotRecord): Promise<History> {
  const records = new Map((await shelf.listRecords()).map((other) => [other.sequence, other]));
  const maps = { objects: new Map<string, FirstSeen>(), claims: new Map<string, FirstSeen>(), records: new Map<string, FirstSeen>() };
  for (let sequence = 1; sequence <= record.sequence; sequence++) {
    const changes = await shelf.readChanges(sequence);
    if (changes === null) continue;
    const at = records.get(sequence) ?? null;
    for (const kind of ["objects", "claims", "records"] as const) {
      const map = maps[kind];
      for (const name of changes.removed[kind]) map.delete(name);
      if (at === null) continue;
      for (const name of changes.added[kind]) map.set(name, { key: at, bytes: at });
      for (const name of changes.changed[kind]) map.set(name, { key: map.get(name)?.key ?? at, bytes: at });
    }
  }
  return maps;
}
