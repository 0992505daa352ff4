/** Everything in a snapshot that follows from its objects and its data, made again: what `verify` compares. */
import { type Sha256, sha256 } from "#snapshots/digest";
import { type ObjectRow, pageImageFile, type ViewData } from "#snapshots/format";
import { apiFiles, type Renderer, storedPages } from "#snapshots/page";
import type { Snapshot } from "#snapshots/shelf";
import type { Extract } from "#snapshots/schema";
import type { DerivedSource, Deriver } from "#snapshots/verify";
import type { Extracted, ExtractPool } from "#generator/extract";
import { textFiles } from "#generator/pages";
import { type Parts, type Site, usualParts } from "./parts.ts";
import { objectBytes } from "./object-bytes.ts";
import { ROUTES } from "#snapshots/service";

type ReadAgain = { readonly extract: Sha256; readonly images: readonly { readonly page: number; readonly digest: Sha256 }[] };

/** openDeriver makes a snapshot's derived files again. A snapshot that was made with other pages, or by another version, differs in every file
 *  that they made, and verify says so. */
export function openDeriver(parts: Parts = usualParts()): Deriver & { close(): Promise<void> } {
  let site: Promise<Site> | null = null;
  let pool: Promise<ExtractPool> | null = null;
  let opened: Promise<Renderer> | null = null;
  const ready = (): Promise<Site> => (site ??= parts.site());
  const extract = async (snapshot: Snapshot, key: string, pageImages?: number): Promise<Extracted> =>
    (await (pool ??= ready().then((made) => made.pool()))).extract(key, await objectBytes(snapshot, key), pageImages);
  /** By key, digest of the bytes and images: both views hold what is public, and it is read once. */
  const known = new Map<string, Promise<ReadAgain>>();
  const readAgain = async (snapshot: Snapshot, key: string, pageImages?: number): Promise<ReadAgain> => {
    const { json, images } = await extract(snapshot, key, pageImages);
    return { extract: sha256(json), images: images.map(({ page, png }) => ({ page, digest: sha256(png) })) };
  };
  const digestsOf = (snapshot: Snapshot, { key, sha256: digest }: ObjectRow, pageImages?: number): Promise<ReadAgain> => {
    const name = `${digest} ${pageImages ?? 0} ${key}`;
    const before = known.get(name);
    if (before !== undefined) return before;
    const reading = readAgain(snapshot, key, pageImages);
    known.set(name, reading);
    // An object that cannot be read is tried again when somebody looks again.
    reading.catch(() => known.delete(name));
    return reading;
  };
  const renderer = (): Promise<Renderer> => (opened ??= ready().then((made) => made.renderer()));
  return {
    close: async () => (await pool)?.close(),
    async *files(snapshot, data) {
      for (const { path, bytes } of apiFiles(data, ROUTES)) yield { path, digest: () => sha256(bytes) };
      const { page_images: pageImages = 0 } = data.library;
      for (const row of data.objects) {
        const { key, kind } = row;
        const drawn = kind === "pdf" && pageImages > 0 ? pageImages : undefined;
        yield { path: `extracts/${key}`, digest: async () => (await digestsOf(snapshot, row, drawn)).extract };
        if (drawn === undefined) continue;
        // Only drawing shows which images there are.
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
