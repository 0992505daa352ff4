/** The routes that follow from the snapshot alone: their bytes lie in its tree, or are made from its data. */
import { sha256 } from "../digest.ts";
import { ShelfError } from "../errors.ts";
import { mcpDescription } from "../page/agents-page.ts";
import { llmsFullText } from "../page/llms-full.ts";
import { llmsText } from "../page/text-files.ts";
import { cubNotFound, requireRegistry } from "../query/bodies.ts";
import { parseCubId } from "../query/cubs.ts";
import type { OpenSnapshot } from "../query/open-snapshot.ts";
import { fillParts, type Match } from "../routes/match.ts";
import type { FileRouteId, Route } from "../routes/route.ts";
import { type Context, contentAnswer } from "./context.ts";
import type { Answer, AnswerRequest, Content } from "./reply.ts";
import { stampJson } from "./stamp.ts";

/** Files that are made when they are asked for: `llms` only where no file of the tree has it. */
const MADE: Readonly<Partial<Record<FileRouteId, { readonly type: string; text(open: OpenSnapshot): Promise<string> }>>> = {
  llms: { type: "text/plain; charset=utf-8", text: async ({ snapshot }) => llmsText(await snapshot.data()) },
  "llms-full": { type: "text/plain; charset=utf-8", text: ({ snapshot }) => llmsFullText(snapshot) },
  "mcp-description": {
    type: "application/json",
    text: async ({ snapshot }) => JSON.stringify(mcpDescription(await snapshot.data())),
  },
};

/** @throws ShelfError "registry_unavailable", "bad_cub_id", "cub_not_found", "not_found" */
export function fileAnswer(context: Context, request: AnswerRequest, match: Match<Route<FileRouteId>>): Promise<Answer> {
  return contentAnswer(context, request, "files", () => fileContent(context, match));
}

async function fileContent({ open, cache }: Context, { route, parts }: Match<Route<FileRouteId>>): Promise<Content> {
  const { snapshot } = open;
  // This file is there exactly when the registry is; the data itself would have to be read for it.
  if (route.group === "registry" && (await snapshot.find("api/cubs/meta.json")) === null) requireRegistry(await snapshot.data());
  if (parts["id"] !== undefined) parseCubId(parts["id"]);
  const entry = route.file === undefined ? null : await snapshot.find(fillParts(route.file, parts));
  if (entry?.kind === "blob") {
    const stored = await snapshot.read(entry);
    // The one stored body that has a snapshot member; the others keep the digest of their file as validator.
    const bytes = route.id === "catalog" ? stampJson(snapshot.id, stored) : stored;
    return { bytes, type: entry.type, tag: bytes === stored ? entry.sha256 : sha256(bytes), cache, headers: {} };
  }
  const made = MADE[route.id];
  if (made !== undefined) return textContent(await made.text(open), made.type, cache);
  throw parts["id"] === undefined ? new ShelfError("not_found", "This view does not have that file.") : cubNotFound(parts["id"]);
}

export function textContent(text: string, type: string, cache: Content["cache"]): Content {
  const bytes = new TextEncoder().encode(text);
  return { bytes, type, tag: sha256(bytes), cache, headers: {} };
}
