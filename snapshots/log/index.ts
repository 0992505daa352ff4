/** The face of the log of publications. */
export { type Checkpoint, type Head, openCheckpoint, parseCheckpoint } from "./checkpoint.ts";
export { decodeBase64, generateKey, MAX_NOTE_BYTES, type NoteKey, parseKey, parseSigningKey, type SigningKey, verifiedBy } from "./note.ts";
export {
  appendEntries,
  fullTilePath,
  partialTilePaths,
  readEntries,
  type ReadTile,
  readTileFile,
  type TileFile,
  tileNodes,
  tilePaths,
} from "./tiles.ts";
export { TILE_WIDTH } from "./shape.ts";
export {
  type Hash,
  hashLeaf,
  proveConsistency,
  proveInclusion,
  type ReadNode,
  treeRoot,
  verifyConsistency,
  verifyInclusion,
} from "./tree.ts";
