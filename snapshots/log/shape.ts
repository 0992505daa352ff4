/** The shape of a log: of its tree (RFC 6962 section 2.1), of its files (https://c2sp.org/tlog-tiles) and of its heads. The program and the
 *  script of "Verify this page" both load it, so nothing here hashes: a browser hashes later, and has no `node:crypto`. */

/** TILE_WIDTH is the number of hashes of a full tile, and of entries of a full bundle. */
export const TILE_WIDTH = 256;
/** TILE_HEIGHT is the number of levels of the tree that a tile stands for. */
export const TILE_HEIGHT = 8;

/** Nodes reads and joins hashes of a tree. */
export type Nodes<H> = {
  /** The hash of 2^height entries side by side, from entry index * 2^height on. */
  read(height: number, index: number): Promise<H>;
  join(left: H, right: H): H | Promise<H>;
  /** Says whether the hash over whole [start, end) is read, where it could be; else it is made of its halves. One entry is always read. */
  reads?(start: number, end: number, height: number): boolean;
};

/** splitOf returns the largest power of two under `count`, which is at least 2. */
export function splitOf(count: number): number {
  let split = 1;
  while (split * 2 < count) split *= 2;
  return split;
}

/** rangeHash returns MTH of entries [start, end). In every tree that has it, `start` is a multiple of the power of two that is not below the
 *  count. Sizes go up to 2^53 - 1, so nothing here shifts bits. */
export async function rangeHash<H>(start: number, end: number, nodes: Nodes<H>): Promise<H> {
  const count = end - start;
  const height = Math.log2(count);
  if (Number.isInteger(height) && 2 ** height === count && (count === 1 || nodes.reads?.(start, end, height) !== false))
    return nodes.read(height, start / count);
  const split = splitOf(count);
  return nodes.join(await rangeHash(start, start + split, nodes), await rangeHash(start + split, end, nodes));
}

/** tilePath returns `tile/<level>/<index>`, with the width of one that is not full. @param level "entries" is the bundle's */
export function tilePath(level: number | "entries", index: number, width: number): string {
  const digits = String(index);
  const parts = digits.padStart(Math.ceil(digits.length / 3) * 3, "0").match(/.{3}/g) ?? [];
  const name = parts.map((part, at) => (at < parts.length - 1 ? `x${part}` : part)).join("/");
  return `tile/${level}/${name}${width === TILE_WIDTH ? "" : `.p/${width}`}`;
}

/** hashesAt returns how many hashes a tree of this size has at a level. */
export function hashesAt(level: number, size: number): number {
  return Math.floor(size / TILE_WIDTH ** level);
}

/** widthOf returns the width of a tile in a tree of this size; 0 when it has none. */
export function widthOf(level: number, index: number, size: number): number {
  return Math.min(TILE_WIDTH, Math.max(0, hashesAt(level, size) - index * TILE_WIDTH));
}

/** splitEntries reads up to `count` entries of a bundle, each behind 16 bits of its length. @returns them, and where the last one ends */
export function splitEntries<T extends Uint8Array>(bytes: T, count: number): { readonly entries: readonly T[]; readonly end: number } {
  const entries: T[] = [];
  let at = 0;
  while (entries.length < count && at + 2 <= bytes.length) {
    const end = at + 2 + (bytes[at] ?? 0) * 256 + (bytes[at + 1] ?? 0);
    if (end > bytes.length) break;
    entries.push(bytes.subarray(at + 2, end) as T);
    at = end;
  }
  return { entries, end: at };
}

/** splitHead reads the lines of a head: extension lines may follow, none is empty, and the last one ends.
 *  @returns its root in base64, of 32 bytes by its length; null for what is no head */
export function splitHead(text: string): { readonly origin: string; readonly size: number; readonly root: string } | null {
  const [origin = "", digits = "", root = "", ...more] = text.split("\n");
  const size = Number(digits);
  const formed =
    origin !== "" &&
    /^(0|[1-9][0-9]*)$/.test(digits) &&
    Number.isSafeInteger(size) &&
    /^[A-Za-z0-9+/]{43}=$/.test(root) &&
    more.at(-1) === "";
  return formed && !more.slice(0, -1).includes("") ? { origin, size, root } : null;
}
