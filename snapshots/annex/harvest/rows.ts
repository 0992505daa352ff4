/** For programs that gather metadata from many libraries: OAI-PMH, DataCite, RO-Crate, the list of MCP servers, OpenSearch. */
import { anyObject, json, parameter, row, text, type WrittenRow } from "#snapshots/routes";

export const OAI_PATH = "/oai";

export const HARVEST_ROWS = {
  /** A page, because the protocol has its own words for parameters that it does not know. */
  oai: row({
    group: "service",
    views: "public",
    path: OAI_PATH,
    methods: ["GET", "HEAD", "POST"],
    kind: "history",
    page: true,
    summary: "OAI-PMH 2.0: objects, claims and records as Dublin Core, what is gone as deleted records; arguments may come as a form",
    query: [
      parameter("verb", "Identify, ListMetadataFormats, ListSets, ListIdentifiers, ListRecords or GetRecord.", "Identify"),
      parameter("metadataPrefix", "oai_dc.", "oai_dc"),
      parameter("identifier", "Address of a page, as ListIdentifiers gives it.", "http://127.0.0.1:4321/object/notes/hello.md/"),
      parameter("set", "objects, objects:COLLECTION, claims or records.", "objects"),
      parameter("from", "Changed then or later: YYYY-MM-DD, or YYYY-MM-DDThh:mm:ssZ.", "2026-01-01"),
      parameter("until", "Changed then or earlier; as exact as from.", "2026-12-31"),
      parameter("resumptionToken", "Taken unchanged from the list before; nothing else but the verb may stand beside it.", "eyJ9"),
    ],
    success: text("text/xml", "OAI-PMH; an error of the protocol is in the body too"),
  }),
  datacite: row({
    group: "service",
    views: "public",
    path: "/api/datacite.json",
    summary: "The snapshot as DataCite metadata, for who registers a DOI for it",
    success: json(anyObject, "DataCite 4.6 as JSON, without a DOI"),
  }),
  "ro-crate": row({
    group: "service",
    views: "public",
    path: "/ro-crate-metadata.json",
    summary: "The snapshot as a Research Object Crate: every object, who made it, its licence and its digest",
    success: { ...json(anyObject, "RO-Crate 1.2"), type: "application/ld+json" },
  }),
  "server-json": row({
    group: "service",
    views: "public",
    path: "/server.json",
    summary: "What the public list of MCP servers takes of this one",
    success: json(anyObject, "server.json of 2025-12-11"),
  }),
  opensearch: row({
    group: "service",
    views: "public",
    path: "/opensearch.xml",
    summary: "Lets a browser search this library from its address bar",
    success: text("application/opensearchdescription+xml", "OpenSearch 1.1 description"),
  }),
} as const satisfies Readonly<Record<string, WrittenRow>>;

/** HARVEST_FILES are the paths that a host of plain files has too: OAI-PMH is chosen by its query. */
export const HARVEST_FILES: readonly string[] = [
  HARVEST_ROWS.datacite.path,
  HARVEST_ROWS["ro-crate"].path,
  HARVEST_ROWS["server-json"].path,
  HARVEST_ROWS.opensearch.path,
];
