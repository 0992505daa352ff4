/** The log of publications checked in a browser, with WebCrypto and nothing else: C2SP tlog-checkpoint, signed-note and tlog-tiles, and the
 *  hashes of RFC 6962. What is checked comes from the very server that is to be checked. */

export type Bytes = Uint8Array<ArrayBuffer>;
/** Bytes of a file of the shelf by its path under /shelf/. */
export type ReadFile = (path: string) => Promise<Bytes>;

export type Checkpoint = { readonly origin: string; readonly size: number; readonly root: string; readonly text: string };

/** What keeps a statement from holding, in words. */
export class Broken extends Error {}

const TILE_WIDTH = 256;

function base64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}
function fromBase64(text: string): Bytes {
  return Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
}
export async function sha256(...parts: readonly Uint8Array[]): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", await new Blob(parts as Bytes[]).arrayBuffer()));
}
export function hex(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

export function parseCheckpoint(text: string): Checkpoint {
  const [origin = "", size = "", root = ""] = text.split("\n");
  if (origin === "" || !/^[1-9][0-9]{0,14}$/.test(size) || !/^[A-Za-z0-9+/]{43}=$/.test(root))
    throw new Broken("the checkpoint is none: an origin, a number of entries and a root are expected");
  return { origin, size: Number(size), root, text };
}

/** @param key `<name>+<id>+<base64>`
 *  @throws Broken when it did not sign the checkpoint */
export async function checkSignature({ text }: Checkpoint, key: string): Promise<void> {
  const [, name = "", id = "", encoded = ""] = /^([^+]+)\+([0-9a-f]{8})\+(.+)$/.exec(key) ?? [];
  const [type = 0, ...raw] = fromBase64(encoded);
  const named = hex(await sha256(new TextEncoder().encode(`${name}\n`), Uint8Array.of(type, ...raw))).slice(0, 8);
  if (type !== 1 || raw.length !== 32 || named !== id)
    throw new Broken("the key that is said to sign the log is none that this page can check");
  const end = text.lastIndexOf("\n\n");
  const signature = text
    .slice(end + 2)
    .split("\n")
    .filter((line) => line.startsWith(`\u2014 ${name} `))
    .map((line) => fromBase64(line.slice(name.length + 3)))
    .find((bytes) => hex(bytes.slice(0, 4)) === id);
  if (signature === undefined) throw new Broken(`${name} has not signed the checkpoint`);
  const verifier = await crypto.subtle.importKey("raw", Uint8Array.from(raw), "Ed25519", false, ["verify"]);
  if (!(await crypto.subtle.verify("Ed25519", verifier, signature.slice(4), new TextEncoder().encode(text.slice(0, end + 1)))))
    throw new Broken(`the signature of ${name} is not of this checkpoint`);
}

function tilePath(level: number | "entries", index: number, width: number): string {
  const digits = String(index);
  const parts = digits.padStart(Math.ceil(digits.length / 3) * 3, "0").match(/.{3}/g) ?? [];
  const name = parts.map((part, at) => (at < parts.length - 1 ? `x${part}` : part)).join("/");
  return `tile/${level}/${name}${width === TILE_WIDTH ? "" : `.p/${width}`}`;
}
function widthOf(level: number, index: number, size: number): number {
  return Math.min(TILE_WIDTH, Math.floor(size / TILE_WIDTH ** level) - index * TILE_WIDTH);
}

export type Log = {
  /** Roots over the first entries and over all, made of the same hashes of the first: when both are what was said, the one tree is the
   *  beginning of the other. */
  roots(older: number): Promise<{ readonly older: string; readonly all: string }>;
  /** Root over all, with this as an entry. @param index from 0 */
  rootWith(index: number, entry: Uint8Array): Promise<string>;
  /** Entries of a bundle. */
  entries(bundle: number): Promise<readonly Bytes[]>;
};

/** Reads a log of this size; no hash is believed before a root that is signed comes out of it. */
export function openLog(size: number, read: ReadFile): Log {
  const tiles = new Map<string, Promise<Bytes>>();
  const tile = (level: number, index: number): Promise<Bytes> => {
    const path = tilePath(level, index, widthOf(level, index, size));
    const reading = tiles.get(path) ?? read(path);
    tiles.set(path, reading);
    return reading;
  };
  const node = (left: Bytes, right: Bytes): Promise<Bytes> => sha256(Uint8Array.of(1), left, right);
  /** Hash over [start, end): read where a tile has it, else made of two halves. @param cut lies in nothing that is read */
  const range = async (start: number, end: number, cut = 0): Promise<Bytes> => {
    const height = Math.log2(end - start);
    const level = Math.floor(height / 8);
    if (Number.isInteger(height) && height % 8 === 0 && !(start < cut && cut < end)) {
      const index = start / (end - start);
      const bytes = await tile(level, Math.floor(index / TILE_WIDTH));
      const at = (index % TILE_WIDTH) * 32;
      if (bytes.length !== widthOf(level, Math.floor(index / TILE_WIDTH), size) * 32)
        throw new Broken("a tile of the log is too short or too long");
      return bytes.slice(at, at + 32);
    }
    const split = start + 2 ** (Math.ceil(height) - 1);
    return node(await range(start, split, cut), await range(split, end, cut));
  };
  const rangeWith = async (start: number, end: number, index: number, leaf: Bytes): Promise<Bytes> => {
    if (end - start === 1) return leaf;
    const split = start + 2 ** (Math.ceil(Math.log2(end - start)) - 1);
    return index < split
      ? node(await rangeWith(start, split, index, leaf), await range(split, end))
      : node(await range(start, split), await rangeWith(split, end, index, leaf));
  };
  return {
    roots: async (older) => ({ older: base64(await range(0, older)), all: base64(await range(0, size, older)) }),
    rootWith: async (index, entry) => base64(await rangeWith(0, size, index, await sha256(Uint8Array.of(0), entry))),
    async entries(bundle) {
      const bytes = await read(tilePath("entries", bundle, widthOf(0, bundle, size)));
      const entries: Bytes[] = [];
      for (let at = 0; at + 2 <= bytes.length; ) {
        const end = at + 2 + (bytes[at] ?? 0) * 256 + (bytes[at + 1] ?? 0);
        entries.push(bytes.slice(at + 2, end));
        at = end;
      }
      return entries;
    },
  };
}
