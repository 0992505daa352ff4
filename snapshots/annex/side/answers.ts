/** Other forms of what the core has: archives, lines, the whole text, page images, and the files beside a page. */
import { sha256 } from "#snapshots/digest";
import { CITATION_FILES } from "#snapshots/format";
import { badge } from "./badge.ts";
import { citation } from "./citations.ts";
import { llmsFullText } from "./llms-full.ts";
import { markdownTwin } from "./markdown-twin.ts";
import type { PageInput } from "#snapshots/page";
import { type OpenSnapshot, requireRegistry } from "#snapshots/query";
import type { BESIDE, SIDE_ROWS } from "./rows.ts";
import { archiveAnswer } from "./archive-answer.ts";
import {
  type Answer,
  type SnapshotRequest,
  contentAnswer,
  fileAnswer,
  findInput,
  type Handler,
  keepOf,
  otherSpelling,
  textContent,
} from "#snapshots/http";
import { formatParquet } from "./parquet.ts";
import type { RowsOf } from "./record-rows.ts";
import { rowsAnswer } from "./rows-answer.ts";

export const SIDE_HANDLERS = {
  archive: { read: archiveAnswer },
  "llms-full": {
    read: (asked) => fileAnswer(asked, { type: "text/plain; charset=utf-8", text: ({ snapshot }) => llmsFullText(snapshot) }),
  },
  "page-image": { read: (asked) => fileAnswer(asked) },
  "catalog-ndjson": { read: (asked) => rowsAnswer(asked, "catalog-ndjson") },
  "catalog-csv": { read: (asked) => rowsAnswer(asked, "catalog-csv") },
  "cubs-ndjson": { read: (asked) => rowsAnswer(asked, "cubs-ndjson") },
  "cubs-csv": { read: (asked) => rowsAnswer(asked, "cubs-csv") },
  "catalog-parquet": { read: (asked) => parquetAnswer(asked, "catalog") },
  "cubs-parquet": { read: (asked) => parquetAnswer(asked, "cubs") },
} as const satisfies Readonly<Record<keyof typeof SIDE_ROWS, Handler>>;

/** @throws ShelfError "registry_unavailable" */
async function parquetAnswer({ context, request }: SnapshotRequest, of: RowsOf): Promise<Answer> {
  return contentAnswer(context, request, "files", async () => {
    const data = await context.open.snapshot.data();
    if (of === "cubs") requireRegistry(data);
    const bytes = await formatParquet(of, data);
    return { bytes, type: "application/vnd.apache.parquet", tag: sha256(bytes), cache: context.cache, headers: {} };
  });
}

type Beside = (typeof BESIDE)[number];
type Text = (open: OpenSnapshot, input: PageInput) => Promise<string | null>;

const cited = (file: "cite.bib" | "cite.json") => (asked: SnapshotRequest) =>
  besideAnswer(asked, file, CITATION_FILES[file] as string, (open, input) => citation(open, input, file));

export const BESIDE_HANDLERS = {
  "index.md": (asked) => besideAnswer(asked, "index.md", "text/markdown; charset=utf-8", markdownTwin),
  "cite.bib": cited("cite.bib"),
  "cite.json": cited("cite.json"),
  "badge.svg": (asked) => besideAnswer(asked, "badge.svg", "image/svg+xml", async (_, { model }) => badge(model)),
} as const satisfies Readonly<Record<Beside, (asked: SnapshotRequest) => Promise<Answer>>>;

/** A file that follows from what the page beside it shows. */
async function besideAnswer(asked: SnapshotRequest, file: Beside, type: string, make: Text): Promise<Answer> {
  const { context, request, place } = asked;
  const { path, match } = place;
  const input = await findInput(context, { path: path.slice(0, -file.length), match });
  const text = input === null ? null : await make(context.open, input);
  if (text === null) return otherSpelling(asked);
  return contentAnswer(context, request, keepOf(place), async () => textContent(text, type, context.cache));
}
