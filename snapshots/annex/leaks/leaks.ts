/** The leak rule: nothing that only the internal view holds occurs in any byte of the public view. README.md has it in prose.
 *
 *  What a public source says, an object, a claim or a record whose author made it public, is no leak: neither there nor in
 *  anything made of it. */
import { cutText } from "#snapshots/format";
import { NO_PLACE, type TextPlace } from "./decode.ts";
import { type GatedSecrets, publishText, type SecretKind, textsOfExtract } from "./gated.ts";
import { findRuns, type ScannedText, readStretch, type Run, type LeakScan, scanFile, stretches } from "./scan.ts";
import type { ScannedFile } from "#snapshots/verify";
import { type Fingerprints, SHINGLE_WORDS } from "./shingles.ts";
import type { Sketch } from "./sketch.ts";

/** Words that a public object and a gated one share, from which on it is worth a word; or the share of a public text that is gated. */
const LONG_PASSAGE = 20;
const WHOLE = 0.9;
/** A title of fewer words may be anybody's. */
const TELLING_TITLE = /\S\s+\S+\s+\S/;
/** Public objects that share a passage, above which it is boilerplate. */
const MAX_SHARERS = 3;
const MAX_SHOWN = 400; // characters of a text that is told

export type Leak = {
  /** "warning" when a public source says it itself. */
  readonly severity: "error" | "warning";
  readonly kind: SecretKind;
  /** The words that are not public: for the operator of the build, and nobody else. */
  readonly text: string;
  /** `name` is what an allowance calls the file: the key of an object, else its path in the snapshot. */
  readonly public: { readonly name: string; readonly path: string } & TextPlace;
  /** `name` is a gated key or prefix; null for a value of the registry or the claims. */
  readonly gated: { readonly name: string | null; readonly line: number | null };
};

/** SharedPassages are passages that stand in a public object and in a gated one: no leak, since they are public by their own source. `words`
 *  counts those of all, and the two places are where the first one begins. */
type SharedPassages = {
  readonly words: number;
  readonly public: { readonly key: string; readonly line: number };
  readonly gated: { readonly key: string; readonly line: number | null };
};

/** An Allowance says what may be public all the same: a text, or whatever one gated object says, or what is both. */
export type Allowance = {
  /** True when it is meant for a file of this name. */
  readonly covers: (name: string) => boolean;
  readonly text: string | null;
  readonly gated: string | null;
};

export type LeakOptions = {
  /** The texts that the reader makes of a public object's bytes alone, as texts; null when that cannot be told. Asked where an extract says
   *  something that the bytes do not say as they stand. */
  readonly reread?: (key: string) => Promise<readonly string[] | null>;
  readonly allow?: readonly Allowance[];
  /** Name and digest of the public object, claim or record with a key or id; null when there is none. */
  readonly witness?: (keyOrId: string) => string | null;
  /** Gets what files that are made here say. */
  readonly sketch?: Sketch;
};

export type LeakFindings = {
  /** By path. */
  readonly leaks: readonly Leak[];
  /** The longest first. */
  readonly shared: readonly SharedPassages[];
  /** True for each allowance that allowed anything. */
  readonly allowed: readonly boolean[];
  /** Files that were looked through, and their bytes. */
  readonly looked: { readonly files: number; readonly bytes: number };
};

/** LEAK_RULE changes when the check looks for other things, or in other places. */
export const LEAK_RULE = "3";

type Name = { readonly name: string; readonly path: string };
type Hit = Name & { readonly source: boolean; readonly id: number; readonly place: () => TextPlace };
type TextHit = Name & ScannedText;

/** findLeaks reads every file once. Public objects have to come before their extracts, and these before what is made of them. */
export async function findLeaks(
  secrets: GatedSecrets,
  files: AsyncIterable<ScannedFile> | Iterable<ScannedFile>,
  { reread = async () => null, allow = [], witness = () => null, sketch }: LeakOptions = {},
): Promise<LeakFindings> {
  const looked = { files: 0, bytes: 0 };
  if (secrets.empty) return { leaks: [], shared: [], allowed: allow.map(() => false), looked };
  const allowances = await Promise.all(allow.map((one) => openAllowance(secrets, one)));
  const hits: Hit[] = [];
  const textHits: TextHit[] = [];
  const passages: Passages = new Map();
  for await (const file of files) {
    const { path, source, software = false } = file;
    const name = nameOf(path);
    if (!software) {
      looked.files++;
      looked.bytes += file.bytes.length;
    }
    const found = scanFile(secrets, file, source || software ? null : sketch);
    if (source || software) {
      publishAll(secrets, found, source ? witness(name) : null);
      for (const id of source ? found.ids.keys() : []) {
        const { kind = "title", value = "" } = secrets.secrets[id] ?? {};
        if ((kind !== "title" || TELLING_TITLE.test(value)) && !found.inside.has(id))
          hits.push({ name, path, source, id, place: found.ids.get(id) ?? (() => NO_PLACE) });
      }
      continue;
    }
    if (path.startsWith("extracts/")) {
      for (const text of found.texts) notePassages(secrets.text, name, text, passages);
      if (holdsSecrets(secrets, found)) for (const text of (await reread(name)) ?? []) publishText(secrets, text, witness(name));
    }
    for (const one of allowances) if (one.covers(name)) allowIn(secrets, found, one);
    for (const [id, place] of found.ids) {
      if (!isKnown(secrets, id)) hits.push({ name, path, source, id, place });
    }
    for (const text of found.texts) {
      if (openRuns(secrets, text).length > 0) textHits.push({ name, path, ...text });
    }
  }

  const locate = openLocator(secrets);
  const leaks = [...(await tellHits(secrets, hits)), ...(await tellTextHits(secrets, textHits, locate))];
  leaks.sort(({ public: a }, { public: b }) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  return { leaks, shared: await tellPassages(passages, locate), allowed: allowances.map(({ used }) => used), looked };
}

async function tellHits(secrets: GatedSecrets, hits: readonly Hit[]): Promise<readonly Leak[]> {
  const leaks: Leak[] = [];
  for (const { name, path, source, id, place } of hits) {
    const published = isKnown(secrets, id);
    // Derived files follow their sources: the source's own warning says it.
    if (published && !source) continue;
    const { kind, value, owner } = secrets.secrets[id] as GatedSecrets["secrets"][number];
    const from = secrets.owners[owner] || null;
    const line = published || kind !== "title" || from === null ? null : await findLine(secrets, from, value);
    const severity = published ? "warning" : "error";
    leaks.push({ severity, kind, text: value, public: { name, path, ...place() }, gated: { name: from, line } });
  }
  const keys = Map.groupBy(
    leaks.filter(({ kind }) => kind === "key"),
    ({ public: { path } }) => path,
  );
  return leaks.filter((leak) => !isToldByKey(leak, keys.get(leak.public.path) ?? []));
}

async function tellTextHits(secrets: GatedSecrets, hits: readonly TextHit[], locate: Locate): Promise<readonly Leak[]> {
  const leaks: Leak[] = [];
  for (const hit of hits) {
    for (const stretch of stretches(openRuns(secrets, hit))) {
      const { start, words } = readStretch(hit.text, stretch);
      const place = { name: hit.name, path: hit.path, ...hit.place(start) };
      leaks.push({ severity: "error", kind: "text", text: shorten(words), public: place, gated: await locate(stretch[0].slot) });
    }
  }
  return leaks;
}

/** The name by which an allowance calls a file. */
function nameOf(path: string): string {
  return /^(?:objects|extracts)\/(.*)$/s.exec(path)?.[1] ?? path;
}

function isKnown({ secrets }: GatedSecrets, id: number): boolean {
  return secrets[id]?.published === true;
}

/** A gated prefix says no more than the gated key that begins with it. */
function isToldByKey({ kind, text }: Leak, keys: readonly Leak[]): boolean {
  return kind === "key" && text.endsWith("/") && keys.some((one) => one.text.length > text.length && one.text.startsWith(text));
}

function openRuns({ text }: GatedSecrets, { runs }: ScannedText): readonly Run[] {
  return runs.filter(({ slot }) => !text.isPublished(slot));
}

function holdsSecrets(secrets: GatedSecrets, { ids, texts }: LeakScan): boolean {
  return ids.keys().some((id) => !isKnown(secrets, id)) || texts.some((text) => openRuns(secrets, text).length > 0);
}

function publishAll(secrets: GatedSecrets, { ids, texts }: LeakScan, by: string | null): void {
  for (const id of ids.keys()) secrets.publish(id, by);
  for (const { runs } of texts) for (const { slot } of runs) secrets.publishRun(slot, by);
}

function shorten(text: string): string {
  return cutText(text.replaceAll(/\s+/g, " "), MAX_SHOWN);
}

/** Number of the first line that has a title as it is told; null where markup stands between its words. */
async function findLine(secrets: GatedSecrets, key: string, title: string): Promise<number | null> {
  for (const { text, start_line } of (await secrets.extract(key))?.passages ?? []) {
    const at = text.indexOf(title);
    if (at >= 0) return start_line + text.slice(0, at).split("\n").length - 1;
  }
  return null;
}

type Locate = (slot: number) => Promise<Leak["gated"]>;

/** Finds the gated object that says a run of words first, and on which line. */
function openLocator(secrets: GatedSecrets): Locate {
  const lines = new Map<string, Map<number, number>>();
  return async (slot) => {
    const name = secrets.owners[secrets.text.ownerOf(slot)] || null;
    if (name === null) return { name, line: null };
    const known = lines.get(name);
    const found = known ?? new Map<number, number>();
    lines.set(name, found);
    for (const { text, start_line } of known === undefined ? ((await secrets.extract(name))?.passages ?? []) : []) {
      for (const run of findRuns(secrets, text)) {
        if (found.has(run.slot)) continue;
        const { start } = readStretch(text, [run, run]);
        found.set(run.slot, start_line + text.slice(0, start).split("\n").length - 1);
      }
    }
    return { name, line: found.get(slot) ?? null };
  };
}

/** By the gated run that it begins with. */
type Passages = Map<number, { readonly key: string; readonly line: number; readonly words: number }[]>;

/** Keeps what a public object shares with one gated object alone, where it is long. */
function notePassages(gated: Fingerprints, key: string, { text, runs, place }: ScannedText, passages: Passages): void {
  const own = runs.filter(({ slot }) => !gated.isCommon(slot));
  for (const stretch of stretches(own, (one, next) => gated.ownerOf(one.slot) === gated.ownerOf(next.slot))) {
    const [first, last] = stretch;
    const words = last.number - first.number + SHINGLE_WORDS;
    const isLong = words >= LONG_PASSAGE || words >= WHOLE * text.trim().split(/\s+/).length;
    const line = !isLong ? null : place(readStretch(text, stretch).start).line;
    if (line !== null) passages.set(first.slot, [...(passages.get(first.slot) ?? []), { key, line, words }]);
  }
}

async function tellPassages(passages: Passages, locate: Locate): Promise<readonly SharedPassages[]> {
  const pairs = new Map<string, SharedPassages>();
  for (const [slot, sharers] of passages) {
    if (sharers.length > MAX_SHARERS) continue;
    const { name, line } = await locate(slot);
    if (name === null) continue;
    for (const { key, line: at, words } of sharers) {
      const pair = JSON.stringify([key, name]);
      const known = pairs.get(pair) ?? { words: 0, public: { key, line: at }, gated: { key: name, line } };
      pairs.set(pair, { ...known, words: known.words + words });
    }
  }
  return [...pairs.values()].sort((a, b) => b.words - a.words);
}

type OpenAllowance = {
  readonly covers: Allowance["covers"];
  readonly ids: ReadonlySet<number>;
  readonly slots: ReadonlySet<number>;
  used: boolean;
};

async function openAllowance(secrets: GatedSecrets, { covers, text, gated }: Allowance): Promise<OpenAllowance> {
  const extract = gated === null ? null : await secrets.extract(gated);
  const slotsOf = (texts: readonly string[]): Set<number> =>
    new Set(texts.flatMap((one) => findRuns(secrets, one).map(({ slot }) => slot)));
  const said = extract === null ? [] : [extract.summary, ...textsOfExtract(extract)];
  const [byText, byOwner] = [text === null ? null : slotsOf([text]), gated === null ? null : slotsOf(said)];
  const slots = byText !== null && byOwner !== null ? byText.intersection(byOwner) : (byText ?? byOwner ?? new Set<number>());
  const ids = secrets.secrets.flatMap(({ value, owner }, id) =>
    (text === null || value === text) && (gated === null || secrets.owners[owner] === gated) ? [id] : [],
  );
  return { covers, slots, ids: new Set(ids), used: false };
}

/** Takes what is allowed here for said in public, so that what is made of this file may say it, too. */
function allowIn(secrets: GatedSecrets, { ids, texts }: LeakScan, allowance: OpenAllowance): void {
  for (const id of ids.keys()) {
    if (isKnown(secrets, id) || !allowance.ids.has(id)) continue;
    secrets.publish(id);
    allowance.used = true;
  }
  for (const { slot } of texts.flatMap(({ runs }) => runs)) {
    if (secrets.text.isPublished(slot) || !allowance.slots.has(slot)) continue;
    secrets.publishRun(slot);
    allowance.used = true;
  }
}
