/** What asking takes of counting: one function, which the composition hands in. Asking without it searches every question. */
import type { Snapshot } from "../../snapshots/shelf/read.ts";
import type { RecordLog } from "../../snapshots/shelf/index.ts";

/** A number with the site path of the list that has as many entries. */
export type Figure = { readonly value: string; readonly path: string };
/** Text of ours, a number, or the name of something, which is a stranger's text. */
export type FactPart = string | Figure | { readonly name: string };

export type Facts = {
  readonly parts: readonly FactPart[];
  /** What the lists name, first ones first. */
  readonly found: readonly { readonly kind: string; readonly key: string }[];
};

export type CountedSnapshot = Pick<Snapshot, "data" | "record"> & {
  readonly shelf: { readonly records: Pick<RecordLog, "index" | "changes"> };
};

export type CountedIn = {
  /** Only keys under it. */
  readonly prefix: string;
  readonly snapshot: CountedSnapshot;
  /** Opens what says whether no text of the library has a word. @throws when there is no index; nothing is mended then */
  readonly standsNowhere: () => Promise<(word: string) => boolean>;
};

export type Counted = {
  /** One for each question to be counted. */
  readonly facts: readonly Facts[];
  /** What is asked beside that, "" when that is all. */
  readonly rest: string;
  /** The question with its slips mended. */
  readonly read: string;
};

/** @returns null when the question is not understood whole, or when nothing in the snapshot proves its number */
export type AnswerCounted = (question: string, asked: CountedIn) => Promise<Counted | null>;
