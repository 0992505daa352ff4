/** The shelves room opens the shelf that a configuration names, and says whose it is.
 *  It gives both roots of a shelf, public and internal, to builds and commands.
 *  A shelf of another library is not written to. */
export type { ByView } from "./by-view.ts";
export { keepFormat, mendFormat } from "./format.ts";
export type { LostObject, RemoteShelf, ShelfAnnexes } from "./kinds.ts";
export { keepOwner, refuseOther } from "./owner.ts";
export {
  closeIndex,
  COPY_MARKER,
  keepLogs,
  keepRecords,
  openServed,
  openShelves,
  readPointers,
  readServed,
  refresh,
  rootsOf,
  type Shelves,
  vectorsDir,
  withShelves,
} from "./shelves.ts";
