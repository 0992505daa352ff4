/** The routes that follow from the snapshot alone: their bytes lie in its tree, whole or in parts, or are made from its data. */
import { canonicalJson, sha256 } from "../digest.ts";
import { ShelfError } from "../errors.ts";
import { mcpDescription } from "../page/agents-page.ts";
import { llmsFullText } from "../page/llms-full.ts";
import { llmsText, securityText } from "../page/text-files.ts";
import { cubNotFound, requireRegistry } from "../query/bodies.ts";
import { parseCubId } from "../query/cubs.ts";
import type { OpenSnapshot } from "../query/open-snapshot.ts";
import { catalogPieces, collectionPieces, type Pieces, recordsPieces, withoutParts } from "../query/pieces.ts";
import { fillParts, type Match } from "../routes/match.ts";
import type { FileRouteId, Route } from "../routes/route.ts";
import { WHOLE_CATALOG } from "../shelf/read.ts";
import type { ViewData } from "../format/view-data.ts";
import { type Context, contentAnswer } from "./context.ts";
import { listAnswer } from "./list-answer.ts";
import type { Answer, AnswerRequest, Content } from "./reply.ts";

/** Files that are made when they are asked for: `llms` only where no file of the tree has it. */
const MADE: Readonly<Partial<Record<FileRouteId, { readonly type: string; text(open: OpenSnapshot): Promise<string> }>>> = {
  llms: { type: "text/plain; charset=utf-8", text: async ({ snapshot }) => llmsText(await snapshot.data()) },
  "llms-full": { type: "text/plain; charset=utf-8", text: ({ snapshot }) => llmsFullText(snapshot) },
  "mcp-description": {
    type: "application/json",
    text: async ({ snapshot }) => JSON.stringify(mcpDescription(await snapshot.data())),
  },
  "security-txt": {
    type: "text/plain; charset=utf-8",
    async text({ snapshot }) {
      const text = securityText(await snapshot.library());
      if (text === null) throw new ShelfError("not_found", "This library states nobody to tell of a weakness.");
      return text;
    },
  },
};

/** Files that are as long as the library. */
const LONG: Readonly<Partial<Record<FileRouteId, (data: ViewData, snapshot: string, parts: Match["parts"]) => Pieces>>> = {
  catalog: catalogPieces,
  "catalog-collection": (data, snapshot, { collection = "" }) => collectionPieces(data, snapshot, collection) ?? noCollection(),
  "cubs-all": recordsPieces,
};

export function noCollection(): never {
  throw new ShelfError("collection_not_found", "This view has no collection with this id.", { fixes: ["/api/catalog names every one."] });
}

/** @throws ShelfError "registry_unavailable", "bad_cub_id", "cub_not_found", "collection_not_found", "not_found" */
export async function fileAnswer(context: Context, request: AnswerRequest, match: Match<Route<FileRouteId>>): Promise<Answer> {
  const { route, parts } = match;
  const long = LONG[route.id];
  if (long === undefined) return contentAnswer(context, request, "files", () => fileContent(context, match));
  const { snapshot } = context.open;
  const data = await snapshot.data();
  if (route.group === "registry") requireRegistry(data);
  const pieces = long(data, snapshot.id, parts);
  const whole = (await snapshot.find(WHOLE_CATALOG)) !== null;
  return listAnswer(context, request, canonicalJson([route.id, parts]), whole ? withoutParts(data, pieces) : pieces);
}

async function fileContent({ open, cache }: Context, { route, parts }: Match<Route<FileRouteId>>): Promise<Content> {
  const { snapshot } = open;
  // This file is there exactly when the registry is; the data itself would have to be read for it.
  if (route.group === "registry" && (await snapshot.find("api/cubs/meta.json")) === null)
    requireRegistry({ library: await snapshot.library(), meta: null });
  if (parts["id"] !== undefined) parseCubId(parts["id"]);
  const entry = route.file === undefined ? null : await snapshot.find(fillParts(route.file, parts));
  if (entry?.kind === "blob") {
    return { bytes: await snapshot.read(entry), type: entry.type, tag: entry.sha256, cache, headers: {} };
  }
  const made = MADE[route.id];
  if (made !== undefined) return textContent(await made.text(open), made.type, cache);
  throw parts["id"] === undefined ? new ShelfError("not_found", "This view does not have that file.") : cubNotFound(parts["id"]);
}

export function textContent(text: string, type: string, cache: Content["cache"]): Content {
  const bytes = new TextEncoder().encode(text);
  return { bytes, type, tag: sha256(bytes), cache, headers: {} };
}
