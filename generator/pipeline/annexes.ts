/** The things that annexes register with the core. The program hands the annexes in (../annexes.ts). */
import type { Withdrawal } from "#snapshots/schema";
import type { LogSigner } from "#snapshots/shelf";
import type { LeakAnnex } from "#generator/publish";
import type { ByView, ShelfAnnexes, Shelves } from "#generator/shelves";
import type { RegistryAnnexes, StatementAnnexes, StoreAnnexes } from "#generator/sources";
import type { Config } from "#generator/config";
import type { Weaker } from "./gates.ts";
import type { Given, Made, Work } from "./made.ts";
import type { BuildSummary } from "./summary.ts";

/** BuildEnd says how a build ended: with what it did, or with why it did not. */
export type BuildEnd = {
  readonly config: Config;
  /** Folder of what builds keep. */
  readonly buildDir: string;
  readonly at: Date;
  /** Weaknesses of the internal view, let through or not: what got weaker or does not hold; null when nobody looked for them. */
  readonly weaker: readonly Weaker[] | null;
  readonly summary: BuildSummary | null;
  readonly error: unknown;
};

type Notes = { readonly notes?: readonly string[] };

/** Looks at what was published before. A preview runs it too, so it writes nothing: without signers nothing follows. */
type BeforeWrite = {
  readonly at: "before write";
  readonly name: string;
  run(
    made: Pick<Made, "facts" | "reading" | "views" | "removal">,
    work: Pick<Given, "shelves" | "keepHistory"> & { readonly signers: ByView<LogSigner> | null },
  ): Promise<Pick<Made, "removal"> & Notes>;
};

/** Looks at what is about to be published, and refuses it by throwing. */
type BeforePublish = {
  readonly at: "before publish";
  readonly name: string;
  run(
    made: Pick<Made, "facts" | "site" | "read" | "views" | "plan" | "written" | "inputs">,
    work: Work,
  ): Promise<Pick<Made, "inputs"> & Notes>;
};

/** Changes what was published before, when something else is served. */
type AfterPublish = {
  readonly at: "after publish";
  readonly name: string;
  run(made: Pick<Made, "facts" | "removal" | "written" | "changes">, work: Work): Promise<Notes>;
};

export type AnnexStep = BeforeWrite | BeforePublish | AfterPublish;

export type BuildAnnex = {
  /** Says whether there is something to do although no input has changed. @param signers null when nothing can be signed */
  isDue?(shelves: Shelves, withdrawals: readonly Withdrawal[], signers: ByView<LogSigner> | null): boolean;
  /** Its steps in one build, in their order. */
  open(): readonly AnnexStep[];
};

export type Annexes = ShelfAnnexes &
  StoreAnnexes &
  RegistryAnnexes &
  StatementAnnexes & {
    /** Loaded by who builds or verifies. */
    steps(): Promise<readonly BuildAnnex[]>;
    leaks(): Promise<LeakAnnex>;
    /** Hears how each build ended, when its lock is free again. @returns what is said to who builds */
    ended?(end: BuildEnd): Promise<readonly string[]>;
  };
