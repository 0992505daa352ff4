/** Names a file of source code where no heading does: by the name that the file declares itself, else by one made of its path. */
import { LANGUAGES } from "#snapshots/highlight";
import { extensionOf, fileName } from "./media-type.ts";

const WINDOW = 20_000; // UTF-16 units in which a file declares its name; licences stand above it

/** Folders that hold sources and are no part of a name. */
const ROOTS = new Set("src source sources lib libs theories theory include includes proofs ulib code app".split(" "));
/** Folders that are called alike in many places, so that the one above is named too. */
const COMMON = /^(?:tests?|examples?|benches|bench|docs?|internal|common|util|utils|core|base|v?\d+|.)$/i;
const IDENTIFIER = /^[\p{L}_][\p{L}\p{N}_']*$/u;
/** Files that stand for their folder. */
const FOLDER_FILES: Readonly<Record<string, ReadonlySet<string>>> = {
  rust: new Set(["mod", "lib", "main"]),
  python: new Set(["__init__", "__main__"]),
};

/** moduleName names a file of source code.
 *  @param language of a row, or any other or none: then the name is that of the file in its folder */
export function moduleName(key: string, text: string, language: string | null): string {
  const row = language !== null && Object.hasOwn(LANGUAGES, language) ? LANGUAGES[language] : undefined;
  const declared = row?.module?.exec(text.slice(0, WINDOW))?.[1];
  if (declared !== undefined && declared !== "Main") return declared;
  const file = fileName(key);
  const folders = key.split("/").slice(0, -1);
  const extension = extensionOf(key);
  const stem = extension === "" ? file : file.slice(0, -extension.length - 1);
  if (row === undefined || row.path === "file") return [...nearest(folders), file].join("/");
  if (row.path === "crate") return crateName(folders, stem) ?? file;
  const inner = folders.slice(folders.findLastIndex((name) => !IDENTIFIER.test(name)) + 1);
  const first = row.path === "capitals" ? inner.findIndex((name) => /^\p{Lu}/u.test(name)) : -1;
  if (first >= 0) return [...inner.slice(first), stem].join(".");
  const last = language !== null && FOLDER_FILES[language]?.has(stem) === true ? inner.pop() : stem;
  if (last === undefined) return file;
  return [...nearest(inner), language === "ocaml" ? last.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase()) : last].join(".");
}

/** The last folder, and the one above it where the last says little. */
function nearest(folders: readonly string[]): string[] {
  const telling = folders.filter((name) => !ROOTS.has(name.toLowerCase()));
  const last = telling.at(-1);
  if (last === undefined) return [];
  return COMMON.test(last) ? telling.slice(-2) : [last];
}

function crateName(folders: readonly string[], stem: string): string | null {
  // Systems keep sources of many packages in usr/src.
  const src = folders.lastIndexOf("src");
  const at = folders[src - 1] === "usr" ? -1 : src;
  const crate = (at >= 0 ? folders[at - 1] : undefined)?.replace(/-\d[\w.+-]*$/, "").replaceAll("-", "_");
  const inner = at >= 0 ? folders.slice(at + 1) : nearest(folders);
  const bare = inner.map((name) => name.replace(/-\d[\w.+-]*$/, ""));
  const parts = [...(crate === undefined ? [] : [crate]), ...bare, ...(FOLDER_FILES["rust"]?.has(stem) === true ? [] : [stem])];
  return parts.length === 0 ? null : parts.join("::");
}
