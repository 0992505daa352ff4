/** The code room opens the exact-revision code store, in a folder or a bucket.
 *  It takes the configuration of the store and gives a `CodeStore`.
 *  Bytes are hashed again before they are given out. */
export { openCodeStore } from "./code-store.ts";
