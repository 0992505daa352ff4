import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { sha256 } from "../digest.ts";
import { ShelfError } from "../errors.ts";
import { formatCursor, parseCursor, positionOf, queryDigest } from "./cursor.ts";

const isBadCursor = (error: unknown): boolean => error instanceof ShelfError && error.code === "bad_cursor" && error.status === 400;
const cursors = fc.record({
  snapshot: fc.string().map((text) => sha256(text)),
  query: fc.string().map((text) => sha256(text).slice(0, 16)),
  position: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
});
const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

test("what nobody gave out is refused: empty, other alphabets, other shapes, negative and broken positions", () => {
  const s = sha256("s");
  const q = "0123456789abcdef";
  const bad = [
    "",
    " ",
    "x",
    "null",
    "%",
    "a".repeat(401),
    encode(null),
    encode([]),
    encode("text"),
    encode({}),
    encode({ s, q }),
    encode({ s, q, n: 0 }),
    encode({ s, q, n: -1 }),
    encode({ s, q, n: 1.5 }),
    encode({ s, q, n: "1" }),
    encode({ s, q, n: 1e300 }),
    encode({ s, q, n: 2 ** 53 }),
    encode({ s: s.toUpperCase(), q, n: 1 }),
    encode({ s: "../../x", q, n: 1 }),
    encode({ s, q: "x", n: 1 }),
    encode({ s, q, n: 1, more: 1 }),
    `${encode({ s, q, n: 1 })}=`,
    `${encode({ s, q, n: 1 })}\n`,
  ];
  for (const text of bad) assert.throws(() => parseCursor(text), isBadCursor, JSON.stringify(text));
});

test("no text makes it throw anything but bad_cursor", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: "binary" }),
        fc.base64String(),
        fc.json().map((json) => Buffer.from(json).toString("base64url")),
      ),
      (text) => {
        try {
          parseCursor(text);
        } catch (error) {
          assert.ok(isBadCursor(error));
        }
      },
    ),
  );
});

test("a cursor comes back as it was, in letters that need no escape", () => {
  fc.assert(
    fc.property(cursors, (cursor) => {
      const text = formatCursor(cursor);
      assert.match(text, /^[A-Za-z0-9_-]+$/);
      assert.ok(text.length < 250);
      assert.deepEqual(parseCursor(text), { ...cursor });
    }),
  );
});

test("a cursor of one query is refused by every other", () => {
  const query = queryDigest("cubs", ["zebra", []]);
  const cursor = parseCursor(formatCursor({ snapshot: sha256("s"), query, position: 7 }));
  assert.equal(positionOf(cursor, query), 7);
  for (const other of [
    queryDigest("cubs", ["zebras", []]),
    queryDigest("list", ["zebra", []]),
    queryDigest("cubs", ["zebra", [["repo", ["x"]]]]),
  ]) {
    assert.throws(() => positionOf(cursor, other), isBadCursor);
  }
  assert.equal(positionOf(null, query), 0);
});
