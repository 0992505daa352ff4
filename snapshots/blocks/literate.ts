/** Literate programs: code behind `>` at the start of its lines, or between `\\begin{code}` and `\\end{code}`, in prose of Markdown or LaTeX; and
 *  sources of proofs that are documents: Verso's, whose text stands below `#doc`, and Alectryon's, whose text stands in comments. */
import { type Line, part, type Reader } from "./read-line.ts";

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

/** proseOf returns a text of the same length without its code. */
export function proseOf(text: string, code: readonly CodeLine[]): string {
  return text
    .split("\n")
    .map((line, at) => (code[at] === null ? line : blank(line)))
    .join("\n");
}

/** withCode reads the code of a literate program, and its prose by another reader. */
export function withCode(code: readonly CodeLine[], prose: Reader): Reader {
  return (line, at, lines) => {
    const own = code[at] ?? null;
    const read = prose(line, at, lines);
    return own === null ? read : own === "edge" || line.text.trim() === "" ? null : part(0, false, "code");
  };
}

const blank = (sign: string): string => " ".repeat(sign.length);

/** A Told is the prose of a source of proofs, in a text of as many lines: what is no prose is blank in it, and signs around it are. */
export type Told = {
  readonly form: "markdown" | "rst";
  readonly title: string | null;
  readonly isProse: readonly boolean[];
  readonly text: string;
};

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
      return at > begins && !isEdge && !inFacts && !/^\{include\b/.test(line) ? line : at > begins ? "" : null;
    }
    const opens = !isOpen && OPENS_PROSE.test(line);
    if (!opens && !isOpen) return null;
    const own = opens ? line.replace(OPENS_PROSE, blank) : line;
    isOpen = !CLOSES_PROSE.test(own);
    return isOpen ? own : own.replace(CLOSES_PROSE, blank);
  });
  const title = VERSO.exec(lines[begins] ?? "")?.[1]?.replaceAll(/\\(.)/g, "$1") ?? null;
  return {
    form: begins < 0 ? "rst" : "markdown",
    title,
    isProse: prose.map((line) => line !== null),
    text: prose.map((line) => line ?? "").join("\n"),
  };
}

/** besideProse reads the prose of a source by one reader, and what is no prose by another. How far a line of prose stands in counts from the sign
 *  before it. */
export function besideProse({ isProse, text }: Told, source: string, prose: Reader, rest: Reader): Reader {
  const signs = source.split("\n").map((line) => OPENS_PROSE.exec(line)?.[0].length ?? 0);
  const told = text.split("\n").map((line, at): Line => ({ start: 0, text: line.slice(signs[at]).replace(/^ (?=\S)/, "") }));
  return (line, at, lines) => {
    if (isProse[at] !== true) return rest(line, at, lines);
    const own = told[at] ?? line;
    const read = prose(own, at, told);
    const moved = line.text.trimEnd().length - own.text.trimEnd().length;
    if (read === null || !("from" in read)) return read;
    return "to" in read ? { ...read, from: read.from + moved, to: read.to + moved } : { ...read, from: read.from + moved };
  };
}
