/** The face of a shelf that is no folder of this machine. Everything works on a folder all the same, which is a copy of it; an annex brings the
 *  two together. */
import type { Config } from "#generator/config";
import type { LockOptions } from "#generator/files";

type View = "public" | "internal";
type ShelfConfig = Config["shelf"];
/** Kinds of shelves that an annex opens. */
type Elsewhere = Exclude<ShelfConfig, { readonly kind: "directory" }>;

/** RemoteShelf is the shelf of which a folder is a copy. */
export type RemoteShelf = {
  /** Brings the copy to what is there. @returns files that were not what their names say, and are now */
  pull(options: {
    readonly views: readonly View[];
    /** Reads both pointers whatever the one says; "files" also hashes every file again. */
    readonly anew?: "pointers" | "files";
    /** Waits for another process that has the copy; "look" not for a build. Default: nothing is done then. */
    readonly wait?: true | "look";
  }): Promise<readonly { readonly view: View; readonly path: string }[]>;
  /** The same for who only reads, and needs nothing that builds keep for each other; it waits as "look" does. */
  look(): Promise<void>;
  /** Does work on the copy while nobody else publishes, and sends what it has changed.
   *  @throws ShelfError "build_running" naming who does; "lost_race" */
  publishing<T>(work: () => Promise<T>, options: LockOptions & { readonly work: string }): Promise<T>;
  /** Moves the pointer there before that of the copy moves; within `publishing`. @throws ShelfError "lost_race" */
  announce(view: View, current: Uint8Array): Promise<void>;
  /** Removes what nobody needs when `publishing` ends; "at once" also what only readers need that are behind. */
  tidy(when: "at leisure" | "at once"): void;
  /** Finds objects that are not there, or not what their names say. */
  findLost(): Promise<readonly LostObject[]>;
  /** Sends these again from the copy when `publishing` ends. */
  mend(lost: readonly LostObject[]): void;
};
export type LostObject = { readonly view: View; readonly object: string };

/** Served is what a machine serves from. */
export type Served = {
  readonly publicDir: string;
  readonly internalDir: string;
  /** Follows what is published elsewhere, until the signal; null when the folders are the shelf. */
  readonly follow: ((signal: AbortSignal, tell: (line: string) => void) => Promise<void>) | null;
};

type ShelfKind = {
  /** Asks nothing yet. */
  open(shelf: Elsewhere): RemoteShelf;
  serve(shelf: Elsewhere, views: readonly View[]): Served;
};

/** ShelfAnnexes are annexes by the kinds of shelves that they open. */
export type ShelfAnnexes = { readonly shelves: Readonly<Record<Elsewhere["kind"], ShelfKind>> };
