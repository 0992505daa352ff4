/** A search among some of the documents: whatever else the engine finds first is passed over, however much it is. */
import type { IndexReader } from "#snapshots/index";

const MAX_LOOKED = 65_536; // rows of one list of the engine
const STEP = 4;

/** narrow makes a reader that finds rows of some documents alone. @param passes tells of a document's id whether it is one of them */
export function narrow(reader: IndexReader, passes: (doc: string) => boolean): IndexReader {
  return {
    ...reader,
    async find(query) {
      for (let limit = query.limit; ; limit = Math.min(limit * STEP, MAX_LOOKED)) {
        const found = await reader.find({ ...query, limit });
        const passing = found.filter(({ doc }) => passes(doc));
        if (passing.length >= query.limit || found.length < limit || limit >= MAX_LOOKED) return passing.slice(0, query.limit);
      }
    },
  };
}
