/** The log room is the append-only log of publications: notes, tiles, proofs, and the Merkle tree below them (C2SP, RFC 6962).
 *  It takes and gives bytes and values, in servers and browsers alike.
 *  A proof is checked by the digests alone. */
export { type Checkpoint, formatCheckpoint, formatHead, type LogHead, openCheckpoint, parseCheckpoint } from "./checkpoint.ts";
export {
  decodeBase64,
  formatNote,
  generateKey,
  MAX_NOTE_BYTES,
  type Note,
  type NoteKey,
  parseBareNote,
  parseKey,
  parseSigningKey,
  type SigningKey,
  signNote,
  verifiedBy,
} from "./note.ts";
export { formatTlogProof, parseTlogProof } from "./tlog-proof.ts";
export { type Nodes, rangeHash, splitEntries, splitHead, TILE_HEIGHT, TILE_WIDTH, tilePath, widthOf } from "./shape.ts";
export {
  appendEntries,
  foldHashes,
  fullTilePath,
  partialTilePaths,
  readEntries,
  type ReadTile,
  readTileFile,
  type TileFile,
  tileNodes,
  tilePaths,
} from "./tiles.ts";
export {
  EMPTY_ROOT,
  type Hash,
  hashLeaf,
  proveConsistency,
  proveInclusion,
  type ReadNode,
  treeRoot,
  verifyConsistency,
  verifyInclusion,
} from "./tree.ts";
