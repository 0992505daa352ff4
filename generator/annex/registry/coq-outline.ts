/** A comparison of Coq's list of a file with what our reader of its text saw. Where the reader misses a section or a module, it misses what a
 *  statement rests on. */
import type { GlobDeclaration } from "./coq-glob.ts";
import { openOffsets } from "./coq-glob.ts";
import { type OpenedSection, scanCoqFile } from "./coq.ts";

const OPENS: Readonly<Record<string, string>> = { sec: "section", mod: "module", modtype: "module type" };

export type Outlined = {
  /** A section or a module that one of the two lists and the other does not; null where they agree. */
  readonly differs: string | null;
  /** Theorems that Coq has elsewhere, by their name in the file, and where. */
  readonly elsewhere: ReadonlyMap<string, number>;
};

/** holdOutline compares the two, of a file that loads no others: places in these are none in it. */
export function holdOutline(source: Uint8Array, declared: readonly GlobDeclaration[]): Outlined {
  const text = new TextDecoder().decode(source);
  const { opened, declarations } = scanCoqFile(text);
  const { lineAt } = openOffsets(Buffer.from(source).toString("latin1"));
  // Coq gives modules the names of those around them, too.
  const listed = declared.flatMap(({ kind, name, at }) =>
    kind in OPENS ? [{ what: `${OPENS[kind] ?? ""} ${name.split(".").at(-1) ?? ""}`, line: lineAt(at) }] : [],
  );
  const unseen = findUnseen(listed, opened);
  const elsewhere = new Map<string, number>();
  for (const { class: kind, name, line } of declarations) {
    const places =
      kind === "theorem"
        ? declared.filter((one) => one.kind === "prf" && (one.inner === "<>" ? one.name : `${one.inner}.${one.name}`) === name)
        : [];
    const [last] = places.slice(-1);
    if (last !== undefined && !places.some(({ at }) => lineAt(at) === line)) elsewhere.set(name, lineAt(last.at));
  }
  const [first] = unseen;
  return {
    differs: first === undefined ? null : `Coq opens the ${first.what} in line ${first.line}, and the reader of its text does not see it.`,
    elsewhere,
  };
}

/** findUnseen lists what Coq opens in a line and no sentence of that line does, one for one. */
function findUnseen<T extends { readonly what: string; readonly line: number }>(
  listed: readonly T[],
  opened: readonly OpenedSection[],
): T[] {
  const left = [...opened];
  return listed.filter(({ what, line }) => {
    const at = left.findIndex((one) => one.what === what && one.from <= line && line <= one.to);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}
