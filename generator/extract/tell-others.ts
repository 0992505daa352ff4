/** Finds what a text needs of others, once all are read: the parts of its document, and the places and titles that its names lead to. A public text is told of
 *  public ones alone. A digest of what it was told stands beside it, so that it is read again when that changes, and only then. */
import { sha256, type Sha256 } from "#snapshots/digest";
import { leadingPrefixes, type ObjectRow, openSite } from "#snapshots/format";
import { hasExactLines, type Kind } from "#snapshots/schema";
import { decodeText } from "./decode-text.ts";
import { type Asked, isGlob, partKeys, type Place, type Told } from "./others.ts";

const MAX_FILES = 100; // of one document
const MAX_BYTES = 2 * 1024 * 1024; // of all files of a document
const MAX_DEPTH = 8; // parts within parts
const MAX_PAGES = 500; // that one pattern means

/** Teller is an object that may be told of others: the view that it is in, its asking, and the digest of what it was told. */
export type Teller = Pick<ObjectRow, "key" | "kind" | "title" | "size" | "sha256" | "addresses"> & {
  readonly root: "public" | "internal";
  readonly asked?: Asked;
  readonly told?: string;
};

/** Telling is what an object is to be told: files in the order of their document, and places by the names that it asked for. */
export type Telling<T extends Teller = Teller> = {
  readonly object: T;
  readonly files: readonly T[];
  readonly places: Told["places"];
  /** Undefined where it is told nothing. */
  readonly told: Sha256 | undefined;
};

/** findTellings finds the objects that were told something else than they are to be told now. */
export function findTellings<T extends Teller>(objects: readonly T[]): readonly Telling<T>[] {
  if (objects.every(({ asked, told }) => asked === undefined && told === undefined)) return [];
  const views = { public: openOthers(objects.filter(({ root }) => root === "public")), internal: openOthers(objects) };
  return objects.flatMap((object) => {
    const { files, places } = views[object.root](object);
    const isBare = files.length === 0 && Object.keys(places).length === 0;
    const told = isBare ? undefined : sha256(JSON.stringify([files.map(({ key, sha256: content }) => [key, content]), places]));
    return told === object.told ? [] : [{ object, files, places, told }];
  });
}

/** openOthers gives a function that finds what an object is to be told. @param objects that it may hear of */
function openOthers<T extends Teller>(objects: readonly T[]): (object: T) => Pick<Telling<T>, "files" | "places"> {
  const byKey = new Map(objects.map((object) => [object.key, object]));
  const labels = new Map<string, Place[]>();
  for (const { key, asked } of objects)
    for (const [id, title] of asked?.labels ?? []) labels.set(id, [...(labels.get(id) ?? []), { key, id, title }]);
  const parts = new Map(objects.map((object) => [object.key, partsOf(object, byKey)]));
  const wholes = new Map<string, string>();
  for (const [key, of] of parts) for (const part of of) if (!wholes.has(part.key)) wholes.set(part.key, key);
  const leadsTo = openSite(objects);
  const placeOf = (from: string, name: string): Place | null => {
    const [target = "", id] = name.split("#");
    if (target === "") return nearest(from, labels.get(id ?? "") ?? []);
    const row = byKey.get(target) ?? byKey.get(leadsTo(from, target) ?? "");
    const title = id === undefined ? row?.title : row?.asked?.labels.find(([own]) => own === id)?.[1];
    return row === undefined || title === undefined || title === "" ? null : { key: row.key, id: id ?? null, title };
  };
  const placesOf = (from: string, name: string): readonly Place[] =>
    isGlob(name) && !name.startsWith("#") ? matching(from, name, objects) : [placeOf(from, name) ?? []].flat();
  return ({ key, kind, asked }) => {
    const files = documentOf(kind === "latex" ? firstOf(key, wholes) : key, byKey, parts);
    const names = (asked?.names ?? []).map((name) => [name, placesOf(key, name)] as const).filter(([, places]) => places.length > 0);
    return { files: files.length < 2 ? [] : files, places: Object.fromEntries(names) };
  };
}

/** The pages that a pattern means, but for the one that it stands in; the pictures where it leaves out their ending alone, the likeliest to be shown
 *  first. A star stands for no slash, and two for anything. */
function matching(from: string, pattern: string, objects: readonly Teller[]): readonly Place[] {
  const parts = pattern
    .split(/(\*\*|[*?]|\[[^\]]+\])/)
    .map((part, at) => (at % 2 === 0 ? RegExp.escape(part) : (WILD[part] ?? part.replace("[!", "[^"))));
  // A path from the root of a site counts from a folder around the text.
  const folders = ["", ...leadingPrefixes(from)].map((folder) => RegExp.escape(folder)).join("|");
  const form = new RegExp(`^(?:${folders})${parts.join("")}$`);
  const isPicture = pattern.endsWith(".*");
  const fits = ({ key, kind }: Teller): boolean =>
    isPicture ? kind === "image" && form.test(key) : /^(?:rst|markdown|notebook)$/.test(kind) && form.test(key.replace(/\.\w+$/, ""));
  return objects
    .filter((object) => object.key !== from && fits(object))
    .toSorted((a, b) => (a.key < b.key ? -1 : 1) * (isPicture ? -1 : 1))
    .slice(0, MAX_PAGES)
    .map(({ key, title }) => ({ key, id: null, title }));
}

const WILD: Readonly<Record<string, string>> = { "**": ".*", "*": "[^/]*", "?": "[^/]" };

function partsOf<T extends Teller>({ key, asked }: T, byKey: ReadonlyMap<string, T>): readonly T[] {
  const found = (asked?.parts ?? []).flatMap((path) => partKeys(key, path).flatMap((one) => byKey.get(one) ?? [])[0] ?? []);
  return found.filter(({ kind }) => hasExactLines(kind));
}

/** The text that all others of its document are parts of. */
function firstOf(key: string, wholes: ReadonlyMap<string, string>): string {
  const seen = new Set([key]);
  let first = key;
  for (let above = wholes.get(key); above !== undefined && !seen.has(above) && seen.size <= MAX_DEPTH; above = wholes.get(above)) {
    seen.add(above);
    first = above;
  }
  return first;
}

/** The files of a document, within bounds: a file that is taken in twice counts once. */
function documentOf<T extends Teller>(
  first: string,
  byKey: ReadonlyMap<string, T>,
  parts: ReadonlyMap<string, readonly T[]>,
): readonly T[] {
  const files = new Map<string, T>();
  let left = MAX_BYTES;
  const visit = (key: string, depth: number): void => {
    const object = byKey.get(key);
    if (object === undefined || files.has(key) || files.size >= MAX_FILES || object.size > left || depth > MAX_DEPTH) return;
    files.set(key, object);
    left -= object.size;
    for (const part of parts.get(key) ?? []) visit(part.key, depth + 1);
  };
  visit(first, 0);
  return [...files.values()];
}

/** The place in the folder nearest to a text; null where none is, or two are as near. */
function nearest(from: string, places: readonly Place[]): Place | null {
  const around = leadingPrefixes(from);
  const nearness = places.map(({ key }) => around.filter((folder) => key.startsWith(folder)).length);
  const most = Math.max(...nearness);
  const [only, other] = places.filter((_, at) => nearness[at] === most);
  return only === undefined || other !== undefined ? null : only;
}

/** asks tells whether texts of a kind may ask for others, and so are read before anybody is told anything. */
export function asks(kind: Kind): boolean {
  return /^(?:latex|rst|asciidoc|org|markdown)$/.test(kind);
}

/** toldOf gives the texts of a telling. @param bytesOf an object */
export async function toldOf<T extends Teller>(
  { files, places }: Pick<Telling<T>, "files" | "places">,
  bytesOf: (object: T) => Promise<Uint8Array>,
): Promise<Told> {
  return { files: await Promise.all(files.map(async (file) => ({ key: file.key, text: decodeText(await bytesOf(file)) }))), places };
}
