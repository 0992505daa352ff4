/** Answers to programs that gather metadata. */
import { answerOai } from "./oai.ts";
import { dataCite } from "./datacite.ts";
import { OPEN_SEARCH_TYPE, openSearch } from "./open-search.ts";
import { roCrate } from "./ro-crate.ts";
import type { HARVEST_ROWS } from "./rows.ts";
import { serverJson } from "./server-json.ts";
import { type Answer, type SnapshotRequest, contentAnswer, type Handler, textContent } from "#snapshots/http";
import type { Snapshot } from "#snapshots/shelf";
import { piecesAnswer } from "#snapshots/annex/side";

const file = (type: string, make: (snapshot: Snapshot) => Promise<string>): Handler => ({
  read: ({ context, request }) =>
    contentAnswer(context, request, "files", async () => textContent(await make(context.open.snapshot), type, context.cache)),
});

export const HARVEST_HANDLERS = {
  oai: { read: oaiAnswer },
  datacite: file("application/json", async (snapshot) => JSON.stringify(dataCite(await snapshot.data(), snapshot.record), null, 1)),
  "ro-crate": {
    async read(asked) {
      const { snapshot } = asked.context.open;
      const data = await snapshot.data();
      return piecesAnswer(asked, "ro-crate", "application/ld+json", () => roCrate(data, snapshot.record));
    },
  },
  "server-json": file("application/json", async (snapshot) =>
    JSON.stringify(serverJson(await snapshot.data(), snapshot.record.sequence), null, 1),
  ),
  opensearch: file(`${OPEN_SEARCH_TYPE}; charset=utf-8`, async (snapshot) => openSearch(await snapshot.data())),
} as const satisfies Readonly<Record<keyof typeof HARVEST_ROWS, Handler>>;

/** An error of the protocol is a success of HTTP. */
async function oaiAnswer({ context, request, place: { query } }: SnapshotRequest): Promise<Answer> {
  const { open, view, cache } = context;
  return contentAnswer(context, request, "queries", async () =>
    textContent(await answerOai({ open, at: (id) => view.byId(id) }, query), "text/xml; charset=utf-8", cache),
  );
}
