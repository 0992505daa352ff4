/** Cursors: opaque to clients, bound to one snapshot and one query, so that a rebuild never shifts pages. */
import { z } from "zod";
import { canonicalJson, sha256, SHA256_PATTERN } from "#snapshots/digest";
import { ShelfError } from "#snapshots/errors";
import { single } from "./params.ts";

const cursorSchema = z.strictObject({
  s: z.string().regex(SHA256_PATTERN), // snapshot id
  q: z.string().regex(/^[0-9a-f]{16}$/), // beginning of the digest of route and query
  n: z.int().positive(), // position of the next item in the whole result
});

export type Cursor = { readonly snapshot: string; readonly query: string; readonly position: number };

const MAX_CURSOR = 400; // characters; ours have under 200

/** queryDigest returns the digest that ties a cursor to its query. It is made of everything that decides the result but the cursor and the page
 *  size. */
export function queryDigest(route: string, query: unknown): string {
  return sha256(canonicalJson([route, query])).slice(0, 16);
}

export function formatCursor(cursor: Cursor): string {
  const text = canonicalJson({ s: cursor.snapshot, q: cursor.query, n: cursor.position });
  return Buffer.from(text).toString("base64url");
}

/** parseCursor reads a cursor. @throws ShelfError "bad_cursor" when it is not one of ours */
export function parseCursor(text: string): Cursor {
  const bad = (): ShelfError =>
    new ShelfError("bad_cursor", "The cursor is not one that this service gave out.", {
      errors: [{ pointer: "cursor", detail: "take it unchanged from `next` or from the Link header" }],
    });
  if (text.length > MAX_CURSOR || !/^[A-Za-z0-9_-]+$/.test(text)) throw bad();
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(text, "base64url").toString("utf8"));
  } catch {
    throw bad();
  }
  const parsed = cursorSchema.safeParse(value);
  if (!parsed.success) throw bad();
  return { snapshot: parsed.data.s, query: parsed.data.q, position: parsed.data.n };
}

/** cursorOf returns the cursor of a request, or null. @throws ShelfError "bad_cursor", "bad_parameter" */
export function cursorOf(params: URLSearchParams): Cursor | null {
  const text = single(params, "cursor");
  return text === null ? null : parseCursor(text);
}

/** positionOf returns the position that a cursor gives for this query. @throws ShelfError "bad_cursor" when it belongs to another query */
export function positionOf(cursor: Cursor | null, query: string): number {
  if (cursor === null) return 0;
  if (cursor.query !== query) {
    throw new ShelfError("bad_cursor", "The cursor belongs to another query.", {
      fixes: ["Repeat every other parameter of the request that gave the cursor, or start without it."],
    });
  }
  return cursor.position;
}
