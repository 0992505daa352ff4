/** Other forms of what the core has: archives, lines, the whole text, page images, and the files beside a page. */
import { CITATION_FILES } from "../../format/layout.ts";
import { citation } from "./citations.ts";
import { llmsFullText } from "./llms-full.ts";
import { markdownTwin } from "./markdown-twin.ts";
import type { PageInput } from "../../page/model.ts";
import type { OpenSnapshot } from "../../query/open-snapshot.ts";
import type { BESIDE, SIDE_ROWS } from "./rows.ts";
import { archiveAnswer } from "./archive-answer.ts";
import { contentAnswer } from "../../http/context.ts";
import type { Asked, Handler } from "../../http/view.ts";
import { fileAnswer, textContent } from "../../http/file-answer.ts";
import { findInput, keepOf, otherSpelling } from "../../http/page-answer.ts";
import type { Answer } from "../../http/reply.ts";
import { formatRows, type RowsRouteId } from "./record-rows.ts";
import { rowsAnswer } from "./rows-answer.ts";

function answerRows(id: RowsRouteId): Handler {
  const type = id.endsWith("csv") ? "text/csv; charset=utf-8; header=present" : "application/x-ndjson";
  return { read: (asked) => rowsAnswer(asked, { id, type, ofRegistry: id.startsWith("cubs"), format: (data) => formatRows(id, data) }) };
}

export const SIDE_HANDLERS = {
  archive: { read: archiveAnswer },
  "llms-full": {
    read: (asked) => fileAnswer(asked, { type: "text/plain; charset=utf-8", text: ({ snapshot }) => llmsFullText(snapshot) }),
  },
  "page-image": { read: (asked) => fileAnswer(asked) },
  "catalog-ndjson": answerRows("catalog-ndjson"),
  "catalog-csv": answerRows("catalog-csv"),
  "cubs-ndjson": answerRows("cubs-ndjson"),
  "cubs-csv": answerRows("cubs-csv"),
} as const satisfies Readonly<Record<keyof typeof SIDE_ROWS, Handler>>;

type Beside = (typeof BESIDE)[number];
type Text = (open: OpenSnapshot, input: PageInput) => Promise<string | null>;

const cited = (file: "cite.bib" | "cite.json") => (asked: Asked) =>
  besideAnswer(asked, file, CITATION_FILES[file] as string, (open, input) => citation(open, input, file));

export const BESIDE_HANDLERS = {
  "index.md": (asked) => besideAnswer(asked, "index.md", "text/markdown; charset=utf-8", markdownTwin),
  "cite.bib": cited("cite.bib"),
  "cite.json": cited("cite.json"),
} as const satisfies Readonly<Record<Beside, (asked: Asked) => Promise<Answer>>>;

/** A file that follows from what the page beside it shows. */
async function besideAnswer(asked: Asked, file: Beside, type: string, make: Text): Promise<Answer> {
  const { context, request, place } = asked;
  const { path, match } = place;
  const input = await findInput(context, { path: path.slice(0, -file.length), match });
  const text = input === null ? null : await make(context.open, input);
  if (text === null) return otherSpelling(asked);
  return contentAnswer(context, request, keepOf(place), async () => textContent(text, type, context.cache));
}
