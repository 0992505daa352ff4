/** What of a text are marks: answers and excerpts take them away by the same rules. This runs in browsers too. */
import { LATEX_DRESS, LATEX_SIGNS } from "../index/latex-signs.ts";

/** Text without tags, and with the words of links, emphasis and code in their places. What no rule knows stays as it was written. */
export function stripMarks(text: string): string {
  return text
    .replaceAll(/<!--[\s\S]*?-->|<\/?[a-z][^<>]*>/gi, "")
    .replaceAll(/!\[([^\]]*)\](?:\([^()\s]*(?:\s+"[^"]*")?\)|\[[^\]]*\])/g, "$1")
    .replaceAll(/\[([^\]]+)\](?:\([^()\s]*(?:\s+"[^"]*")?\)|\[[^\]]*\])/g, "$1")
    .replaceAll(/\[\^[^\]]+\]/g, "")
    .replaceAll(/(\*\*|__)(?=\S)(.+?)(?<=\S)\1/gs, "$2")
    .replaceAll(/(?<![\w*])\*(?=[^\s*])([^*]{1,200}?)(?<=\S)\*(?!\w)/g, "$1")
    .replaceAll(/(?<![\w_])_(?=[^\s_])([^_]{1,200}?)(?<=\S)_(?!\w)/g, "$1")
    .replaceAll(/`+([^`]+)`+/g, "$1");
}

/** Text as a page shows it, in one line: without marks of Markdown, comments, LaTeX and HTML. */
export function plainOf(text: string): string {
  return stripMarks(
    text.replaceAll(/^[ \t]*(?:\/\/[/!]?|--|\*(?=\s|$)|>+)[ \t]?/gm, "").replaceAll(/\s*(?:\*+\)|-\/|\*\/|-\}|"""|''')\s*$/g, ""),
  )
    .replaceAll(/\\(?:emph|textbf|textit|texttt|textsc|text|mathrm|mathbf)\{([^{}]*)\}/g, "$1")
    .replaceAll(/\\(?:cite|ref|label|footnote|index)\*?(?:\[[^\]]*\])?\{[^{}]*\}/g, "")
    .replaceAll(/(?<![\\$\w])\$(?!\s)([^$]{1,200}?)(?<![\s\\])\$(?![$\d])/g, (_, formula: string) => plainFormula(formula))
    .replaceAll(/~/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
}

/** With the signs that its commands print; as it is when one of them is none. */
function plainFormula(formula: string): string {
  const plain = formula
    .replaceAll(/\\(?:[,;:!]|\s)/g, " ")
    .replaceAll(/\\([A-Za-z]+)/g, (command, name: string) => (LATEX_DRESS.has(name) ? "" : (LATEX_SIGNS.get(name) ?? command)));
  return plain.includes("\\") ? `$${formula}$` : plain;
}
