/** Citations of an export that nobody audits: elsewhere each page has two files beside it, here those of a folder's pages lie together. */
import { CITATION_FILES, exportFile, relativeHref } from "#snapshots/format";

/** CITED matches the paths of pages that have a citation. */
export const CITED = /^\/(?:(?:object\/.*|claims\/.+|registry\/CUB-[0-9]+)\/)?$/s;
const LATER_PART = /=p[0-9]+\/$/;
/** Pages whose citations lie in one file. */
const TOGETHER = 500;
const NO_BYTES = new Uint8Array();

type CitedFile = { readonly path: string; readonly bytes: Uint8Array };

/** openCitations collects the citations of an export's pages into files.
 *  @param read what a server answers at a site path, as the file of a name; null when it has none */
export function openCitations<T extends CitedFile>(
  read: (path: string, name: string) => Promise<T | null>,
): {
  /** The file at a path, with links to where its citations lie. @param mount of the snapshot, in its own address */
  withLinks(path: string, file: T, mount: string): Promise<T>;
  /** When every page has been. */
  files(): Iterable<T>;
} {
  const counts = new Map<string, number>();
  // Texts, since a short buffer is cut out of a longer one, which it would hold: gigabytes for 150,000 pages.
  const together = new Map<string, { readonly first: T; readonly texts: string[] }>();
  let last: { readonly page: string; readonly places: ReadonlyMap<string, string> } | null = null;
  const take = async (page: string): Promise<ReadonlyMap<string, string>> => {
    // No name of a page or a folder begins with "=" and this letter.
    const folder = page === "/" ? page : page.replace(/[^/]*\/$/, "");
    const count = counts.get(folder) ?? 0;
    counts.set(folder, count + 1);
    const part = Math.floor(count / TOGETHER);
    const places = new Map<string, string>();
    for (const name of Object.keys(CITATION_FILES)) {
      const place = `${folder}=${part === 0 ? name : name.replace(".", `-${part + 1}.`)}`;
      const cited = await read(page + name, exportFile(place));
      if (cited === null) continue;
      const { texts } = together.get(place) ?? { texts: [] as string[] };
      if (texts.push(Buffer.from(cited.bytes).toString()) === 1) together.set(place, { first: { ...cited, bytes: NO_BYTES }, texts });
      places.set(name, place);
    }
    return places;
  };
  return {
    async withLinks(path, file, mount) {
      if (!CITED.test(path)) return file;
      // A long text is cited as a whole, beside its first part.
      const page = path.replace(LATER_PART, "");
      // The parts of a text come one behind the other.
      const places = last?.page === page ? last.places : await take(page);
      last = { page, places };
      return { ...file, bytes: Buffer.from(linked(Buffer.from(file.bytes).toString(), { path, page, mount, places })) };
    },
    *files() {
      for (const [place, { first, texts }] of together) yield { ...first, path: exportFile(place), bytes: joined(place, texts) };
    },
  };
}

type Page = {
  readonly path: string;
  /** That has the citation: of a later part, the first one. */
  readonly page: string;
  readonly mount: string;
  readonly places: ReadonlyMap<string, string>;
};

/** Links are relative, or an address with a name behind it. */
function linked(html: string, { path, page, mount, places }: Page): string {
  return html.replaceAll(/(<(?:a|link)\b[^>]*?\shref=")([^"]*?cite\.(?:bib|json))"/g, (whole, tag: string, href: string) => {
    const name = href.slice(href.lastIndexOf("/") + 1);
    const place = places.get(name);
    const target = href.replaceAll("&#39;", "'");
    if (place === undefined || !URL.canParse(target, `http://host${mount}${path}`)) return whole;
    const beside = [path, page].find((one) => new URL(target, `http://host${mount}${path}`).pathname.endsWith(mount + one + name));
    if (beside === undefined) return whole;
    const isAddress = /^https?:/.test(target);
    return `${tag}${isAddress ? target.slice(0, -(beside + name).length) + place : relativeHref(mount + path, mount + place)}"`;
  });
}

function joined(place: string, texts: readonly string[]): Buffer {
  if (place.endsWith(".bib")) return Buffer.from(texts.map((text) => `${text.trimEnd()}\n`).join("\n"));
  return Buffer.from(`${JSON.stringify(texts.flatMap((text) => JSON.parse(text) as unknown))}\n`);
}
