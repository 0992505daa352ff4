/** Takes the bytes of what is withdrawn, and is to be redacted, out of earlier snapshots: its own, and those of every file that was made of
 *  it. Trees stay as they are; a notice stands in the place of each blob. What was done stands in a file of the internal root, written last: a
 *  build that is killed leaves it unwritten, and the next one does all of it again. */
import { join } from "node:path";
import { z } from "zod";
import { canonicalJson, type Sha256, sha256 } from "#snapshots/digest";
import {
  type BlobEntry,
  type Library,
  objectPath,
  pageFile,
  pageImagesOf,
  pagePath,
  partsPath,
  type ViewData,
  countOf,
} from "#snapshots/format";
import { escapeXml } from "#snapshots/page";
import { type Claim, CUB_FIELDS, type CubRecord, KNOWN_VALUES, SAID_FIELDS, type Withdrawal } from "#snapshots/schema";
import {
  createTreeCache,
  type DirectoryShelf,
  formatRedaction,
  type LogSigner,
  noticeIn,
  openSnapshot,
  reachable,
  type Snapshot,
  type SnapshotRecord,
  unreadable,
} from "#snapshots/shelf";
import { gatedSecrets, type GatedSecrets, MIN_SECRET_CHARACTERS, scanFile } from "#snapshots/annex/leaks";
import { ELSEWHERE } from "./gating.ts";
import { filesSince, readJson } from "./snapshot-files.ts";
import { sweepClean } from "./sweep-clean.ts";
import { type KeptFile, keptFile } from "#generator/files";
import { NO_CLAIMS, textsOf } from "#generator/sources";
import type { Shelves } from "#generator/shelves";

type View = "public" | "internal";
const VIEWS: readonly View[] = ["public", "internal"];
type Signers = Readonly<Record<View, LogSigner>>;

/** Digest of what was redacted last. */
function doneFile({ buildDir }: Shelves): KeptFile<Sha256> {
  return keptFile(z.string(), join(buildDir, "redacted"));
}

/** forgetRedacted makes the next build redact everything once more, notices included. */
export function forgetRedacted(shelves: Shelves): void {
  doneFile(shelves).remove();
}

function toRedact(withdrawals: readonly Withdrawal[]): readonly Withdrawal[] {
  return withdrawals.filter(({ redacted }) => redacted);
}

/** digestOf makes the digest that a build leaves behind when it has redacted: another digest means that there is something to do. */
function digestOf(withdrawals: readonly Withdrawal[], signers: Signers): Sha256 {
  return sha256(canonicalJson([toRedact(withdrawals), signers.public.origin, signers.public.key?.text ?? null]));
}

/** isRedacting tells whether anything of this is still to be taken out, or stands in a notice and does not any more. */
export function isRedacting(shelves: Shelves, withdrawals: readonly Withdrawal[], signers: Signers): boolean {
  const done = doneFile(shelves).read();
  return done === null ? toRedact(withdrawals).length > 0 : done !== digestOf(withdrawals, signers);
}

/** withoutRedacted lists public snapshots that hold nothing of what is to be redacted.
 *  @param records of the public root */
export async function withoutRedacted(
  shelves: Shelves,
  records: readonly SnapshotRecord[],
  withdrawals: readonly Withdrawal[],
): Promise<readonly SnapshotRecord[]> {
  const trees = createTreeCache();
  const clean: SnapshotRecord[] = [];
  for (const record of records) {
    const opened = await openSnapshot(shelves.public, record, trees).catch(unreadable);
    if (opened !== null && (await findHeld(opened, toRedact(withdrawals))).length === 0) clean.push(record);
  }
  return clean;
}

/** redact takes withdrawn things out of all snapshots. It runs only under the build lock, when a snapshot without all of it is served, and both
 *  indexes have been written anew for it.
 *  @param searchable earlier public snapshots that the index has been written anew for as well
 *  @returns notes for the operator */
export async function redact(
  shelves: Shelves,
  withdrawals: readonly Withdrawal[],
  signers: Signers,
  searchable: readonly Sha256[],
): Promise<readonly string[]> {
  shelves.remote?.tidy("at once");
  const wanted = toRedact(withdrawals);
  const served = new Set<Sha256>();
  for (const view of VIEWS) {
    const pointer = await shelves[view].readPointer();
    for (const digest of await reachable(shelves[view], pointer === null ? [] : [pointer.snapshot])) served.add(digest);
  }
  for (const view of VIEWS) await renewNotices(shelves[view], wanted, served, signers[view]);
  const shown = new Set(await publicNames(shelves));
  const shared = new Set<string>();
  let blobs = 0;
  for (const view of VIEWS) {
    for (const [digest, withdrawal] of await findBlobs(shelves, view, wanted, served, shared)) {
      // A notice stands where the bytes lay: what the internal view refers to may lie in the public root.
      const root = view === "internal" && (await shelves.public.hasBlob(digest)) ? "public" : view;
      // A gated thing has no notice in public: its bytes lie there for another thing's sake.
      if (root === "public" && !shown.has(nameOf(withdrawal))) {
        shared.add(withdrawal.name);
        continue;
      }
      await shelves[root].redactions.put(digest, formatRedaction(digest, withdrawal, signers[root]));
      blobs++;
    }
  }
  if (!(await sweepClean(shelves, ["internal", "public"], searchable)))
    return ["What is to be redacted is still on the shelf, because vectors are being made; the next build removes it."];
  doneFile(shelves).write(digestOf(withdrawals, signers));
  return [
    ...(blobs === 0 ? [] : [`Redacted ${countOf(blobs, "blob")} of earlier snapshots. ${ELSEWHERE}`]),
    ...(shared.size === 0
      ? []
      : [
          `Bytes that are to be redacted stay, because something that is not withdrawn has them too: ${[...shared].map((name) => JSON.stringify(name)).join(", ")}.`,
        ]),
  ];
}

/** Notices of earlier builds, as they would be written now: by another key, of another name, with another note. Those of bytes that were
 *  taken back and are served again go. */
async function renewNotices(
  { redactions }: DirectoryShelf,
  wanted: readonly Withdrawal[],
  served: ReadonlySet<Sha256>,
  signer: LogSigner,
): Promise<void> {
  for (const digest of await redactions.list()) {
    const bytes = await redactions.read(digest);
    if (bytes === null) continue;
    if (served.has(digest)) {
      await redactions.drop(digest);
      continue;
    }
    const written = noticeIn(bytes);
    // One that is damaged does not say any more of what it was: where it can be of one thing alone, it is.
    const withdrawal = written ?? (wanted.length === 1 ? wanted[0] : undefined);
    if (withdrawal === undefined) continue;
    const now = wanted.find((one) => nameOf(one) === nameOf(withdrawal)) ?? withdrawal;
    const notice = formatRedaction(digest, now, signer);
    if (!Buffer.from(notice).equals(bytes)) await redactions.put(digest, notice);
  }
}

/** publicNames lists the things that the public view has a notice of. */
async function publicNames({ public: shelf }: Shelves): Promise<readonly string[]> {
  const pointer = await shelf.readPointer();
  if (pointer === null) return [];
  const { withdrawn = [] } = await (await openSnapshot(shelf, pointer, createTreeCache())).data();
  return withdrawn.map(nameOf);
}

/** @param served blobs that stay, since what is served has them
 *  @param shared takes the names of those among them */
async function findBlobs(
  shelves: Shelves,
  view: View,
  wanted: readonly Withdrawal[],
  served: ReadonlySet<Sha256>,
  shared: Set<string>,
): Promise<ReadonlyMap<Sha256, Withdrawal>> {
  const shelf = shelves[view];
  const pointer = await shelf.readPointer();
  const now = pointer === null ? null : await openSnapshot(shelf, pointer, createTreeCache());
  const { byId } = await shelf.records.index();
  const found = new Map<Sha256, Withdrawal>();
  const clean = new Set<string>();
  const trees = createTreeCache();
  for (const record of byId.values()) {
    if (record.snapshot === pointer?.snapshot) continue;
    const opened = await openSnapshot(shelf, record, trees).catch(unreadable);
    const held = opened === null ? [] : await findHeld(opened, wanted);
    if (opened === null || held.length === 0) continue;
    const files = await filesSince(opened, null);
    for (const withdrawal of held) {
      for (const [path, { sha256: digest }] of files) {
        if (!isOwn(withdrawal, path)) continue;
        if (!served.has(digest)) found.set(digest, withdrawal);
        else if (path.startsWith("objects/")) shared.add(withdrawal.name);
      }
    }
    for (const withdrawal of held) {
      // An earlier one may have lost its own.
      const library = (await opened.library().catch(unreadable)) ?? (await (now ?? opened).library());
      const { basis, isOf } = await openScan(opened, withdrawal, library);
      for (const [path, entry] of files) {
        const { sha256: digest } = entry;
        const seen = `${basis} ${digest}`;
        if (served.has(digest) || found.has(digest) || clean.has(seen)) continue;
        if (await isOf(path, entry)) found.set(digest, withdrawal);
        else clean.add(seen);
      }
    }
  }
  return found;
}

function nameOf({ what, name }: Withdrawal): string {
  return `${what} ${name}`;
}

/** Files that are what is withdrawn, by their paths alone. */
function isOwn({ what, name }: Withdrawal, path: string): boolean {
  const page = pagePath.source(what, name);
  if (path === `pages/${pageFile(page)}`) return true;
  if (what === "object" && path.startsWith(`pages/${decodeURIComponent(page).slice(1)}=p`)) return true;
  if (what === "object") return path === `objects/${name}` || path === `extracts/${name}` || path.startsWith(pageImagesOf(name));
  return what === "record" ? path === `api/cubs/${name}.json` || path === `api/cubs/${name}/code.json` : path === "api/claims.json";
}

/** findHeld lists the withdrawn things that a snapshot has. */
async function findHeld(snapshot: Snapshot, wanted: readonly Withdrawal[]): Promise<readonly Withdrawal[]> {
  const held: Withdrawal[] = [];
  for (const one of wanted) {
    const { what, name } = one;
    // A claim's page is there as long as the claim is, in the public view; the internal one has its list alone.
    if (
      what === "claim"
        ? await hasClaim(snapshot, name)
        : (await snapshot.find(what === "object" ? `objects/${name}` : `api/cubs/${name}.json`)) !== null
    )
      held.push(one);
  }
  return held;
}

async function hasClaim(snapshot: Snapshot, id: string): Promise<boolean> {
  if ((await snapshot.find(`pages/${pageFile(pagePath.claim(id))}`)) !== null) return true;
  return (await claimsOf(snapshot)).some((claim) => claim.id === id);
}

/** openScan makes a test `isOf` that tells whether a file that was made says anything of a withdrawn thing. Pages and rows that name the thing also show
 *  its title and its first words, which may be too short to be told from others': those go for the name alone; of all other files those that have
 *  its text, and of what is made of all records or claims those that have a word which no other one has.
 *  @returns with it the digest of all that it looks for */
async function openScan(
  snapshot: Snapshot,
  withdrawal: Withdrawal,
  library: Library,
): Promise<{ readonly basis: Sha256; readonly isOf: (path: string, entry: BlobEntry) => Promise<boolean> }> {
  const { what, name } = withdrawal;
  const own = await ownTexts(snapshot, withdrawal);
  const secrets = await secretsOf(snapshot, withdrawal, library, own);
  const words = wordsOf(own);
  // As rows of JSON have its name, and as links to it end.
  const page = pagePath.source(what, name);
  const names = [JSON.stringify(name), page.slice(page.slice(0, -1).lastIndexOf("/")), ...(what === "object" ? [objectPath(name)] : [])];
  const rows = { object: partsPath.objects(""), record: partsPath.records, claim: null }[what];
  const codeRows = what === "record" ? partsPath.code : null;
  const isOf = async (path: string, entry: BlobEntry): Promise<boolean> => {
    const shows = path.startsWith("pages/") || [rows, codeRows].some((folder) => folder !== null && path.startsWith(folder));
    if (!shows && !path.startsWith("api/") && !path.startsWith("parts/")) return false;
    const bytes = await snapshot.read(entry).catch(unreadable);
    if (bytes === null) return false;
    if (shows && names.some((one) => Buffer.from(bytes).includes(one))) return true;
    if (words !== null && !OF_OBJECTS.test(path) && words.test(Buffer.from(bytes).toString())) return true;
    const { ids, texts } = scanFile(secrets, { path, bytes, source: false, type: entry.type });
    return texts.length > 0 || ids.keys().some((id) => shows || secrets.secrets[id]?.kind === "private");
  };
  // A file that two snapshots share is looked through for what either of them says.
  const bytes = what === "object" ? ((await snapshot.find(`objects/${name}`))?.sha256 ?? "") : "";
  return { basis: sha256(canonicalJson([what, name, bytes, own])), isOf };
}

/** Files that are made of objects: there a short word is anybody's. */
const OF_OBJECTS = /^(?:pages\/(?:object|browse)\b|parts\/objects\/|api\/list\/)/;
const SHORTEST = 3; // letters of a word that is looked for

/** wordsOf finds short texts as words, as they stand in JSON, in HTML and in a text. @returns null where there is none */
function wordsOf(texts: readonly string[]): RegExp | null {
  const words = texts.filter((text) => text.length >= SHORTEST && !isLong(text));
  const spellings = words.flatMap((word) => [word, JSON.stringify(word).slice(1, -1), escapeXml(word)]);
  if (words.length === 0) return null;
  return new RegExp(`(?<![\\p{L}\\p{N}_])(?:${[...new Set(spellings)].map(RegExp.escape).join("|")})(?![\\p{L}\\p{N}_])`, "u");
}

/** ownTexts lists what a claim or a record says in its author's words, and no other claim or record of the snapshot, nor the format. */
async function ownTexts(snapshot: Snapshot, { what, name }: Withdrawal): Promise<readonly string[]> {
  if (what === "object") return [];
  const all =
    what === "claim"
      ? (await claimsOf(snapshot)).map((claim) => ({ id: claim.id, said: saidByClaim(claim) }))
      : (await recordsOf(snapshot)).map((record) => ({ id: record.id, said: saidByRecord(record) }));
  const { own = [], others = [] } = Object.groupBy(all, ({ id }) => (id === name ? "own" : "others"));
  // The notice has its name.
  const known = [name, ...others.flatMap(({ said }) => said), ...Object.values(KNOWN_VALUES).flat()];
  return [...new Set(own.flatMap(({ said }) => said)).difference(new Set(known))];
}

async function claimsOf(snapshot: Snapshot): Promise<readonly Claim[]> {
  return (await readJson<{ claims: readonly Claim[] }>(snapshot, "api/claims.json"))?.claims ?? [];
}

/** recordsOf reads the parts one by one, since one of them may have been redacted. */
async function recordsOf(snapshot: Snapshot): Promise<readonly CubRecord[]> {
  const parts = await Promise.all(
    (await snapshot.files(partsPath.records)).map(({ name }) => readJson<CubRecord[]>(snapshot, `${partsPath.records}/${name}`)),
  );
  return parts.flatMap((part) => part ?? []);
}

/** The rest are words of the format. */
function saidByClaim({ status: _, standing: __, evidence, ...claim }: Claim): readonly string[] {
  return textsOf([claim, evidence.map(({ access: ___, state: ____, ...item }) => item)]);
}

/** Short words of checks are those of provers. */
function saidByRecord(record: CubRecord): readonly string[] {
  const said = CUB_FIELDS.flatMap((field) => textsOf(record[field]));
  const checked = SAID_FIELDS.flatMap((field) => textsOf(record[field as keyof CubRecord])).filter(isLong);
  return [...said, ...checked, ...Object.keys(record.file_shas)];
}

function isLong(text: string): boolean {
  return text.length >= MIN_SECRET_CHARACTERS;
}

/** secretsOf gives what a withdrawn thing says, for the look for leaks: as if it were all that is gated. */
async function secretsOf(snapshot: Snapshot, { what, name }: Withdrawal, library: Library, own: readonly string[]): Promise<GatedSecrets> {
  const nothing: ViewData = {
    library: { ...library, collections: [] },
    objects: [],
    claims: NO_CLAIMS,
    cubs: [],
    meta: null,
    code: new Map(),
    rejected: [],
    withheld: 0,
  };
  const extract = what === "object" ? await snapshot.extract(name).catch(unreadable) : null;
  const entry = what === "object" ? await snapshot.find(`objects/${name}`) : null;
  const all: ViewData = {
    ...nothing,
    objects: extract === null || entry === null ? [] : [{ ...extract, key: name, size: entry.size, sha256: entry.sha256, uploaded: null }],
  };
  return gatedSecrets(nothing, all, async () => extract, own);
}
