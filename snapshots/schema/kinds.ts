/** KINDS holds what the library knows of each kind of file, and of the claims and records that are found beside files. A new kind is a
 *  row here, its endings in generator/extract/media-type.ts, and its reader in generator/extract/extract.ts: without them it does not compile. */

type Row = {
  /** The name that readers call it by: the same word on pages, in answers and in the browser's own search. */
  readonly title: string;
  /** How passages stand to the lines of the bytes. `near`: read from them. `exact`: they are those lines. `numbered`: so, and the
   *  object's page shows the numbers. `beside`: they are those lines, and the object's last pages show them with their numbers. `page`, `cell`: lines are those of the text that was read out of such a part, whose number is the
   *  passage's `page`. Null where it has none. */
  readonly lines: "near" | "exact" | "numbered" | "beside" | "page" | "cell" | null;
  /** How sentences are found in it: each name is a reader of blocks/blocks.ts. Null where it has none. */
  readonly prose: Prose | null;
  /** The form that has the words of its passages in other letters: its strings as JSON reads them, or its page. */
  readonly spelling: "json" | "page" | null;
  /** Type of CSL-JSON. */
  readonly citation: string;
  /** Type of schema.org. */
  readonly schema: string;
};

export type Prose =
  | "markdown"
  | "plain"
  | "printed"
  | "comments"
  | "docs"
  | "html"
  | "latex"
  | "entries"
  | "table"
  | "rst"
  | "asciidoc"
  | "org"
  | "literate";

/** KINDS are the kinds in a fixed order. A kind's place here is its number in the browser's index: rows keep their order, and new ones come last. */
export const KINDS = {
  markdown: { title: "Markdown", lines: "exact", prose: "markdown", spelling: "page", citation: "document", schema: "TechArticle" },
  text: { title: "Plain text", lines: "numbered", prose: "plain", spelling: null, citation: "document", schema: "DigitalDocument" },
  code: { title: "Source code", lines: "numbered", prose: "comments", spelling: null, citation: "software", schema: "SoftwareSourceCode" },
  html: { title: "HTML", lines: "near", prose: "html", spelling: null, citation: "document", schema: "DigitalDocument" },
  pdf: { title: "PDF", lines: "page", prose: "printed", spelling: null, citation: "article", schema: "ScholarlyArticle" },
  latex: { title: "LaTeX", lines: "beside", prose: "latex", spelling: "page", citation: "article", schema: "ScholarlyArticle" },
  json: { title: "JSON", lines: "numbered", prose: "entries", spelling: "json", citation: "dataset", schema: "DigitalDocument" },
  yaml: { title: "YAML", lines: "numbered", prose: "entries", spelling: null, citation: "dataset", schema: "DigitalDocument" },
  csv: { title: "CSV", lines: "exact", prose: "table", spelling: null, citation: "dataset", schema: "Dataset" },
  image: { title: "Image", lines: null, prose: null, spelling: null, citation: "graphic", schema: "ImageObject" },
  binary: { title: "Other file", lines: null, prose: null, spelling: null, citation: "document", schema: "DigitalDocument" },
  claim: { title: "Claim", lines: null, prose: null, spelling: null, citation: "document", schema: "Claim" },
  record: { title: "Proof record", lines: null, prose: null, spelling: null, citation: "document", schema: "CreativeWork" },
  notebook: { title: "Notebook", lines: "cell", prose: "markdown", spelling: "page", citation: "document", schema: "TechArticle" },
  rst: { title: "reStructuredText", lines: "beside", prose: "rst", spelling: "page", citation: "document", schema: "TechArticle" },
  asciidoc: { title: "AsciiDoc", lines: "beside", prose: "asciidoc", spelling: "page", citation: "document", schema: "TechArticle" },
  org: { title: "Org", lines: "beside", prose: "org", spelling: "page", citation: "document", schema: "TechArticle" },
  literate: {
    title: "Literate program",
    lines: "beside",
    prose: "literate",
    spelling: "page",
    citation: "software",
    schema: "SoftwareSourceCode",
  },
} as const satisfies Readonly<Record<string, Row>>;

/** A Kind is what can be found: an object of some kind, a claim or a record. */
export type Kind = keyof typeof KINDS;
export type ObjectKind = Exclude<Kind, "claim" | "record">;

const KIND_NUMBERS = Object.keys(KINDS) as readonly Kind[];
/** OBJECT_KINDS are all kinds but "claim" and "record". Browsers do without it: a call that is marked as pure is left out where nothing uses it. */
export const OBJECT_KINDS = /* @__PURE__ */ KIND_NUMBERS.filter((kind): kind is ObjectKind => kind !== "claim" && kind !== "record");

/** hasExactLines tells whether its passages are lines of the bytes, so that one can be compared with the other. */
export function hasExactLines(kind: Kind): boolean {
  const { lines } = KINDS[kind];
  return lines === "exact" || lines === "numbered" || lines === "beside";
}

export function hasNumberedLines(kind: Kind): boolean {
  return KINDS[kind].lines === "numbered";
}

/** hasParts tells whether its lines are counted in parts, which are no lines of the bytes. */
export function hasParts(kind: Kind): boolean {
  return KINDS[kind].lines === "page" || KINDS[kind].lines === "cell";
}
