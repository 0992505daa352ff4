/** Objects that a browser would run on the origin of a host that goes by names and sends no headers of its own: pages, drawings,
 *  XML, scripts. In an export their bytes lie under a name that ends in `.txt`, and at their own path a note says so. */
import { formatKeyPath, linkPattern } from "#snapshots/format";

/** Anywhere in a name, because some hosts heed each ending. Other kinds of XML are found by how they begin. */
const ACTIVE = new Set(
  (
    "html htm xhtml xhtm xht shtml shtm stm svg svgz xml xsl xslt xsd rdf rss atom mathml mml mht mhtml hta htc swf " +
    "js mjs cjs es php phtml phar asp aspx jsp cgi"
  ).split(" "),
);
/** Read by hosts themselves: not even a note may lie there. */
const CONFIGURATION = new Set([".htaccess", ".user.ini", "web.config"]);
/** Bytes that may stand before the first sign of markup: byte order marks, white space, the zeros of wide text. */
const BEFORE_MARKUP = new Set([0xef, 0xbb, 0xbf, 0xfe, 0xff, 0x00, 0x09, 0x0a, 0x0c, 0x0d, 0x20]);

const nameOf = (key: string): string => key.slice(key.lastIndexOf("/") + 1);

export function isActive(key: string, bytes: Uint8Array): boolean {
  const name = nameOf(key).toLowerCase();
  const endings = name.split(".").slice(1);
  if (endings.at(-1) === "txt") return false;
  if (CONFIGURATION.has(name) || endings.some((ending) => ACTIVE.has(ending))) return true;
  return bytes.find((byte) => !BEFORE_MARKUP.has(byte)) === 0x3c;
}

/** harmlessKey gives the key under which the bytes of an active object lie.
 *  @param keys of all objects: none is written over */
export function harmlessKey(key: string, keys: Pick<ReadonlySet<string>, "has">): string {
  let harmless = `${key}.txt`;
  while (keys.has(harmless)) harmless += ".txt";
  return harmless;
}

/** noteFor returns what lies at the object's own path; well-formed as HTML and as XML. null where nothing may lie. */
export function noteFor(key: string, harmless: string): Uint8Array | null {
  const name = nameOf(key);
  if (CONFIGURATION.has(name.toLowerCase())) return null;
  const shown = name
    .replaceAll(/[\p{Cc}\p{Cn}]/gu, "\ufffd")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;");
  const href = encodeURIComponent(nameOf(harmless));
  return Buffer.from(
    `<!DOCTYPE html>\n<html xmlns="http://www.w3.org/1999/xhtml" lang="en"><head><meta charset="utf-8" /><title>${shown}</title></head><body><p>Browsers run files of this kind, and this host cannot tell them not to. The bytes of <bdi>${shown}</bdi> lie under <a href="./${href}">a name that nothing runs</a>.</p></body></html>\n`,
  );
}

/** relink makes the links of a page or a JSON file lead to where the bytes lie; a picture is put into the page, where nothing in it runs. Another
 *  way to write a path leads to the note.
 *  @param renamed key → key
 *  @param picture bytes of an object that is an SVG, or null when it is none */
export async function relink(
  text: string,
  renamed: ReadonlyMap<string, string>,
  picture: (key: string) => Promise<Uint8Array | null>,
): Promise<string> {
  let linked = "";
  let done = 0;
  for (const found of text.matchAll(linkPattern())) {
    const [whole, opening = "", before = "", path = ""] = found;
    const key = decodeURIComponent(path);
    const harmless = renamed.get(key);
    if (harmless === undefined) continue;
    const svg = opening === 'src="' ? await picture(key) : null;
    linked += text.slice(done, found.index) + opening;
    linked += svg === null ? before + formatKeyPath(harmless) : `data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}`;
    done = found.index + whole.length;
  }
  return linked + text.slice(done);
}
