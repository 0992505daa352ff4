/** The interface of an index of one view to the program around it, apart from the code that opens one. */
import type { IndexReader } from "./reader.ts";
import type { Document } from "./row.ts";
import type { Embedded, EmbedOptions } from "./vectors.ts";

export type IndexUpdate = {
  /** Documents that are new or changed, each at most once. Every row of an earlier version of them goes. */
  readonly upsert: AsyncIterable<Document> | Iterable<Document>;
  readonly remove: readonly string[];
  /** Tag to build on, or null to start from nothing (then `upsert` has to give every document). */
  readonly base: string | null;
  /** Tag to publish: the id of the new snapshot. It may become known while the rows are written. */
  readonly tag: string | Promise<string>;
  /** Called when every row is written and indexed, and only the tag is missing. */
  readonly onWritten?: () => void;
};

export type ViewIndex = {
  /** Why a search at this tag does not work with this version of the program, in words; null when it does, with every byte as
   *  it was written. */
  findProblem(tag: string): Promise<string | null>;
  /** The same for the vectors that were made for this tag, one sentence for each model. */
  findVectorProblems(tag: string): Promise<string[]>;
  /** Tells whether there is anything of this tag, whole or not. There may be nothing of a tag that is not served any more. */
  knows(tag: string): Promise<boolean>;
  /** Writes the changes and then the tag. One writer at a time: the caller holds the build lock.
   *  @throws ShelfError "search_unavailable" when `base` is not a tag */
  update(update: IndexUpdate): Promise<{ documents: number; rows: number }>;
  /** Gives the passages of a tag their vectors, of one model beside others; may run again after it was stopped.
   *  @throws ShelfError "search_unavailable" when there is no such tag; what the embedder throws */
  embed(options: EmbedOptions): Promise<Embedded>;
  /** Forgets the tags of which a byte is not as it was written, with the files that only they need. */
  mend(): Promise<void>;
  /** Forgets every other tag.
   *  @param keepVectors tags that keep their vectors; the same by default */
  prune(keep: readonly string[], keepVectors?: readonly string[]): Promise<void>;
  /** Tells whether its files hold passages that no tag has: they go when all is written anew. */
  holdsRemoved(): Promise<boolean>;
  /** The texts of the rows of a tag, the key first, a batch of rows at a time; nothing when there is no such tag. */
  texts(tag: string): AsyncGenerator<readonly (readonly string[])[]>;
  /** @throws ShelfError "search_unavailable" when there is no such tag */
  at(tag: string): Promise<IndexReader>;
  close(): void;
};
