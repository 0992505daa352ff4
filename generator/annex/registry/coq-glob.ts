/** GlobDeclaration is a declaration in a .glob file, which is Coq's own list of what a source file declares and names. Positions are bytes, so
 *  that texts are read with one unit a byte. */

export type GlobDeclaration = { readonly kind: string; readonly at: number; readonly inner: string; readonly name: string };
type GlobReference = {
  readonly at: number;
  /** After its last byte. */
  readonly to: number;
  readonly library: string;
  readonly inner: string;
  readonly name: string;
  readonly kind: string;
};
export type Glob = { readonly declared: readonly GlobDeclaration[]; readonly references: readonly GlobReference[] };

const REFERENCE = /^R(\d+):(\d+) (\S+) (\S+) (\S+) (\w+)$/;
const DECLARATION = /^([a-z]+) (\d+):\d+ (\S+) (\S+)$/;

export function readGlob(glob: string): Glob {
  const declared: GlobDeclaration[] = [];
  const references: GlobReference[] = [];
  for (const row of glob.split("\n")) {
    const [, from = "", to = "", library = "", inner = "", name = "", kind = ""] = REFERENCE.exec(row) ?? [];
    if (from !== "") references.push({ at: Number(from), to: Number(to) + 1, library, inner, name, kind });
    else {
      const [, of = "", at = "", within = "", own = ""] = DECLARATION.exec(row) ?? [];
      if (of !== "") declared.push({ kind: of, at: Number(at), inner: within, name: own });
    }
  }
  return { declared, references };
}

/** globName writes the full name of what a .glob file names: `<>` is no module inside the file. */
export function globName(library: string, inner: string, name: string): string {
  return [library, ...(inner === "<>" ? [] : [inner]), name].join(".");
}
