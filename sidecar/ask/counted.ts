/** Asking takes one function of counting, which the composition hands in. Asking without it searches every question. */
import type { RecordLog, Snapshot } from "#snapshots/shelf";
import type { ViewData } from "#snapshots/format";

/** Figure is a number with the site path of the list that has as many entries. */
type Figure = { readonly value: string; readonly path: string };
/** FactPart is text of ours, a number, or the name of something, which is a stranger's text. */
export type FactPart = string | Figure | { readonly name: string };

export type CountedFacts = {
  readonly parts: readonly FactPart[];
  /** The things that the list names, first ones first. */
  readonly found: readonly { readonly kind: string; readonly key: string }[];
};

export type CountedSnapshot = Pick<Snapshot, "data" | "record"> & {
  readonly shelf: { readonly records: Pick<RecordLog, "index"> };
};

export type Counting = {
  /** @param prefix only keys under it
   *  @returns null when the question is not understood whole, or when nothing in the snapshot proves its number */
  answer(question: string, prefix: string, snapshot: CountedSnapshot): Promise<CountedFacts | null>;
  /** Words that such a question may have: none of them is a slip. */
  knownWords(data: ViewData): ReadonlySet<string>;
};
