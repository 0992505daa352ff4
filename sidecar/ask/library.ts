/** Asking over an open snapshot: what the HTTP routes and the MCP tool both call. */
import type { OpenSnapshot } from "#snapshots/query";
import { ShelfError } from "#snapshots/errors";
import { Candidates, findLastChange, findProvenance, findTexts } from "#snapshots/answer";
import { pageBytes } from "#snapshots/page";
import type { AskRequest } from "#snapshots/schema";
import type { Semantic } from "./semantic.ts";
import type { Counting } from "./counted.ts";
import { mendQuestion } from "./mend.ts";
import { ask, type AskAnswer, type AskEvent, type AskLibrary, type AskOptions } from "./ask.ts";

const MAX_RESULTS = 40; // records and claims among them, which have no lines to quote

/** Ask answers a question. @param signal aborted when the reader has gone */
export type Ask = (request: AskRequest, open: OpenSnapshot, signal: AbortSignal) => AsyncGenerator<AskEvent, void>;

/** openAsk returns a function that answers questions about the library.
 *  @param semantic ranks by meaning too when it can; null ranks by words alone
 *  @param counting null counts nothing: every question is searched */
export function openAsk(
  options: Omit<AskOptions, "signal">,
  semantic: Pick<Semantic, "embedder"> | null = null,
  counting: Counting | null = null,
): Ask {
  const candidates = new Candidates();
  return async function* (request, open, signal) {
    const { snapshot } = open;
    const data = await snapshot.data();
    const library: AskLibrary = {
      snapshot: snapshot.id,
      data,
      count: async (question, prefix) => (await counting?.answer(question, prefix, snapshot)) ?? null,
      candidates,
      provenance: async (question, prefix) =>
        (await findLastChange(question, prefix, snapshot.record, (sequence) => snapshot.shelf.readChanges(sequence))) ??
        (await findProvenance(question, prefix, data, (kind, name) => open.firstSeen(kind, name))),
      async find(question, prefix) {
        // In a search, quotes demand a phrase; in a question they only name something.
        const query = { q: question.replaceAll('"', " "), prefix, limit: MAX_RESULTS };
        return findTexts(await open.reader(), semantic?.embedder ?? null, query, signal);
      },
      mend: async (question, prefix) => mendQuestion(question, prefix, await open.reader(), counting?.knownWords(data) ?? new Set()),
      async readObject(key, limit) {
        const entry = await snapshot.find(`objects/${key}`);
        if (entry?.kind !== "blob" || entry.size > limit) return null;
        return { sha256: entry.sha256, bytes: await snapshot.read(entry) };
      },
      async readPage(key, page) {
        const [entry, extract] = await Promise.all([snapshot.find(`objects/${key}`), snapshot.extract(key)]);
        return entry?.kind !== "blob" || extract === null ? null : { sha256: entry.sha256, bytes: pageBytes(extract.passages, page) };
      },
    };
    yield* ask(request, library, { ...options, signal });
  };
}

export async function wholeAnswer(events: AsyncIterable<AskEvent>): Promise<AskAnswer> {
  for await (const event of events) if (event.type === "answer") return event.answer;
  throw new ShelfError("internal", "The answer did not come to an end.");
}
