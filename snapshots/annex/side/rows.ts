/** Other forms of what the core has: archives, lines for other programs, page images, and the files beside a page. */
import { key, type Route, row, text, type WrittenRow } from "#snapshots/routes";

/** A table in columns. */
function columnsRow(name: "catalog" | "cubs", group: Route["group"], summary: string): WrittenRow {
  return row({
    group,
    views: "public",
    path: `/api/${name}.parquet`,
    errors: name === "cubs" ? [503] : [],
    summary: `${summary}, in columns`,
    success: text("application/vnd.apache.parquet", "Parquet with the columns of the CSV; lists are JSON"),
  });
}

/** A table in one form, a line for each row. */
function linesRow(form: "ndjson" | "csv", name: "catalog" | "cubs", group: Route["group"], summary: string): WrittenRow {
  const shared = { group, views: "public", path: `/api/${name}.${form}`, errors: name === "cubs" ? [503] : [] } as const;
  return form === "ndjson"
    ? row({ ...shared, summary: `${summary}, as JSON`, success: text("application/x-ndjson", "NDJSON") })
    : row({
        ...shared,
        summary: `${summary}, for spreadsheets`,
        success: text(
          "text/csv",
          "RFC 4180 with a header; lists are JSON, and a text that begins like a formula, also behind spaces, has an apostrophe in front",
        ),
      });
}

export const SIDE_ROWS = {
  archive: row({
    group: "library",
    views: "public",
    path: "/api/archive.tar",
    limit: "at",
    summary: "Every file of the snapshot in one archive; the same each time, ranges allowed",
    success: text("application/x-tar", "POSIX pax, in the order of the snapshot's tree"),
    errors: [416],
    also: { 206: "The range that was asked for" },
  }),
  "llms-full": row({
    group: "service",
    path: "/llms-full.txt",
    limit: "llms-full",
    summary: "Claims, records and texts in one file of at most 4 MiB",
    success: text("text/plain", "Markdown; each object's text between two lines with its digest"),
  }),
  "page-image": row({
    group: "library",
    path: "/images/{key...}/{page}.png",
    file: "images/{key}/{page}.png",
    summary: "A page of a PDF as an image, of the first pages as the library is configured",
    parts: {
      key: { ...key, example: "papers/merkle-by-hand.pdf" },
      page: { description: "Number of the page, from 1.", example: "1" },
    },
    success: text("image/png", "The page in grey, of about half a million pixels"),
    errors: [404],
  }),
  "catalog-ndjson": linesRow("ndjson", "catalog", "library", "Every object, a line each"),
  "catalog-csv": linesRow("csv", "catalog", "library", "Every object, a line each"),
  "cubs-ndjson": linesRow("ndjson", "cubs", "registry", "Every record, a line each"),
  "cubs-csv": linesRow("csv", "cubs", "registry", "Every record, a line each"),
  "catalog-parquet": columnsRow("catalog", "library", "Every object"),
  "cubs-parquet": columnsRow("cubs", "registry", "Every record"),
} as const satisfies Readonly<Record<string, WrittenRow>>;

/** BESIDE are the files that a page has beside it: its Markdown twin, and how it is cited. */
export const BESIDE = ["index.md", "cite.bib", "cite.json", "badge.svg"] as const;
