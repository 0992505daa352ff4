/** Authors, date and licence of each object: what it says itself, else what the configuration says of its prefix, else what a licence
 *  file or CITATION.cff in its folder or above it says. A public object hears of public files alone. */
import { findCollection, parentPrefix } from "#snapshots/format";
import type { About } from "#snapshots/schema";
import type { Config } from "#generator/config";
import { isCitationFile, isLicenceFile, NO_ABOUT } from "#generator/extract";
import type { ReadRow } from "#generator/kept";

export function withCredits(
  rows: readonly ReadRow[],
  { credits, collections }: Pick<Config, "credits" | "collections">,
): readonly ReadRow[] {
  const isPublic = (key: string): boolean => findCollection(collections, key)?.visibility === "public";
  const speaking = rows.filter(({ key, about }) => about !== undefined && (isLicenceFile(key) || isCitationFile(key)));
  const open = byFolder(speaking.filter(({ key }) => isPublic(key)));
  const all = byFolder(speaking);
  return rows.map((row) => {
    const { about: own = NO_ABOUT, key, kind } = row;
    const declared = credits.filter(({ prefix }) => key.startsWith(prefix)).sort((a, b) => b.prefix.length - a.prefix.length)[0];
    const folder = speaking.length === 0 ? NO_ABOUT : nearest(isPublic(key) ? open : all, key);
    const authors = [own.authors, declared?.authors ?? [], kind === "code" ? folder.authors : []].find(({ length }) => length > 0);
    const license = own.license ?? declared?.license ?? folder.license;
    return {
      ...row,
      ...(authors === undefined ? {} : { authors }),
      ...(own.date === null ? {} : { date: own.date }),
      ...(license === null ? {} : { license }),
      ...(own.lang === undefined ? {} : { lang: own.lang }),
      ...(own.addresses === undefined ? {} : { addresses: own.addresses }),
    };
  });
}

/** The licence file's word on terms counts before the other's. */
function byFolder(speaking: readonly ReadRow[]): ReadonlyMap<string, About> {
  const folders = new Map<string, About>();
  for (const { key, about = NO_ABOUT } of [...speaking].sort((a, b) => Number(isCitationFile(a.key)) - Number(isCitationFile(b.key)))) {
    const known = folders.get(parentPrefix(key)) ?? NO_ABOUT;
    folders.set(parentPrefix(key), {
      authors: known.authors.length > 0 ? known.authors : about.authors,
      date: null,
      license: known.license ?? about.license,
    });
  }
  return folders;
}

function nearest(folders: ReadonlyMap<string, About>, key: string): About {
  let found = NO_ABOUT;
  for (let folder = parentPrefix(key); ; folder = parentPrefix(folder)) {
    const about = folders.get(folder) ?? NO_ABOUT;
    found = { authors: found.authors.length > 0 ? found.authors : about.authors, date: null, license: found.license ?? about.license };
    if (folder === "") return found;
  }
}
