/** What public sources say, read anew by a process that has seen nothing else: how the look for leaks knows whose words an extract
 *  has. What was kept, or was made beside gated objects, is not believed. */
import type { Snapshot } from "../../snapshots/shelf/read.ts";
import type { ViewData } from "../../snapshots/format/view-data.ts";
import { readTexts } from "../../snapshots/verify/decode.ts";
import { parseExtract } from "../extract/extract-json.ts";
import { type ExtractPool, openExtractPool } from "../extract/pool.ts";
import { membersOf, type Member } from "../pages/pagefind.ts";

export type Rereader = {
  /** All texts that are made of an object, a claim or a record; null when there is none of that name. */
  texts(keyOrId: string): Promise<readonly string[] | null>;
  close(): Promise<void>;
};

/** @param worker of the compiled site
 *  @param data of the public view */
export function openRereader(snapshot: Snapshot, data: ViewData, worker: string): Rereader {
  let pool: ExtractPool | null = null;
  let members: Map<string, Member[]> | null = null;
  const read = async (key: string): Promise<Uint8Array> => {
    pool ??= openExtractPool({ worker, threads: 1 });
    return (await pool.extract(key, await objectBytes(snapshot, key))).json;
  };
  return {
    async texts(keyOrId) {
      members ??= Map.groupBy(membersOf(data, { digest: () => "", read: async (key) => parseExtract(await read(key)) }), ({ key }) => key);
      const found = members.get(keyOrId);
      if (found === undefined) return null;
      const texts = (await Promise.all(found.map((member) => member.record()))).map(({ content }) => content);
      const isObject = found.some(({ id }) => id === `object:${keyOrId}`);
      return isObject ? [...texts, ...readTexts(await read(keyOrId), "json").texts] : texts;
    },
    close: async () => pool?.close(),
  };
}

export async function objectBytes(snapshot: Snapshot, key: string): Promise<Uint8Array> {
  const entry = await snapshot.find(`objects/${key}`);
  if (entry?.kind !== "blob") throw new Error("the object is missing");
  return new Uint8Array(await snapshot.read(entry));
}
