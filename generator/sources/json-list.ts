/** readJsonList reads an object one of whose members is a long list, an entry at a time: the text as a whole would be longer than a
 *  string can be, and its values together more than anybody needs at once. Whoever wrote the bytes controls all of them. */
import { ShelfError } from "#snapshots/errors";
import { explainBroken, MAX_JSON_DEPTH, parseStrictJson } from "./json.ts";

export type JsonList = {
  /** All members but the list. */
  readonly members: Readonly<Record<string, unknown>>;
  /** Null where the member is missing or no list. Each entry is parsed when it is come to, and thrown for when it is broken. */
  readonly entries: Iterable<unknown> | null;
  /** lineOf gives the line on which an entry, as entries gave it, has a member of its own; null where it has none. */
  lineOf(entry: unknown, member: string): number | null;
  /** The same bytes without some entries; null when it has none of them. */
  without(isOut: (entry: unknown) => boolean): Uint8Array | null;
};

const NEAR = 200; // bytes on either side of a fault that are looked at
/** Where a value lies: its first byte, and the one behind its last. */
type Range = readonly [from: number, to: number];

const [QUOTE, BACKSLASH, COMMA, COLON, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = Buffer.from('"\\,:[]{}');

/** readJsonList reads the object whose member `list` is the long list.
 *  @returns null for what is no object
 *  @throws ShelfError "bad_source", as parseStrictJson does; the line is that of the file */
export function readJsonList(bytes: Uint8Array, list: string): JsonList | null {
  const parse = ([from, to]: Range, depth: number): unknown =>
    parseStrictJson(bytes.subarray(from, to), { depth, line: () => lineAt(bytes, from) });
  const start = skipSpace(bytes, hasMark(bytes) ? 3 : 0);
  if (start === bytes.length) throw new ShelfError("bad_source", "It is empty.");
  if (bytes[start] !== OPEN_OBJECT) {
    parse([start, bytes.length], 1);
    return null;
  }
  const members = new Map<string, unknown>();
  let entries = null as readonly Range[] | null;
  const end = walk(bytes, start, CLOSE_OBJECT, (at) => {
    const nameEnd = bytes[at] === QUOTE ? skipString(bytes, at) : at;
    const colon = skipSpace(bytes, nameEnd);
    if (bytes[colon] !== COLON) throw broken(bytes, colon);
    const name = String(parse([at, nameEnd], 1));
    if (members.has(name))
      throw new ShelfError(
        "bad_source",
        `Line ${lineAt(bytes, at)} has the member ${JSON.stringify(name.slice(0, 80))} twice in one object.`,
      );
    const from = skipSpace(bytes, colon + 1);
    if (name === list && bytes[from] === OPEN_LIST) {
      const ranges: Range[] = [];
      const to = walk(bytes, from, CLOSE_LIST, (first) => {
        const last = skipValue(bytes, first, 2);
        ranges.push([first, last]);
        return last;
      });
      members.set(name, null);
      entries = ranges;
      return to;
    }
    const to = skipValue(bytes, from, 1);
    members.set(name, parse([from, to], 1));
    return to;
  });
  const rest = skipSpace(bytes, end);
  if (rest < bytes.length) throw broken(bytes, rest);
  if (entries !== null) members.delete(list);
  const ranges = entries;
  const ranged = new WeakMap<object, Range>();
  return {
    members: Object.fromEntries(members),
    entries:
      ranges === null
        ? null
        : {
            *[Symbol.iterator]() {
              for (const range of ranges) {
                const entry = parse(range, 2);
                if (typeof entry === "object" && entry !== null) ranged.set(entry, range);
                yield entry;
              }
            },
          },
    lineOf(entry, member) {
      const [from] = ranged.get(entry as object) ?? [];
      if (from === undefined || bytes[from] !== OPEN_OBJECT) return null;
      let found: number | null = null;
      walk(bytes, from, CLOSE_OBJECT, (at) => {
        const nameEnd = skipString(bytes, at);
        if (parse([at, nameEnd], 2) === member) found = lineAt(bytes, at);
        return skipValue(bytes, skipSpace(bytes, skipSpace(bytes, nameEnd) + 1), 2);
      });
      return found;
    },
    without: (isOut) =>
      ranges === null
        ? null
        : cut(
            bytes,
            ranges,
            ranges.filter((range) => !isOut(parse(range, 2))),
          ),
  };
}

function cut(bytes: Uint8Array, all: readonly Range[], left: readonly Range[]): Uint8Array | null {
  const [first, last] = [all[0], all.at(-1)];
  if (first === undefined || last === undefined || left.length === all.length) return null;
  const comma = Buffer.from(",");
  const parts = left.flatMap(([from, to], at) => (at === 0 ? [bytes.subarray(from, to)] : [comma, bytes.subarray(from, to)]));
  return Buffer.concat([bytes.subarray(0, first[0]), ...parts, bytes.subarray(last[1])]);
}

/** Calls `read` at the first byte of each item between two brackets; it returns the place behind the item. @returns that behind the bracket */
function walk(bytes: Uint8Array, open: number, close: number | undefined, read: (at: number) => number): number {
  let at = skipSpace(bytes, open + 1);
  if (bytes[at] === close) return at + 1;
  for (;;) {
    at = skipSpace(bytes, read(at));
    if (bytes[at] === close) return at + 1;
    if (bytes[at] !== COMMA) throw broken(bytes, at);
    at = skipSpace(bytes, at + 1);
  }
}

/** @param depth of what the value stands in: a bomb is refused before it is parsed
 *  @returns the place behind a value; whether it is one, its parser says */
function skipValue(bytes: Uint8Array, from: number, depth: number): number {
  if (bytes[from] === QUOTE) return skipString(bytes, from);
  const closing: number[] = [];
  let at = from;
  for (; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) at = skipString(bytes, at) - 1;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      if (closing.push(byte + 2) + depth > MAX_JSON_DEPTH)
        throw new ShelfError("bad_source", `Line ${lineAt(bytes, at)} is nested deeper than ${MAX_JSON_DEPTH} levels.`);
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
      if (closing.length === 0) break;
      if (closing.pop() !== byte) throw broken(bytes, at);
      if (closing.length === 0) return at + 1;
    } else if (closing.length === 0 && (byte === COMMA || isSpace(byte))) break;
  }
  if (at === from || closing.length > 0) throw broken(bytes, at);
  return at;
}

function skipString(bytes: Uint8Array, quote: number): number {
  for (let at = quote + 1; at < bytes.length; at++) {
    if (bytes[at] === BACKSLASH) at++;
    else if (bytes[at] === QUOTE) return at + 1;
  }
  throw broken(bytes, bytes.length);
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function skipSpace(bytes: Uint8Array, from: number): number {
  let at = from;
  while (isSpace(bytes[at])) at++;
  return at;
}

function hasMark(bytes: Uint8Array): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

function broken(bytes: Uint8Array, at: number): ShelfError {
  const [before, after] = [bytes.subarray(Math.max(0, at - NEAR), at), bytes.subarray(at, at + NEAR)].map((part) =>
    Buffer.from(part).toString(),
  );
  return new ShelfError("bad_source", `It is not valid JSON (line ${lineAt(bytes, at)})${explainBroken(before ?? "", after ?? "")}.`);
}

function lineAt(bytes: Uint8Array, at: number): number {
  let line = 1;
  for (let next = bytes.indexOf(0x0a); next >= 0 && next < at; next = bytes.indexOf(0x0a, next + 1)) line++;
  return line;
}
