/** Isabelle text into declarations, without Isabelle: commands that stand at the beginning of a line, their names and what they state. */
import { type Declaration, fold } from "./declaration.ts";

const CLASSES: Readonly<Record<string, Declaration["class"]>> = {
  lemma: "theorem",
  theorem: "theorem",
  corollary: "theorem",
  proposition: "theorem",
  definition: "definition",
  abbreviation: "definition",
  fun: "definition",
  primrec: "definition",
  function: "definition",
  inductive: "definition",
  datatype: "type",
  record: "type",
  typedef: "type",
  axiomatization: "axiom",
};
const COMMAND =
  /^[ \t]*(lemma|theorem|corollary|proposition|schematic_goal|definition|abbreviation|fun|primrec|function|inductive|datatype|record|typedef|axiomatization|locale|context|instance|instantiation|end|section|subsection|text|ML|declare|lemmas|termination|interpretation)\b(?:\s*\(in\s+[\w.]+\))?/gm;
const NAME = /^\s*(?:'\w+\s+|\([^)]*\)\s*)*(?:"([^"]+)"|([A-Za-z][\w.']*))/;
const HOLES = /\b(sorry|oops|\\<proof>)\b/g;

/** scanIsabelle lists what an Isabelle theory declares with a name. A proof that ends in `oops` declares nothing. */
export function scanIsabelle(text: string): Declaration[] {
  const source = blank(text, true);
  const words = blank(source, false);
  const lineOf = (at: number): number => source.slice(0, at).split("\n").length;
  const commands = [...words.matchAll(COMMAND)];
  const found: Declaration[] = [];
  for (const [place, { 0: whole, 1: word = "", index }] of commands.entries()) {
    const className = CLASSES[word];
    const end = commands[place + 1]?.index ?? source.length;
    const from = index + whole.length;
    const [named, quoted, plain] = NAME.exec(source.slice(from, end)) ?? [];
    const name = quoted ?? plain;
    // `lemma "x = x"` has a statement and no name.
    if (className === undefined || named === undefined || name === undefined || (className === "theorem" && quoted !== undefined)) continue;
    const holes = [...words.slice(from, end).matchAll(HOLES)].map((hole) => ({ line: lineOf(from + hole.index), what: hole[0] }));
    if (holes.some(({ what }) => what === "oops")) continue;
    const body = source.slice(from + named.length, end);
    const statement =
      className === "theorem"
        ? (/^([^]*?)(?=\b(?:proof|by|using|unfolding|apply|including|supply|sorry)\b|$)/.exec(outside(body))?.[1]?.length ?? body.length)
        : body.length;
    found.push({
      kind: word,
      class: className,
      name,
      line: lineOf(from + source.slice(from, end).indexOf(name)),
      endLine: lineOf(index + source.slice(index, end).trimEnd().length),
      statement: fold(body.slice(0, statement).replace(/^\s*(?:\[[^\]]*\]\s*)?:\s*/, "")),
      context: [],
      holes,
      summary: "",
      abstract: false,
    });
  }
  return found;
}

/** outside blanks what stands in quotes: a word of a statement is no word of the proof. */
function outside(text: string): string {
  return blank(text, false);
}

/** @param comments whether comments are blanked, which nest; else what stands in quotes is */
function blank(text: string, comments: boolean): string {
  const spaces = (part: string): string => part.replaceAll(/[^\n]/g, " ");
  if (!comments) return text.replaceAll(/"(?:[^"\\]|\\.)*"|\\<open>[^]*?\\<close>|‹[^›]*›/g, spaces);
  let depth = 0;
  return text
    .split(/(\(\*|\*\))/)
    .map((part) => {
      if (part === "(*") depth++;
      const kept = depth > 0 ? spaces(part) : part;
      if (part === "*)" && depth > 0) depth--;
      return kept;
    })
    .join("");
}
