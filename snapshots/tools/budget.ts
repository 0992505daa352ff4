/** An agent's budget: no tool result has more text than MAX_RESULT_BYTES. Lists lose items from their end, single things
 *  have long texts and long lists inside them shortened; both say so. Deterministic: the same value gives the same text. */
import { cutText } from "#snapshots/format";

/** MAX_RESULT_BYTES is how many UTF-8 bytes a result's text has at most (conventions "Sidecar"): about 4,000 tokens. */
export const MAX_RESULT_BYTES = 16 * 1024;

/** Tried from left to right until the value fits: characters of a text, and items of a list. Digests (64) and ids stay whole. */
const TEXT_STEPS = [4000, 2000, 1000, 500, 250, 120] as const;
const ITEM_STEPS = [200, 100, 50, 25, 10, 5] as const;
const MAX_FIELDS = 60;
const MAX_SHORTENED = 20;

export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? "");
}

/** countFitting counts the leading items that fit. @param base bytes of the text without any item */
export function countFitting(items: readonly unknown[], base: number, limit: number): number {
  let size = base;
  for (const [at, item] of items.entries()) {
    size += jsonBytes(item) + 1; // the comma
    if (size > limit) return at;
  }
  return items.length;
}

export type Shortened = {
  readonly value: unknown;
  /** RFC 6901 pointers of what is not whole; [] when everything is. At most 20 are named. */
  readonly shortened: readonly string[];
};

/** shorten returns a value whose JSON has at most `limit` bytes: the value itself when it fits, null when even the shortest form is too long. */
export function shorten(value: unknown, limit: number): Shortened | null {
  if (jsonBytes(value) <= limit) return { value, shortened: [] };
  for (const [at, characters] of TEXT_STEPS.entries()) {
    const shortened: string[] = [];
    const cut = cutValue(value, characters, ITEM_STEPS[at] ?? 5, "", shortened);
    if (jsonBytes(cut) <= limit) return { value: cut, shortened: shortened.slice(0, MAX_SHORTENED) };
  }
  return null;
}

function cutValue(value: unknown, characters: number, items: number, pointer: string, shortened: string[]): unknown {
  if (typeof value === "string") {
    if (value.length <= characters) return value;
    shortened.push(pointer);
    return cutText(value, characters);
  }
  if (Array.isArray(value)) {
    if (value.length > items) shortened.push(pointer);
    return value.slice(0, items).map((item: unknown, at) => cutValue(item, characters, items, `${pointer}/${at}`, shortened));
  }
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  const isMap = entries.length > MAX_FIELDS;
  if (isMap) shortened.push(pointer);
  return Object.fromEntries(
    (isMap ? entries.slice(0, items) : entries).map(([name, item]) => [
      name,
      cutValue(item, characters, items, `${pointer}/${escapePointer(name)}`, shortened),
    ]),
  );
}

function escapePointer(name: string): string {
  return cutText(name.replaceAll("~", "~0").replaceAll("/", "~1"), 80);
}
