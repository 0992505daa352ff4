/** A text may need other texts of its library: parts that lie in files of their own, and names that others give to places. Its reader runs alone, so it
 *  asks; the pipeline, which knows all objects, reads it again with what it may be told (`pipeline/tell-others.ts`). */
import { leadingPrefixes } from "#snapshots/format";
import { resolveKey } from "./links.ts";

/** A Place is where a name leads. */
export type Place = { readonly key: string; readonly id: string | null; readonly title: string };

/** Told is what a reader is told of other texts. */
export type Told = {
  /** Texts of its document, the one first that the others are parts of. */
  readonly files: readonly { readonly key: string; readonly text: string }[];
  /** Places by the names that were asked for: one, or all that a pattern means. */
  readonly places: Readonly<Record<string, readonly Place[]>>;
};

/** Asked is what a reader asks of others, and what it offers them. */
export type Asked = {
  /** Paths of its parts, as they are written. */
  readonly parts: readonly string[];
  /** `#label` for a place anywhere, else a key, which may have the id of a place behind it, or a pattern of keys without their endings. */
  readonly names: readonly string[];
  /** Places of its own, with what is written there. */
  readonly labels: readonly (readonly [id: string, title: string])[];
};

const MAX_ASKED = 1000; // of each kind
const MAX_NAME = 300; // UTF-16 units

/** partKeys lists the keys that the path of a part may mean, the likeliest first: it counts from the folder of its text, or from one around that. */
export function partKeys(from: string, path: string): readonly string[] {
  const folders = ["", ...leadingPrefixes(from)].reverse();
  return folders.flatMap((folder) => resolveKey(`${folder}x`, path.replace(/^\/+/, "")) ?? []);
}

/** Others is what a reader asks for what is not in its text. */
export class Others {
  readonly #files: ReadonlyMap<string, string>;
  readonly #told: Told;
  readonly #key: string;
  readonly #parts = new Set<string>();
  readonly #names = new Set<string>();
  readonly #labels = new Map<string, string>();

  constructor(key: string, told: Told = { files: [], places: {} }) {
    this.#key = key;
    this.#told = told;
    this.#files = new Map(told.files.map(({ key: own, text }) => [own, text]));
  }

  /** The text that its own is a part of, which may be itself; null where nothing is told. */
  get first(): { readonly key: string; readonly text: string } | null {
    return this.#told.files[0] ?? null;
  }

  /** A part of the text `from`; null where it is not told. */
  part(from: string, path: string): { readonly key: string; readonly text: string } | null {
    if (from === this.#key) add(this.#parts, path);
    const key = partKeys(from, path).find((one) => this.#files.has(one));
    return key === undefined ? null : { key, text: (this.#files.get(key) ?? "").replaceAll("\r", "") };
  }

  /** The place of a name, which is asked for as in `Asked`. */
  place(name: string): Place | null {
    return this.places(name)[0] ?? null;
  }

  places(name: string): readonly Place[] {
    add(this.#names, name);
    return Object.hasOwn(this.#told.places, name) ? (this.#told.places[name] ?? []) : [];
  }

  /** Offers a place of its own text to others. */
  offer(id: string, title: string): void {
    if (this.#labels.size < MAX_ASKED && id.length <= MAX_NAME && !this.#labels.has(id))
      this.#labels.set(id, title.replaceAll(/\s+/g, " ").trim().slice(0, MAX_NAME).toWellFormed());
  }

  /** Null where it needs nobody and offers nothing. */
  asked(): Asked | null {
    const asked = { parts: [...this.#parts], names: [...this.#names], labels: [...this.#labels] };
    return Object.values(asked).every(({ length }) => length === 0) ? null : asked;
  }
}

/** isGlob tells a pattern of keys from a key. */
export const isGlob = (name: string): boolean => /[*?]|\[[^\]]+\]/.test(name);

function add(to: Set<string>, name: string): void {
  if (to.size < MAX_ASKED && name.length <= MAX_NAME) to.add(name.toWellFormed());
}

/** chosenLines takes the lines of a part that its options choose, as Sphinx and MyST name them. */
export function chosenLines(lines: readonly string[], options: ReadonlyMap<string, string>): readonly string[] {
  const place = (name: string, otherwise: number, from = 0): number => {
    const text = options.get(name);
    const found = text === undefined ? -1 : lines.findIndex((one, at) => at >= from && one.includes(text));
    return found < 0 ? otherwise : found;
  };
  const spans = options.get("lines");
  const start = Math.max(place("start-after", -1) + 1, place("start-at", 0), Number(options.get("start-line") ?? 0) || 0);
  const end = Math.min(place("end-before", lines.length, start), place("end-at", lines.length, start) + 1);
  const last = Number(options.get("end-line") ?? lines.length);
  return spans === undefined
    ? lines.slice(start, Math.min(end, last < 0 ? lines.length + last : last || lines.length))
    : linesBetween(lines, spans);
}

/** Marks of a region in the forms of mdBook, MkDocs and AsciiDoc: whether it begins, and its name. */
const REGION = /\b(?:(ANCHOR)|ANCHOR_END):\s*([\w-]+)|\b(?:(tag)|end)::(\S+?)\[\]|-8<-+\s*\[(?:(start)|end):\s*([\w-]+)\]/;

/** regionsIn takes the lines within the regions of these names, or all lines, without those that mark them. A star means all. */
export function regionsIn(lines: readonly string[], names: readonly string[]): readonly string[] {
  const open = new Set<string>();
  const isAll = names.length === 0 || names.some((name) => name.startsWith("*"));
  return lines.filter((line) => {
    const [edge, begins, name = "", tags, tag = name, starts, region = tag] = REGION.exec(line) ?? [];
    if ((begins ?? tags ?? starts) !== undefined) open.add(region);
    else open.delete(region);
    return edge === undefined && (isAll || names.some((one) => open.has(one)));
  });
}

/** linesBetween takes the lines of `1..3;7` or `1-3,7-`, each counted from 1. */
export function linesBetween(lines: readonly string[], written: string): readonly string[] {
  return written.split(/[;,]/).flatMap((span) => {
    const [, from = "", to] = /^\s*(\d*)\s*(?:(?:\.\.|-)\s*(-?\d*))?\s*$/.exec(span) ?? [];
    const last = to === undefined ? Number(from) : to === "" || to.startsWith("-") ? lines.length : Number(to);
    return lines.slice(Math.max(0, Number(from || 1) - 1), last);
  });
}
