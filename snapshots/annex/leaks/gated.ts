/** Secrets, which may not be public: of everything that the internal view has and the public one has not, keys and prefixes (as they stand,
 *  percent-encoded, as slug, escaped in JSON or HTML, UTF-16), digests (hex, base64, raw), titles of at least twelve characters, evidence that was
 *  withheld, and text (runs of eight words). What a public source says is no secret. */
import { createMatcher, type NeedleMatch, MIN_NEEDLE_BYTES, type Needle } from "./needles.ts";
import { readTexts } from "./decode.ts";
import { eachShingle, Fingerprints } from "./shingles.ts";
import { findCollection, formatKeyPath, formatSlug, type ObjectRow, type ViewData } from "#snapshots/format";
import { type Extract, KINDS } from "#snapshots/schema";

export const MIN_SECRET_CHARACTERS = 12; // of titles and private strings; shorter ones are words that occur anywhere

export type SecretKind = "key" | "digest" | "title" | "text" | "private";

type Secret = { readonly kind: SecretKind; readonly value: string; readonly owner: number; published: boolean };

/** GatedFacts is what is looked for of a gated object: the runs of its texts, two numbers each, and whether its title is a secret. */
export type GatedFacts = { readonly runs: Uint32Array; readonly titled: boolean };

/** The public object, claim or record that said what is gated: its name and digest. */
type Witnesses = { readonly ids: Map<number, string>; readonly slots: Map<number, string> };

export type GatedSecrets = {
  /** Takes a secret for said in public. @param by its witness */
  publish(id: number, by?: string | null): void;
  /** The same of a run of words. */
  publishRun(slot: number, by?: string | null): void;
  readonly witnesses: Witnesses;
  readonly needles: readonly Needle[];
  /** Runs of summaries of gated collections, two numbers each. */
  readonly summaries: Uint32Array;
  readonly secrets: readonly Secret[];
  /** The owners that say them: gated keys, prefixes, or "" for the registry and the claims. */
  readonly owners: readonly string[];
  readonly match: ReturnType<typeof createMatcher>;
  readonly digests: ReadonlyMap<string, number>;
  readonly text: Fingerprints;
  readonly empty: boolean;
  /** Extracts of the internal view. */
  readonly extract: (key: string) => Promise<Extract | null>;
};

/** findGatedFacts returns what is looked for of a gated object. @param extract its extract, or null */
export function findGatedFacts({ key, title, summary, kind }: ObjectRow, extract: Extract | null): GatedFacts {
  const texts = textsOfExtract(extract);
  return { runs: runsOf([summary, ...texts]), titled: kind !== "code" || !isMadeOfPath(title, key, texts) };
}

function runsOf(texts: readonly string[]): Uint32Array {
  const runs: number[] = [];
  for (const text of texts) eachShingle(text, (high, low) => runs.push(high, low), true);
  return Uint32Array.from(runs);
}

/** gatedSecrets collects the gated values that no public file may say.
 *  @param extract the extract of an object of the internal view, or null
 *  @param facts of gated objects, where they are known without reading them
 *  @param extra values that are in no view at all: private fields of records, canaries; at least twelve characters each */
export async function gatedSecrets(
  publicData: ViewData,
  internalData: ViewData,
  extract: (key: string) => Promise<Extract | null>,
  extra: readonly string[] = [],
  facts = async (row: ObjectRow): Promise<GatedFacts> => findGatedFacts(row, await extract(row.key)),
): Promise<GatedSecrets> {
  const secrets: Secret[] = [];
  const owners: string[] = [];
  const needles: Needle[] = [];
  const digests = new Map<string, number>();
  const known = new Map<string, number>();
  const ownerOf = (name: string): number => owners.push(name) - 1;
  const nobody = ownerOf("");
  const add = (kind: SecretKind, value: string, owner: number, spellings: readonly (string | Uint8Array)[], whole = false): void => {
    if (known.has(`${kind} ${value}`)) return;
    const id = secrets.push({ kind, value, owner, published: false }) - 1;
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
  const addText = (kind: SecretKind, value: string, owner: number): void => {
    if (value.length >= MIN_SECRET_CHARACTERS) add(kind, value, owner, spellingsOf(value));
  };
  // Files made for search hold titles in lower case.
  const addTitle = (title: string, owner: number): void => {
    if (title.length >= MIN_SECRET_CHARACTERS) add("title", title, owner, [...spellingsOf(title), ...spellingsOf(title.toLowerCase())]);
  };
  const addKey = (key: string, owner: number): void =>
    add("key", key, owner, [...spellingsOf(key), ...addressesOf(key)], !key.endsWith("/"));
  const addDigest = (hex: string, owner: number): void => {
    const raw = Buffer.from(hex, "hex");
    add("digest", hex, owner, [raw.toString("base64").replace("=", ""), raw.toString("base64url"), raw]);
  };

  const publicKeys = new Set(publicData.objects.map((row) => row.key));
  const publicDigests = new Set(publicData.objects.map((row) => row.sha256));
  const gated = internalData.objects.filter((row) => !publicKeys.has(row.key));
  const text = new Fingerprints();
  const addRuns = (runs: Uint32Array, owner: number): void => {
    for (let at = 0; at < runs.length; at += 2) text.add(runs[at] as number, runs[at + 1] as number, owner);
  };
  for (const row of gated) {
    const { key, sha256, title } = row;
    const owner = ownerOf(key);
    addKey(key, owner);
    if (!publicDigests.has(sha256)) addDigest(sha256, owner);
    const { runs, titled } = await facts(row);
    if (titled) addTitle(title, owner);
    addRuns(runs, owner);
  }
  const summaries: number[] = [];
  const publicCollections = new Set(publicData.library.collections.map((collection) => collection.id));
  for (const { id, prefix, title, summary } of internalData.library.collections) {
    if (publicCollections.has(id)) continue;
    const owner = ownerOf(prefix);
    if (prefix !== "") addKey(prefix, owner);
    addTitle(title, owner);
    const runs = runsOf([summary]);
    addRuns(runs, owner);
    summaries.push(...runs);
  }
  const publicRejected = new Set(publicData.rejected.map((item) => `${item.source} ${item.key}`));
  for (const item of internalData.rejected) {
    if (publicRejected.has(`${item.source} ${item.key}`)) continue;
    // Under no collection lie `.git/` and the like, which any text may name.
    const isStray = findCollection(internalData.library.collections, item.key) === null;
    if (item.key.length >= (isStray ? MIN_SECRET_CHARACTERS : MIN_NEEDLE_BYTES)) addKey(item.key, ownerOf(item.key));
  }
  const unsaid = unsaidTexts(publicData, internalData, []);
  for (const value of unsaid) {
    if (/^[0-9a-f]{64}$/.test(value)) {
      if (!publicDigests.has(value)) addDigest(value, nobody);
    } else if (!publicKeys.has(value) && !known.has(`key ${value}`)) addText("private", value, nobody);
  }
  for (const value of extra) addText("private", value, nobody);

  const empty = secrets.length === 0 && text.size === 0;
  const witnesses: Witnesses = { ids: new Map(), slots: new Map() };
  const found: GatedSecrets = {
    secrets,
    owners,
    match: createMatcher(needles),
    needles,
    digests,
    text,
    summaries: Uint32Array.from(summaries),
    empty,
    extract,
    witnesses,
    publish(id, by = null) {
      const secret = secrets[id];
      if (secret === undefined || secret.published) return;
      secret.published = true;
      if (by !== null) witnesses.ids.set(id, by);
    },
    publishRun(slot, by = null) {
      if (text.isPublished(slot)) return;
      text.publish(slot);
      if (by !== null) witnesses.slots.set(slot, by);
    },
  };
  if (!empty) publishKnown(found, publicData);
  return found;
}

/** Tells whether a module is called by its path alone: the extractor makes `exporter::sinto` of `exporter/src/sinto.rs`. Whoever says that name
 *  says nothing of the path, which is looked for itself. */
function isMadeOfPath(title: string, key: string, texts: readonly string[]): boolean {
  if (/\s/.test(title) || texts.some((text) => text.includes(title))) return false;
  const path = wordsIn(key)[Symbol.iterator]();
  return wordsIn(title).every((word) => path.some((part) => part === word));
}

function wordsIn(name: string): readonly string[] {
  return name.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** textsOfExtract gives what an object says: its lines as they stand and, where that differs, as they are read. */
export function textsOfExtract(extract: Extract | null): readonly string[] {
  if (extract === null) return [];
  const { kind, html, passages } = extract;
  const texts = passages.map((passage) => passage.text);
  const { spelling } = KINDS[kind];
  if (spelling === "json") texts.push(...readTexts(Buffer.from(joinLines(extract)), "json").texts);
  if (html !== null && spelling === "page") texts.push(...readTexts(Buffer.from(html), "document").texts);
  return texts;
}

/** The text that passages were cut from, but for blank lines: parts of one line follow each other. */
function joinLines({ passages }: Extract): string {
  return passages.map(({ text, start_line }, n) => (start_line === passages[n - 1]?.end_line ? text : `\n${text}`)).join("");
}

/** Publishes what public names, claims and records say anyway. Evidence that this view withholds is no such statement: what it says beyond its
 *  name, kind and access would be a leak. Titles and summaries of objects follow from their bytes, which speak for them. */
function publishKnown(secrets: GatedSecrets, data: ViewData): void {
  const claims = data.claims.claims.map((claim) => ({ ...claim, evidence: claim.evidence.filter((item) => item.access === "public") }));
  const rows = data.objects.map(({ key, kind, media_type, uploaded }) => [key, kind, media_type, uploaded]);
  for (const value of stringsOf([data.library, rows, data.claims.meta, claims, data.cubs, data.meta, [...data.code.values()]])) {
    publishText(secrets, value);
  }
}

/** publishText marks as public all that a text says.
 *  @param by who says it */
export function publishText(secrets: GatedSecrets, text: string, by: string | null = null): void {
  for (const { id } of matches(secrets, Buffer.from(text))) secrets.publish(id, by);
  for (const { id } of matchTitles(secrets, text)) secrets.publish(id, by);
  eachShingle(text, (high, low) => {
    const place = secrets.text.find(high, low);
    if (place >= 0) secrets.publishRun(place, by);
  });
}

export function* matches(secrets: GatedSecrets, bytes: Uint8Array): Generator<NeedleMatch> {
  yield* secrets.match(bytes);
  if (secrets.digests.size > 0) yield* findDigests(secrets.digests, bytes);
}

/** matchTitles yields the titles that a text says, in any case of letters; places are those of its lower case. */
export function* matchTitles(secrets: GatedSecrets, text: string): Generator<NeedleMatch> {
  for (const match of secrets.match(Buffer.from(text.toLowerCase()))) if (secrets.secrets[match.id]?.kind === "title") yield match;
}

const HEX_LENGTH = 64;

function* findDigests(digests: ReadonlyMap<string, number>, bytes: Uint8Array): Generator<NeedleMatch> {
  for (const { run, start } of hexRuns(bytes)) {
    for (let from = 0; from + HEX_LENGTH <= run.length; from++) {
      const id = digests.get(run.slice(from, from + HEX_LENGTH));
      if (id !== undefined) yield { id, offset: start + from, end: start + from + HEX_LENGTH };
    }
  }
}

/** hexRuns yields what may be digests, in lower case. It looks at one byte of 64 where that is no hex digit, for no digest goes over it. */
export function* hexRuns(bytes: Uint8Array): Generator<{ readonly run: string; readonly start: number }> {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = HEX_LENGTH - 1; at < text.length; at += HEX_LENGTH) {
    if (!isHex(text[at])) continue;
    let start = at;
    while (isHex(text[start - 1])) start--;
    while (isHex(text[at])) at++;
    if (at - start >= HEX_LENGTH) yield { run: text.toString("latin1", start, at).toLowerCase(), start };
  }
}

function isHex(byte: number | undefined): boolean {
  return byte !== undefined && ((byte >= 0x30 && byte <= 0x39) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66));
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

/** Members that both views have, and a build has once for both where they say the same. */
const SHARED = ["claims", "cubs", "meta", "code"] as const;

/** unsaidTexts returns the strings of claims and records that the internal view says and the public one does not.
 *  @param more what is taken for said inside */
export function unsaidTexts(publicData: ViewData, internalData: ViewData, more: readonly string[]): ReadonlySet<string> {
  const unsaid = new Set(more);
  for (const name of SHARED)
    if (internalData[name] !== publicData[name]) for (const text of stringsIn(internalData[name])) unsaid.add(text);
  // Most libraries say nothing more, and a registry has millions of strings.
  for (const name of SHARED) if (unsaid.size > 0) for (const text of stringsIn(publicData[name])) unsaid.delete(text);
  return unsaid;
}

function stringsIn(member: ViewData[(typeof SHARED)[number]]): Generator<string> {
  return stringsOf(member instanceof Map ? [...member.values()] : member);
}

/** stringsOf yields every string inside plain data, names of members included. */
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
