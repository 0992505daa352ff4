/** Everything in a snapshot that follows from its objects and its data, made again: what `verify` compares. */
import { type Sha256, sha256 } from "#snapshots/digest";
import { findCollection, type ObjectRow, pageImageFile, type ViewData } from "#snapshots/format";
import { apiFiles, type Renderer, storedPages } from "#snapshots/page";
import type { Snapshot } from "#snapshots/shelf";
import type { Extract } from "#snapshots/schema";
import type { DerivedSource, Deriver } from "#snapshots/verify";
import { asks, type Asked, type ExtractPool, findTellings, type Teller, type Telling, toldOf } from "#generator/extract";
import { textFiles } from "#generator/pages";
import { type Parts, type Site, usualParts } from "./parts.ts";
import { ROUTES } from "#snapshots/service";

/** Objects that are read at once. */
const AT_ONCE = 16;

type ReadAgain = {
  readonly extract: Sha256;
  readonly images: readonly { readonly page: number; readonly digest: Sha256 }[];
  readonly asked: Asked | undefined;
};

/** openDeriver makes a snapshot's derived files again. A snapshot that was made with other pages, or by another version, differs in every file
 *  that they made, and verify says so. */
export function openDeriver(parts: Parts = usualParts()): Deriver & { close(): Promise<void> } {
  let site: Promise<Site> | null = null;
  let pool: Promise<ExtractPool> | null = null;
  let opened: Promise<Renderer> | null = null;
  const ready = (): Promise<Site> => (site ??= parts.site());
  /** By key, digest of the bytes and images: both views hold what is public, and it is read once. */
  const known = new Map<string, Promise<ReadAgain>>();
  const readAgain = async (snapshot: Snapshot, key: string, pageImages?: number, telling?: Telling): Promise<ReadAgain> => {
    const told = telling === undefined ? undefined : await toldOf(telling, (file) => objectBytes(snapshot, file.key));
    const bytes = await objectBytes(snapshot, key);
    const found = await (await (pool ??= ready().then((made) => made.pool()))).extract(key, bytes, pageImages, told);
    return {
      extract: sha256(found.json),
      images: found.images.map(({ page, png }) => ({ page, digest: sha256(png) })),
      asked: found.asked,
    };
  };
  const digestsOf = (
    snapshot: Snapshot,
    { key, sha256: digest }: Pick<ObjectRow, "key" | "sha256">,
    pageImages?: number,
    telling?: Telling,
  ): Promise<ReadAgain> => {
    const name = `${digest} ${pageImages ?? 0} ${telling?.told ?? ""} ${key}`;
    const before = known.get(name);
    if (before !== undefined) return before;
    const reading = readAgain(snapshot, key, pageImages, telling);
    known.set(name, reading);
    // An object that cannot be read is tried again when somebody looks again.
    reading.catch(() => known.delete(name));
    return reading;
  };
  const renderer = (): Promise<Renderer> => (opened ??= ready().then((made) => made.renderer()));
  /** Finds what each object is told of others, once all that may ask have been read alone. */
  const tellingsOf = async (snapshot: Snapshot, { objects, library }: ViewData): Promise<ReadonlyMap<string, Telling>> => {
    const tellerOf = async (row: ObjectRow): Promise<Teller> => {
      // An object that cannot be read says so where it is compared.
      const asked = asks(row.kind)
        ? await digestsOf(snapshot, row).then(
            (read) => read.asked,
            () => undefined,
          )
        : undefined;
      const root = findCollection(library.collections, row.key)?.visibility === "public" ? "public" : "internal";
      return { ...row, root, ...(asked === undefined ? {} : { asked }) };
    };
    const tellers: Teller[] = [];
    for (let from = 0; from < objects.length; from += AT_ONCE)
      tellers.push(...(await Promise.all(objects.slice(from, from + AT_ONCE).map(tellerOf))));
    return new Map(findTellings(tellers).map((telling) => [telling.object.key, telling]));
  };
  return {
    close: async () => (await pool)?.close(),
    async *files(snapshot, data) {
      for (const { path, bytes } of apiFiles(data, ROUTES)) yield { path, digest: () => sha256(bytes) };
      const { page_images: pageImages = 0 } = data.library;
      let tellings: ReturnType<typeof tellingsOf> | null = null;
      for (const row of data.objects) {
        const { key, kind } = row;
        const drawn = kind === "pdf" && pageImages > 0 ? pageImages : undefined;
        const tellingOf = async () => (asks(kind) ? (await (tellings ??= tellingsOf(snapshot, data))).get(key) : undefined);
        yield { path: `extracts/${key}`, digest: async () => (await digestsOf(snapshot, row, drawn, await tellingOf())).extract };
        if (drawn === undefined && kind !== "notebook") continue;
        // Only reading shows which images there are.
        for (const { page, digest } of (await digestsOf(snapshot, row, drawn)).images)
          yield { path: pageImageFile(key, page), digest: () => digest };
      }
      for (const { path, bytes } of (await renderer()).assets) yield { path, digest: () => sha256(bytes) };
      if (data.library.view === "public") yield* publicFiles(snapshot, data, await renderer());
    },
  };
}

async function* publicFiles(snapshot: Snapshot, data: ViewData, renderer: Renderer): AsyncGenerator<DerivedSource> {
  const extract = async (key: string): Promise<Extract> => {
    const found = await snapshot.extract(key);
    if (found === null) throw new Error("the object has no extract");
    return found;
  };
  const paths: string[] = [];
  for (const page of storedPages(data, ROUTES, { digest: () => "", read: extract })) {
    yield { path: page.file, digest: async () => sha256(await renderer.render(await page.input())) };
    paths.push(page.path);
  }
  for (const { path, text } of textFiles(data, paths)) yield { path, digest: () => sha256(text) };
}

/** objectBytes reads an object's bytes. @throws Error when the snapshot has no such object */
export async function objectBytes(snapshot: Snapshot, key: string): Promise<Uint8Array> {
  const entry = await snapshot.find(`objects/${key}`);
  if (entry?.kind !== "blob") throw new Error("the object is missing");
  return new Uint8Array(await snapshot.read(entry));
}
