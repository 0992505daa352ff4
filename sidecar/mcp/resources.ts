/** Objects, claims and proof records as resources: the bytes are those of the GET routes. */
import {
  type ListResourcesResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
  type ResourceTemplateType,
} from "@modelcontextprotocol/server";
import { ShelfError } from "#snapshots/errors";
import { absoluteHref, formatKeyPath, objectPath, parseKeyPath, relationsOf } from "#snapshots/format";
import { formatCursor, parseCursor, positionOf, queryDigest } from "#snapshots/query";
import { jsonBytes, readText } from "#snapshots/tools";
import { followCursor, ORIGIN, type ToolContext } from "./tools/context.ts";

const PAGE = 100;
const MAX_RESOURCE_BYTES = 64 * 1024; // of a text as JSON, of a binary before base64; get_object reads longer texts by lines
const SCHEME = "proofshelf://";
const JSON_TYPE = "application/json";

const template = (name: string, title: string, path: string, mimeType?: string): ResourceTemplateType => ({
  name,
  title,
  uriTemplate: SCHEME + path,
  ...(mimeType === undefined ? {} : { mimeType }),
});
export const RESOURCE_TEMPLATES: readonly ResourceTemplateType[] = [
  template("object", "Object, its key percent-encoded segment by segment", "objects/{+key}"),
  template("claim", "Claim with evidence, steps and gaps", "claims/{id}", JSON_TYPE),
  template("record", "Proof record", "cubs/{id}", JSON_TYPE),
];

/** listResources names objects by key, then claims, then records. @throws ShelfError "bad_cursor", "cursor_expired" */
export async function listResources(given: ToolContext, cursor: string | undefined): Promise<ListResourcesResult> {
  const { data, open } = await followCursor(given, cursor);
  const digest = queryDigest("resources", []);
  const from = positionOf(cursor === undefined ? null : parseCursor(cursor), digest);
  const { objects, cubs } = data;
  const { claims } = data.claims;
  const total = objects.length + claims.length + cubs.length;
  const end = Math.min(total, from + PAGE);
  const resources = Array.from({ length: Math.max(0, end - from) }, (_, step) => {
    const at = from + step;
    const object = objects[at];
    const claim = claims[at - objects.length];
    const record = cubs[at - objects.length - claims.length];
    if (object !== undefined) {
      const { key, title, media_type: mimeType, size } = object;
      return { uri: `${SCHEME}objects/${formatKeyPath(key)}`, name: key, title, mimeType, size };
    }
    if (claim !== undefined)
      return { uri: `${SCHEME}claims/${encodeURIComponent(claim.id)}`, name: claim.id, title: claim.title, mimeType: JSON_TYPE };
    return { uri: `${SCHEME}cubs/${record?.id ?? ""}`, name: record?.id ?? "", title: record?.theorem_name ?? "", mimeType: JSON_TYPE };
  });
  const isMore = end < total && resources.length > 0;
  return {
    resources,
    ...(isMore ? { nextCursor: formatCursor({ snapshot: open.snapshot.id, query: digest, position: end }) } : {}),
    _meta: { "proofshelf/origin": ORIGIN },
  };
}

/** readResource reads a resource. @throws ResourceNotFoundError, and ProtocolError with invalid params for bytes that are too many */
export async function readResource(context: ToolContext, uri: string): Promise<ReadResourceResult> {
  const [, kind, rest = ""] = /^proofshelf:\/\/(objects|claims|cubs)\/(.+)$/s.exec(uri) ?? [];
  const { claimById, recordById } = relationsOf(context.data);
  try {
    if (kind === "objects") return await readObject(context, uri, parseKeyPath(rest));
    const value = kind === "claims" ? claimById.get(decodeURIComponent(rest)) : kind === "cubs" ? recordById.get(rest) : undefined;
    if (value === undefined) throw new ResourceNotFoundError(uri);
    const path = kind === "claims" ? "/api/claims" : `/api/cubs/${rest}`;
    if (jsonBytes(value) > MAX_RESOURCE_BYTES) throw tooLong(context, path);
    return { contents: [{ uri, mimeType: JSON_TYPE, text: JSON.stringify(value), _meta: pin(context, path) }] };
  } catch (error) {
    if (error instanceof URIError || (error instanceof ShelfError && error.code === "bad_path")) throw new ResourceNotFoundError(uri);
    throw error;
  }
}

async function readObject(context: ToolContext, uri: string, key: string): Promise<ReadResourceResult> {
  const path = objectPath(key);
  const { snapshot } = context.open;
  const entry = await snapshot.find(`objects/${key}`);
  if (entry?.kind !== "blob") throw new ResourceNotFoundError(uri);
  if (entry.size > MAX_RESOURCE_BYTES) throw tooLong(context, path);
  const bytes = Buffer.from(await snapshot.read(entry));
  const { from } = await readText(snapshot, key, entry);
  const content = from === "bytes" ? { text: bytes.toString() } : { blob: bytes.toString("base64") };
  return { contents: [{ uri, mimeType: entry.type, ...content, _meta: { ...pin(context, path), "proofshelf/sha256": entry.sha256 } }] };
}

function pin(context: ToolContext, path: string): Readonly<Record<string, string>> {
  const { id } = context.open.snapshot;
  return { "proofshelf/snapshot": id, "proofshelf/href": absoluteHref(context.data, path, id), "proofshelf/origin": ORIGIN };
}

function tooLong(context: ToolContext, path: string): ProtocolError {
  const href = absoluteHref(context.data, path, context.open.snapshot.id);
  const message = `This resource is over ${MAX_RESOURCE_BYTES} bytes; read it by lines with get_object, or fetch it at ${href}`;
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message, { href });
}
