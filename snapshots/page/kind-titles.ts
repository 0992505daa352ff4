/** What a reader calls each kind of thing that can be found: the same word on pages, in answers and in the browser's own search. */
import type { IndexKind } from "../index/row.ts";

export const KIND_TITLES: Readonly<Record<IndexKind | "collection", string>> = {
  markdown: "Markdown",
  text: "Plain text",
  code: "Source code",
  html: "HTML",
  pdf: "PDF",
  latex: "LaTeX",
  json: "JSON",
  yaml: "YAML",
  csv: "CSV",
  image: "Image",
  binary: "Other file",
  record: "Proof record",
  claim: "Claim",
  collection: "Collection",
};
