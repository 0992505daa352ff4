/** What public sources say by themselves: how the look for leaks knows whose words an extract, or the browser's index, has. */
import type { Extract } from "../../../snapshots/schema/index.ts";
import type { Snapshot } from "../../../snapshots/shelf/read.ts";
import type { ViewData } from "../../../snapshots/format/view-data.ts";
import { type LeakOptions, readTexts } from "../../../snapshots/annex/leaks/index.ts";
import type { ExtractPool } from "../../extract/pool.ts";
import { membersOf, type Member } from "../../pages/pagefind.ts";
import { objectBytes } from "../../publish/object-bytes.ts";
import type { Site } from "../../publish/parts.ts";

export type Rereader = Required<Pick<LeakOptions, "reread" | "record">> & { close(): Promise<void> };

/** @param data of the public view
 *  @param openPool asked when something has to be read again */
export function openRereader(snapshot: Snapshot, data: ViewData, openPool: Site["pool"]): Rereader {
  const keys = new Set(data.objects.map(({ key }) => key));
  let pool: ExtractPool | null = null;
  let members: Map<string, Member[]> | null = null;
  const readExtract = async (key: string): Promise<Extract> => {
    const extract = await snapshot.extract(key);
    if (extract === null) throw new Error("the object has no extract");
    return extract;
  };
  return {
    async reread(key) {
      if (!keys.has(key)) return null;
      // Of its own: no process that has read what is gated is asked.
      pool ??= openPool({ threads: 1 });
      return readTexts((await pool.extract(key, await objectBytes(snapshot, key))).json, "json").texts;
    },
    async record(keyOrId) {
      members ??= Map.groupBy(membersOf(data, { digest: () => "", read: readExtract }), ({ key }) => key);
      const pages = await Promise.all((members.get(keyOrId) ?? []).map((member) => member.read()));
      return pages.map(({ record }) => record.content);
    },
    close: async () => pool?.close(),
  };
}
