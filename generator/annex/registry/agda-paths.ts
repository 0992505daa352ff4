/** The folders of an Agda source: its root, whose modules become records, and those of the revision that `-i` of its flags names, which these import. */
import { folderOf, isBelow } from "./coq-paths.ts";

/** agdaFoldersOf gives the root first. A folder of this machine is none of the revision. */
export function agdaFoldersOf({ root, flags }: { readonly root: string; readonly flags: readonly string[] }): readonly string[] {
  const more = flags.flatMap((flag, at) =>
    flag === "-i" ? [flags[at + 1] ?? ""] : /^-i.|^--include-path=/.test(flag) ? [flag.replace(/^-i|^--include-path=/, "")] : [],
  );
  return [...new Set([root, ...more.filter((folder) => folder !== "" && !folder.startsWith("/"))].map(folderOf))];
}

/** agdaPathIn gives a path from the deepest of the folders that has it; null where none has it. */
export function agdaPathIn(folders: readonly string[], path: string): string | null {
  const [best] = folders.filter((folder) => isBelow(path, folder)).sort((a, b) => b.length - a.length);
  return best === undefined ? null : best === "" ? path : path.slice(best.length + 1);
}
