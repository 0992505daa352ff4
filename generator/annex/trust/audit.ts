/** Somebody else's library checked from outside, without an account and without a shelf: who signed its head, that the head goes on from those
 *  that were seen before, that the record it ends with leads to every public file, and that readers are given those files. */
import { randomInt } from "node:crypto";
import { join } from "node:path";
import type { Sha256 } from "#snapshots/digest";
import { ShelfError } from "#snapshots/errors";
import { type BlobEntry, blobPath, parseTree } from "#snapshots/format";
import { type LogHead, type NoteKey, type ReadNode, tileNodes } from "#snapshots/log";
import { checkContinues, type CheckedHead, readLastEntry, type SeenHead } from "./log-head.ts";
import { openDirectoryShelf, type Shelf, type SnapshotRecord } from "#snapshots/shelf";
import { PLAIN_FILES_SERVICE, SERVICE, verifyShelf } from "#snapshots/service";
import { openView, stampPage } from "#snapshots/http";
import { concurrently, type Progress, withTemporaryFolder } from "#generator/files";
import { openDeriver } from "#generator/publish";
import { followTrees } from "./fetch-blobs.ts";
import { atNewestHead, parseEntry, readRedactions, tilesOf } from "./head.ts";
import { STATIC } from "#generator/annex/export";
import { mirror } from "./mirror.ts";
import { AT_ONCE, type Origin, refusal, refusing } from "./origin.ts";
import { addressOf, isServedAs } from "./served-files.ts";

/** A page or a list grows by what a server says in it. Bytes. */
const STAMP_BYTES = 4096;
/** An export's page, which has its pictures in it. Bytes. */
const MAX_PAGE = 64 * 1024 * 1024;
/** Lies about files that are told one by one. */
const MAX_LIES = 100;

export type AuditOptions = {
  readonly key: NoteKey | null;
  /** Heads that earlier audits have seen. */
  readonly seen: SeenHead | null;
  /** A head that the log must go on from, besides. */
  readonly since: LogHead | null;
  /** How many files are looked at, at random; null is all. */
  readonly sample: number | null;
  /** True where derived files are derived again. */
  readonly full: boolean;
  readonly progress: Progress;
};

/** Audited says what was checked, and what does not hold. */
export type Audited = Readonly<Awaited<ReturnType<typeof auditHead>>>;

/** audit checks what a server says of its library. @throws ShelfError "origin_refused" for a lie about the log or a tree, behind which nothing can
 *  be looked at; "origin_unreachable" */
export async function audit(origin: Origin, options: AuditOptions): Promise<Audited> {
  const work = (head: CheckedHead, seen: SeenHead | null): Promise<Audited> => auditHead(origin, head, { ...options, seen });
  return atNewestHead(origin, options.key, options.seen, work, ({ lies }) => lies.length === 0);
}

async function auditHead(origin: Origin, head: CheckedHead, { seen, since, sample, full, progress }: AuditOptions) {
  const { url, told } = origin;
  progress.step("log");
  const nodes = tileNodes(head.size, tilesOf(origin));
  const record = await checkRecord(origin, head, nodes);
  const older = [seen, since].filter((one) => one !== null);
  for (const one of older) await refusing(url, () => checkContinues(one, head, nodes));

  progress.step("trees");
  const { files, trees, digests } = await readTrees(origin, record);
  const redacted = await readRedactions(origin, head, async () => digests);
  const chosen = sample === null ? [...files] : pick([...files], sample);
  const lies: string[] = [];
  let [done, bytes, addresses] = [0, 0, 0];
  const read = (entry: BlobEntry): Promise<Buffer> => origin.blob(entry.sha256, entry.size);
  await concurrently(chosen, AT_ONCE, async ([path, entry]) => {
    try {
      const file = await read(entry);
      bytes += file.length;
      const address = addressOf(path);
      if (address !== null) {
        addresses++;
        await checkServed(origin, { path, address, file, files, read });
      }
    } catch (error) {
      if (!(error instanceof ShelfError && error.code === "origin_refused")) throw error;
      lies.push(error.message);
      if (lies.length >= MAX_LIES) throw error;
    }
    progress.step("files", ++done, chosen.length);
  });
  if (full && lies.length === 0) lies.push(...(await deriveAgain(origin, head, { files, read, progress })));
  progress.end();
  const checked = {
    trees,
    files: chosen.length,
    /** Number of files in the tree. */
    of: files.size,
    bytes,
    /** Those of them that readers are given at a public address. */
    addresses,
    derived: full,
    /** Blobs of earlier snapshots that a notice of the log's owner stands for. */
    redacted: redacted.size,
    requests: told.requests,
  };
  return {
    url,
    snapshot: record.snapshot,
    sequence: record.sequence,
    origin: head.origin,
    signed_by: head.signer?.text ?? null,
    /** Earlier heads that the log was shown to go on from: numbers of entries. */
    consistent_with: older.map(({ size }) => size),
    checked,
    /** Empty when all of it holds. */
    lies,
    /** The head that the next audit is to hold it against. */
    head,
  };
}

/** The record that is served is the last entry, the entry is in the tree, and the tree is the checkpoint's. */
async function checkRecord(origin: Origin, head: CheckedHead, nodes: ReadNode): Promise<SnapshotRecord> {
  const { url } = origin;
  const { size } = head;
  return refusing(url, async () => {
    const entry = await readLastEntry(head, nodes, tilesOf(origin));
    const record = parseEntry(url, entry, size);
    const served = await origin.get(`/shelf/snapshots/${size}.json`, entry.length);
    if (served === null || !entry.equals(served))
      throw refusal(url, `/shelf/snapshots/${size}.json is not what its log has under that number`);
    return record;
  });
}

async function readTrees(origin: Origin, { snapshot }: SnapshotRecord) {
  const files = new Map<string, BlobEntry>();
  const digests = new Set<Sha256>();
  let trees = 0;
  await followTrees(
    origin.url,
    [snapshot],
    () => true,
    async ({ digest, size, path }, each) => {
      const bytes = await origin.blob(digest, size);
      trees++;
      digests.add(digest);
      for (const entry of await refusing(origin.url, () => parseTree(bytes))) {
        each(entry);
        if (entry.kind === "blob") files.set(path + entry.name, entry);
        digests.add(entry.sha256);
      }
    },
  );
  return { files, trees, digests };
}

type Served = {
  readonly path: string;
  readonly address: string;
  readonly file: Buffer;
  readonly files: ReadonlyMap<string, BlobEntry>;
  readonly read: (entry: BlobEntry) => Promise<Buffer>;
};

async function checkServed(origin: Origin, { path, address, file, files, read }: Served): Promise<void> {
  const max = path.startsWith("pages/") ? Math.max(MAX_PAGE, file.length) : file.length + STAMP_BYTES;
  const served = await origin.get(address, max);
  if (served === null) throw refusal(origin.url, `${address} is missing, and its tree has it`);
  if (!(await isServedAs(path, file, served, files, read)))
    throw refusal(origin.url, `${address} is not ${path} of its snapshot, whose bytes are at ${blobPath(files.get(path)?.sha256 ?? "")}`);
}

/** Some of the items, each at most once. */
function pick<T>(items: T[], count: number): T[] {
  const chosen: T[] = [];
  while (chosen.length < count && items.length > 0) chosen.push(...items.splice(randomInt(items.length), 1));
  return chosen;
}

/** deriveAgain makes the derived files anew from the objects and the data of a copy. @returns what differs */
async function deriveAgain(
  origin: Origin,
  head: CheckedHead,
  { files, read, progress }: Pick<Served, "files" | "read"> & { readonly progress: Progress },
): Promise<readonly string[]> {
  const derive = openDeriver();
  const look = async (dir: string): Promise<readonly string[]> => {
    await mirror(origin, { dir, key: head.signer, progress });
    progress.step("derive");
    const shelf = openDirectoryShelf(join(dir, "public"));
    const findings = await verifyShelf({ public: shelf, internal: null, derive });
    const lies = findings
      .filter(({ severity }) => severity === "error")
      .map(({ code, path, detail }) => `${origin.url} is refused: ${code}${path === null ? "" : ` ${path}`}: ${detail}`);
    progress.step("history on pages");
    return [...lies, ...(await checkStamps(origin, shelf, files, read))];
  };
  return withTemporaryFolder("audit", look).finally(() => derive.close());
}

/** checkStamps fills the history's words into pages anew, from the lists of changes and the snapshots that the copy has. @returns what differs */
async function checkStamps(origin: Origin, shelf: Shelf, files: Served["files"], read: Served["read"]): Promise<readonly string[]> {
  const view = openView({
    service: SERVICE,
    view: "public",
    shelf,
    renderer: null,
    index: null,
    runtime: STATIC,
    now: Date.now,
    listing: null,
  });
  const open = await view.current();
  const lies: string[] = [];
  if (open === null) return lies;
  await concurrently([...files], AT_ONCE, async ([path, entry]) => {
    const address = path.startsWith("pages/") ? addressOf(path) : null;
    const file = address === null ? null : await open.snapshot.read(entry);
    if (address === null || file === null || !Buffer.from(file).includes("<!--stamp:")) return;
    const served = await origin.get(address, Math.max(MAX_PAGE, file.length));
    for (const service of [SERVICE, PLAIN_FILES_SERVICE]) {
      const filled = Buffer.from(await stampPage(service, open, address, file));
      if (served !== null && (await isServedAs(path, filled, served, files, read))) return;
    }
    if (lies.length < MAX_LIES)
      lies.push(`${origin.url} is refused: ${address} says something else of the history than its lists of changes and its snapshots.`);
  });
  return lies;
}
