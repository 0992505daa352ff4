/** One open snapshot as asking sees it. */
import { search } from "../snapshots/query/search.ts";
import type { OpenSnapshot } from "../snapshots/view.ts";
import type { AskLibrary } from "./ask.ts";

/** Results retrieved for one question. */
const MAX_RESULTS = 12;

export async function openAskLibrary(open: OpenSnapshot): Promise<AskLibrary> {
  const { snapshot } = open;
  return {
    snapshot: snapshot.id,
    data: await snapshot.data(),
    async retrieve(question, prefix) {
      // In a search, quotes demand a phrase; in a question they only name something.
      return search(await open.reader(), { q: question.replaceAll('"', " "), prefix, limit: MAX_RESULTS });
    },
    async readObject(key, limit) {
      const entry = await snapshot.find(`objects/${key}`);
      if (entry?.kind !== "blob" || entry.size > limit) return null;
      return { sha256: entry.sha256, bytes: await snapshot.read(entry) };
    },
  };
}
