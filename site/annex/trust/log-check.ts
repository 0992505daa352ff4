/** The log of publications checked in a browser: the hashes and signatures of WebCrypto over the tree, tiles and heads that the program has, too
 *  (snapshots/log/shape.ts). What is checked comes from the very server that is to be checked. */
import { type Nodes, rangeHash, splitEntries, splitHead, TILE_HEIGHT, TILE_WIDTH, tilePath, widthOf } from "#snapshots/log";

export type Bytes = Uint8Array<ArrayBuffer>;
/** ReadFile reads the bytes of a file of the shelf by its path under /shelf/. */
export type ReadFile = (path: string) => Promise<Bytes>;

export type Checkpoint = { readonly origin: string; readonly size: number; readonly root: string; readonly text: string };

/** Broken says in words what keeps a statement from holding. */
export class Broken extends Error {}

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
  const end = text.lastIndexOf("\n\n");
  const head = splitHead(end < 0 ? text : text.slice(0, end + 1));
  if (head === null || head.size === 0) throw new Broken("the checkpoint is none: an origin, a number of entries and a root are expected");
  return { ...head, text };
}

/** checkSignature checks that a key signed a checkpoint.
 *  @param key `<name>+<id>+<base64>`
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

const HASH_BYTES = 32;

export type Log = {
  /** Roots over the first entries and over all, made of the same hashes of the first: when both are what was said, the one tree is the
   *  beginning of the other. */
  roots(older: number): Promise<{ readonly older: string; readonly all: string }>;
  /** Root over all, with this as an entry. @param index from 0 */
  rootWith(index: number, entry: Uint8Array): Promise<string>;
  /** Entries of a bundle. */
  entries(bundle: number): Promise<readonly Bytes[]>;
};

/** openLog reads a log of this size; no hash is believed before a root that is signed comes out of it. */
export function openLog(size: number, read: ReadFile): Log {
  const tiles = new Map<string, Promise<Bytes>>();
  const tile = (level: number, index: number): Promise<Bytes> => {
    const path = tilePath(level, index, widthOf(level, index, size));
    const reading = tiles.get(path) ?? read(path);
    tiles.set(path, reading);
    return reading;
  };
  /** @param cut lies in nothing that is read */
  const nodes = (cut = 0): Nodes<Bytes> => ({
    join: (left, right) => sha256(Uint8Array.of(1), left, right),
    reads: (start, end, height) => height % TILE_HEIGHT === 0 && !(start < cut && cut < end),
    async read(height, index) {
      const [level, of] = [height / TILE_HEIGHT, Math.floor(index / TILE_WIDTH)];
      const bytes = await tile(level, of);
      if (bytes.length !== widthOf(level, of, size) * HASH_BYTES) throw new Broken("a tile of the log is too short or too long");
      const at = (index % TILE_WIDTH) * HASH_BYTES;
      return bytes.slice(at, at + HASH_BYTES);
    },
  });
  return {
    roots: async (older) => ({
      older: base64(await rangeHash(0, older, nodes())),
      all: base64(await rangeHash(0, size, nodes(older))),
    }),
    async rootWith(index, entry) {
      const leaf = await sha256(Uint8Array.of(0), entry);
      const { read, join } = nodes();
      const has = (start: number, end: number): boolean => start <= index && index < end;
      return base64(
        await rangeHash(0, size, {
          join,
          reads: (start, end, height) => height % TILE_HEIGHT === 0 && !has(start, end),
          read: async (height, at) => (height === 0 && at === index ? leaf : read(height, at)),
        }),
      );
    },
    async entries(bundle) {
      const width = widthOf(0, bundle, size);
      const bytes = await read(tilePath("entries", bundle, width));
      const { entries, end } = splitEntries(bytes, width);
      if (entries.length < width || end < bytes.length) throw new Broken("a bundle of entries of the log is too short or too long");
      return entries;
    },
  };
}
