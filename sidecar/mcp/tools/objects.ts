/** Reading one object, finding what has its digest, and proving that it lies in the snapshot. */
import { absoluteHref, formatKeyPath, objectPath, orWithdrawn, relationsOf } from "#snapshots/format";
import { ShelfError } from "#snapshots/errors";
import { digestBody, formatCursor, parseCursor, parseDigest, positionOf, proofBody, queryDigest } from "#snapshots/query";
import { jsonBytes, readText, takeLines } from "#snapshots/tools";
import { followCursor, type Tool } from "./context.ts";
import { part, wholeBody } from "./fit.ts";
import { distance } from "fastest-levenshtein";

/** Says which key is meant where a caller sent its URL form or a leading slash. */
function objectNotFound(data: ReadonlyMap<string, unknown>, key: string): ShelfError {
  const near = [key.replace(/^\/+/, ""), key.replace(/^\/?objects\//, ""), safeDecode(key)].find(
    (candidate) => candidate !== key && data.has(candidate),
  );
  const slip = near === undefined ? nearestKey(data, key) : null;
  const fix = slip === null ? "list_objects and search_library give keys." : `Did you mean ${JSON.stringify(slip)}?`;
  return new ShelfError("object_not_found", "No object of this view has this key.", {
    fixes: near === undefined ? [fix] : [`Its key is ${JSON.stringify(near)}.`],
  });
}

const MAX_SLIPS = 2; // letters by which a key may differ from the one that was meant

function nearestKey(data: ReadonlyMap<string, unknown>, key: string): string | null {
  const near = (other: string): boolean => Math.abs(other.length - key.length) <= MAX_SLIPS && distance(other, key) <= MAX_SLIPS;
  return [...data.keys()].find(near) ?? null;
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export const getObject: Tool = async (context, { key: given, start_line, end_line, cursor }) => {
  const at = await followCursor(context, cursor);
  const key = String(given);
  const { objectByKey } = relationsOf(at.data);
  const row = objectByKey.get(key);
  const entry = await at.open.snapshot.find(`objects/${key}`);
  if (row === undefined || entry?.kind !== "blob") throw orWithdrawn(at.data.withdrawn, "object", key, objectNotFound(objectByKey, key));
  const digest = queryDigest("tool:object", [key, end_line ?? null]);
  const start = typeof cursor === "string" ? positionOf(parseCursor(cursor), digest) : Number(start_line ?? 1);
  const source = await readText(at.open.snapshot, key, entry);
  const facts = {
    key,
    title: row.title,
    kind: row.kind,
    media_type: entry.type,
    size: entry.size,
    sha256: entry.sha256,
    uploaded: row.uploaded,
    text_from: source.from,
    lines: source.lines.length,
  };
  const { id } = at.open.snapshot;
  const path = objectPath(key);
  if (source.from === "none") {
    const found = part(at, path, { ...facts, start_line: 0, end_line: 0, text: null }, null);
    return { ...found, notices: ["This object has no text that could be shown; its bytes are at href."] };
  }
  const frame = jsonBytes({ ...facts, start_line: start, end_line: source.lines.length, text: "" });
  const range = takeLines(source.lines, start, end_line === undefined ? null : Number(end_line), context.budget - frame);
  const notices = [
    ...(source.from === "extract" ? ["The lines are of the text that was extracted from the object, not of its bytes."] : []),
    ...(range.cut ? [`Line ${range.end} is longer than a result may be: this is its beginning. href takes byte ranges.`] : []),
  ];
  const next = range.next === null ? null : formatCursor({ snapshot: id, query: digest, position: range.next });
  const found = part(at, path, { ...facts, start_line: range.start, end_line: range.end, text: range.text }, next);
  return { ...found, truncated: next !== null || range.cut, notices };
};

export const lookupDigestTool: Tool = async (context, { sha256 }) => {
  const digest = parseDigest(String(sha256));
  const matches = await digestBody(context.open, digest);
  const found = wholeBody(context, matches, `/api/digests/${digest}`, true);
  const { objects, evidence, cub_files } = matches;
  const none = objects.length + evidence.length + cub_files.length === 0 ? ["Nothing in this view has this digest."] : [];
  return { ...found, notices: [...found.notices, ...none] };
};

export const verifyObject: Tool = async (context, { key: given }) => {
  const key = String(given);
  const { objectByKey } = relationsOf(context.data);
  if (!objectByKey.has(key)) throw objectNotFound(objectByKey, key);
  const path = `/api/proofs/${formatKeyPath(key)}`;
  const proof = await proofBody(context.open, "object", key);
  const snapshot = context.open.snapshot.id;
  // The largest trees go first: half a tree proves nothing.
  const trees = proof.trees.map((tree) => ({ ...tree }));
  const left: string[] = [];
  while (jsonBytes({ ...proof, trees }) > context.budget) {
    const largest = trees.filter((tree) => tree.text !== null).sort((a, b) => b.size - a.size)[0];
    if (largest === undefined) break;
    largest.text = null;
    left.push(largest.name);
  }
  const notices =
    left.length === 0
      ? []
      : [`${left.length} of ${trees.length} trees did not fit: all are at ${absoluteHref(context.data, path, snapshot)}`];
  return { result: { ...proof, trees }, snapshot, path, pinned: true, truncated: left.length > 0, next: null, notices };
};
