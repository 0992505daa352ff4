/** The folders of a Coq source, and the names that stand for them: one reader of `-R folder Name` for scan, adapter and recipes. */

type CoqPath = {
  /** -R lets a file be found by the end of its name alone, -Q does not. */
  readonly how: "-R" | "-Q";
  /** "" is the root of the revision. */
  readonly folder: string;
  readonly name: string;
};

const PATH = /^-([RQ])\s+(\S.*?)\s+(\S+)$/;

/** folderOf writes a folder as paths of a revision begin: "" for the root, no slash at its ends. */
export function folderOf(text: string): string {
  return text.replace(/^(?:\.?\/+)+|\/+$/g, "").replace(/^\.$/, "");
}

/** readCoqPath reads one line as `_CoqProject` has it; null when it is none. `""` and `''` are the empty name. */
export function readCoqPath(text: string): CoqPath | null {
  const [, how, folder = "", name = ""] = PATH.exec(text.trim()) ?? [];
  return how === undefined
    ? null
    : { how: how === "R" ? "-R" : "-Q", folder: folderOf(folder), name: /^(?:""|'')$/.test(name) ? "" : name };
}

/** coqPathsOf gives the folders of a source: those of `paths`, else its root by its logical name. */
export function coqPathsOf({
  root,
  logical,
  paths,
}: {
  readonly root: string;
  readonly logical: string;
  readonly paths: readonly string[];
}): CoqPath[] {
  return paths.length === 0
    ? [{ how: "-Q", folder: folderOf(root), name: logical }]
    : paths.map(readCoqPath).filter((path) => path !== null);
}

export function coqArguments(paths: readonly CoqPath[]): string[] {
  return paths.flatMap(({ how, folder, name }) => [how, folder === "" ? "." : folder, name]);
}

/** coqFolderOf gives the deepest folder that a file lies in, and the first of two that are equal; null where no folder has it. */
export function coqFolderOf(paths: readonly CoqPath[], path: string): CoqPath | null {
  const [best] = paths.filter(({ folder }) => isBelow(path, folder)).sort((a, b) => b.folder.length - a.folder.length);
  return best ?? null;
}

/** coqModuleOf names the module of a file by the folder that has it; null where none has. */
export function coqModuleOf(paths: readonly CoqPath[], path: string): string | null {
  const best = coqFolderOf(paths, path);
  if (best === null) return null;
  const below = (best.folder === "" ? path : path.slice(best.folder.length + 1)).replace(/\.v$/, "").replaceAll("/", ".");
  return best.name === "" ? below : `${best.name}.${below}`;
}

const PROVERS_OWN: ReadonlySet<string> = new Set(["Coq", "Corelib", "Stdlib", "Init", "Ltac2"]);

/** isReserved tells whether a library of this name would pass for one of the prover's own, and its axioms for those. */
export function isReserved(name: string): boolean {
  return PROVERS_OWN.has(name.split(".")[0] ?? "");
}

/** reservedIn finds such a name among the folders of a source, and those that its flags add. */
export function reservedIn(source: Parameters<typeof coqPathsOf>[0] & { readonly flags: readonly string[] }): string | null {
  const added = source.flags.flatMap((flag, at) => (/^-[RQ]$/.test(flag) ? [source.flags[at + 2] ?? ""] : []));
  return [...coqPathsOf(source).map(({ name }) => name), ...added].find(isReserved) ?? null;
}

export function isBelow(path: string, folder: string): boolean {
  return folder === "" || path.startsWith(`${folder}/`);
}
