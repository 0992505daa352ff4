/** What Coq's .glob file says that each declaration names: known from the words of the source, so that what tactics find is not in it. */
import { readSentences } from "../../extract/coq-sentences.ts";

export type CoqUse = { readonly from: string; readonly to: string; readonly part: "statement" | "proof" };

/** Positions of a .glob file are bytes, so that each byte is read as one unit: the signs that end a sentence are ASCII.
 *  @param module full name of the file's module
 *  @returns full names, each use once */
export function readCoqUses(glob: string, source: Uint8Array, module: string): CoqUse[] {
  const text = Buffer.from(source).toString("latin1");
  const sentences = [...readSentences(text)].filter(({ comment }) => !comment);
  const sentenceAt = (offset: number) => sentences.find(({ start, end }) => start <= offset && offset < end);
  const declared: { readonly name: string; readonly start: number; readonly end: number }[] = [];
  const uses = new Map<string, CoqUse>();
  for (const row of glob.split("\n")) {
    const [, kind = "", from = "", inner = "", name = ""] =
      /^(prf|def|ind|rec|class|inst|ax|coind|thm|coe|canonstruc) (\d+):\d+ (\S+) (\S+)$/.exec(row) ?? [];
    if (kind !== "") {
      const sentence = sentenceAt(Number(from));
      if (sentence !== undefined) declared.push({ name: fullName(module, inner, name), start: sentence.start, end: sentence.end });
      continue;
    }
    const [, at = "", library = "", scope = "", target = ""] =
      /^R(\d+):\d+ (\S+) (\S+) (\S+) (?!not|var|sec|mod|lib|binder)\w+$/.exec(row) ?? [];
    if (target === "" || target === "<>") continue;
    const place = Number(at);
    // Declarations come in the order of the text; what stands after several of one sentence is said of the last.
    const holder = declared.findLast(({ start }) => start <= place);
    if (holder === undefined) continue;
    const use = {
      from: holder.name,
      to: fullName(library, scope, target.replace(/:\d+$/, "")),
      part: place < holder.end ? "statement" : "proof",
    } as const;
    if (use.from !== use.to) uses.set(`${use.from} ${use.to} ${use.part}`, use);
  }
  return [...uses.values()];
}

function fullName(library: string, inner: string, name: string): string {
  return [library, ...(inner === "<>" ? [] : [inner]), name].join(".");
}
