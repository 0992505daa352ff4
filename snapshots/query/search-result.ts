/** The result of a search. */
import type { IndexRow } from "#snapshots/index";
import type { ExactReason } from "./parsed-query.ts";

/** A SearchResult is one object, record or claim, by its best passage. */
export type SearchResult = {
  readonly doc: string;
  readonly key: string;
  readonly kind: IndexRow["kind"];
  readonly collection: string;
  readonly title: string;
  /** Plain text around the words, at most 320 characters. */
  readonly snippet: string;
  /** Finite, higher is better. */
  readonly score: number;
  /** Why it stands first: the query is its whole key, id, declared name or title; else null. */
  readonly exact: ExactReason | null;
  /** The best passage. */
  readonly row: IndexRow;
};
