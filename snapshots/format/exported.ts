/** restoreLinks undoes what an export changes in a page: where the bytes of objects lie that a browser would run. A page that was exported is
 *  held against its file here. Whoever sent it controls all of it, so nothing is cut out before it is compared: each place that may differ is
 *  compared by itself, and put back as the file has it. */

/** linkPattern finds where a page, or a JSON file, names the bytes of an object: what opens it, the path before the key, the key. */
export const linkPattern = (): RegExp => /(href="|src="|"href":"|curl -s '?)([^"'\s<]*?\/objects\/)([^"'?#\s<|&]+)/g;

/** A picture lies in the exported page itself. */
const PICTURE = /src="data:image\/svg\+xml;base64,[A-Za-z0-9+/=]*"/;
const PLACE = new RegExp(`${linkPattern().source}|${PICTURE.source}`, "g");

/** Keys says whether an object of the snapshot has a key. */
type Keys = { has(key: string): Promise<boolean> };

/** restoreLinks returns the page as its file has it, in which every link that an export leads elsewhere is put back.
 *  @param file of the snapshot
 *  @param served in its place
 *  @param keys of the snapshot's objects
 *  @param holds whether these bytes are those of an object
 *  @returns null where a link is another than the file has, and no export makes it so */
export async function restoreLinks(
  file: string,
  served: string,
  keys: Keys,
  holds: (key: string, bytes: Uint8Array) => Promise<boolean>,
): Promise<string | null> {
  const wanted = [...file.matchAll(PLACE)];
  const found = [...served.matchAll(PLACE)];
  if (wanted.length !== found.length) return null;
  let restored = "";
  let done = 0;
  for (const [at, place] of found.entries()) {
    const [link = "", opening = "", before = "", path = ""] = wanted[at] ?? [];
    let end = place.index + place[0].length;
    if (place[0] !== link) {
      if (opening === 'src="' && PICTURE.test(place[0])) {
        const encoded = place[0].slice(place[0].indexOf(",") + 1, -1);
        if (
          !(await holds(
            decode(path),
            Uint8Array.from(atob(encoded), (sign) => sign.charCodeAt(0)),
          ))
        )
          return null;
        end -= 1; // The quotation mark stands behind the link of the file, too.
      } else if (place[1] !== opening || place[2] !== before || place[3] !== `${path}${await harmlessEnding(decode(path), keys)}`)
        return null;
    }
    restored += served.slice(done, place.index) + link;
    done = end;
  }
  return restored + served.slice(done);
}

/** harmlessEnding returns what an export adds to the key of an object that a browser would run. */
async function harmlessEnding(key: string, keys: Keys): Promise<string> {
  let ending = ".txt";
  while (await keys.has(key + ending)) ending += ".txt";
  return ending;
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
