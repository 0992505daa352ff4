/** Why something is done.
 *  - first: no build has published here yet; forgotten: what the last build knew is lost, or its snapshot was pruned
 *  - program: what makes it has changed
 *  - new, gone: it was not there before, or is there no more
 *  - version, size: the object store gives another one
 *  - time: where times come from has changed
 *  - images: the configuration wants other pages of it as images
 *  - root: its collection has become public, or gated
 *  - refused: it could not be read the last time
 *  - content: what it is made from has changed; shared: what all pages share has (the library, the claims, the records)
 *  - index: the index does not have the snapshot that is served
 *  - gated, redacted: the index has rows of what is gated now, or is to be redacted */
export type Why =
  | "first"
  | "forgotten"
  | "program"
  | "new"
  | "gone"
  | "version"
  | "size"
  | "time"
  | "images"
  | "root"
  | "refused"
  | "content"
  | "shared"
  | "index"
  | "gated"
  | "redacted";
