/** Literate programs: code behind `>` at the start of its lines, or between `\\begin{code}` and `\\end{code}`, in prose of Markdown or LaTeX; and
 *  sources of proofs that are documents: Verso's, whose text stands below `#doc`, and Alectryon's, whose text stands in comments. */

/** CodeLine tells the code of a literate program from its prose: how much of a line stands before the code; null for prose. */
export type CodeLine = number | "edge" | null;

const BIRD = /^(?:>(?: |\t|$)?|<(?: |\t))/;
const OPENS = /^\s*\\begin\{(code|spec)\}/;

/** codeLines tells of each line whether it is code. */
export function codeLines(text: string): readonly CodeLine[] {
  let open: string | null = null;
  return text.split("\n").map((line) => {
    if (open !== null && line.trimStart().startsWith(`\\end{${open}}`)) {
      open = null;
      return "edge";
    }
    if (open !== null) return 0;
    open = OPENS.exec(line)?.[1] ?? null;
    return open === null ? (BIRD.exec(line)?.[0].length ?? null) : "edge";
  });
}

const blank = (sign: string): string => " ".repeat(sign.length);

/** A Told is what a source of proofs says as a document: its lines of prose, without the signs around them, and null for any other line. */
export type Told = { readonly form: "markdown" | "rst"; readonly title: string | null; readonly prose: readonly (string | null)[] };

const VERSO = /^#doc[ \t]*\([^)\n]{0,200}\)[ \t]*(?:"((?:[^"\\\n]|\\.){1,300})")?[^\n]{0,400}=>[ \t\r]*$/;
const OPENS_PROSE = /^[ \t]*(?:\(\*\||\/-\|)/;
const CLOSES_PROSE = /[ \t]*(?:\|?\*\)|\|?-\/)[ \t\r]*$/;

/** proseOfSource finds the prose of a source of proofs that is a document; null for any other. */
export function proseOfSource(text: string): Told | null {
  const lines = text.split("\n");
  const begins = lines.findIndex((line) => VERSO.test(line));
  if (begins < 0 && !lines.some((line) => OPENS_PROSE.test(line))) return null;
  let isOpen = false;
  let inFacts = false;
  const prose = lines.map((line, at): string | null => {
    if (begins >= 0) {
      const isEdge = /^%%%[ \t\r]*$/.test(line);
      if (isEdge && at > begins) inFacts = !inFacts;
      if (at <= begins) return null;
      return isEdge || inFacts || /^\{include\b/.test(line) ? blank(line) : line;
    }
    const opens = !isOpen && OPENS_PROSE.test(line);
    if (!opens && !isOpen) return null;
    const own = opens ? line.replace(OPENS_PROSE, blank) : line;
    isOpen = !CLOSES_PROSE.test(own);
    // Alectryon alone is told how the code below is shown.
    return /^\s*\.\. (?:coq|lean\d?)::/.test(own) ? blank(own) : isOpen ? own : own.replace(CLOSES_PROSE, blank);
  });
  const title = VERSO.exec(lines[begins] ?? "")?.[1]?.replaceAll(/\\(.)/g, "$1") ?? null;
  return { form: begins < 0 ? "rst" : "markdown", title, prose };
}
