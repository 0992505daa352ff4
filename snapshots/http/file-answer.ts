/** The routes that follow from the snapshot alone: their bytes lie in its tree, whole or in parts, or are made from its data. */
import { canonicalJson, sha256 } from "#snapshots/digest";
import { ShelfError } from "#snapshots/errors";
import { llmsText, mcpDescription, securityText } from "#snapshots/page";
import {
  catalogPieces,
  collectionPieces,
  cubNotFound,
  type OpenSnapshot,
  parseCubId,
  type Pieces,
  recordsPieces,
  requireRegistry,
} from "#snapshots/query";
import { type CORE_ROWS, fillParts, type RouteMatch, type RouteRow } from "#snapshots/routes";
import type { ViewData } from "#snapshots/format";
import { contentAnswer } from "./context.ts";
import type { SnapshotRequest, Context } from "./view.ts";
import { listAnswer } from "./list-answer.ts";
import type { Answer, Content } from "./reply.ts";

/** MadeFile is a file that is made where the tree has none. */
export type MadeFile = { readonly type: string; text(open: OpenSnapshot): Promise<string> };

const TEXT = "text/plain; charset=utf-8";

export const MADE = {
  llms: { type: TEXT, text: async ({ snapshot }) => llmsText(await snapshot.data()) },
  "mcp-description": {
    type: "application/json",
    text: async ({ snapshot }) => JSON.stringify(mcpDescription(await snapshot.data())),
  },
  "security-txt": {
    type: TEXT,
    async text({ snapshot }) {
      const text = securityText(await snapshot.library());
      if (text === null) throw new ShelfError("not_found", "This library states nobody to tell of a weakness.");
      return text;
    },
  },
} as const satisfies Readonly<Partial<Record<keyof typeof CORE_ROWS, MadeFile>>>;

type Long = (data: ViewData, snapshot: string, parts: RouteMatch["parts"]) => Pieces;

/** LONG are the files that are as long as the library. */
export const LONG = {
  catalog: catalogPieces,
  "catalog-collection": (data, snapshot, { collection = "" }) => collectionPieces(data, snapshot, collection) ?? noCollection(),
  "cubs-all": recordsPieces,
} as const satisfies Readonly<Partial<Record<keyof typeof CORE_ROWS, Long>>>;

export function noCollection(): never {
  throw new ShelfError("collection_not_found", "This view has no collection with this id.", { fixes: ["/api/catalog names every one."] });
}

/** longAnswer answers with a file that is as long as the library. @throws ShelfError "registry_unavailable", "collection_not_found" */
export async function longAnswer({ context, request, place }: SnapshotRequest, long: Long): Promise<Answer> {
  const { route, parts } = place.match as RouteMatch;
  const { snapshot } = context.open;
  const data = await snapshot.data();
  if (isOfRegistry(route)) requireRegistry(data);
  const pieces = long(data, snapshot.id, parts);
  return listAnswer(context, request, canonicalJson([route.id, parts]), pieces);
}

/** fileAnswer answers with a file of the tree, or makes it where the tree has none.
 *  @throws ShelfError "registry_unavailable", "bad_cub_id", "cub_not_found", "not_found" */
export function fileAnswer({ context, request, place }: SnapshotRequest, made: MadeFile | null = null): Promise<Answer> {
  return contentAnswer(context, request, "files", () => fileContent(context, place.match as RouteMatch, made));
}

async function fileContent({ open, cache }: Context, { route, parts }: RouteMatch, made: MadeFile | null): Promise<Content> {
  const { snapshot } = open;
  // This file is there exactly when the registry is; the data itself would have to be read for it.
  if (isOfRegistry(route) && (await snapshot.find("api/cubs/meta.json")) === null)
    requireRegistry({ library: await snapshot.library(), meta: null });
  if (parts["id"] !== undefined) parseCubId(parts["id"]);
  const entry = route.file === undefined ? null : await snapshot.find(fillParts(route.file, parts));
  if (entry?.kind === "blob") {
    return { bytes: await snapshot.read(entry), type: entry.type, tag: entry.sha256, cache, headers: {} };
  }
  if (made !== null) return textContent(await made.text(open), made.type, cache);
  throw parts["id"] === undefined ? new ShelfError("not_found", "This view does not have that file.") : cubNotFound(parts["id"]);
}

function isOfRegistry(route: RouteRow): boolean {
  return "group" in route && route.group === "registry";
}

export function textContent(text: string, type: string, cache: Content["cache"]): Content {
  const bytes = new TextEncoder().encode(text);
  return { bytes, type, tag: sha256(bytes), cache, headers: {} };
}
