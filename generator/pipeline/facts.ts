/** Reads the facts: what the sources and the shelf hold now. They are read side by side; nothing is decided here, and nothing is written but the
 *  copies of the registry and the claims that a later build falls back on. */
import {
  type Claims,
  knownListing,
  type LastGoodOptions,
  leaveOut,
  listChanged,
  type ListedSince,
  lookAtRegistry,
  NO_CLAIMS,
  type ObjectStore,
  openKeptRegistry,
  openKeptStatements,
  readClaims,
  readWithdrawals,
  redactedBytes,
  type RegistryAnnexes,
  type RegistryRead,
  type RegistrySaid,
  type StatementAnnexes,
  type Withdrawals,
} from "#generator/sources";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { findShared, openIndex, PASSAGES } from "#snapshots/index";
import { findSetback, listChanges, type Shelf, type SnapshotRecord } from "#snapshots/shelf";
import type { ViewData } from "#snapshots/format";
import type { Config } from "#generator/config";
import type { Sha256 } from "#snapshots/digest";
import { codeDigest, together } from "#generator/files";
import { type BuildState, EMPTY_STATE, type KnownObject, readJournal, readState, timesOf, type ViewState } from "#generator/kept";
import { type ByView, readPointers, readServed, type Shelves } from "#generator/shelves";

export type BuildFacts = {
  readonly config: Config;
  /** Digest of this program. */
  readonly program: Sha256;
  readonly listed: ListedSince;
  readonly registry: RegistryRead;
  readonly claims: Claims;
  /** Left out of all these. */
  readonly withdrawals: Withdrawals;
  /** The state that the last build kept; empty when there is nothing that this program understands. */
  readonly state: BuildState;
  /** Objects that a build has read which did not get to its end, by key. */
  readonly journal: ReadonlyMap<string, KnownObject>;
  readonly pointers: ByView<SnapshotRecord | null>;
  /** Ids of all snapshots that have not been pruned. */
  readonly kept: ByView<ReadonlySet<string>>;
  readonly indexes: ByView<IndexFacts>;
  /** Problems with pointers that somebody put back, in words. */
  readonly setbacks: readonly string[];
  /** An annex has something to do, whatever the sources say. */
  readonly due: boolean;
  /** Digests of bytes that are not taken in, whatever their name. */
  readonly redacted: ReadonlySet<string>;
};

/** Looked is the facts before anybody knows whether there is anything to do: the records are read when `whole` is asked for. */
export type Looked = Omit<BuildFacts, "registry"> & { readonly registry: RegistrySaid; readonly whole: () => Promise<BuildFacts> };

type IndexFacts = {
  /** Why the snapshot of the last build cannot be searched; null when it can. */
  readonly problem: string | null;
  /** It has rows of its own, of whatever tag and in whatever state. */
  readonly rows: boolean;
  /** The rows of the last build's snapshot are those of the public index. */
  readonly shared: boolean;
};

/** gatherFacts reads what the sources and the shelf hold now.
 *  @param keep whether the registry and the claims are kept for a build that cannot use them; without it nothing at all is written
 *  @param acceptLoss a registry or claims that are broken, empty or much shorter are meant
 *  @throws ShelfError "bad_source" when the store or the claims cannot be read as a whole */
export async function gatherFacts(
  config: Config,
  shelves: Shelves,
  options: {
    readonly store: ObjectStore;
    readonly now: () => Date;
    readonly keep: boolean;
    readonly acceptLoss: boolean;
    /** Tells whether an annex has something to do although no input has changed. */
    readonly isDue: (withdrawals: Withdrawals["list"]) => boolean;
    /** Keys that may have changed, and no others; null for all. */
    readonly keys?: readonly string[] | null;
  } & RegistryAnnexes &
    StatementAnnexes,
): Promise<Looked> {
  return together(async ({ run }) => {
    const program = codeDigest();
    const reading = run(() => readState(shelves.buildDir, program));
    const { keys = null } = options;
    const withdrawals = config.withdrawals === null ? [] : readWithdrawals(config.withdrawals.path);
    const listed = run(async () => {
      // A build that lists everything need not wait for what the last one remembers.
      const last =
        keys === null ? { state: EMPTY_STATE, known: null } : { state: await reading, known: knownListing(shelves.buildDir).read() };
      return listChanged(options.store, config, keys, withdrawals, last);
    });
    const shelf = run(() => lookAt(shelves));
    const lastGood = (name: "registry" | "claims", ids: (data: ViewData) => readonly string[]): LastGoodOptions => ({
      ...options,
      dir: join(shelves.buildDir, name),
      redacted: new Set(
        withdrawals.flatMap(({ what, name: id, redacted }) => (redacted && what === (name === "claims" ? "claim" : "record") ? [id] : [])),
      ),
      // Claims are asked for whole, or nothing is built: see readClaims.
      first: async () => name === "registry" && (await shelf).pointers.internal === null,
      served: async (digest) => {
        const { internal } = (await shelf).pointers;
        if (internal === null || (digest !== null && internal.inputs[name] === digest)) return [];
        const data = await readServed(shelves.internal, internal);
        return data === null ? [] : ids(data);
      },
    });
    const registry = run(() =>
      lookAtRegistry(config, {
        ...lastGood("registry", ({ cubs }) => cubs.map(({ id }) => id)),
        makeRegistry: options.makeRegistry,
        statements: openKeptStatements(options, shelves.buildDir, program, options.keep),
        known: openKeptRegistry(shelves.buildDir),
        withdrawn: new Set(withdrawals.flatMap(({ what, name }) => (what === "record" ? [name] : []))),
      }),
    );
    const claims = run(() =>
      config.claims === null
        ? NO_CLAIMS
        : readClaims(
            config.claims.path,
            lastGood("claims", (data) => data.claims.claims.map(({ id }) => id)),
          ),
    );
    const state = await reading;
    const indexes = {
      public: run(() => lookAtIndex(shelves.public, state.public)),
      internal: run(() => lookAtIndex(shelves.internal, state.internal)),
    };
    const look = await registry;
    const sources = { listed: await listed, claims: await claims };
    const others = {
      config,
      program,
      state,
      journal: readJournal(shelves.buildDir, journalDependency(program, config)),
      ...(await shelf),
      due: options.isDue(withdrawals),
      redacted: await redactedBytes(shelves, withdrawals),
      indexes: { public: await indexes.public, internal: await indexes.internal },
    };
    const today = options.now().toISOString().slice(0, 10);
    const whole = async (): Promise<BuildFacts> => ({
      ...others,
      ...(await leaveOut(
        { ...sources, registry: await look.whole() },
        withdrawals,
        (names) => namedInHistory(shelves.internal, names),
        today,
      )),
    });
    // Ids say which records are withdrawn.
    if (withdrawals.length > 0) {
      const facts = await whole();
      return { ...facts, whole: async () => facts };
    }
    return { ...others, ...sources, registry: look, withdrawals: { list: [], notes: [] }, whole };
  });
}

/** journalDependency names all that decides what is read out of an object, and its time. */
export function journalDependency(program: Sha256, config: Config): string {
  return `${program} ${timesOf(config)}`;
}

async function lookAt(shelves: Shelves): Promise<Pick<BuildFacts, "pointers" | "kept" | "setbacks">> {
  const pointers = await readPointers(shelves);
  const [shown, internal] = [await shelves.public.records.index(), await shelves.internal.records.index()];
  return {
    pointers,
    kept: { public: new Set(shown.byId.keys()), internal: new Set(internal.byId.keys()) },
    setbacks: [findSetback(pointers.public, shown), findSetback(pointers.internal, internal)].filter((setback) => setback !== null),
  };
}

/** Those of some names, `<what> <name>`, that the history of a view has. */
async function namedInHistory(shelf: Shelf, names: ReadonlySet<string>): Promise<ReadonlySet<string>> {
  const { records } = await shelf.records.index();
  const found = new Set<string>();
  for await (const [, changes] of shelf.records.changes(0, records.at(-1)?.sequence ?? 0))
    for (const { what, name } of listChanges(changes)) if (names.has(`${what} ${name}`)) found.add(`${what} ${name}`);
  return found;
}

async function lookAtIndex(shelf: Shelf, known: ViewState | null): Promise<IndexFacts> {
  const rows = existsSync(join(shelf.indexUri, `${PASSAGES}.lance`));
  if (known === null) return { problem: "No build that is remembered has written it.", rows, shared: false };
  const shared = findShared(shelf.indexUri, known.snapshot) !== null;
  // Opening an index makes its folder.
  if (!rows && !shared) return { problem: "It is not there.", rows, shared };
  const index = await openIndex(shelf.indexUri, shelf.sharedIndexUri);
  try {
    return { problem: await index.findProblem(known.snapshot), rows, shared };
  } finally {
    index.close();
  }
}
