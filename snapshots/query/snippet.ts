/** The stretch of a passage that shows why it was found. */
import type { Hit } from "#snapshots/words";

const MAX_SCAN = 20_000; // code units of a passage that are looked at
/** Runs of white space that are not one space already, which most are. */
const SPACES = /\s{2,}|[^\S ]/g;
/** Signs without a space, and what makes of them a line that underlines a heading or frames a comment. */
const SIGNS = /[^\p{L}\p{N}\s]{5,}/gu;
const DRAWN = /([^.])\1{4}/u;
const ELLIPSIS = "…";

/** snippet cuts plain text around the densest group of the words; white space is collapsed, and lines drawn with signs are left out.
 *  @param length characters at most */
export function snippet(text: string, find: (text: string) => Hit[], length: number): string {
  const source = text
    .slice(0, MAX_SCAN)
    .replaceAll(SIGNS, (signs) => (DRAWN.test(signs) ? " " : signs))
    .replaceAll(SPACES, " ")
    .trim();
  if (source.length <= length) return source;
  const room = length - 2 * ELLIPSIS.length;
  const best = densestGroup(find(source), room);
  // The found group stands in the middle of what is left, cut at word ends.
  const spare = Math.max(0, room - (best.end - best.start));
  let from = Math.max(0, Math.min(best.start - Math.floor(spare / 2), source.length - room));
  let to = Math.min(source.length, from + room);
  if (from > 0) {
    const space = source.indexOf(" ", from);
    from = space >= 0 && space < best.start ? space + 1 : from;
    if (isLowSurrogate(source, from)) from++;
  }
  if (to < source.length) {
    const space = source.lastIndexOf(" ", to);
    to = space > Math.max(best.end, from) ? space : to;
    if (isLowSurrogate(source, to)) to--;
  }
  return `${from > 0 ? ELLIPSIS : ""}${source.slice(from, to)}${to < source.length ? ELLIPSIS : ""}`;
}

/** The window of `room` characters whose different words are worth most; the earliest of equals. Both its ends only move on. */
function densestGroup(hits: readonly Hit[], room: number): { readonly start: number; readonly end: number } {
  const inside = new Map<string, { count: number; readonly worth: number }>();
  let best = { worth: 0, start: 0, end: 0 };
  let next = 0;
  for (const [first, { start, word }] of hits.entries()) {
    for (let hit = hits[next]; hit !== undefined && hit.end - start <= room; hit = hits[++next]) {
      const known = inside.get(hit.word);
      if (known === undefined) inside.set(hit.word, { count: 1, worth: hit.worth });
      else known.count++;
    }
    let worth = 0;
    for (const known of inside.values()) if (known.count > 0) worth += known.worth;
    if (worth > best.worth) best = { worth, start, end: hits[next - 1]?.end ?? 0 };
    const left = inside.get(word);
    // One longer than the room never came inside.
    if (next === first) next++;
    else if (left !== undefined) left.count--;
  }
  return best;
}

function isLowSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff;
}
