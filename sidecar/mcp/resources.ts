/** Objects, claims and proof records as resources: the bytes are those of the GET routes. */
import { absoluteHref } from "../../snapshots/format/view-data.ts";
import {
  type ListResourcesResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
  type ResourceTemplateType,
} from "@modelcontextprotocol/server";
import { ShelfError } from "../../snapshots/errors.ts";
import { formatKeyPath, objectPath, parseKeyPath } from "../../snapshots/format/layout.ts";
import { relationsOf } from "../../snapshots/format/relations.ts";
import { formatCursor, parseCursor, positionOf, queryDigest } from "../../snapshots/query/index.ts";
import { jsonBytes, readText, takeLines } from "../../snapshots/tools/index.ts";
import { followCursor, type ToolContext } from "./tools/context.ts";

const PAGE = 100;
const MAX_RESOURCE_BYTES = 64 * 1024; // of a text as JSON, of a binary before base64; longer texts are read by lines

const SCHEME = "proofshelf://";

export const RESOURCE_TEMPLATES: readonly ResourceTemplateType[] = [
  {
    name: "object",
    title: "Object",
    uriTemplate: `${SCHEME}objects/{+key}{?lines}`,
    description: "One object by key, percent-encoded segment by segment; lines is 10-40 or 10-.",
  },
  {
    name: "claim",
    title: "Claim",
    uriTemplate: `${SCHEME}claims/{id}`,
    description: "One claim with evidence, steps and gaps.",
    mimeType: "application/json",
  },
  {
    name: "record",
    title: "Proof record",
    uriTemplate: `${SCHEME}cubs/{id}`,
    description: "One proof record (CUB).",
    mimeType: "application/json",
  },
  {
    name: "record-code",
    title: "Files of a proof record",
    uriTemplate: `${SCHEME}cubs/{id}/code`,
    description: "Integrity index of a record's files: digests, never bytes.",
    mimeType: "application/json",
  },
];

type Resource = ListResourcesResult["resources"][number];

/** Objects by key, then claims, then records. @throws ShelfError "bad_cursor", "cursor_expired" */
export async function listResources(given: ToolContext, cursor: string | undefined): Promise<ListResourcesResult> {
  const { data, open } = await followCursor(given, cursor);
  const digest = queryDigest("resources", []);
  const from = positionOf(cursor === undefined ? null : parseCursor(cursor), digest);
  const { objects, cubs } = data;
  const { claims } = data.claims;
  const total = objects.length + claims.length + cubs.length;
  const resources: Resource[] = [];
  for (let at = from; at < Math.min(total, from + PAGE); at++) {
    const object = objects[at];
    const claim = claims[at - objects.length];
    const record = cubs[at - objects.length - claims.length];
    if (object !== undefined) {
      resources.push({
        uri: `${SCHEME}objects/${formatKeyPath(object.key)}`,
        name: object.key,
        title: object.title,
        mimeType: object.media_type,
        size: object.size,
        ...(object.uploaded === null ? {} : { annotations: { lastModified: object.uploaded } }),
      });
    } else if (claim !== undefined) {
      resources.push({
        uri: `${SCHEME}claims/${encodeURIComponent(claim.id)}`,
        name: claim.id,
        title: claim.title,
        mimeType: "application/json",
      });
    } else if (record !== undefined) {
      resources.push({ uri: `${SCHEME}cubs/${record.id}`, name: record.id, title: record.theorem_name, mimeType: "application/json" });
    }
  }
  const end = from + resources.length;
  return {
    resources,
    ...(end < total && end > from ? { nextCursor: formatCursor({ snapshot: open.snapshot.id, query: digest, position: end }) } : {}),
  };
}

/** @throws ResourceNotFoundError, and ProtocolError with invalid params for lines that are not there or bytes that are too many */
export async function readResource(context: ToolContext, uri: string): Promise<ReadResourceResult> {
  if (!uri.startsWith(SCHEME)) throw new ResourceNotFoundError(uri);
  const rest = uri.slice(SCHEME.length);
  try {
    if (rest.startsWith("objects/")) return await readObjectResource(context, uri, rest.slice("objects/".length));
    if (rest.startsWith("claims/")) {
      const claim = relationsOf(context.data).claimById.get(decodeURIComponent(rest.slice("claims/".length)));
      if (claim === undefined) throw new ResourceNotFoundError(uri);
      return jsonResource(context, uri, claim, "/api/claims");
    }
    const [, id = "", code] = /^cubs\/([^/]+)(\/code)?$/.exec(rest) ?? [];
    const path = `/api/cubs/${id}${code ?? ""}`;
    const value = code === undefined ? relationsOf(context.data).recordById.get(id) : context.data.code.get(id);
    if (value === undefined) throw new ResourceNotFoundError(uri);
    return jsonResource(context, uri, value, path);
  } catch (error) {
    if (error instanceof URIError || (error instanceof ShelfError && error.code === "bad_path")) throw new ResourceNotFoundError(uri);
    throw error;
  }
}

function pin(context: ToolContext, path: string): { readonly "proofshelf/snapshot": string; readonly "proofshelf/href": string } {
  const { id } = context.open.snapshot;
  return { "proofshelf/snapshot": id, "proofshelf/href": absoluteHref(context.data, path, id) };
}

function jsonResource(context: ToolContext, uri: string, value: object, path: string): ReadResourceResult {
  if (jsonBytes(value) > MAX_RESOURCE_BYTES) throw tooLong(context, path);
  return { contents: [{ uri, mimeType: "application/json", text: JSON.stringify(value), _meta: pin(context, path) }] };
}

function tooLong(context: ToolContext, path: string): ProtocolError {
  const href = absoluteHref(context.data, path, context.open.snapshot.id);
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `This resource is over ${MAX_RESOURCE_BYTES} bytes; fetch it at ${href}`, {
    href,
  });
}

async function readObjectResource(context: ToolContext, uri: string, rest: string): Promise<ReadResourceResult> {
  const [spelled = "", query = ""] = rest.split("?");
  const key = parseKeyPath(spelled);
  const path = objectPath(key);
  const { snapshot } = context.open;
  const entry = await snapshot.find(`objects/${key}`);
  if (entry?.kind !== "blob") throw new ResourceNotFoundError(uri);
  const meta = { ...pin(context, path), "proofshelf/sha256": entry.sha256 };
  const lines = parseLines(query);
  const source = await readText(snapshot, key, entry);
  if (source.from !== "bytes" && lines === null) {
    if (entry.size > MAX_RESOURCE_BYTES) throw tooLong(context, path);
    const blob = Buffer.from(await snapshot.read(entry)).toString("base64");
    return { contents: [{ uri, mimeType: entry.type, blob, _meta: meta }] };
  }
  const range = takeLines(source.lines, lines?.start ?? 1, lines?.end ?? null, MAX_RESOURCE_BYTES);
  const next =
    range.next === null ? {} : { "proofshelf/next": `${SCHEME}objects/${formatKeyPath(key)}?lines=${range.next}-${lines?.end ?? ""}` };
  const shown = { "proofshelf/lines": `${range.start}-${range.end}`, "proofshelf/truncated": range.next !== null || range.cut, ...next };
  return {
    contents: [{ uri, mimeType: source.from === "bytes" ? entry.type : "text/plain", text: range.text, _meta: { ...meta, ...shown } }],
  };
}

function parseLines(query: string): { readonly start: number; readonly end: number | null } | null {
  if (query === "") return null;
  const match = /^lines=([1-9][0-9]{0,8})-([1-9][0-9]{0,8})?$/.exec(query);
  if (match === null) throw new ProtocolError(ProtocolErrorCode.InvalidParams, "lines is 10-40 or 10-, counted from 1.");
  return { start: Number(match[1]), end: match[2] === undefined ? null : Number(match[2]) };
}
