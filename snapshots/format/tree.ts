/** Trees: a folder of a snapshot as canonical JSON, stored under the SHA-256 of that JSON.
 *  A tree is an array with one entry per name, ascending by UTF-16 code unit, written as RFC 8785:
 *  `[{"kind":"blob","name":"a.md","sha256":"…","size":12,"type":"text/markdown"},{"kind":"tree",…}]`.
 *  An array and not an object, so that a name is always a value: nobody can smuggle `__proto__` into a parser.
 *  The id of a snapshot is the SHA-256 of its root tree. */
import { z } from "zod";
import { sha256, type Sha256, SHA256_PATTERN } from "#snapshots/digest";
import { ShelfError } from "#snapshots/errors";

const sha = z.string().regex(SHA256_PATTERN);
const name = z.string().refine(isName);
/** Servers send it as a header: a line's end in it would end the header. Whether it is a media type is for verification to tell. */
const HEADER_SAFE = /^[\x20-\x7e]*$/;
const blobEntry = z.strictObject({
  kind: z.literal("blob"),
  name,
  sha256: sha,
  size: z.int().nonnegative(),
  type: z.string().regex(HEADER_SAFE),
  uploaded: z.string().nullable().optional(),
});
const treeEntry = z.strictObject({ kind: z.literal("tree"), name, sha256: sha, size: z.int().nonnegative() });
const entrySchema = z.discriminatedUnion("kind", [blobEntry, treeEntry]);

/** A BlobEntry is a file: `size` in bytes of the blob, `type` its media type, `uploaded` only for objects (RFC 3339 UTC). */
export type BlobEntry = Readonly<z.infer<typeof blobEntry>>;
/** A folder: `size` in bytes of its canonical JSON. */
type FolderEntry = Readonly<z.infer<typeof treeEntry>>;
export type TreeEntry = BlobEntry | FolderEntry;
export type Tree = readonly TreeEntry[];

export type FileEntry = Omit<BlobEntry, "kind" | "name"> & { readonly path: string };

/** Any text but "", without "/" and NUL. Unpaired surrogates have no UTF-8 form: two such names could share a digest. */
function isName(text: string): boolean {
  return text !== "" && !text.includes("/") && !text.includes("\0") && text.isWellFormed();
}

/** compareNames orders by UTF-16 code unit, as RFC 8785 sorts; the same on every machine and in every locale. */
export function compareNames(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export function formatTree(tree: Tree): Uint8Array {
  return new TextEncoder().encode(`[${tree.map(formatEntry).join(",")}]`);
}

function formatEntry(entry: TreeEntry): string {
  // Members in RFC 8785 order; strings and integers come out of JSON.stringify as RFC 8785 wants them.
  const head = `{"kind":"${entry.kind}","name":${JSON.stringify(entry.name)},"sha256":"${entry.sha256}","size":${entry.size}`;
  if (entry.kind === "tree") return `${head}}`;
  const uploaded = entry.uploaded === undefined ? "" : `,"uploaded":${JSON.stringify(entry.uploaded)}`;
  return `${head},"type":${JSON.stringify(entry.type)}${uploaded}}`;
}

/** parseTree reads a tree. Whoever sent it controls the bytes: each entry is looked at by itself, and the first bad one ends it.
 *  @throws ShelfError "snapshot_damaged" when the bytes are not one canonical tree */
export function parseTree(bytes: Uint8Array): Tree {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new ShelfError("snapshot_damaged", "A tree is not JSON.", { cause });
  }
  if (!Array.isArray(value)) throw new ShelfError("snapshot_damaged", "A tree is no list.");
  const tree: TreeEntry[] = [];
  const given = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const expect = (text: string): void => {
    const wanted = Buffer.from(text);
    if (!wanted.equals(given.subarray(at, at + wanted.length)))
      throw new ShelfError("snapshot_damaged", "A tree is not in canonical form.");
    at += wanted.length;
  };
  for (const [index, one] of value.entries()) {
    const parsed = entrySchema.safeParse(one);
    if (!parsed.success) throw new ShelfError("snapshot_damaged", "A tree has a malformed entry.", { cause: parsed.error });
    if (index > 0 && compareNames(tree[index - 1]?.name ?? "", parsed.data.name) >= 0)
      throw new ShelfError("snapshot_damaged", "A tree is not sorted, or has a name twice.");
    expect(`${index === 0 ? "[" : ","}${formatEntry(parsed.data)}`);
    tree.push(parsed.data);
  }
  expect(tree.length === 0 ? "[]" : "]");
  if (at !== given.length) throw new ShelfError("snapshot_damaged", "A tree is not in canonical form.");
  return tree;
}

/** Subtrees are folders and files that lie side by side, and the bytes of every tree below under their digest, leaves first. */
export type Subtrees = { readonly entries: Tree; readonly trees: ReadonlyMap<Sha256, Uint8Array> };
/** A BuiltTree is a whole tree; its `root` has no name. */
export type BuiltTree = { readonly root: FolderEntry; readonly trees: ReadonlyMap<Sha256, Uint8Array> };

/** buildTree makes nested trees from a set of files in any order.
 *  @throws ShelfError "build_failed" when a path occurs twice, is both a file and a folder, or has an empty part */
export function buildTree(files: Iterable<FileEntry>): BuiltTree {
  return joinSubtrees([buildSubtrees(files)]);
}

/** joinSubtrees makes the tree over parts. @throws ShelfError "build_failed" when two of them have a name in common */
export function joinSubtrees(parts: readonly Subtrees[]): BuiltTree {
  const entries = parts.flatMap((part) => part.entries).sort((a, b) => compareNames(a.name, b.name));
  for (const [at, { name }] of entries.entries()) {
    if (name === entries[at - 1]?.name) throw new ShelfError("build_failed", `${name}: this path occurs twice in a snapshot.`);
  }
  const trees = new Map(parts.flatMap((part) => [...part.trees]));
  const bytes = formatTree(entries);
  const digest = sha256(bytes);
  trees.set(digest, bytes);
  return { root: { kind: "tree", name: "", sha256: digest, size: bytes.length }, trees };
}

/** mountSubtrees puts parts together in a folder; it returns nothing when they hold nothing. @throws ShelfError "build_failed" as joinSubtrees */
export function mountSubtrees(name: string, parts: readonly Subtrees[]): Subtrees {
  if (parts.every((part) => part.entries.length === 0)) return { entries: [], trees: new Map() };
  const { root, trees } = joinSubtrees(parts);
  return { entries: [{ ...root, name }], trees };
}

/** buildSubtrees does as `buildTree`, without the tree over all of them. */
export function buildSubtrees(files: Iterable<FileEntry>): Subtrees {
  type Folder = Map<string, Folder | FileEntry>;
  const top: Folder = new Map();
  for (const file of files) {
    const { path } = file;
    const names = path.split("/");
    if (!names.every(isName)) throw new ShelfError("build_failed", `${path}: this path has a part that no tree can hold.`);
    const last = names.pop() ?? "";
    let folder = top;
    for (const name of names) {
      const child = folder.get(name) ?? new Map();
      if (!(child instanceof Map)) throw new ShelfError("build_failed", `${path}: a part of this path is a file.`);
      folder.set(name, child);
      folder = child;
    }
    if (folder.has(last)) throw new ShelfError("build_failed", `${path}: this path occurs twice in a snapshot.`);
    folder.set(last, file);
  }
  const trees = new Map<Sha256, Uint8Array>();
  const close = (folder: Folder): Tree =>
    [...folder]
      .sort(([a], [b]) => compareNames(a, b))
      .map(([label, child]): TreeEntry => {
        if (!(child instanceof Map)) {
          const { path: _, uploaded, ...entry } = child;
          return { kind: "blob", name: label, ...entry, ...(uploaded === undefined ? {} : { uploaded }) };
        }
        const bytes = formatTree(close(child));
        const digest = sha256(bytes);
        trees.set(digest, bytes);
        return { kind: "tree", name: label, sha256: digest, size: bytes.length };
      });
  return { entries: close(top), trees };
}

export type TreeChange = { readonly path: string; readonly before: BlobEntry | null; readonly after: BlobEntry | null };

/** diffTrees yields every file that differs between two trees, in path order; it reads only subtrees whose digests differ. */
export async function* diffTrees(
  before: Sha256 | null,
  after: Sha256 | null,
  load: (digest: Sha256) => Promise<Tree>,
  prefix = "",
): AsyncGenerator<TreeChange> {
  if (before === after) return;
  const old = new Map((before === null ? [] : await load(before)).map((entry) => [entry.name, entry]));
  const now = new Map((after === null ? [] : await load(after)).map((entry) => [entry.name, entry]));
  for (const label of [...new Set([...old.keys(), ...now.keys()])].sort(compareNames)) {
    const a = old.get(label);
    const b = now.get(label);
    if (a !== undefined && b !== undefined && sameEntry(a, b)) continue;
    const path = prefix + label;
    const fileBefore = a?.kind === "blob" ? a : null;
    const fileAfter = b?.kind === "blob" ? b : null;
    if (fileBefore !== null || fileAfter !== null) yield { path, before: fileBefore, after: fileAfter };
    const treeBefore = a?.kind === "tree" ? a.sha256 : null;
    const treeAfter = b?.kind === "tree" ? b.sha256 : null;
    if (treeBefore !== treeAfter) yield* diffTrees(treeBefore, treeAfter, load, `${path}/`);
  }
}

function sameEntry(a: TreeEntry, b: TreeEntry): boolean {
  if (a.kind !== b.kind || a.sha256 !== b.sha256) return false;
  return a.kind === "tree" || (b.kind === "blob" && a.type === b.type && a.uploaded === b.uploaded);
}

/** EntryProof has the trees from the root to a file, each named by its digest in the one before: a reader who trusts the root's digest can check
 *  them with SHA-256 alone. For a path that no file has, they end with the tree in which the path ends, and there is no entry. */
export type EntryProof = { readonly root: Sha256; readonly trees: readonly string[]; readonly entry: BlobEntry | null };

export async function proveEntry(root: Sha256, path: string, load: (digest: Sha256) => Promise<Tree>): Promise<EntryProof> {
  const trees: string[] = [];
  let digest = root;
  const names = path.split("/");
  for (const [at, label] of names.entries()) {
    const tree = await load(digest);
    trees.push(new TextDecoder().decode(formatTree(tree)));
    const entry = tree.find((candidate) => candidate.name === label);
    if (entry?.kind === "blob" && at === names.length - 1) return { root, trees, entry };
    if (entry?.kind !== "tree") break;
    digest = entry.sha256;
  }
  return { root, trees, entry: null };
}
