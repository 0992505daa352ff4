/** Real manuals as a library, made of packages of Debian 12 and never copied into the project: what people's questions are asked of. */
import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { ShelfError } from "../../snapshots/errors.ts";

const run = promisify(execFile);

const KIB = 1024;
const MIN_PARAGRAPHS = 8; // of a page of SQLite that is prose, and no list of names
const RELEASE = /^\d/; // notes of SQLite's releases

/** Where files of a package stand below /usr/share/doc, where they go, and which are taken. */
type Part = {
  readonly from: string;
  readonly to: string;
  readonly takes: RegExp;
  readonly without?: readonly string[];
  readonly maxBytes?: number;
  readonly minParagraphs?: number;
};

const SOURCES = "python3.11/html/_sources";

const PACKAGES: Readonly<Record<string, readonly Part[]>> = {
  "python3.11-doc": [
    { from: "python3.11/html/faq", to: "python/faq", takes: /\.html$/, without: ["index.html"] },
    { from: `${SOURCES}/tutorial`, to: "python/tutorial", takes: /\.rst\.txt$/ },
    {
      from: `${SOURCES}/howto`,
      to: "python/howto",
      takes: /\.rst\.txt$/,
      without: ["index.rst.txt", "clinic.rst.txt"],
      maxBytes: 70 * KIB,
    },
    { from: `${SOURCES}/library`, to: "python/library", takes: /\.rst\.txt$/, maxBytes: 7 * KIB },
    { from: SOURCES, to: "python", takes: /^glossary\.rst\.txt$/ },
  ],
  "debian-faq": [{ from: "debian/FAQ", to: "debian", takes: /\.en\.html$/, without: ["index.en.html"] }],
  "debian-faq-ja": [{ from: "debian/FAQ/ja", to: "ja/faq", takes: /\.html$/, without: ["index.ja.html"] }],
  "git-doc": [{ from: "git-doc", to: "git", takes: /^git.*\.txt$/, maxBytes: 24 * KIB }],
  "sqlite3-doc": [{ from: "sqlite3", to: "sqlite", takes: /\.html$/, maxBytes: 94 * KIB, minParagraphs: MIN_PARAGRAPHS }],
};

/** writeManuals writes the manuals' files into a folder.
 *  @param packages folder of .deb files; one that is not there is downloaded into it
 *  @param folders of the library, that are written
 *  @throws ShelfError "bad_source" for a package that can be had nowhere */
export async function writeManuals(packages: string, into: string, folders: readonly string[]): Promise<void> {
  const unpacked = await mkdtemp(join(tmpdir(), "manuals-"));
  try {
    for (const [name, parts] of Object.entries(PACKAGES)) {
      if (!parts.some(({ to }) => folders.includes(to.split("/")[0] ?? ""))) continue;
      await run("dpkg-deb", ["-x", await findPackage(packages, name), unpacked]);
      for (const part of parts) await copyPart(join(unpacked, "usr/share/doc"), part, into);
    }
  } finally {
    await rm(unpacked, { recursive: true, force: true });
  }
}

/** findPackage finds a package.
 *  @returns path of a package, which is downloaded where the folder has none */
export async function findPackage(folder: string, name: string): Promise<string> {
  const find = async (): Promise<string | undefined> =>
    (await readdir(folder)).find((file) => file.startsWith(`${name}_`) && file.endsWith(".deb"));
  await mkdir(folder, { recursive: true });
  const known = await find();
  if (known !== undefined) return join(folder, known);
  await run("apt-get", ["download", name], { cwd: folder }).catch((cause: unknown) => {
    throw new ShelfError("bad_source", `${folder} has no ${name}_*.deb, and apt-get cannot download it.`, { cause });
  });
  return join(folder, (await find()) ?? name);
}

async function copyPart(root: string, { from, to, takes, without = [], maxBytes = Infinity, minParagraphs = 0 }: Part, into: string) {
  for (const name of await readdir(join(root, from))) {
    if (!takes.test(name) || without.includes(name) || RELEASE.test(name)) continue;
    const text = await readFile(join(root, from, name), "utf8");
    if (Buffer.byteLength(text) > maxBytes || text.split(/<p\b/i).length <= minParagraphs) continue;
    const target = join(into, to, basename(name.replace(/\.rst\.txt$/, ".rst")));
    await mkdir(dirname(target), { recursive: true });
    await copyFile(join(root, from, name), target);
  }
}
