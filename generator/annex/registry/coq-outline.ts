/** What Coq lists of a file, held against what our reader of its text saw: what hides a section or a module from the reader hides what a statement
 *  rests on. */
import type { GlobDeclaration } from "./coq-glob.ts";
import { openOffsets } from "./coq-glob.ts";
import { scanCoqFile } from "./coq.ts";

const OPENS: Readonly<Record<string, string>> = { sec: "section", mod: "module", modtype: "module type" };

export type Outlined = {
  /** A section or a module that one of the two lists and the other does not; null where they agree. */
  readonly differs: string | null;
  /** Theorems that Coq has elsewhere, by their name in the file, and where. */
  readonly elsewhere: ReadonlyMap<string, number>;
};

/** holdOutline compares the two. What a file loads from others has no places in it. */
export function holdOutline(source: Uint8Array, declared: readonly GlobDeclaration[]): Outlined {
  const text = new TextDecoder().decode(source);
  const { opened, declarations } = scanCoqFile(text);
  const listed = declared.filter(({ kind }) => kind in OPENS).map(({ kind, name }) => `${OPENS[kind] ?? ""} ${name}`);
  if (/\bLoad\b/.test(text)) return { differs: null, elsewhere: new Map() };
  const unseen = minus(listed, opened);
  const { lineAt } = openOffsets(Buffer.from(source).toString("latin1"));
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
  return { differs: first === undefined ? null : `Coq opens the ${first} here, and the reader of its text does not see it.`, elsewhere };
}

function minus(all: readonly string[], others: readonly string[]): string[] {
  const left = [...others];
  return all.filter((one) => {
    const at = left.indexOf(one);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}
