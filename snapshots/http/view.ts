/** A view that is being served: follows the pointer, opens kept snapshots by id, and tells when things were first seen.
 *  A request takes one open snapshot at its start and uses nothing else, so nobody ever reads a mix of two. */
import { setImmediate } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { LRUCache } from "lru-cache";
import { ShelfError } from "#snapshots/errors";
import { partsPath, relationsOf } from "#snapshots/format";
import { type IndexReader, type ViewIndex, withinLimit } from "#snapshots/index";
import type { PageMaker, Renderer } from "#snapshots/page";
import { type FirstSeen, type History, type OpenSnapshot, warmRecords } from "#snapshots/query";
import type { RouteMatch, PageId, RoutePlace, Route, Router } from "#snapshots/routes";
import type { Catalog, Component, CubRecord } from "#snapshots/schema";
import {
  createTreeCache,
  findSetback,
  openInService,
  openSnapshot,
  type RecordIndex,
  type Shelf,
  type Snapshot,
  type SnapshotRecord,
  unreadable,
} from "#snapshots/shelf";
import { openPreparedStore, type PreparedStore, type PreparedRoom } from "./prepared.ts";
import type { Answer, AnswerRequest, CacheClass } from "./reply.ts";

/** How long a look at the shelf is trusted: at the pointer, and at which snapshots are kept. */
const LOOK_MS = 250;
/** Bytes of JSON that the snapshots that stay open beside the current one, for /at and cursors, may have together. */
const OPEN_BYTES = 64 * 1024 * 1024;
const OPEN_SNAPSHOTS = 64;

/** Runtime describes the running process, for capabilities and health. */
export type Runtime = {
  readonly version: string;
  /** Optional parts and how they stand now for what is served; read when asked, never a constant. */
  components(open: OpenSnapshot | null): readonly Component[] | Promise<readonly Component[]>;
  /** When the next build begins, where this process knows. */
  nextBuild?(): string | null;
  readonly limits: Readonly<Record<string, number | string>>;
  readonly auth: Readonly<Record<string, unknown>>;
  readonly mcp: { readonly endpoint: string; readonly versions: readonly string[]; readonly tools: readonly string[] };
};

export type ViewOptions = {
  readonly service: Service;
  readonly view: "public" | "internal";
  /** Address of the service, for problems that are told before there is a snapshot. */
  readonly baseUrl?: string;
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
  /** Tells whether a kept snapshot is open, so that asking for it costs no more than asking for the one of now. */
  isOpen(id: string): boolean;
  /** Bytes of a blob that a kept snapshot reaches, none newer than the one that is served; null for every other. */
  sizeInService(digest: string): Promise<number | null>;
  /** Changes when a snapshot is published or pruned: what pages of the history follow from. */
  historyVersion(): Promise<number>;
  /** The trouble with the pointer, in words, or null. */
  trouble(): string | null;
};

export type Context = {
  readonly view: View;
  readonly open: OpenSnapshot;
  /** Site path of this view and, under /at, of the snapshot: "" or "/internal" or "/at/<id>". */
  readonly mount: string;
  readonly cache: CacheClass;
  /** The key of prepared answers, besides their target. */
  readonly basis: string;
  /** Where prepared answers are kept, whatever they are; null where that follows from what they are. */
  readonly room: PreparedRoom | null;
};

/** SnapshotRequest is a request for what follows from a snapshot. */
export type SnapshotRequest = { readonly context: Context; readonly request: AnswerRequest; readonly place: RoutePlace };

/** A Handler answers a row of the route table. */
export type Handler =
  | {
      /** @throws ShelfError for a value that the row does not take, and what its body throws */
      read(asked: SnapshotRequest): Promise<Answer>;
      /** Before the first publication, from what the object store lists. */
      before?(view: View, request: AnswerRequest, parts: RouteMatch["parts"]): Promise<Answer>;
    }
  /** The answer of the process for itself, which it gives in any state. */
  | { live(view: View, request: AnswerRequest): Promise<Answer> };

/** forEachRow answers every row of a table in one way. */
export function forEachRow<Id extends string>(rows: Readonly<Record<Id, unknown>>, handler: Handler): Readonly<Record<Id, Handler>> {
  return Object.fromEntries(Object.keys(rows).map((id) => [id, handler])) as Record<Id, Handler>;
}

/** A PageStamp is a fact that is filled into pages when they are served. */
export type PageStamp = {
  readonly token: string;
  /** Pages that may have it. */
  readonly pages: readonly (PageId | "browse")[];
  /** @param path site path of the page; the links are made relative to it */
  html(open: OpenSnapshot, path: string): string | Promise<string>;
};

/** The time that /at/ takes beside a snapshot's id, and the headers that it adds (RFC 7089). */
type Memento = {
  /** @returns null for what is no time */
  parsePathTime(text: string): string | null;
  timeAnswer(view: View, current: number, time: string | null, mount: string, rest: string): Promise<Answer>;
  mementoHeaders(created: string, mount: string, rest: string, link: string | undefined): Record<string, string>;
};

/** A Service is everything that is answered, core and annexes together. The program that puts it together hands it in. */
export type Service = {
  readonly router: Router;
  /** As they are described. */
  readonly routes: readonly Route[];
  /** Row → how it is answered. */
  readonly handlers: Readonly<Record<string, Handler>>;
  /** Name of a file that pages have beside them → how it is answered. */
  readonly beside: Readonly<Record<string, (asked: SnapshotRequest) => Promise<Answer>>>;
  /** Row → the page that is made per request. */
  readonly pages: Readonly<Record<string, PageMaker>>;
  readonly stamps: readonly PageStamp[];
  readonly memento: Memento;
};

type Kept = Pick<RecordIndex, "records" | "withdrawn" | "byId"> & {
  readonly version: number;
  /** As the shelf tells it. */
  readonly redactions: string;
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
  return new ServedView(options);
}

/** mountOf returns the site path of a view. */
export function mountOf(view: View): "" | "/internal" {
  return view.options.view === "internal" ? "/internal" : "";
}

/** waitForFirst refuses a request that came before the first publication. @throws ShelfError "no_snapshot" */
export function waitForFirst(): never {
  throw new ShelfError("no_snapshot", "No snapshot has been published yet.", { fixes: ["Run a build, then try again."] });
}

/** A view while it is served: the open snapshots, the answers made of them, and the last look at the shelf. */
class ServedView implements View {
  readonly options: ViewOptions;
  readonly prepared = openPreparedStore();
  readonly #shelf: Shelf;
  readonly #monotonic: () => number;
  readonly #trees = createTreeCache();
  readonly #inService: ReturnType<typeof openInService>;
  readonly #opened = new LRUCache<string, OpenSnapshot>({ max: OPEN_SNAPSHOTS, maxSize: OPEN_BYTES });
  #index: Promise<ViewIndex> | null = null;
  #current: ServedSnapshot | null = null;
  #looked = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> | null = null;
  #kept: Kept = { records: [], withdrawn: [], byId: new Map(), version: 0, redactions: "" };
  #listed = Number.NEGATIVE_INFINITY;
  #trouble: string | null = null;

  constructor(options: ViewOptions) {
    this.options = options;
    this.#shelf = options.shelf;
    this.#monotonic = options.monotonic ?? (() => performance.now());
    this.#inService = openInService(options.shelf);
  }

  async current(): Promise<OpenSnapshot | null> {
    if (this.#current === null) await this.#look();
    else this.#lookAside();
    return this.#current;
  }

  peek(): OpenSnapshot | null {
    if (this.#current !== null) this.#lookAside();
    return this.#current;
  }

  async refresh(): Promise<void> {
    // One that is under way may have read the pointer before it moved.
    await this.#looking?.catch(() => undefined);
    await this.#look();
    this.#listed = Number.NEGATIVE_INFINITY;
  }

  async byId(id: string): Promise<OpenSnapshot | null> {
    const record = (await this.#list()).byId.get(id);
    if (this.#current?.snapshot.id === id) return this.#current;
    if (record === undefined) return null;
    const known = this.#opened.get(id);
    if (known !== undefined) return known;
    const found = await this.#open(record);
    // However large: two at least stay open.
    // What was taken out of a snapshot does not keep the rest of it from being answered.
    const size = (await objectBytes(found.snapshot).catch(unreadable)) ?? 0;
    this.#opened.set(id, found, { size: Math.min(Math.max(1, size), OPEN_BYTES / 2) });
    return found;
  }

  isOpen(id: string): boolean {
    return this.#current?.snapshot.id === id || this.#opened.has(id);
  }

  async records(): Promise<Kept["records"]> {
    return (await this.#list()).records;
  }

  async withdrawn(): Promise<Kept["withdrawn"]> {
    return (await this.#list()).withdrawn;
  }

  async sizeInService(digest: string): Promise<number | null> {
    const { records } = await this.#list();
    const served = this.#current?.snapshot.record;
    if (served === undefined) return null;
    return this.#inService.sizeOf(digest, [...records.filter(({ sequence }) => sequence < served.sequence), served]);
  }

  async historyVersion(): Promise<number> {
    return (await this.#list()).version;
  }

  trouble(): string | null {
    return this.#trouble;
  }

  async #open(record: SnapshotRecord): Promise<ServedSnapshot> {
    const snapshot = await openSnapshot(this.#shelf, record, this.#trees);
    const known = this.#current?.past() ?? null;
    const past = known !== null && known.sequence < record.sequence ? known : null;
    return new ServedSnapshot(snapshot, past, () => this.#openIndex());
  }

  #openIndex(): Promise<ViewIndex> {
    if (this.options.index === null) throw new ShelfError("search_unavailable", "This process has no search index.");
    this.#index ??= this.options.index().catch((error: unknown) => {
      this.#index = null;
      throw error;
    });
    return this.#index;
  }

  #look(): Promise<void> {
    this.#looking ??= this.#follow().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  /** A look that nobody waits for. While a snapshot is open none fails: `trouble` says what is wrong. */
  #lookAside(): void {
    if (this.#monotonic() - this.#looked >= LOOK_MS) void this.#look();
  }

  /** Serves what the pointer names, once it is loaded. */
  async #follow(): Promise<void> {
    try {
      // Before the pointer, which may move meanwhile: never the other way round.
      const index = await this.#shelf.records.index();
      const record = await this.#shelf.readPointer();
      const served = this.#current?.snapshot.record ?? null;
      if (record !== null && served !== null && record.sequence < served.sequence) {
        this.#trouble = `the newest pointer is not served: current.json names snapshot ${record.sequence}, but ${served.sequence} was published after it and is served on`;
        return;
      }
      if (record !== null && !isDeepStrictEqual(record, served)) {
        await assertRecorded(this.#shelf, record);
        const next = await this.#open(record);
        // Loaded before it is served: no reader waits, and a damaged snapshot never becomes current.
        await load(next, this.#current?.searched() === true);
        const before = this.#current;
        this.#current = next;
        // Behind the switch: an answer of the one before that is made meanwhile would stay.
        if (before !== null) this.prepared.forget(before.snapshot.id);
      }
      this.#trouble = findSetback(record, index);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      this.#trouble = `the newest pointer is not served: ${error.message}`;
      if (this.#current === null) throw error;
    } finally {
      this.#looked = this.#monotonic();
    }
  }

  /** Looks which snapshots are kept, and forgets those that are not kept any more, or were redacted. */
  async #list(): Promise<Kept> {
    if (this.#monotonic() - this.#listed < LOOK_MS) return this.#kept;
    const { records, withdrawn, byId } = await this.#shelf.records.index();
    const redactions = await this.#shelf.redactions.version();
    const redacted = redactions !== this.#kept.redactions;
    if (records !== this.#kept.records || redacted) {
      this.#kept = { records, withdrawn, byId, redactions, version: this.#kept.version + 1 };
      // Files that were taken out of earlier snapshots are not answered from memory.
      if (redacted) for (const kept of [this.#trees.parsed, this.#trees.listed]) kept.clear();
      for (const id of redacted ? byId.keys() : [...this.#opened.keys()].filter((name) => !byId.has(name))) {
        this.#opened.delete(id);
        this.prepared.forget(atBasis(id));
      }
    }
    this.#listed = this.#monotonic();
    return this.#kept;
  }
}

/** A snapshot while it is open: its reader of the index and its history are opened when they are first asked for. */
class ServedSnapshot implements OpenSnapshot {
  readonly snapshot: Snapshot;
  readonly #past: Past | null;
  readonly #openIndex: () => Promise<ViewIndex>;
  #reader: Promise<IndexReader> | null = null;
  #held: IndexReader | null = null;
  #history: Promise<Seen> | null = null;

  /** @param past of an earlier snapshot, to go on from */
  constructor(snapshot: Snapshot, past: Past | null, openIndex: () => Promise<ViewIndex>) {
    this.snapshot = snapshot;
    this.#past = past;
    this.#openIndex = openIndex;
  }

  /** Tells whether anybody has searched it. */
  searched(): boolean {
    return this.#reader !== null;
  }

  /** The history that a snapshot that follows can go on from. */
  past(): Past | null {
    return this.#history === null ? this.#past : { sequence: this.snapshot.record.sequence, seen: this.#history };
  }

  async firstSeen(kind: keyof Seen, name: string): Promise<FirstSeen | null> {
    const { shelf, record } = this.snapshot;
    this.#history ??= loadHistory(shelf, record, this.#past).catch((error: unknown) => {
      this.#history = null;
      throw error;
    });
    return (await this.#history)[kind].get(name) ?? null;
  }

  reader(): Promise<IndexReader> {
    // A file of its index is not what was written any more: no search until the index is made anew.
    if (this.#held?.whole() === false) {
      this.#held.close();
      this.#held = null;
      this.#reader = null;
    }
    this.#reader ??= this.#read().catch((error: unknown) => {
      this.#reader = null;
      if (error instanceof ShelfError) throw error;
      throw new ShelfError("search_unavailable", "The search index cannot be opened.", { cause: error });
    });
    return withinLimit(this.#reader);
  }

  async #read(): Promise<IndexReader> {
    this.#held = await (await this.#openIndex()).at(this.snapshot.record.snapshot);
    return this.#held;
  }
}

/** atBasis returns the basis of answers under /at, so that they are told from those of the same snapshot while it is served. */
export function atBasis(id: string): string {
  return `at ${id}`;
}

/** Bytes that the rows of all objects take in the shelf. */
async function objectBytes(snapshot: Snapshot): Promise<number> {
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
  // Nobody waits for what only queries over many records need: one that comes before it is done makes the rest.
  void warm((await open.snapshot.data()).cubs);
  // A search index that cannot be opened is told by searching, and keeps nobody from reading.
  if (searched) await open.reader().catch(() => undefined);
}

async function warm(records: readonly CubRecord[]): Promise<void> {
  for (const _ of warmRecords(records)) await setImmediate();
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
      for (const name of changes.removed[kind]) {
        const past = map.get(name);
        if (past === undefined || at === null) map.delete(name);
        else map.set(name, { ...past, gone: at });
      }
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
