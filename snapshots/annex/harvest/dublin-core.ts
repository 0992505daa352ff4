/** An object, a claim or a record as unqualified Dublin Core: the fifteen elements, each as often as it is said. */
import { absoluteHref, claimStandings, judgedWords, type ObjectRow, pagePath, type ViewData } from "#snapshots/format";
import { escapeXml } from "#snapshots/page";
import { type Claim, type CubRecord, KINDS, type ObjectKind } from "#snapshots/schema";

export type Described =
  | { readonly what: "object"; readonly row: ObjectRow }
  | { readonly what: "claim"; readonly row: Claim }
  | { readonly what: "record"; readonly row: CubRecord };

type Element = readonly [name: string, value: string | null | undefined];

/** formatDublinCore writes the metadata of one item, in the container that OAI-PMH names oai_dc. */
export function formatDublinCore(data: ViewData, item: Described): string {
  const lines = elementsOf(data, item)
    .filter((element): element is readonly [string, string] => element[1] !== null && element[1] !== undefined && element[1] !== "")
    .map(([name, value]) => `<dc:${name}>${escapeXml(value)}</dc:${name}>`);
  return [
    '<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/oai_dc/ http://www.openarchives.org/OAI/2.0/oai_dc.xsd">',
    ...lines,
    "</oai_dc:dc>",
  ].join("\n");
}

function elementsOf(data: ViewData, { what, row }: Described): readonly Element[] {
  const publisher: Element = ["publisher", data.library.title];
  const page = (path: string): Element => ["identifier", absoluteHref(data, path, null)];
  switch (what) {
    case "object": {
      const { key, title, kind, authors = [], date, uploaded, sha256, swhid, license, summary, media_type: format, source } = row;
      return [
        ["title", title],
        ...authors.map((name): Element => ["creator", name]),
        ["subject", KINDS[kind].title],
        ["description", summary],
        publisher,
        ["date", date ?? uploaded?.slice(0, 10)],
        ["type", typeOf(kind)],
        ["format", format],
        page(pagePath.object(key)),
        ["identifier", `sha256:${sha256}`],
        ["identifier", swhid],
        ["source", source === undefined ? null : `${source.repo}@${source.ref}:${source.path}`],
        ["rights", license],
      ];
    }
    case "claim":
      return [
        ["title", row.title],
        ["description", row.statement],
        ["description", claimStandings(data)(row).says],
        publisher,
        ["type", "Text"],
        page(pagePath.claim(row.id)),
        ["coverage", row.scope],
      ];
    case "record":
      return [
        ["title", row.theorem_name],
        ...row.use_cases.map((name): Element => ["subject", name]),
        ["description", row.statement],
        ["description", judgedWords(row)],
        publisher,
        ["type", "Text"],
        page(pagePath.record(row.id)),
        ["identifier", row.id],
        ["source", row.repo],
        ["rights", row.license],
      ];
  }
}

/** The type in the DCMI Type Vocabulary. */
function typeOf(kind: ObjectKind): string {
  const { citation } = KINDS[kind];
  return citation === "software" ? "Software" : citation === "dataset" ? "Dataset" : citation === "graphic" ? "StillImage" : "Text";
}
