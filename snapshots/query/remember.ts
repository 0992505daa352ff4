/** Rows that are read once for a query: ranking looks into the titles and texts of the first results, a second round looks into much the same
 *  ones, and those are what is shown. */
import type { FoundRow, IndexReader } from "#snapshots/index";

export function rememberRows(reader: IndexReader): IndexReader {
  const known = new Map<bigint, FoundRow>();
  return {
    ...reader,
    async rows(refs) {
      for (const found of await reader.rows(refs.filter((ref) => !known.has(ref)))) known.set(found.ref, found);
      return refs.flatMap((ref) => known.get(ref) ?? []);
    },
  };
}
