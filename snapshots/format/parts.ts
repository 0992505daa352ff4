/** A view's long lists, stored in parts of some dozen items: who needs one item reads one part, and one change changes one part.
 *  Where a part begins follows from the item's own name, so that an item that comes or goes moves no other from part to part. */
import { crc32 } from "node:zlib";

/** partsPath gives the folders of the parts: of the objects of a collection, of all records, of the integrity indexes of all records. */
export const partsPath = {
  objects: (collection: string): string => `parts/objects/${collection}`,
  records: "parts/records",
  code: "parts/code",
} as const;

/** Items in a part: on average, and at most. A change writes its part anew in both views: 64 rows of objects take 10 kB there, 256 four times
 *  that; a server reads all parts when it starts, 1,600 of 100,000 objects. */
const USUAL = 64;
const MOST = 256;

export function* cutParts<T>(items: Iterable<T>, nameOf: (item: T) => string): Generator<readonly T[]> {
  let part: T[] = [];
  for (const item of items) {
    if (part.length === MOST || (part.length > 0 && crc32(nameOf(item)) % USUAL === 0)) {
      yield part;
      part = [];
    }
    part.push(item);
  }
  if (part.length > 0) yield part;
}

/** partName returns the name of a part; names ascend with the numbers. @param number from 0 */
export function partName(number: number): string {
  return `${String(number).padStart(7, "0")}.json`;
}
