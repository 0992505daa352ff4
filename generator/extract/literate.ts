/** A literate program as a document: its prose is Markdown or LaTeX, and its code is code. */
import type { ElementContent } from "hast";
import { clearAsides, type CodeLine, codeLines, isTex } from "#snapshots/blocks";
import type { Body, SourceText } from "./body.ts";
import { type ParsedDocument, readDocument } from "./document.ts";
import { findTitle } from "./first-words.ts";
import { parseMarkdown } from "./markdown.ts";
import { TooComplex } from "./html-tree.ts";

export async function readLiterate(source: SourceText, language: string | null, fallback: string): Promise<Body> {
  const { parseLatex } = await import("./latex.ts");
  return await readDocument(source, { kind: "literate", language, fallback }, (text) =>
    isTex(text)
      ? parseLatex({ key: source.key, text: fenced(text, null) }, source.others)
      : parse(clearAsides(fenced(text, language ?? ""), "markdown")),
  );
}

function parse(text: string): ParsedDocument {
  const tree = parseMarkdown(text);
  if (tree === null) throw new TooComplex("parts too deep in one another");
  return { blocks: tree.children as ElementContent[], title: findTitle(tree) };
}

/** Puts the code between signs of its language, in as many lines as there were.
 *  @param language null for the signs of LaTeX; those of Markdown stand on the blank lines that a compiler wants around code */
function fenced(text: string, language: string | null): string {
  const code = codeLines(text);
  const lines = text.split("\n");
  const [open, close] = language === null ? ["\\begin{code}", "\\end{code}"] : [`\`\`\`\`${language}`, "````"];
  for (let at = 0; at < lines.length; at++) {
    const isEdge = code[at] === "edge";
    if (isEdge && language !== null) lines[at] = /\\begin\{/.test(lines[at] ?? "") ? open : close;
    const end = isEdge ? at : endOfRun(code, lines, at);
    if (end === at) continue;
    const isApart = at > 0 && isBlank(lines[at - 1]) && isBlank(lines[end]);
    for (let own = at; own < end; own++)
      lines[own] = (language === null || isApart ? "" : "    ") + (lines[own] ?? "").slice(Number(code[own] ?? 0));
    if (language === null) [lines[at], lines[end - 1]] = [open + (lines[at] ?? ""), (lines[end - 1] ?? "") + close];
    else if (isApart) {
      lines[at - 1] = open;
      if (end < lines.length) lines[end] = close;
    }
    at = end;
  }
  return lines.join("\n");
}

const isBlank = (line: string | undefined): boolean => (line ?? "").trim() === "";

/** The end of the lines of code that begin at a line, behind signs; a blank line between two runs belongs to both. */
function endOfRun(code: readonly CodeLine[], lines: readonly string[], from: number): number {
  const isBird = (at: number): boolean => typeof code[at] === "number" && code[at] > 0;
  let end = from;
  while (isBird(end) || (end > from && isBlank(lines[end]) && isBird(end + 1))) end++;
  return end;
}
