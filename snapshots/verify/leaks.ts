/** The leak rule: nothing that only the internal view holds occurs in any byte of the public view.
 *
 *  Secret are, of everything that internal has and public has not: keys and prefixes (as they stand, percent-encoded, as
 *  slug, escaped in JSON or HTML, UTF-16), digests (hex, base64, raw), titles of at least twelve characters, evidence that was
 *  withheld, and text (runs of eight words). What the public sources themselves say, an object, a claim or a record whose
 *  author made it public, is no leak of ours: it is a warning, there and in everything derived from it.
 *  Findings never repeat a secret: a report may be published. */
import { createMatcher, MIN_NEEDLE_BYTES, type Needle } from "./needles.ts";
import { inflate, readings } from "./decode.ts";
import { eachShingle, Fingerprints } from "./shingles.ts";
import { formatKeyPath, formatSlug } from "../format/layout.ts";
import type { Extract } from "../schema/extract.ts";
import { findCollection, type ViewData } from "../format/view-data.ts";

export const MIN_SECRET_CHARACTERS = 12; // of titles and private strings; shorter ones are words that occur anywhere

const SECRET_KINDS = ["key", "digest", "title", "text", "private"] as const;
type SecretKind = (typeof SECRET_KINDS)[number];

type Secret = { readonly kind: SecretKind; published: boolean };

export type GatedSecrets = {
  readonly secrets: readonly Secret[];
  readonly match: ReturnType<typeof createMatcher>;
  readonly digests: ReadonlyMap<string, number>;
  readonly text: Fingerprints;
  readonly empty: boolean;
};

/** One file of the public side, or one part of a long one; `offset` is where the part begins.
 *  `source`: the bytes are the author's own, a public object, not something made here. */
export type ScannedFile = {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly source: boolean;
  readonly offset?: number;
  /** An object that nobody reads as text: names and digests are looked for in its bytes, and no runs of words. */
  readonly binary?: boolean;
  /** These are the software's own words, the same for every library: what they say is nobody's secret. */
  readonly software?: boolean;
};

export type Leak = {
  /** "warning" when a public source says it itself. */
  readonly severity: "error" | "warning";
  readonly kind: SecretKind;
  readonly path: string;
  /** How many secrets of this kind (runs of words, for text) occur in the file. */
  readonly count: number;
  /** Byte of the first occurrence, null when it shows only after decoding. */
  readonly offset: number | null;
};

/** @param extract the extract of an object of the internal view, or null
 *  @param extra values that are in no view at all: private fields of records, canaries; at least twelve characters each */
export async function gatedSecrets(
  publicData: ViewData,
  internalData: ViewData,
  extract: (key: string) => Promise<Extract | null>,
  extra: readonly string[] = [],
): Promise<GatedSecrets> {
  const secrets: Secret[] = [];
  const needles: Needle[] = [];
  const digests = new Map<string, number>();
  const known = new Map<string, number>();
  const add = (kind: SecretKind, value: string, spellings: readonly (string | Uint8Array)[], whole = false): void => {
    if (known.has(`${kind} ${value}`)) return;
    const id = secrets.push({ kind, published: false }) - 1;
    known.set(`${kind} ${value}`, id);
    if (kind === "digest") digests.set(value, id);
    const seen = new Set<string>();
    for (const spelling of spellings) {
      const bytes = Buffer.from(spelling);
      const text = bytes.toString("latin1");
      if (bytes.length >= MIN_NEEDLE_BYTES && !seen.has(text)) needles.push({ bytes, id, whole });
      seen.add(text);
    }
  };
  const addText = (kind: SecretKind, value: string): void => {
    if (value.length >= MIN_SECRET_CHARACTERS) add(kind, value, spellingsOf(value));
  };
  const addKey = (key: string): void => add("key", key, [...spellingsOf(key), ...addressesOf(key)], !key.endsWith("/"));
  const addDigest = (hex: string): void => {
    const raw = Buffer.from(hex, "hex");
    add("digest", hex, [raw.toString("base64").replace("=", ""), raw.toString("base64url"), raw]);
  };

  const publicKeys = new Set(publicData.objects.map((row) => row.key));
  const publicDigests = new Set(publicData.objects.map((row) => row.sha256));
  const gated = internalData.objects.filter((row) => !publicKeys.has(row.key));
  const text = new Fingerprints();
  for (const { key, sha256, title, summary } of gated) {
    addKey(key);
    if (!publicDigests.has(sha256)) addDigest(sha256);
    addText("title", title);
    addShingles(text, summary);
    for (const passage of (await extract(key))?.passages ?? []) addShingles(text, passage.text);
  }
  const publicCollections = new Set(publicData.library.collections.map((collection) => collection.id));
  for (const { id, prefix, title, summary } of internalData.library.collections) {
    if (publicCollections.has(id)) continue;
    if (prefix !== "") addKey(prefix);
    addText("title", title);
    addShingles(text, summary);
  }
  const publicRejected = new Set(publicData.rejected.map((item) => `${item.source} ${item.key}`));
  for (const item of internalData.rejected) {
    if (publicRejected.has(`${item.source} ${item.key}`)) continue;
    // Under no collection lie `.git/` and the like, which any text may name.
    const isStray = findCollection(internalData.library.collections, item.key) === null;
    if (item.key.length >= (isStray ? MIN_SECRET_CHARACTERS : MIN_NEEDLE_BYTES)) addKey(item.key);
  }
  // What one view of a claim or record shows and the other does not.
  const said = new Set(stringsOf([publicData.claims, publicData.cubs, publicData.meta, [...publicData.code.values()]]));
  for (const value of stringsOf([internalData.claims, internalData.cubs, internalData.meta, [...internalData.code.values()]])) {
    if (said.has(value)) continue;
    if (/^[0-9a-f]{64}$/.test(value)) {
      if (!publicDigests.has(value)) addDigest(value);
    } else if (!publicKeys.has(value) && !known.has(`key ${value}`)) addText("private", value);
  }
  for (const value of extra) addText("private", value);

  const found: GatedSecrets = { secrets, match: createMatcher(needles), digests, text, empty: secrets.length === 0 && text.size === 0 };
  if (!found.empty) publishKnown(found, publicData);
  return found;
}

/** What public names, titles, claims and records say anyway. Evidence that this view withholds is no such statement: what
 *  it says beyond its name, kind and access would be a leak. */
function publishKnown(secrets: GatedSecrets, data: ViewData): void {
  const claims = data.claims.claims.map((claim) => ({ ...claim, evidence: claim.evidence.filter((item) => item.access === "public") }));
  const rows = data.objects.map(({ key, title, summary }) => [key, title, summary]);
  for (const value of stringsOf([data.library, rows, data.claims.meta, claims, data.cubs, data.meta, [...data.code.values()]])) {
    publish(secrets, Buffer.from(value), value);
  }
}

function publish(secrets: GatedSecrets, bytes: Uint8Array, text: string): void {
  for (const { id } of matches(secrets, bytes)) (secrets.secrets[id] as Secret).published = true;
  eachShingle(text, (high, low) => {
    const place = secrets.text.find(high, low);
    if (place >= 0) secrets.text.publish(place);
  });
}

/** Reads every file once, in any order. @returns one leak per file and kind, by path */
export async function findLeaks(
  secrets: GatedSecrets,
  files: AsyncIterable<ScannedFile> | Iterable<ScannedFile>,
): Promise<readonly Leak[]> {
  if (secrets.empty) return [];
  const hits: { path: string; source: boolean; ids: Map<number, number | null>; places: Set<number> }[] = [];
  for await (const { path, bytes: stored, source, offset = 0, binary = false, software = false } of files) {
    const bytes = binary ? stored : inflate(path, stored);
    const ids = new Map<number, number | null>();
    const places = new Set<number>();
    for (const match of matches(secrets, bytes)) if (!ids.has(match.id)) ids.set(match.id, bytes === stored ? offset + match.offset : null);
    const texts = binary ? [] : readings(new TextDecoder().decode(bytes));
    for (const decoded of texts.slice(1))
      for (const match of matches(secrets, Buffer.from(decoded))) if (!ids.has(match.id)) ids.set(match.id, null);
    for (const reading of texts) {
      if (secrets.text.size === 0) break;
      eachShingle(reading, (high, low) => {
        const place = secrets.text.find(high, low);
        if (place >= 0) places.add(place);
      });
    }
    if (ids.size + places.size === 0) continue;
    if (source || software) {
      for (const id of ids.keys()) (secrets.secrets[id] as Secret).published = true;
      for (const place of places) secrets.text.publish(place);
    }
    if (!software) hits.push({ path, source, ids, places });
  }

  const leaks = new Map<string, Leak>();
  const tell = (severity: Leak["severity"], kind: SecretKind, path: string, offset: number | null): void => {
    const name = JSON.stringify([path, kind, severity]);
    const told = leaks.get(name);
    leaks.set(name, { severity, kind, path, count: (told?.count ?? 0) + 1, offset: told?.offset ?? offset });
  };
  for (const { path, source, ids, places } of hits) {
    for (const [id, offset] of ids) {
      const { kind, published } = secrets.secrets[id] as Secret;
      // Derived files follow their sources: the source's own warning says it.
      if (!published) tell("error", kind, path, offset);
      else if (source) tell("warning", kind, path, offset);
    }
    for (const place of places) if (!secrets.text.isPublished(place)) tell("error", "text", path, null);
  }
  return [...leaks.values()].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

function* matches(secrets: GatedSecrets, bytes: Uint8Array): Generator<{ readonly id: number; readonly offset: number }> {
  yield* secrets.match(bytes);
  if (secrets.digests.size > 0) yield* findDigests(secrets.digests, bytes);
}

const HEX_LENGTH = 64;

function* findDigests(
  digests: ReadonlyMap<string, number>,
  bytes: Uint8Array,
): Generator<{ readonly id: number; readonly offset: number }> {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
  for (const { 0: run, index } of text.matchAll(/[0-9a-f]{64,}/gi)) {
    for (let from = 0; from + HEX_LENGTH <= run.length; from++) {
      const id = digests.get(run.slice(from, from + HEX_LENGTH).toLowerCase());
      if (id !== undefined) yield { id, offset: index + from };
    }
  }
}

function addShingles(text: Fingerprints, value: string): void {
  eachShingle(value, (high, low) => text.add(high, low), true);
}

/** A text as it stands, as JSON writes it, as HTML writes it, and in UTF-16. */
function spellingsOf(text: string): (string | Uint8Array)[] {
  const html = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const quoted = html.replaceAll('"', "&quot;");
  return [
    text,
    JSON.stringify(text).slice(1, -1),
    html,
    quoted,
    quoted.replaceAll("'", "&#39;"),
    quoted.replaceAll("'", "&#x27;"),
    text.replaceAll("&", "&#38;").replaceAll("<", "&#60;"),
    Buffer.from(text, "utf16le"),
  ];
}

function addressesOf(name: string): string[] {
  const key = name.toWellFormed(); // names of refused keys may hold anything
  const slug = formatSlug(key);
  const encodedSlug = slug
    .split("/")
    .map((part) => encodeURIComponent(part).replaceAll("%3D", "="))
    .join("/");
  return [formatKeyPath(key), encodeURIComponent(key), encodeURI(key), slug, encodedSlug];
}

/** Every string inside plain data, names of members included. */
export function* stringsOf(value: unknown): Generator<string> {
  if (typeof value === "string") yield value;
  else if (Array.isArray(value)) for (const item of value) yield* stringsOf(item);
  else if (typeof value === "object" && value !== null) {
    for (const [name, item] of Object.entries(value)) {
      yield name;
      yield* stringsOf(item);
    }
  }
}
