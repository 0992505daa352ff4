/** Why an object is read.
 *  - first: no build has published here yet; forgotten: what the last build knew is lost, or its snapshot was pruned
 *  - program: what makes it has changed
 *  - new: it was not there before
 *  - version, size: the object store gives another one
 *  - time: where times come from has changed
 *  - images: the configuration wants other pages of it as images
 *  - root: its collection has become public, or gated
 *  - refused: it could not be read the last time */
export type Why = "first" | "forgotten" | "program" | "new" | "version" | "size" | "time" | "images" | "root" | "refused";
