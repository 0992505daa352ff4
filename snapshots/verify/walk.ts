/** Re-hashes every blob that a snapshot reaches, and checks every tree on the way. What is stored may be anything: only
 *  bytes that match a digest are looked into, and only as deep and as far as the limits say. */
import { createHash } from "node:crypto";
import { type Sha256, sha256 } from "#snapshots/digest";
import { type BlobEntry, findKeyProblem, parseTree, type Tree, countOf } from "#snapshots/format";
import { type Audit, checksOf } from "./check.ts";
import { reasonOf } from "./finding.ts";
import { streamBlob } from "#snapshots/shelf";

/** Blobs above this are hashed as a stream, bytes. */
const STREAM_ABOVE = 4 * 1024 * 1024;
const AT_ONCE = 16;
/** MAX_FOLDERS is the number of folders of one snapshot that are followed; MAX_ENTRIES is that of entries. Trees may share subtrees, so a few
 *  kilobytes can spell billions of paths. */
export const MAX_FOLDERS = 1_000_000;
const MAX_ENTRIES = 20_000_000;
/** MAX_DEPTH is the number of folders inside each other: a key has at most 512 segments, its page a few more. */
export const MAX_DEPTH = 1200;

/** walkSnapshot goes through the tree of a snapshot. @param keep false when only the hashes matter: then trees known from another snapshot are not
 *  walked again
 *  @returns every file by its path, or null when the tree is damaged (the report says where) */
export async function walkSnapshot(audit: Audit, snapshot: Sha256, keep: boolean): Promise<Map<string, BlobEntry> | null> {
  const { report, root } = audit;
  const files = new Map<string, BlobEntry>();
  const open: { digest: Sha256; size: number | null; path: string; depth: number }[] = [
    { digest: snapshot, size: null, path: "", depth: 0 },
  ];
  let whole = true;
  let entries = 0;
  let folders = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { digest, size, path, depth } = next;
    const place = { snapshot, path: path === "" ? null : path.slice(0, -1) };
    const name = `${digest} ${path}`;
    if (!keep && audit.walked.has(name)) continue;
    audit.walked.add(name);
    const tree = await readTree(audit, digest, size, place);
    if (tree === null) {
      whole = false;
      continue;
    }
    entries += tree.length;
    if (++folders > audit.maxFolders || entries > MAX_ENTRIES || depth > MAX_DEPTH) {
      report.add("tree_too_large", root, place, "Verification stops here.");
      return null;
    }
    for (const entry of tree) {
      const file = path + entry.name;
      if (entry.name === "." || entry.name === "..") {
        report.add("bad_name", root, { snapshot, path: file }, "A dot segment leads out of its folder.");
        whole = false;
      } else if (entry.kind === "tree") open.push({ digest: entry.sha256, size: entry.size, path: `${file}/`, depth: depth + 1 });
      else {
        checkEntry(audit, snapshot, file, entry);
        if (keep) files.set(file, entry);
      }
    }
    const blobs = tree.filter((entry) => entry.kind === "blob");
    for (let at = 0; at < blobs.length; at += AT_ONCE) {
      const good = await Promise.all(
        blobs.slice(at, at + AT_ONCE).map((entry) => checkBlob(audit, entry.sha256, entry.size, { snapshot, path: path + entry.name })),
      );
      if (good.includes(false)) whole = false;
      const gone = keep ? blobs.find((entry) => audit.redacted.has(entry.sha256)) : undefined;
      if (gone !== undefined) {
        report.add("blob_missing", root, { snapshot, path: path + gone.name }, `Blob ${gone.sha256} was redacted, and is served.`);
        whole = false;
      }
    }
  }
  return whole && keep ? files : null;
}

type Place = { readonly snapshot: Sha256; readonly path: string | null };

/** Where a digest's bytes would be read from: its hash is checked once in each place. */
function placeOf(audit: Audit, digest: Sha256): string {
  return `${audit.own.has(digest) ? audit.root : "public"} ${digest}`;
}

async function readTree(audit: Audit, digest: Sha256, size: number | null, place: Place): Promise<Tree | null> {
  if (!(await checkBlob(audit, digest, size, place))) return null;
  const known = audit.cache.trees.get(digest);
  if (known !== undefined) return known;
  try {
    const bytes = await audit.shelf.getBlob(digest);
    // Hashed again: what was good a moment ago may have been replaced.
    if (bytes === null || sha256(bytes) !== digest) throw new Error("It changed while it was read.");
    const tree = parseTree(bytes);
    audit.cache.trees.set(digest, tree);
    return tree;
  } catch (error) {
    audit.report.add("tree_malformed", audit.root, place, `Tree ${digest}: ${reasonOf(error)}`);
    return null;
  }
}

/** checkBlob tells whether the blob is there, and has its digest and its size. Each blob is hashed once, and its trouble told once. */
export async function checkBlob(audit: Audit, digest: Sha256, size: number | null, place: Place): Promise<boolean> {
  const name = placeOf(audit, digest);
  const hashing = audit.hashed.get(name) ?? hashBlob(audit, digest, place);
  audit.hashed.set(name, hashing);
  audit.tell(`hash blobs of the ${audit.root} root`, audit.hashed.size);
  const actual = await hashing;
  if (actual === REDACTED) audit.redacted.add(digest);
  if (actual < 0) return actual === REDACTED;
  if (size === null || size === actual) return true;
  audit.report.add("blob_size", audit.root, place, `The entry says ${countOf(size, "byte")}, the blob has ${actual}.`);
  return false;
}

const REDACTED = -2;

async function hashBlob(audit: Audit, digest: Sha256, place: Place): Promise<number> {
  const { report, root, shelf } = audit;
  try {
    const stored = audit.own.get(digest);
    let size = 0;
    let actual: Sha256;
    if (stored !== undefined && stored > STREAM_ABOVE) {
      const hash = createHash("sha256");
      // One byte more than was listed, so that an overlong file shows.
      for await (const chunk of streamBlob(shelf, digest, 0, stored)) {
        hash.update(chunk);
        size += chunk.length;
      }
      actual = hash.digest("hex");
    } else {
      const bytes = await shelf.getBlob(digest);
      for (const check of bytes === null ? checksOf(audit.checks, "gap") : []) if (await check.isFilled(audit, digest)) return REDACTED;
      if (bytes === null) {
        const elsewhere = (await audit.other?.hasBlob(digest)) ?? false;
        report.add(elsewhere ? "blob_only_internal" : "blob_missing", root, place, `Blob ${digest} is not there.`);
        return -1;
      }
      size = bytes.length;
      actual = sha256(bytes);
    }
    if (actual === digest) return size;
    report.add("blob_digest", root, place, `Blob ${digest} holds bytes of digest ${actual}.`);
  } catch (error) {
    report.add("unreadable", root, place, `Blob ${digest}: ${reasonOf(error)}`);
  }
  return -1;
}

/** Beginnings of the media types of files, by where the files lie; objects have whatever type their bytes have. */
const TYPES: readonly (readonly [path: RegExp, type: string])[] = [
  [/^(api|extracts)\//, "application/json"],
  [/^pages\/.*\.html$/s, "text/html"],
  [/^pages\/[^/]*\.txt$/, "text/plain"],
  [/^pages\/[^/]*\.xml$/, "application/xml"],
  [/^assets\/.*\.css$/s, "text/css"],
  [/^assets\/.*\.js$/s, "text/javascript"],
  [/^assets\/.*\.svg$/s, "image/svg+xml"],
  [/^images\//, "image/png"],
  [/^favicon\.ico$/, "image/x-icon"],
];
const TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(; ?[\w-]+=("[^"]*"|[\w.-]+))*$/;

function checkEntry(audit: Audit, snapshot: Sha256, path: string, entry: BlobEntry): void {
  const place = { snapshot, path };
  const wanted = TYPES.find(([pattern]) => pattern.test(path))?.[1];
  if (!TYPE.test(entry.type) || (wanted !== undefined && entry.type.split(";")[0] !== wanted)) {
    audit.report.add(
      "media_type",
      audit.root,
      place,
      `${JSON.stringify(entry.type)}${wanted === undefined ? " is none" : ` where ${wanted} belongs`}.`,
    );
  }
  const isObject = path.startsWith("objects/");
  if (!isObject && entry.uploaded !== undefined) audit.report.add("api_mismatch", audit.root, place, "Only objects have an upload time.");
  if (!isObject) return;
  const problem = findKeyProblem(path.slice("objects/".length));
  if (problem !== null) audit.report.add("bad_name", audit.root, place, `${problem}.`);
}
