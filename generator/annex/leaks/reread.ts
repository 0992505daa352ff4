/** openRereader reads public objects again by themselves: so the look for leaks knows whose words an extract has. */
import type { Snapshot } from "#snapshots/shelf";
import type { ViewData } from "#snapshots/format";
import { type LeakOptions, readTexts } from "#snapshots/annex/leaks";
import type { ExtractPool } from "#generator/extract";
import { objectBytes, type Site } from "#generator/publish";

export type Rereader = Required<Pick<LeakOptions, "reread">> & { close(): Promise<void> };

/** openRereader reads texts of public objects again, when the look for leaks has to know them.
 *  @param data of the public view
 *  @param openPool asked when something has to be read again */
export function openRereader(snapshot: Snapshot, data: ViewData, openPool: Site["pool"]): Rereader {
  const keys = new Set(data.objects.map(({ key }) => key));
  let pool: ExtractPool | null = null;
  return {
    async reread(key) {
      if (!keys.has(key)) return null;
      // A pool of its own, so that no process is asked that has read gated things.
      pool ??= openPool({ threads: 1 });
      return readTexts((await pool.extract(key, await objectBytes(snapshot, key))).json, "json").texts;
    },
    close: async () => pool?.close(),
  };
}
