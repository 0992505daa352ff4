/** What of a file was given up, and what remembers it. */
import type { Sha256 } from "#snapshots/digest";

/** `text`: it is read as plain text only; `all`: nothing of it is read; with the note of its extract. `pages`: none is drawn. */
export type Unread = { readonly what: "text" | "all"; readonly note: string } | { readonly what: "pages" };

export type UnreadFiles = {
  /** @param digest of the file's bytes */
  find(digest: Sha256): Unread | null;
  add(digest: Sha256, unread: Unread): void;
  /** Whether there is none, so that nobody has to hash bytes for it. */
  isEmpty(): boolean;
};
