/** Asking takes one function of counting, which the composition hands in. Asking without it searches every question. */
import type { RecordLog, Snapshot } from "#snapshots/shelf";
import type { CountedFacts } from "#snapshots/answer";
import type { ViewData } from "#snapshots/format";

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
