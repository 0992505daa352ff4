/** Uses as Coq's .glob file tells them: the names in each declaration's words. What tactics find is not in it. */
import { type CoqItem, readSentences } from "#generator/extract";
import { type Glob, globName } from "./coq-glob.ts";

export type CoqUse = { readonly from: string; readonly to: string; readonly part: "statement" | "proof" };

const DECLARES = new Set(["prf", "def", "ind", "rec", "class", "inst", "ax", "coind", "thm", "coe", "canonstruc"]);
const NAMES_NOTHING = /^(?:not|var|sec|mod|lib|binder)/;

/** readCoqUses lists full names, each use once.
 *  @param module full name of the file's module */
export function readCoqUses({ declared: all, references }: Glob, source: Uint8Array, module: string): CoqUse[] {
  const sentences = [...readSentences(Buffer.from(source).toString("latin1"))].filter(({ comment }) => !comment);
  const declared: { readonly name: string; readonly start: number; readonly end: number }[] = [];
  for (const { kind, at, inner, name } of all) {
    const sentence = DECLARES.has(kind) ? sentenceAt(sentences, at) : undefined;
    if (sentence !== undefined) declared.push({ name: globName(module, inner, name), start: sentence.start, end: sentence.end });
  }
  declared.sort((a, b) => a.start - b.start);
  const uses = new Map<string, CoqUse>();
  let next = 0;
  for (const { at, library, inner, name, kind } of references.toSorted((a, b) => a.at - b.at)) {
    // A use that stands after several declarations of one sentence is said of the last.
    while ((declared[next]?.start ?? Number.POSITIVE_INFINITY) <= at) next++;
    const holder = declared[next - 1];
    if (holder === undefined || NAMES_NOTHING.test(kind) || name === "<>") continue;
    const use = {
      from: holder.name,
      to: globName(library, inner, name.replace(/:\d+$/, "")),
      part: at < holder.end ? "statement" : "proof",
    } as const;
    if (use.from !== use.to) uses.set(`${use.from} ${use.to} ${use.part}`, use);
  }
  return [...uses.values()];
}

/** sentenceAt finds the sentence of an offset. @param sentences ascending */
export function sentenceAt(sentences: readonly CoqItem[], offset: number): CoqItem | undefined {
  let [low, high] = [0, sentences.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((sentences[middle]?.start ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  const found = sentences[low];
  return found !== undefined && found.start <= offset && offset < found.end ? found : undefined;
}
