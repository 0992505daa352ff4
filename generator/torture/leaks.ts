/** Torture by planting: gated sentences, titles, keys, digests and private values go into files of a finished public draft, and into
 *  rows of a search index, one each; the look for leaks must find every one, in that file, and nothing else. Each is looked for twice: as what
 *  has just been written into a file, and as what has just been gated and stands in a file that was looked through before. */
import { join } from "node:path";
import { sha256 } from "../../snapshots/digest.ts";
import { type BlobEntry, buildTree, diffTrees, type FileEntry } from "../../snapshots/format/tree.ts";
import type { ViewData } from "../../snapshots/format/view-data.ts";
import { openIndex } from "../../snapshots/index/open.ts";
import type { Extracts } from "../../snapshots/page/index.ts";
import type { Extract } from "../../snapshots/schema/extract.ts";
import { createTreeCache, openSnapshot, type Snapshot } from "../../snapshots/shelf/read.ts";
import type { DirectoryShelf } from "../../snapshots/shelf/shelf-directory.ts";
import type { SnapshotRecord } from "../../snapshots/shelf/shelf.ts";
import { gatedSecrets } from "../../snapshots/annex/leaks/gated.ts";
import { findLeaks, type Leak } from "../../snapshots/annex/leaks/leaks.ts";

import { openConfig } from "../config/config.ts";
import { describeLibrary, SILENT, writeFiles } from "../testing/library.ts";
import { PARTS, type Site } from "../publish/parts.ts";
import { checkLeaks } from "../annex/leaks/leak-check.ts";
import type { KeptLook } from "../annex/leaks/kept-look.ts";
import { LeakError } from "../annex/leaks/leak-error.ts";
import { indexRows } from "../publish/verify-library.ts";

import { openRandom, type Random } from "./random.ts";
import { build, openShelves } from "../testing/whole.ts";

export type LeakTorture = {
  /** Channel → planted. */
  readonly planted: ReadonlyMap<string, number>;
  readonly failures: readonly string[];
};

/** Secrets planted into one draft: each in a file of its own. */
const TOGETHER = 8;
/** In the registry's private field. */
const PRIVATE = "the-owner-nobody-is-told-of";
const CLAIM = "{ id: one, title: One, status: scoped, scope: Here, statement: It is written in the first of the notes. }";

const CONFIG = `${describeLibrary("Library with leaks")}claims: { path: ./claims.yaml }
registry: { path: ./registry.json }
embeddings: { kind: none }
`;

type Library = {
  readonly views: { readonly public: ViewData; readonly internal: ViewData };
  readonly shelf: DirectoryShelf;
  readonly snapshot: Snapshot;
  readonly files: ReadonlyMap<string, BlobEntry>;
  readonly extracts: Pick<Extracts, "digest" | "read">;
  readonly site: Site;
};

/** The secrets that a look has to find, and what the one before it has left. */
type Asked = Pick<Library, "views"> & { readonly privateTexts: readonly string[]; readonly kept: KeptLook | null };

/** tortureWithLeaks plants secrets and looks for them.
 *  @param dir an empty folder */
export async function tortureWithLeaks(
  dir: string,
  { seed, count, onProgress = () => {} }: { readonly seed: number; readonly count: number; readonly onProgress?: (done: number) => void },
): Promise<LeakTorture> {
  const random = openRandom(seed);
  const library = await makeLibrary(dir, random);
  const planted = new Map<string, number>();
  const failures: string[] = [];
  const tally = (channel: string): void => void planted.set(channel, (planted.get(channel) ?? 0) + 1);
  const everything: Asked = { views: library.views, privateTexts: [PRIVATE], kept: null };
  const clean = await check(library, library.files, everything);
  if (clean.leaks.length > 0) failures.push("the draft has leaks before anything is planted");
  for (let done = 0; done < count; done += TOGETHER) {
    onProgress(done);
    const plants = [...pickPlants(random, library, Math.min(TOGETHER, count - done))];
    const files = new Map(library.files);
    for (const { path, secret, channel } of plants) {
      tally(channel.name);
      const entry = files.get(path) as BlobEntry;
      const bytes = channel.plant(Buffer.from(await library.snapshot.read(entry)), secret.text, random);
      const digest = sha256(bytes);
      await library.shelf.blobs.put(digest, bytes);
      files.set(path, { ...entry, sha256: digest, size: bytes.length });
    }
    const written = await check(library, files, { ...everything, kept: structuredClone(clean.look) });
    failures.push(...compare(plants, written.leaks));
    const before = await check(library, files, withoutGated(library.views, plants));
    if (before.look === null) failures.push(...compare([], before.leaks));
    const gated = await check(library, files, { ...everything, kept: before.look });
    failures.push(...compare(plants, gated.leaks).map((failure) => `gated later: ${failure}`));
  }
  failures.push(...(await tortureIndex(join(dir, "index"), library, random, Math.ceil(count / 10), tally)));
  onProgress(count);
  return { planted, failures };
}

/** `owner`: key of the gated object. */
type Secret = { readonly kind: Leak["kind"]; readonly text: string; readonly owner: string };
type Plant = { readonly path: string; readonly secret: Secret; readonly channel: Channel };

/** Secrets that were planted and are not told, and those that are told and were not planted. */
function compare(plants: readonly Plant[], leaks: readonly { readonly kind: string; readonly path: string }[]): readonly string[] {
  const missed = plants.filter(({ path, secret }) => !leaks.some((leak) => leak.path === path && leak.kind === secret.kind));
  const extra = leaks.filter(({ path }) => !plants.some((plant) => plant.path === path));
  return [
    ...missed.map(({ path, secret, channel }) => `not found: ${secret.kind} ${JSON.stringify(secret.text)} in ${path} (${channel.name})`),
    ...extra.map(({ path, kind }) => `found where nothing was planted: ${kind} in ${path}`),
  ];
}

/** Texts to be looked for before the owners of planted secrets, and their collection, were there. */
function withoutGated(views: Library["views"], plants: readonly Plant[]): Asked {
  const owners = new Set(plants.map(({ secret }) => secret.owner));
  const objects = views.internal.objects.filter(({ key }) => !owners.has(key));
  const { library } = views.public;
  return { views: { ...views, internal: { ...views.internal, library, objects } }, privateTexts: [], kept: null };
}

type Checked = { readonly leaks: readonly { readonly kind: string; readonly path: string }[]; readonly look: KeptLook | null };

async function check(library: Library, files: ReadonlyMap<string, BlobEntry>, asked: Asked): Promise<Checked> {
  const { root, trees } = buildTree([...files].map(([path, entry]): FileEntry => ({ ...entry, path })));
  for (const [digest, bytes] of trees) await library.shelf.blobs.put(digest, bytes);
  try {
    const { look } = await checkLeaks({ ...library, ...asked, draft: root.sha256, rules: { allow: [] }, repeats: "warn" });
    return { leaks: [], look };
  } catch (error) {
    if (!(error instanceof LeakError)) throw error;
    const leaks = error.leaks.flatMap(({ found }) =>
      found.flatMap(({ kind, public: places }) => places.map(({ path }) => ({ kind, path }))),
    );
    return { leaks, look: null };
  }
}

function* pickPlants(random: Random, library: Library, count: number): Generator<Plant> {
  const taken = new Set<string>();
  for (let n = 0; n < count; ) {
    const channel = random.pick(CHANNELS);
    const paths = [...library.files.keys()].filter((path) => channel.fits.test(path) && !taken.has(path));
    if (paths.length === 0) continue;
    const path = random.pick(paths);
    taken.add(path);
    n++;
    yield { path, channel, secret: pickSecret(random, library.views) };
  }
}

function pickSecret(random: Random, { public: open, internal }: Library["views"]): Secret {
  const known = new Set(open.objects.map(({ key }) => key));
  const { key, title, sha256: digest } = random.pick(internal.objects.filter((row) => !known.has(row.key)));
  const words = sentenceOf(key).split(" ");
  const length = 8 + random.below(words.length - 8);
  const from = random.below(words.length - length + 1);
  const secret = random.pick<Omit<Secret, "owner">>([
    { kind: "text", text: words.slice(from, from + length).join(" ") },
    { kind: "text", text: words.slice(from, from + length).join("\n") },
    { kind: "title", text: title },
    { kind: "key", text: key },
    { kind: "digest", text: random.pick([digest, digest.toUpperCase(), Buffer.from(digest, "hex").toString("base64")]) },
    { kind: "private", text: PRIVATE },
  ]);
  return { ...secret, owner: key };
}

const ONSETS = ["br", "cl", "d", "fl", "g", "k", "m", "n", "pr", "s", "tr", "v"];
const VOWELS = ["a", "e", "i", "o", "u", "ai", "ou"];

/** Forty words that no other object has, made of the key alone. */
function sentenceOf(key: string): string {
  const random = openRandom(Number.parseInt(sha256(key).slice(0, 8), 16));
  return Array.from({ length: 40 }, () => Array.from({ length: 3 }, () => random.pick(ONSETS) + random.pick(VOWELS)).join("")).join(" ");
}

type Channel = {
  readonly name: string;
  readonly fits: RegExp;
  readonly plant: (bytes: Buffer, text: string, random: Random) => Uint8Array;
};

const escapeHtml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;").replaceAll("'", "&#39;");

/** Into the value of a random member that is a string, or all of it. */
function plantIntoJson(value: unknown, text: string, random: Random, member: RegExp): unknown {
  const places: { readonly holder: Record<string, unknown>; readonly name: string }[] = [];
  const walk = (holder: unknown): void => {
    if (typeof holder !== "object" || holder === null) return;
    for (const [name, item] of Object.entries(holder)) {
      if (typeof item === "string" && member.test(name)) places.push({ holder: holder as Record<string, unknown>, name });
      walk(item);
    }
  };
  walk(value);
  if (places.length === 0) return [value, text];
  const { holder, name } = random.pick(places);
  holder[name] = random.pick([text, `${String(holder[name])}. ${text}`, `${text}: ${String(holder[name])}`]);
  return value;
}

function intoJson(member: RegExp, escape: (text: string) => string = (text) => text): Channel["plant"] {
  return (bytes, text, random) =>
    Buffer.from(JSON.stringify(plantIntoJson(JSON.parse(bytes.toString("utf8")), escape(text), random, member)));
}

function intoHtml(place: RegExp, element: (text: string) => string): Channel["plant"] {
  return (bytes, text, random) => {
    const html = bytes.toString("utf8");
    const places = [...html.matchAll(place)].map(({ 0: found, index }) => index + found.length);
    const at = places.length === 0 ? html.length : random.pick(places);
    return Buffer.from(`${html.slice(0, at)}${element(escapeHtml(text))}${html.slice(at)}`);
  };
}

const OBJECT_PAGE = /^pages\/object\/.*\.html$/;
const ANY_PAGE = /^pages\/(?!reference|problems|404).*\.html$/;

const CHANNELS: readonly Channel[] = [
  { name: "extract, passages", fits: /^extracts\//, plant: intoJson(/^(?:text|heading|name|\d+)$/) },
  { name: "extract, HTML", fits: /^extracts\//, plant: intoJson(/^html$/, escapeHtml) },
  { name: "extract, metadata", fits: /^extracts\//, plant: intoJson(/^(?:title|summary|notes)$/) },
  { name: "parts, objects", fits: /^parts\/objects\//, plant: intoJson(/^(?:title|summary|etag|uploaded)$/) },
  { name: "API, JSON", fits: /^(?:api\/(?!openapi)|parts\/(?!objects)).*\.json$/, plant: intoJson(/./) },
  {
    name: "page, content",
    fits: OBJECT_PAGE,
    plant: intoHtml(/<section class="text [^>]*>/g, (text) => `<p>${text.replaceAll(" ", "</em> <em>")}</p>`),
  },
  { name: "page, element", fits: ANY_PAGE, plant: intoHtml(/<\/(?:p|li|dd|td|h1|nav|footer)>/g, (text) => `<p>${text}</p>`) },
  { name: "page, attribute", fits: ANY_PAGE, plant: intoHtml(/<\/(?:p|li|dd|td|h1)>/g, (text) => `<img alt="${text}">`) },
  { name: "page, comment", fits: ANY_PAGE, plant: (bytes, text) => Buffer.from(`${bytes.toString("utf8")}<!-- ${text} -->`) },
  {
    name: "feed",
    fits: /^pages\/.*\.(?:txt|xml)$/,
    plant: (bytes, text) => Buffer.from(`${bytes.toString("utf8")}\n${text.replaceAll("\n", " ")}\n`),
  },
  { name: "asset", fits: /^assets\/.*\.css$/, plant: (bytes, text) => Buffer.from(`${bytes.toString("utf8")}/* ${text} */`) },
];

/** Rows of a search index of its own, read by the engine as `verify` reads them. */
async function tortureIndex(
  dir: string,
  { views, extracts }: Library,
  random: Random,
  count: number,
  tally: (channel: string) => void,
): Promise<readonly string[]> {
  const index = await openIndex(dir);
  const secrets = Array.from({ length: count }, () => pickSecret(random, views));
  const plain = { kind: "markdown", collection: "notes", sha256: "0".repeat(64), title: "A note" } as const;
  const upsert = secrets.map(({ text }, n) => {
    tally("search index");
    const place = random.below(3);
    const passage = {
      heading: place === 0 ? [text] : [],
      name: null,
      page: null,
      start_line: 1,
      end_line: 1,
      text: place === 1 ? `It says ${text}.` : "",
    };
    return { ...plain, doc: `object:notes/${n}`, key: `notes/${n}`, title: place === 2 ? text : plain.title, passages: [passage] };
  });
  await index.update({ upsert, remove: [], base: null, tag: "planted" });
  const wanted = await gatedSecrets(views.public, views.internal, extracts.read, [PRIVATE]);
  const { leaks } = await findLeaks(wanted, indexRows(index, "planted"));
  index.close();
  const folded = (text: string): string => text.replaceAll(/\s+/g, " ").toLowerCase();
  const found = new Set(leaks.map(({ kind, text }) => `${kind} ${folded(text)}`));
  return secrets
    .map(({ kind, text }) => ({ kind, text: /^[\w+/]{43}=$/.test(text) ? Buffer.from(text, "base64").toString("hex") : folded(text) }))
    .filter(({ kind, text }) => !found.has(`${kind} ${text}`))
    .map(({ kind, text }) => `not found: ${kind} ${JSON.stringify(text)} in the search index`);
}

async function makeLibrary(dir: string, random: Random): Promise<Library> {
  const drafts = Array.from(
    { length: 24 },
    (_, n) =>
      `drafts/${random.pick(["the-whole-plan", "one b & c of it", "über alle Berge", "what isn't x"])}-${n}.${random.pick(["md", "txt", "v", "html"])}`,
  );
  await writeFiles(dir, [
    ["proofshelf.yaml", CONFIG],
    ["claims.yaml", `meta: { title: Claims }\nclaims: [${CLAIM}]\n`],
    [
      "registry.json",
      JSON.stringify({
        meta: { service: "Registry" },
        cubs: [{ id: "CUB-0001", repo: "notes", theorem_name: "first", statement: "forall x, x = x", owner: PRIVATE }],
      }),
    ],
    ...Array.from(
      { length: 12 },
      (_, n) => [`library/notes/${n}.md`, `# Note ${n}\n\nThe ${n}th of the notes, with a [link](other.md).\n\n- one\n- two\n`] as const,
    ),
    ["library/notes/page.html", "<!doctype html><title>A page</title><h1>A page</h1><p>Of <b>words</b>.</p>\n"],
    ["library/notes/Proof.v", "(* A proof. *)\nLemma a : True.\nProof. exact I. Qed.\n"],
    ["library/notes/table.csv", "name,value\na,1\n"],
    ["library/notes/data.json", '{"name":"x"}\n'],
    ...drafts.map((key) => [`library/${key}`, draftOf(key)] as const),
  ]);
  const config = await openConfig(join(dir, "proofshelf.yaml"));
  // Other attacks may have changed the usual parts.
  await build(config, { progress: SILENT }, PARTS);
  const shelves = openShelves(config);
  const open = async (shelf: DirectoryShelf): Promise<Snapshot> =>
    openSnapshot(shelf, (await shelf.readPointer()) as SnapshotRecord, createTreeCache());
  const [snapshot, internal] = [await open(shelves.public), await open(shelves.internal)];
  const files = new Map<string, BlobEntry>();
  for await (const { path, after } of diffTrees(null, snapshot.id, snapshot.tree)) if (after !== null) files.set(path, after);
  const digests = new Map<string, string>();
  for await (const { path, after } of diffTrees(null, internal.id, internal.tree)) digests.set(path, after?.sha256 ?? "");
  return {
    views: { public: await snapshot.data(), internal: await internal.data() },
    shelf: shelves.public,
    snapshot,
    files,
    extracts: {
      digest: (key) => digests.get(`extracts/${key}`) ?? "",
      read: async (key) => (await internal.extract(key)) as Extract,
    },
    site: await PARTS.site(),
  };
}

function draftOf(key: string): string {
  const title = `Of ${sentenceOf(`${key} title`).split(" ").slice(0, 3).join(" ")}`;
  if (key.endsWith(".html")) return `<!doctype html><title>${title}</title><h1>${title}</h1><p>${sentenceOf(key)}.</p>\n`;
  return key.endsWith(".v") ? `(** * ${title} *)\n(* ${sentenceOf(key)} *)\nLemma a : True.\n` : `# ${title}\n\n${sentenceOf(key)}.\n`;
}
