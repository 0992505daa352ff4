/** Links into a long list that is shown in parts: by ranges of names, so that any item is two steps away however long the list is. */

/** Ranges that one page names. Above it each is several parts, and only those beside the reader stand alone. */
const MOST = 50;
/** A name up to this long is told whole. Characters. */
const SHORT = 12;
/** However much two neighbours have in common. */
const LONG = 40;

/** A Jump is a range of a list that is shown in parts, with the names, or the places, of its first and last item. */
export type Jump = { readonly path: string; readonly first: string; readonly last: string; readonly here: boolean };

/** jumpsOf returns a jump to each part of a list.
 *  @param options.nameAt the name of the item at a place. It is null where items are not in the order of their names: then places are told
 *  @returns nothing for a list of one part */
export function jumpsOf(options: {
  readonly items: number;
  readonly size: number;
  readonly part: number;
  readonly path: (part: number) => string;
  readonly nameAt: ((place: number) => string) | null;
}): readonly Jump[] {
  const { items, size, part, path, nameAt } = options;
  const parts = Math.ceil(items / size);
  if (parts < 2) return [];
  const step = Math.ceil(parts / MOST);
  const starts: number[] = [];
  for (let start = 1; start <= parts; start += step) {
    const mine = part >= start && part < start + step;
    for (let at = start; at < Math.min(start + step, parts + 1); at += mine ? 1 : step) starts.push(at);
  }
  return starts.map((start, at): Jump => {
    const first = (start - 1) * size;
    const last = Math.min(items, ((starts[at + 1] ?? parts + 1) - 1) * size) - 1;
    const label =
      nameAt === null
        ? { first: String(first + 1), last: String(last + 1) }
        : {
            first: tellApart(nameAt(first), first === 0 ? "" : nameAt(first - 1)),
            last: tellApart(nameAt(last), last + 1 === items ? "" : nameAt(last + 1)),
          };
    return { path: path(start), ...label, here: start === part };
  });
}

/** As much of a name as tells it from its neighbour in the next range. */
function tellApart(name: string, neighbour: string): string {
  if (name.length <= SHORT) return name;
  const [signs, others] = [[...name], [...neighbour]];
  let same = 0;
  while (same < signs.length && signs[same] === others[same]) same++;
  const told = signs.slice(0, Math.min(Math.max(same + 1, SHORT / 2), LONG));
  return told.join("") + (told.length < signs.length ? "…" : "");
}
