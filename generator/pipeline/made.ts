/** The values that the steps of a build hand on: each step says what it needs and what it makes, so that their order can be held against it. */
import type { Sha256 } from "#snapshots/digest";
import type { Renderer } from "#snapshots/page";
import type { Changes, LogSigner, SnapshotRecord } from "#snapshots/shelf";
import type { Config } from "#generator/config";
import type { ExtractPool } from "#generator/extract";
import type { Progress, Tasks } from "#generator/files";
import type { IndexThread } from "#generator/index";
import type { SaidOfObjects } from "#generator/kept";
import type { Parts, Site } from "#generator/publish";
import type { ByView, Shelves } from "#generator/shelves";
import type { ObjectStore, RegistryAnnexes, StatementAnnexes } from "#generator/sources";
import type { BuildFacts, Looked } from "./facts.ts";
import type { Accepted, Passed, Weaker } from "./gates.ts";
import type { ReadingPlan, WritingPlan } from "./plan.ts";
import type { Views } from "./project.ts";
import type { ReadObjects } from "./read-objects.ts";
import type { WrittenDrafts } from "./write.ts";

/** A collection, an object, a claim or a record. */
type Named = { readonly what: "collection" | "object" | "claim" | "record"; readonly name: string };

/** A WithdrawnSnapshot is a public snapshot that goes out of service; `held` says why. */
export type WithdrawnSnapshot = { readonly sequence: number; readonly snapshot: Sha256; readonly held: readonly Named[] };

/** Removal says what is to be taken out of what was published before. */
export type Removal = {
  /** A view's documents are written into its index anew though they are what they were: it has rows of what has to go. */
  readonly reindex: ByView<boolean>;
  /** Earlier public snapshots that are written into it as well; null while nothing asks for that. */
  readonly earlier: readonly SnapshotRecord[] | null;
  readonly withdrawn: readonly WithdrawnSnapshot[];
};

export const NO_REMOVAL: Removal = { reindex: { public: false, internal: false }, earlier: null, withdrawn: [] };

export type Made = {
  readonly looked: Looked;
  readonly facts: BuildFacts;
  readonly site: Site;
  readonly reading: ReadingPlan;
  readonly read: ReadObjects;
  readonly said: SaidOfObjects;
  readonly views: Views;
  /** Accepted weaknesses with their reasons, for the builds to come and for the records of the snapshots. */
  readonly accepted: Pick<Passed, "accepted" | "inputs">;
  readonly removal: Removal;
  readonly plan: WritingPlan;
  readonly written: WrittenDrafts;
  /** Both roots are on the disk when these have ended. */
  readonly flushed: readonly Promise<void>[];
  /** Texts that annexes write into the record of each view. */
  readonly inputs: ByView<Readonly<Record<string, string>>>;
  /** Changes in the public view; null when it was not published. */
  readonly changes: Changes | null;
  /** Bytes of the state that the next build begins with. */
  readonly knowledge: Uint8Array;
};

/** Given is everything that a build is given. */
export type Given = {
  readonly config: Config;
  readonly shelves: Shelves;
  readonly store: ObjectStore;
  readonly parts: Parts;
  readonly clock: () => Date;
  readonly progress: Progress;
  readonly signers: ByView<LogSigner>;
  readonly acceptLoss: boolean;
  readonly accept: Accepted;
  readonly keepHistory: boolean;
  /** Hears what is weaker or does not hold, before the gates decide. */
  readonly tellWeaker?: (weaker: readonly Weaker[]) => void;
  readonly keys: readonly string[] | null;
  readonly isDue: (withdrawals: BuildFacts["withdrawals"]["list"]) => boolean;
} & RegistryAnnexes &
  StatementAnnexes;

/** Work is what a build is given, with what runs while a plan is carried out. */
export type Work = Given & {
  readonly tasks: Tasks;
  readonly index: IndexThread;
  readonly renderer: Promise<Renderer>;
  /** Opened when they are asked for. */
  pool(): ExtractPool;
};

type Notes = { readonly notes?: readonly string[] };

export type Step<W> = {
  readonly name: string;
  readonly needs: readonly (keyof Made)[];
  readonly makes: readonly (keyof Made)[];
  run(made: Made, work: W): Promise<Partial<Made> & Notes>;
};

export function step<W, N extends keyof Made, M extends keyof Made>(
  name: string,
  needs: readonly N[],
  makes: readonly M[],
  run: (made: Pick<Made, N>, work: W) => Promise<Pick<Made, M> & Notes>,
): Step<W> {
  return { name, needs, makes, run };
}
