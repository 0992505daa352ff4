/** The files that a tag of a table needs, each with its digest: `manifests/<table>/<tag>.json` in the index's folder. The engine believes every
 *  byte that it reads, so whoever opens a tag compares its files first.
 *   A manifest names more than the tag needs (what an update wrote on the way to it), never less; of what the tag was built on only what its
 *  version still names, so that a tag costs the same however many came before. */
import { createReadStream, type Dirent, readdirSync, readFileSync, statSync } from "node:fs";
import { cp, mkdir, readdir, readFile, rename, rm, rmdir, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import { z } from "zod";
import { canonicalJson, type Sha256, sha256, SHA256_PATTERN, sha256Of } from "#snapshots/digest";
import { ShelfError } from "#snapshots/errors";

const FOLDER = "manifests";
/** Digests that are remembered while their files keep their place, size and times. */
const MAX_KNOWN = 20_000;
/** The engine counts the names of versions down from here, so that the newest comes first. */
const LAST_VERSION = 2n ** 64n - 1n;
/** Within this time a tag that is set again has its manifest again; milliseconds. */
const RESET_MS = 100;
const READ_BYTES = 256 * 1024; // hashed at a time: a fifth of a millisecond, so that nobody waits
/** Rewritten in place with every version; the engine takes it for a hint. */
const HINT = "_versions/latest_version_hint.json";
const TAGS = "_refs/tags/";
const VERSIONS = "_versions/";
/** Their names do not stand in a version, but numbers that they are made of. */
const DELETIONS = "_deletions/";
/** A folder for each index that a table has or had; its name is a UUID, which a version names by its 16 bytes. */
const INDEXES = "_indices";

/** Path of the engine's own file of a tag in a table's folder. */
function tagFile(tag: string): string {
  return `${TAGS}${tag}.json`;
}

const manifestSchema = z.strictObject({
  table: z.string(),
  tag: z.string(),
  /** Files are being removed that no kept tag needs: one that is missing may be among them. */
  thinning: z.boolean(),
  files: z.record(z.string(), z.string().regex(SHA256_PATTERN)),
});
type Manifest = z.infer<typeof manifestSchema>;

/** A state of a table: path of its file, which names the others that it needs. */
type Version = { readonly path: string; readonly bytes: Buffer };

/** Path in the table's folder → what changes whenever the file does, but for a disk that fails. */
type Listing = ReadonlyMap<string, string>;

/** Manifests are the manifests of an index, and the files that they name. */
export class Manifests {
  private readonly uri: string;
  private readonly known = new LRUCache<string, { readonly identity: string; readonly digest: Sha256 }>({
    maxSize: MAX_KNOWN, // and no `max`, for which the library lays out all slots at once
    sizeCalculation: () => 1,
  });

  /** @param uri directory of the index */
  constructor(uri: string) {
    this.uri = uri;
  }

  /** list returns the files that a table has now. */
  async list(table: string): Promise<Listing> {
    const folder = this.folderOf(table);
    const files = new Map<string, string>();
    const entries: readonly Dirent[] = orNull(() => readdirSync(folder, { recursive: true, withFileTypes: true })) ?? [];
    for (const entry of entries) {
      const path = join(entry.parentPath, entry.name);
      const identity = entry.isDirectory() ? null : identify(path);
      if (identity !== null) files.set(relative(folder, path), identity);
    }
    files.delete(HINT);
    return files;
  }

  /** findDamage says in words what is wrong with the files that a tag of a table needs; null when all are exactly what was written. */
  async findDamage(table: string, tag: string): Promise<string | null> {
    if ((await this.lookAt(table, tag)) === null) return null;
    // A tag that is being set again is another than its manifest for a moment.
    await wait(RESET_MS);
    return this.lookAt(table, tag);
  }

  /** has tells whether a table has this tag or its manifest, whole or not. */
  async has(table: string, tag: string): Promise<boolean> {
    const files = [join(this.folderOf(table), tagFile(tag)), this.pathOf(table, tag)];
    return files.map(identify).some((identity) => identity !== null);
  }

  /** tags returns the tags of a table that have a manifest, whole or not. */
  async tags(table: string): Promise<string[]> {
    const names = (await readdir(join(this.uri, FOLDER, table)).catch(absent)) ?? [];
    return names.filter((name) => name.endsWith(".json")).map((name) => name.slice(0, -".json".length));
  }

  /** write sets a tag, and writes its manifest. The files are hashed before, so that the two differ for as short as can be.
   *  @param base tag that was built on: its files are needed as well, with the digests that they had
   *  @param before the files that the table had before anything was written for this tag
   *  @param set makes the engine set it; where it sets none, the name is the manifest's alone
   *  @throws ShelfError "build_failed" when what it set cannot be read */
  async write(
    table: string,
    tag: string,
    { base, before }: { readonly base: string | null; readonly before: Listing },
    set: () => Promise<void>,
  ): Promise<void> {
    const built = base === null ? null : await this.read(table, base);
    const files: Record<string, Sha256> = {};
    const earlier: Record<string, Sha256> = {};
    const add = async (path: string, identity: string): Promise<void> => {
      files[path] = await this.digestOf(join(this.folderOf(table), path), identity);
    };
    for (const [path, identity] of await this.list(table)) {
      if (path.startsWith(TAGS)) continue;
      if (before.get(path) !== identity) await add(path, identity);
      else if (built !== null && Object.hasOwn(built.files, path)) earlier[path] = built.files[path] ?? "";
    }
    await set();
    if (!(await this.isTag(table, tag)))
      throw new ShelfError("build_failed", `The tag of the search index could not be written: ${table}.lance/${tagFile(tag)}.`, {
        fixes: ["Look after the disk, then build again."],
      });
    const identity = identify(join(this.folderOf(table), tagFile(tag)));
    if (identity !== null) await add(tagFile(tag), identity);
    const version = await this.versionOf(table, tag);
    for (const [path, digest] of Object.entries(earlier)) if (version === null || isNamed(path, version)) files[path] = digest;
    await this.put({ table, tag, thinning: false, files });
  }

  async forget(table: string, tag: string): Promise<void> {
    await rm(this.pathOf(table, tag), { force: true });
  }

  /** mend forgets the tags that are not whole, with every file that none of the others needs: the engine neither lists tags nor cleans up
   *  while it cannot read one of them, and reads each version there is. Before a table is written. */
  async mend(table: string): Promise<void> {
    let damaged = false;
    const kept = new Set<string>();
    const found = await this.list(table);
    for (const tag of await this.tags(table)) {
      if ((await this.lookAt(table, tag, found)) === null) kept.add(tagFile(tag));
      else {
        await this.forget(table, tag);
        damaged = true;
      }
    }
    for (const path of found.keys()) damaged ||= path.startsWith(TAGS) && !kept.has(path);
    // The manifest that named what is damaged may not be readable either.
    if (damaged) await this.sweep(table);
  }

  /** sweep removes every file of a table that no tag with a manifest needs, and folders that are left empty. Only for whoever is alone
   *  with the table. */
  async sweep(table: string): Promise<void> {
    const needed = new Set<string>();
    for (const tag of await this.tags(table)) for (const path of Object.keys((await this.read(table, tag))?.files ?? {})) needed.add(path);
    await this.remove(table, new Set((await this.list(table)).keys()).difference(needed));
    // The engine and we remove an index's files, and nobody its folder.
    const indexes = join(this.folderOf(table), INDEXES);
    for (const name of (await readdir(indexes).catch(absent)) ?? []) await rmdir(join(indexes, name)).catch(inUse);
  }

  /** thin runs work that removes files of a table that none of these tags needs; they are whole. */
  async thin(table: string, tags: readonly string[], work: () => Promise<unknown>): Promise<void> {
    const kept = (await Promise.all(tags.map((tag) => this.read(table, tag)))).filter((manifest) => manifest !== null);
    for (const manifest of kept) await this.put({ ...manifest, thinning: true });
    await work();
    const left = await this.list(table);
    for (const manifest of kept) {
      const files = Object.fromEntries(Object.entries(manifest.files).filter(([path]) => left.has(path)));
      await this.put({ ...manifest, files });
    }
  }

  /** holdsRemoved tells whether the files of a table hold rows that none of its tags has, whose versions follow one another. */
  async holdsRemoved(table: string): Promise<boolean> {
    const numbers = await Promise.all((await this.tags(table)).map((tag) => this.numberOf(table, tag)));
    // A file of deletions is named by its rows' file, and by the version that still had the rows.
    const deleted = [...(await this.list(table)).keys()]
      .filter((path) => path.startsWith(DELETIONS))
      .map((path) => BigInt(path.split("-")[1] ?? ""));
    return deleted.some((had) => numbers.every((number) => number === null || had < number));
  }

  private folderOf(table: string): string {
    return join(this.uri, `${table}.lance`);
  }

  private pathOf(table: string, tag: string): string {
    return join(this.uri, FOLDER, table, `${tag}.json`);
  }

  private async digestOf(path: string, identity: string): Promise<Sha256> {
    const before = this.known.get(path);
    if (before?.identity === identity) return before.digest;
    // Most files of an index are small: a stream would cost more than their bytes.
    const digest =
      statSync(path).size <= READ_BYTES
        ? sha256(readFileSync(path))
        : await sha256Of(createReadStream(path, { highWaterMark: READ_BYTES }));
    this.known.set(path, { identity, digest });
    return digest;
  }

  private async read(table: string, tag: string): Promise<Manifest | null> {
    const text = await readFile(this.pathOf(table, tag), "utf8").catch(absent);
    if (text === null) return null;
    try {
      const found = manifestSchema.parse(JSON.parse(text));
      return found.table === table && found.tag === tag && canonicalJson(found) === text ? found : null;
    } catch {
      return null;
    }
  }

  /** @param found the files that the table has, to look at each only once for many tags */
  private async lookAt(table: string, tag: string, found: Listing | null = null): Promise<string | null> {
    const manifest = await this.read(table, tag);
    if (manifest === null) return `${table} has no manifest of this snapshot.`;
    for (const [file, digest] of Object.entries(manifest.files)) {
      const path = join(this.folderOf(table), file);
      const identity = found === null ? identify(path) : (found.get(file) ?? null);
      if (identity === null && manifest.thinning) continue;
      if (identity === null) return `${table}.lance/${file} is missing.`;
      if ((await this.digestOf(path, identity).catch(() => null)) !== digest) return `${table}.lance/${file} is not what was written.`;
    }
    return (await this.isTag(table, tag)) ? null : `${table}.lance/${tagFile(tag)} is no tag.`;
  }

  /** The engine can leave the file of a tag empty on a disk that fails, without a word; then it lists none of its tags any more. */
  private async isTag(table: string, tag: string): Promise<boolean> {
    const text = await readFile(join(this.folderOf(table), tagFile(tag)), "utf8").catch(absent);
    return text !== "";
  }

  /** The version that a tag points at, as the engine wrote it. Null when it cannot be told. */
  private async versionOf(table: string, tag: string): Promise<Version | null> {
    const number = await this.numberOf(table, tag);
    if (number === null) return null;
    const path = `${VERSIONS}${LAST_VERSION - number}.manifest`;
    const bytes = await readFile(join(this.folderOf(table), path)).catch(absent);
    return bytes === null ? null : { path, bytes };
  }

  private async numberOf(table: string, tag: string): Promise<bigint | null> {
    const text = await readFile(join(this.folderOf(table), tagFile(tag)), "utf8").catch(absent);
    const number = /"version":\s*(\d+)/.exec(text ?? "")?.[1];
    return number === undefined ? null : BigInt(number);
  }

  private async put(manifest: Manifest): Promise<void> {
    const path = this.pathOf(manifest.table, manifest.tag);
    const temporary = `${path}.new`;
    await mkdir(dirname(path), { recursive: true });
    await writeFile(temporary, canonicalJson(manifest));
    await rename(temporary, path);
  }

  private async remove(table: string, files: Iterable<string>): Promise<void> {
    for (const path of files) await rm(join(this.folderOf(table), path), { force: true });
  }
}

/** copyManifests copies the manifests of a table that is copied, file by file, with all its tags. */
export async function copyManifests(from: string, to: string, table: string): Promise<void> {
  const [old, copy] = [join(from, FOLDER, table), join(to, FOLDER, table)];
  await rm(copy, { recursive: true, force: true });
  await cp(old, copy, { recursive: true });
}

/** Tells whether a version needs a file that was there before it. */
function isNamed(path: string, version: Version): boolean {
  if (path.startsWith(DELETIONS) || path === version.path) return true;
  const [folder, name = ""] = path.split("/");
  return version.bytes.includes(folder === INDEXES ? Buffer.from(name.replaceAll("-", ""), "hex") : basename(path));
}

/** identify returns what changes whenever a file does; null when there is no file to be read. */
function identify(path: string): string | null {
  const found = orNull(() => statSync(path, { bigint: true }));
  return found?.isFile() === true ? `${found.dev} ${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}` : null;
}

/** orNull looks at once: an index has hundreds of files, and handing each to another thread takes ten times as long as the look. */
function orNull<T>(look: () => T): T | null {
  try {
    return look();
  } catch (error) {
    return absent(error as NodeJS.ErrnoException);
  }
}

function inUse(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOTEMPTY" && error.code !== "ENOTDIR") throw error;
}

function absent(error: NodeJS.ErrnoException): null {
  if (error.code === "ENOENT" || error.code === "ENOTDIR" || error.code === "EISDIR") return null;
  throw error;
}
