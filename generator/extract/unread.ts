/** Says which part of a file was given up, and remembers it. */
import type { Sha256 } from "#snapshots/digest";

/** Unread says what was given up. `text`: the file is read as plain text only; `all`: nothing of it is read; both with the note of its extract.
 *  `pages`: none is drawn. */
export type Unread = { readonly what: "text" | "all"; readonly note: string } | { readonly what: "pages" };

export type UnreadFiles = {
  /** @param digest of the file's bytes */
  find(digest: Sha256): Unread | null;
  add(digest: Sha256, unread: Unread): void;
  /** Tells whether there is none, so that nobody has to hash bytes for it. */
  isEmpty(): boolean;
};
