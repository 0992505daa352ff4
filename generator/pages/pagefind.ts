/** The search that works from files alone: bundles over the public view, each with Pagefind's files, the cards of its pages and their
 *  words, and beside them all words in shards (snapshots/page/browser-index.ts). Pagefind has no incremental build, so objects are
 *  dealt out to bundles by a hash of their key, and only bundles whose members changed are made again; the shards are made of what
 *  each bundle says of its words. The number of bundles and of shards follows from the number of objects alone: the same library
 *  gives the same files. */
import { crc32 } from "node:zlib";
import { canonicalJson, sha256 } from "../../snapshots/digest.ts";
import { ShelfError } from "../../snapshots/errors.ts";
import { pagePath } from "../../snapshots/format/layout.ts";
import { relationsOf } from "../../snapshots/format/relations.ts";
import {
  type BrowserCard,
  type BundleList,
  cardPath,
  type CardPassage,
  countNearShards,
  countShards,
  formatWords,
  groupOf,
  isListed,
  MARKS,
  nearPath,
  nearShards,
  parseWords,
  stemmerPath,
  type WordEntry,
  wordsPath,
} from "../../snapshots/page/browser-index.ts";
import { KINDS } from "../../snapshots/schema/kinds.ts";
import type { Extracts } from "../../snapshots/page/index.ts";
import { findAnchor } from "../../snapshots/query/declaration-line.ts";
import { namesOf } from "../../snapshots/query/filters.ts";
import { copiesOf } from "../../snapshots/query/source.ts";
import { foldSpaces } from "../../snapshots/query/words.ts";
import type { Claim } from "../../snapshots/schema/claims.ts";
import type { CubRecord, Extract } from "../../snapshots/schema/index.ts";
import type { DirectoryShelf } from "../../snapshots/shelf/shelf-directory.ts";
import { compareNames, type FileEntry } from "../../snapshots/format/tree.ts";
import { findCollection, type ObjectRow, type ViewData } from "../../snapshots/format/view-data.ts";
import { type PageTexts, weighPage } from "./page-words.ts";
import { loadStemmers, readStemmer } from "../../snapshots/index/load-stemmers.ts";
import { ENGLISH, isStemmed, languagesIn } from "../../snapshots/index/stemmers.ts";
import { formatBundleWords, mergeShard } from "./posting-lists.ts";
import type { PagefindProcess } from "./pagefind-process.ts";
import type { PageRecord } from "./pagefind-worker.ts";
import { type Progress, SILENT } from "../files/progress.ts";
import type { BuildState, KnownBundle } from "../kept/state.ts";

const BUNDLE_DOCUMENTS = 512; // at most: one changed document makes all of its bundle again
const MAX_TEXT = 1200; // characters of an object's text, of its headings, of its names; the server's index has all of them
const MAX_PASSAGES = 60; // of an object that a card names
/** Weight of a title or a declared name: a key, an id or a record's name goes before it. */
const NAMED = 64;
const MAX_MARK = 255; // bytes: what a word of the index may have
/** File of a bundle with its words: what shards are made of. Browsers do not read it. First the length of each shard's part (4 bytes,
 *  big-endian), so that a shard is read without the others; then these, as `formatWords` has them. */
const OWN_WORDS = "words";
/** Under which the shards are remembered, beside bundles' numbers. */
const SHARDS = "words";
const NO_POSTINGS = new Uint8Array();
const BYTES = "application/octet-stream";

/** What a page is to the browser's index. */
type FoundPage = {
  readonly record: PageRecord;
  readonly card: Omit<BrowserCard, "page">;
  readonly texts: PageTexts;
  readonly languages: readonly string[];
};

export type Member = {
  readonly id: string;
  /** Of the object, or the id of the claim or record. */
  readonly key: string;
  /** What filters go by, of each of its places. */
  readonly groups: readonly number[];
  /** What it is named beside its texts, has and is of. */
  readonly marks: readonly string[];
  /** Digest of what decides the page. */
  readonly facts: string;
  read(): Promise<FoundPage>;
};

export type DealtBundle = {
  /** Digest of what decides the bundle. */
  readonly facts: string;
  /** How many pages it has. */
  readonly size: number;
  /** Of its pages, besides English. */
  readonly languages: readonly string[];
  /** Made when the bundle is: of all that a library has they would fill the memory. */
  members(): readonly Member[];
};

const SCRIPT = "text/javascript; charset=utf-8";
const TYPES: readonly (readonly [ending: string, type: string])[] = [
  [".js", SCRIPT],
  [".css", "text/css; charset=utf-8"],
  [".json", "application/json"],
];

/** Deals a view's pages out to bundles; extracts are read only when a bundle is made. */
export function dealBundles(data: ViewData, extracts: Extracts): readonly DealtBundle[] {
  const found = [...findableOf(data)];
  let count = 1;
  while (found.length / count > BUNDLE_DOCUMENTS) count *= 2;
  const dealt: Findable[][] = Array.from({ length: count }, () => []);
  for (const one of found) dealt[crc32(idOf(one)) % count]?.push(one);
  const memberOf = openMembers(data, extracts);
  return dealt.map((bundle) => {
    const members = (): readonly Member[] => bundle.map(memberOf);
    const said = members().map(({ id, groups, marks, facts }) => `${JSON.stringify([id, groups, marks])} ${facts}\n`);
    const languages = new Set(bundle.flatMap(({ what, item }) => (what === "object" ? (item.lang ?? []) : [])));
    return { facts: sha256(said.join("")), size: bundle.length, languages: [...languages], members };
  });
}

/** Bundles and shards as files under pagefind/, and what to remember of them. Bundles with `kept` are not made, nor are shards when
 *  every bundle is kept.
 *  @param before what the last build remembered
 *  @param progress hears of bundles, and then of the shards and lists of words, how many are done of how many
 *  @throws ShelfError "build_failed" when Pagefind refuses something, ends or hangs; "snapshot_damaged" when what was kept is gone */
export async function makeBundles(
  bundles: readonly (DealtBundle & { readonly kept: KnownBundle | null })[],
  shelf: Pick<DirectoryShelf, "putBlob" | "getBlob">,
  pagefind: () => PagefindProcess,
  before: BuildState["bundles"] = {},
  { step }: Pick<Progress, "step"> = SILENT,
): Promise<{ readonly files: readonly FileEntry[]; readonly bundles: BuildState["bundles"] }> {
  const put = async (path: string, content: Uint8Array, type: string): Promise<FileEntry> => {
    const digest = sha256(content);
    await shelf.putBlob(digest, content);
    return { path, sha256: digest, size: content.length, type };
  };
  const shards = countShards(bundles.length);
  const made: Record<string, KnownBundle> = {};
  const toMake = bundles.filter(({ kept }) => kept === null).length;
  let done = 0;
  for (const [number, { facts, members, kept }] of bundles.entries()) {
    made[String(number)] = kept ?? { facts, files: await makeBundle(pagefind(), put, number, members(), shards) };
    if (kept === null) step("write bundles for the browser's search", ++done, toMake);
  }
  const pages = bundles.reduce((sum, { size }) => sum + size, 0);
  const facts = sha256(bundles.map((bundle) => bundle.facts).join(" "));
  const known = before[SHARDS];
  const words = known?.facts === facts ? known : { facts, files: await makeShards(Object.values(made), before, shards, shelf, put, step) };
  const languages = languagesIn((language) => bundles.some((bundle) => bundle.languages.includes(language)));
  const list: BundleList = { bundles: bundles.map((_, number) => `pagefind/${number}/`), pages, languages, texts: true };
  const stemmers: FileEntry[] = [];
  for (const language of languages.filter(isStemmed)) stemmers.push(await put(stemmerPath(language), await readStemmer(language), SCRIPT));
  const listed = await put("pagefind/bundles.json", Buffer.from(JSON.stringify(list)), "application/json");
  return {
    files: [...Object.values(made).flatMap((bundle) => bundle.files), ...words.files, ...stemmers, listed],
    bundles: { ...made, [SHARDS]: words },
  };
}

type Put = (path: string, content: Uint8Array, type: string) => Promise<FileEntry>;

async function makeBundle(
  pagefind: PagefindProcess,
  put: Put,
  number: number,
  members: readonly Member[],
  shards: number,
): Promise<FileEntry[]> {
  const pages = await Promise.all(members.map(async (member) => ({ member, ...(await member.read()) })));
  const files = await pagefind.bundle(pages.map(({ record }) => record));
  const found = files.filter(({ path }) => path.endsWith(".pf_fragment")).length;
  if (found !== members.length) throw new ShelfError("build_failed", `Pagefind was given ${members.length} records and made ${found}.`);
  const entries: FileEntry[] = [];
  for (const { path, content } of [...files].sort((a, b) => compareNames(a.path, b.path))) {
    if (/^pagefind-(ui|modular-ui|component-ui|highlight)\b/.test(path)) continue;
    entries.push(await put(`pagefind/${number}/${path}`, content, TYPES.find(([ending]) => path.endsWith(ending))?.[1] ?? BYTES));
  }
  for (const [path, some] of Map.groupBy(pages, ({ member }) => cardPath(number, crc32(member.id)))) {
    const cards = some.map(({ member, card }): BrowserCard => ({ page: crc32(member.id), ...card }));
    entries.push(await put(path, Buffer.from(JSON.stringify(cards)), "application/json"));
  }
  await loadStemmers(pages.flatMap(({ languages }) => languages));
  const indexed = pages.map(({ member, texts, languages }) => {
    const named = [texts.title, ...texts.names.split("\n")].map((name): [string, number] => [MARKS.name(foldSpaces(name)), NAMED]);
    const marks = new Map([...named, ...member.marks.map((mark): [string, number] => [mark, 0])]);
    const kept = [...marks].filter(([mark]) => Buffer.byteLength(mark) <= MAX_MARK);
    return { page: crc32(member.id), groups: member.groups, words: [...weighPage(texts, languages), ...kept] };
  });
  entries.push(await put(`pagefind/${number}/${OWN_WORDS}`, formatBundleWords(indexed, shards), BYTES));
  return entries;
}

/** Of the words of all bundles. A shard in which each bundle has the words of the last build is kept, and so is a list of near words
 *  in which none has come, gone or become much more frequent. */
async function makeShards(
  bundles: readonly KnownBundle[],
  before: BuildState["bundles"],
  shards: number,
  shelf: Pick<DirectoryShelf, "getBlob">,
  put: Put,
  step: Progress["step"],
): Promise<FileEntry[]> {
  const read = async (file: FileEntry | undefined): Promise<Uint8Array | null> => {
    const bytes = await shelf.getBlob(file?.sha256 ?? "");
    return bytes !== null && sha256(bytes) === file?.sha256 ? bytes : null;
  };
  const partsOf = async ({ files }: KnownBundle): Promise<Parts | null> => {
    const bytes = await read(files.find(({ path }) => path.endsWith(`/${OWN_WORDS}`)));
    return bytes === null ? null : splitParts(bytes, shards);
  };
  const parts = await Promise.all(
    bundles.map(async (bundle) => {
      const found = await partsOf(bundle);
      if (found !== null) return found;
      throw new ShelfError("snapshot_damaged", "The words of a bundle of the browser's index are not as they were written.");
    }),
  );
  const files = shards + countNearShards(bundles.length);
  const last = before[SHARDS]?.files.length === files ? before : {}; // else the shards are not the same ones
  const known = new Map(last[SHARDS]?.files.map((file) => [file.path, file]));
  const stale = new Set<number>();
  for (const [number, bundle] of bundles.entries()) {
    const old = last[String(number)];
    if (old?.facts === bundle.facts) continue;
    const was = old === undefined ? null : await partsOf(old);
    for (let shard = 0; shard < shards; shard++) {
      if (was === null || Buffer.compare(was(shard), parts[number]?.(shard) ?? NO_POSTINGS) !== 0) stale.add(shard);
    }
  }
  const anew = (): Promise<FileEntry[]> => makeShards(bundles, {}, shards, shelf, put, step);
  const made: FileEntry[] = [];
  const tell = (): void => step("write words for the browser's search", made.length, files);
  /** By list of near words: word → what the list says of it, or null where it is listed no more. */
  const near = new Map<number, Map<string, WordEntry | null>>();
  for (let shard = 0; shard < shards; shard++) {
    const file = known.get(wordsPath(shard));
    if (file !== undefined && !stale.has(shard)) {
      made.push(file);
      continue;
    }
    const { bytes, words } = mergeShard(parts.map((part) => part(shard)));
    made.push(await put(wordsPath(shard), bytes, BYTES));
    tell();
    const was = file === undefined ? NO_POSTINGS : await read(file);
    if (was === null) return anew();
    const [old, now] = [listedOf(parseWords(was)), listedOf(words)];
    for (const word of new Set([...old.keys(), ...now.keys()])) {
      if (old.get(word)?.pages === now.get(word)?.pages) continue;
      for (const at of nearShards(word, bundles.length)) {
        near.set(at, (near.get(at) ?? new Map<string, WordEntry | null>()).set(word, now.get(word) ?? null));
      }
    }
  }
  // Empty ones too: a file that is not there is an error in the reader's console.
  for (let at = 0; at < countNearShards(bundles.length); at++) {
    const file = known.get(nearPath(at));
    const changes = near.get(at) ?? new Map<string, WordEntry | null>();
    if (file !== undefined && changes.size === 0) {
      made.push(file);
      continue;
    }
    const was = file === undefined ? NO_POSTINGS : await read(file);
    if (was === null) return anew();
    const kept = [...parseWords(was)].filter(({ word }) => !changes.has(word));
    const sorted = [...kept, ...[...changes.values()].filter((entry) => entry !== null)].sort((a, b) => compareNames(a.word, b.word));
    made.push(await put(nearPath(at), Buffer.concat(formatWords(sorted)), BYTES));
    tell();
  }
  return made;
}

/** What lists of near words say of a shard's words: how many pages have one, roughly, so that a list seldom changes. */
function listedOf(entries: Iterable<Pick<WordEntry, "word" | "pages">>): ReadonlyMap<string, WordEntry> {
  const listed = new Map<string, WordEntry>();
  for (const { word, pages } of entries)
    if (isListed(word)) listed.set(word, { word, pages: 2 ** Math.floor(Math.log2(pages)), postings: NO_POSTINGS });
  return listed;
}

/** Of a bundle's words those of one shard. */
type Parts = (shard: number) => Uint8Array;

/** Cut when they are asked for: bundles times shards are millions in a large library. */
function splitParts(bytes: Uint8Array, shards: number): Parts {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const ends = new Float64Array(shards);
  let end = 4 * shards;
  for (let shard = 0; shard < shards; shard++) ends[shard] = end += view.getUint32(4 * shard);
  return (shard) => bytes.subarray(shard === 0 ? 4 * shards : ends[shard - 1], ends[shard]);
}

/** What has a page that a reader can find. */
type Findable =
  | { readonly what: "object"; readonly item: ObjectRow }
  | { readonly what: "claim"; readonly item: Claim }
  | { readonly what: "record"; readonly item: CubRecord };

/** Of objects with the same bytes that with the first key. */
function* findableOf(data: ViewData): Generator<Findable> {
  for (const item of data.objects)
    if (!copiesOf(data, item.key, item.sha256).some((copy) => copy < item.key)) yield { what: "object", item };
  for (const item of data.claims.claims) yield { what: "claim", item };
  for (const item of data.cubs) yield { what: "record", item };
}

function idOf({ what, item }: Findable): string {
  return `${what}:${what === "object" ? item.key : item.id}`;
}

/** Every page that a reader can find. */
export function* membersOf(data: ViewData, extracts: Extracts): Generator<Member> {
  const memberOf = openMembers(data, extracts);
  for (const one of findableOf(data)) yield memberOf(one);
}

function openMembers(data: ViewData, extracts: Extracts): (one: Findable) => Member {
  const { collections } = data.library;
  const kinds = relationsOf(data).objectByKey;
  const groupOfKey = (key: string): number => {
    const collection = findCollection(collections, key);
    return groupOf(kinds.get(key)?.kind ?? "binary", collection === null ? -1 : collections.indexOf(collection));
  };
  const ofObject = (row: ObjectRow): Omit<Member, "id"> => {
    const { key } = row;
    // Its page names them.
    const copies = copiesOf(data, key, row.sha256);
    return {
      key,
      groups: [...new Set([key, ...copies].map(groupOfKey))].sort((a, b) => a - b),
      marks: [
        MARKS.digest(row.sha256),
        ...[key, ...copies].map((one) => MARKS.name(foldSpaces(one))),
        ...[key, ...copies].flatMap((one) => {
          const place = kinds.get(one);
          return place === undefined
            ? []
            : [MARKS.kind(place.kind), ...(place.source === undefined ? [] : [MARKS.repo(place.source.repo)])];
        }),
      ],
      facts: sha256(canonicalJson([extracts.digest(key), copies])),
      read: async () => objectPageOf(row, copies, await extracts.read(key)),
    };
  };
  return (one) => {
    const rest = one.what === "object" ? ofObject(one.item) : one.what === "claim" ? memberOfClaim(one.item) : memberOfRecord(one.item);
    return { id: idOf(one), ...rest };
  };
}

function memberOfClaim({ id, title, scope, statement, evidence }: Claim): Omit<Member, "id"> {
  return {
    key: id,
    groups: [groupOf("claim", -1)],
    marks: [
      MARKS.kind("claim"),
      MARKS.name(foldSpaces(id)),
      ...evidence.flatMap(({ sha256: digest }) => (digest === undefined ? [] : [MARKS.digest(digest)])),
    ],
    facts: sha256([id, title, scope, statement].join("\n")),
    read: async () => factsPageOf("claim", pagePath.claim(id), id, title, [scope, statement]),
  };
}

function memberOfRecord(record: CubRecord): Omit<Member, "id"> {
  const { id, theorem_name: title, module, statement, note, repo, kind, file_shas } = record;
  return {
    key: id,
    groups: [groupOf("record", -1)],
    marks: [
      MARKS.kind("record"),
      MARKS.kind(kind.toLowerCase()),
      MARKS.repo(repo),
      ...[id, ...namesOf(record)].map((name) => MARKS.name(foldSpaces(name))),
      ...Object.values(file_shas).map(MARKS.digest),
    ],
    facts: sha256([id, title, module, statement, note].join("\n")),
    read: async () => factsPageOf("record", pagePath.record(id), id, title, [statement, module, note]),
  };
}

function factsPageOf(kind: "claim" | "record", path: string, key: string, title: string, said: readonly string[]): FoundPage {
  const text = said.filter((part) => part !== "").join("\n");
  return {
    record: recordOf(path, [key, title, ...said].join("\n"), { title, key, kind: KINDS[kind].title }),
    card: { path, title, key, kind, copies: [], passages: [{ name: "", line: 0, anchor: "", text: text.slice(0, MAX_TEXT) }] },
    texts: { title, key, names: "", headings: "", text },
    languages: ENGLISH,
  };
}

function objectPageOf({ key, title, kind, lang }: ObjectRow, copies: readonly string[], { passages, summary }: Extract): FoundPage {
  const path = pagePath.object(key);
  const shown: CardPassage[] = [];
  let room = MAX_TEXT;
  for (const passage of passages.slice(0, MAX_PASSAGES)) {
    const name = passage.name ?? "";
    if (room === 0 && name === "") continue;
    const text = passage.text.slice(0, room).toWellFormed();
    room -= text.length;
    shown.push({ name, line: passage.start_line, anchor: findAnchor(kind, { ...passage, name }), text });
  }
  if (passages.length === 0) shown.push({ name: "", line: 0, anchor: "", text: summary });
  const text = shown.map((passage) => passage.text).join("\n");
  const headings = [...new Set(passages.flatMap(({ heading }) => heading))].join("\n").slice(0, MAX_TEXT);
  const names = [...new Set(shown.map(({ name }) => name))].join("\n").slice(0, MAX_TEXT);
  return {
    record: recordOf(path, [key, headings, names, text].join("\n").toWellFormed(), { title, key, kind: KINDS[kind].title }),
    card: { path, title, key, kind, copies: copies.map((copy) => ({ key: copy, path: pagePath.object(copy) })), passages: shown },
    texts: { title, key: [key, ...copies].join("\n"), names, headings, text },
    languages: lang === undefined ? ENGLISH : [lang],
  };
}

/** Pagefind refuses a record without content. */
function recordOf(url: string, content: string, meta: PageRecord["meta"]): PageRecord {
  return { url, content: content || meta.title, language: "en", meta };
}
