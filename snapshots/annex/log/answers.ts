/** GET /shelf/{path}: the public shelf as files, for whoever copies it or checks it. What is served belongs to the publications up to the
 *  one that this process serves; of blobs, what a kept snapshot reaches, whatever else lies in the root. */
import { canonicalJson, sha256 } from "#snapshots/digest";
import { ShelfError } from "#snapshots/errors";
import { blobPath } from "#snapshots/format";
import { readTileFile } from "#snapshots/log";
import { QUERIES } from "#snapshots/query";
import type { LOG_ROWS } from "./rows.ts";
import { checkpointPath, KEYS_PATH, readCheckpoint, readLogKeys, redactedBlobs } from "#snapshots/shelf";
import {
  type Answer,
  type SnapshotRequest,
  type CacheClass,
  contentAnswer,
  type Context,
  type Handler,
  objectAnswer,
  queryAnswer,
} from "#snapshots/http";

const TYPES = { text: "text/plain; charset=utf-8", json: "application/json", bytes: "application/octet-stream" } as const;

type File = { readonly bytes: Uint8Array | string; readonly type: keyof typeof TYPES; readonly cache: CacheClass };

export const LOG_HANDLERS = {
  shelf: { read: shelfAnswer },
  proof: { read: (asked) => queryAnswer(asked, QUERIES.proof) },
} as const satisfies Readonly<Record<keyof typeof LOG_ROWS, Handler>>;

/** @throws ShelfError "not_found" for what is not in service, "snapshot_damaged" and others for what cannot be read */
async function shelfAnswer({ context, request, place }: SnapshotRequest): Promise<Answer> {
  // Spelled as it stands: the parts are decoded.
  const path = place.path.slice("/shelf/".length);
  if (context.view.options.view !== "public") throw missing();
  const digest = /^blobs\/[0-9a-f]{2}\/([0-9a-f]{64})\.bin$/.exec(path)?.[1];
  if (digest !== undefined) {
    const size = `/shelf/${path}` === blobPath(digest) ? await context.view.sizeInService(digest) : null;
    if (size === null) throw missing();
    const entry = { kind: "blob", name: digest, sha256: digest, size, type: TYPES.bytes } as const;
    return objectAnswer({ ...context, cache: "kept" }, `${digest}.bin`, entry, request);
  }
  const file = await findFile(context, path);
  if (file === null) throw missing();
  const bytes = typeof file.bytes === "string" ? Buffer.from(file.bytes) : file.bytes;
  const content = { bytes, type: TYPES[file.type], tag: sha256(bytes), cache: file.cache, headers: {} };
  return contentAnswer(context, request, null, async () => content);
}

function missing(): ShelfError {
  return new ShelfError("not_found", "The public shelf has no such file in service.", {
    fixes: ["/shelf/snapshots.json names the snapshots that are kept."],
  });
}

async function findFile({ view, open }: Context, path: string): Promise<File | null> {
  const { shelf, record } = open.snapshot;
  const { sequence } = record;
  const json = (value: unknown, cache: CacheClass = "live"): File => ({ bytes: canonicalJson(value), type: "json", cache });
  const kept = async (): Promise<ReadonlyMap<number, unknown>> =>
    new Map([...(await view.records()), record].filter((one) => one.sequence <= sequence).map((one) => [one.sequence, one]));
  const [, folder = "", digits = ""] = /^(checkpoints|snapshots|changes)\/([1-9][0-9]{0,14})(?:\.json)?$/.exec(path) ?? [];
  const number = Number(digits);

  if (path === "checkpoint" || path === checkpointPath(number)) {
    if (path !== "checkpoint" && !(await kept()).has(number)) return null;
    const found = await readCheckpoint(shelf.log, path === "checkpoint" ? sequence : number);
    // Others may still sign it.
    return found === null ? null : { bytes: found.text, type: "text", cache: "live" };
  }
  if (path === KEYS_PATH) return json(await readLogKeys(shelf.log));
  if (path.startsWith("tile/")) {
    const bytes = await readTileFile(path, sequence, shelf.log.read);
    return bytes === null ? null : { bytes, type: "bytes", cache: "immutable" };
  }
  if (path === "snapshots.json") return json([...(await kept()).keys()].sort((a, b) => a - b));
  if (path === `snapshots/${number}.json`) {
    const found = (await kept()).get(number);
    return found === undefined ? null : json(found, "kept");
  }
  if (path === "redacted.json") return json(await redactedBlobs(shelf));
  const redacted = /^redacted\/([0-9a-f]{64})$/.exec(path)?.[1];
  if (redacted !== undefined) {
    const bytes = await shelf.redactions.read(redacted);
    return bytes === null ? null : { bytes, type: "text", cache: "live" };
  }
  if (path === "withdrawn.json") return json((await view.withdrawn()).filter((one) => one.sequence <= sequence));
  if (folder === "changes" && path === `changes/${number}.json` && number <= sequence) {
    // A thing that is gated later goes out of it.
    const changes = await shelf.readChanges(number);
    return changes === null ? null : json(changes);
  }
  return null;
}
