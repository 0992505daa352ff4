/** The body of every route that follows from a snapshot, as a value: HTTP writes it as JSON, an agent's tool cuts it to its budget, a
 *  page shows it. */
import { canonicalJson } from "#snapshots/digest";
import { mountPath, orWithdrawn, REGISTRY_WORDS, relationsOf, type ViewData } from "#snapshots/format";
import { ShelfError } from "#snapshots/errors";
import {
  type Catalog,
  type CubListResponse,
  type CubRecord,
  type DigestMatches,
  type ListResponse,
  type Proof,
  PROOF_KINDS,
  type ProofKind,
  RECORD_FILTERS,
  type RegistryMeta,
  type SearchResponse,
} from "#snapshots/schema";
import { catalogFrame } from "./catalog.ts";
import { countNarrowed, type CubQuery, findCubs, findPlaces, parseCubId, parseCubQuery } from "./cubs.ts";
import { type Cursor, cursorOf, formatCursor, positionOf, queryDigest } from "./cursor.ts";
import { neighbourhood } from "./graph.ts";
import { lookupDigest, parseDigest } from "./digests.ts";
import { LIST_PAGE, licencesOf, list, parsePrefix, withLicences } from "./list.ts";
import type { OpenSnapshot } from "./open-snapshot.ts";
import { badParameter, single } from "./params.ts";
import { prove } from "./proof.ts";
import { correct } from "./meant.ts";
import { parseSearch, searchMeant, type SearchQuery } from "./search.ts";
import { toSource } from "./source.ts";

type ListQuery = { readonly prefix: string; readonly licences: readonly string[]; readonly cursor: Cursor | null; readonly limit: number };
export type CubsQuery = CubQuery & { readonly cursor: Cursor | null; readonly facets?: boolean };

/** Interface §4 GET /api/list. @throws ShelfError "bad_cursor" for another query's cursor */
async function listBody(open: OpenSnapshot, { prefix, licences, cursor, limit }: ListQuery): Promise<ListResponse> {
  const digest = queryDigest("list", licences.length === 0 ? prefix : [prefix, licences]);
  const { objects } = await open.snapshot.data();
  const { next, ...listing } = list(withLicences(objects, licences), prefix, positionOf(cursor, digest), limit);
  return { prefix, prefixes: [...listing.prefixes], objects: [...listing.objects], ...nextOf(open, digest, next) };
}

/** cubsBody answers GET /api/cubs (interface §4). @throws ShelfError "registry_unavailable", "bad_cursor" */
export async function cubsBody(open: OpenSnapshot, query: CubsQuery): Promise<CubListResponse> {
  const data = await open.snapshot.data();
  const meta = requireRegistry(data);
  const digest = queryDigest("cubs", [query.q, filtersOf(query), ...(query.sort ? [query.sort] : [])]);
  const { count, cubs, next } = findCubs(data.cubs, query, positionOf(query.cursor, digest));
  const facets = query.facets === true ? { facets: facetsOf(data.cubs, query) } : {};
  return { meta, count, returned: cubs.length, cubs: [...cubs], ...facets, ...nextOf(open, digest, next) };
}

function facetsOf(records: readonly CubRecord[], query: CubQuery): NonNullable<CubListResponse["facets"]> {
  const found = findPlaces(records, query);
  return Object.fromEntries(RECORD_FILTERS.map(({ name }) => [name, [...countNarrowed(records, query, found, name)]]));
}

/** @throws ShelfError "bad_parameter" */
function parseFacets(params: URLSearchParams): boolean {
  const text = single(params, "facets") ?? "false";
  if (text !== "true" && text !== "false") throw badParameter("facets", 'takes "true" or "false"');
  return text === "true";
}

/** searchBody answers GET /api/search (interface §4). @throws ShelfError "search_unavailable" */
export async function searchBody(open: OpenSnapshot, query: SearchQuery): Promise<SearchResponse> {
  const data = await open.snapshot.data();
  const { results, meant } = await searchMeant(await open.reader(), query);
  return {
    query: query.q,
    prefix: query.prefix,
    results: results.map((result) => toSource(data, result)),
    ...(meant.length > 0 ? { did_you_mean: correct(query.q, meant) } : {}),
  };
}

/** digestBody answers GET /api/digests/{sha256}. */
export async function digestBody(open: OpenSnapshot, sha256: string): Promise<DigestMatches> {
  return lookupDigest(await open.snapshot.data(), sha256);
}

/** proofBody answers GET /api/proofs/{key}. @throws ShelfError "bad_cub_id" */
export async function proofBody(open: OpenSnapshot, kind: ProofKind, key: string): Promise<Proof> {
  const library = await open.snapshot.library();
  return prove(open.snapshot, kind, key, library.base_url + mountPath(library));
}

/** @throws ShelfError "bad_parameter" */
function parseProofKind(text: string): ProofKind {
  const kind = PROOF_KINDS.find((one) => one === text);
  if (kind !== undefined) return kind;
  throw new ShelfError("bad_parameter", `kind is ${PROOF_KINDS.join(", ")}.`, {
    errors: [{ pointer: "kind", detail: `one of ${PROOF_KINDS.join(", ")}` }],
  });
}

/** collectionsBody returns the body of GET /api/catalog without the objects of its collections, which GET /api/list pages. It costs what the
 *  collections cost. */
export async function collectionsBody(open: OpenSnapshot): Promise<Omit<Catalog, "snapshot">> {
  const data = await open.snapshot.data();
  const totals = [...relationsOf(data).totals.values()];
  return catalogFrame(data.library, totals, data.objects.length);
}

/** registryMetaBody answers GET /api/cubs/meta. @throws ShelfError "registry_unavailable" */
export async function registryMetaBody(open: OpenSnapshot): Promise<RegistryMeta> {
  return requireRegistry(await open.snapshot.data());
}

/** cubBody answers GET /api/cubs/{id}. @throws ShelfError "registry_unavailable", "cub_not_found" */
export async function cubBody(open: OpenSnapshot, id: string): Promise<CubRecord> {
  const data = await open.snapshot.data();
  requireRegistry(data);
  const record = relationsOf(data).recordById.get(id);
  if (record === undefined) throw orWithdrawn(data.withdrawn, "record", id, cubNotFound(id));
  return record;
}

export function cubNotFound(id: string): ShelfError {
  return new ShelfError("cub_not_found", `No record has the id ${id} in this snapshot.`, {
    fixes: ["Search /api/cubs.", "Look in /api/rejected."],
  });
}

/** requireRegistry returns the registry's metadata. @throws ShelfError "registry_unavailable" when the registry could not be read,
 *  "not_configured" when there is none */
export function requireRegistry({ library, meta }: Pick<ViewData, "library" | "meta">): RegistryMeta {
  if (meta !== null) return meta;
  throw new ShelfError(library.registry === "none" ? "not_configured" : "registry_unavailable", REGISTRY_WORDS[library.registry]);
}

function nextOf(open: OpenSnapshot, query: string, position: number | null): { next?: string } {
  return position === null ? {} : { next: formatCursor({ snapshot: open.snapshot.id, query, position }) };
}

/** In the order of the table, whatever the order in the URL. */
function filtersOf({ filters }: CubQuery): readonly (readonly [name: string, values: readonly string[]])[] {
  return RECORD_FILTERS.flatMap(({ name }) => {
    const values = filters.get(name);
    return values === undefined ? [] : [[name, values] as const];
  });
}

/** A ParsedQuery is the request of a query route, parsed. */
export type ParsedQuery = {
  /** The snapshot that it continues in, or null for the one at hand. */
  readonly cursor: Cursor | null;
  /** Decides the body together with the snapshot: equal texts, equal bodies. */
  readonly canonical: string;
  body(open: OpenSnapshot): Promise<object>;
};

export type QueryRouteId = "list" | "search" | "cubs" | "cub-graph" | "digest" | "proof";

/** QUERIES have a parser for each query route. It takes the parts of the path, decoded, and the parameters, whose names are known already.
 *  Each throws a ShelfError for a value that its route does not take. */
export const QUERIES: Readonly<Record<QueryRouteId, (parts: Readonly<Record<string, string>>, params: URLSearchParams) => ParsedQuery>> = {
  list(parts, params) {
    const query: ListQuery = {
      prefix: parsePrefix(parts["prefix"] ?? single(params, "prefix") ?? ""),
      licences: licencesOf(params),
      cursor: cursorOf(params),
      limit: LIST_PAGE,
    };
    return parsed("list", query.cursor, [query.prefix, query.licences], (open) => listBody(open, query));
  },
  search(_, params) {
    const query = parseSearch(params);
    return parsed("search", null, [query.q, query.prefix, query.limit], (open) => searchBody(open, query));
  },
  cubs(_, params) {
    const query: CubsQuery = { ...parseCubQuery(params), cursor: cursorOf(params), facets: parseFacets(params) };
    return parsed("cubs", query.cursor, [query.q, filtersOf(query), query.sort ?? null, query.limit, query.facets], (open) =>
      cubsBody(open, query),
    );
  },
  "cub-graph"({ id = "" }) {
    const record = parseCubId(id);
    return parsed("cub-graph", null, [record], async (open) => neighbourhood(await open.snapshot.data(), await cubBody(open, record)));
  },
  digest({ sha256 = "" }) {
    const digest = parseDigest(sha256);
    return parsed("digest", null, [digest], (open) => digestBody(open, digest));
  },
  proof({ key = "" }, params) {
    const kind = parseProofKind(single(params, "kind") ?? "object");
    return parsed("proof", null, [kind, key], (open) => proofBody(open, kind, key));
  },
};

export function parsed(
  route: string,
  cursor: Cursor | null,
  query: readonly unknown[],
  body: (open: OpenSnapshot) => Promise<object>,
): ParsedQuery {
  return { cursor, canonical: canonicalJson([route, query, cursor]), body };
}
