/** The texts that bytes may stand for: compressed, JSON-escaped, inside HTML. Bytes come from whoever wrote the objects. */
import { brotliDecompressSync, constants, gunzipSync } from "node:zlib";

/** Bytes that one compressed file may unfold to; a bomb is read as the bytes it is. */
const MAX_INFLATED = 256 * 1024 * 1024;

/** What lies in a gzip member or a `.br` file (Pagefind's index and fragments are gzip), else the same bytes. */
export function inflate(path: string, bytes: Uint8Array): Uint8Array {
  try {
    if (bytes[0] === 0x1f && bytes[1] === 0x8b) {
      // A part of a file ends in the middle: what came so far is given.
      return gunzipSync(bytes, { maxOutputLength: MAX_INFLATED, finishFlush: constants.Z_SYNC_FLUSH });
    }
    if (path.endsWith(".br"))
      return brotliDecompressSync(bytes, { maxOutputLength: MAX_INFLATED, finishFlush: constants.BROTLI_OPERATION_FLUSH });
  } catch {
    // Not compressed after all, or too much.
  }
  return bytes;
}

const TAG = /<\/?([A-Za-z][A-Za-z0-9-]*)(?:\s[^<>]*)?\/?>|<!--.*?-->/gs;
const INLINE = new Set(["a", "abbr", "b", "code", "em", "i", "mark", "s", "small", "span", "strong", "sub", "sup", "u", "wbr"]);
const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'", nbsp: " " };
const JSON_ESCAPES: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f" };

/** The text itself first, then what it says once its JSON escapes are resolved, its tags and entities, or both. */
export function readings(text: string): string[] {
  const texts = text.includes("\\") ? [text, unescapeJson(text)] : [text];
  return [...new Set([...texts, ...texts.map((one) => (/[<&]/.test(one) ? stripMarkup(one) : one))])];
}

function stripMarkup(text: string): string {
  return decodeEntities(text.replaceAll(TAG, (_, name?: string) => (name !== undefined && INLINE.has(name.toLowerCase()) ? "" : " ")));
}

function unescapeJson(text: string): string {
  return text.replaceAll(/\\(?:u([0-9a-fA-F]{4})|(.))/gs, (_, hex: string | undefined, letter: string) =>
    hex === undefined ? (JSON_ESCAPES[letter] ?? letter) : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

function decodeEntities(text: string): string {
  return text.replaceAll(
    /&(?:#x([0-9a-fA-F]{1,6})|#([0-9]{1,7})|([a-z]{2,6}));/g,
    (whole, hex?: string, decimal?: string, name?: string) => {
      if (name !== undefined) return ENTITIES[name] ?? whole;
      const code = hex === undefined ? Number.parseInt(decimal ?? "", 10) : Number.parseInt(hex, 16);
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
}
