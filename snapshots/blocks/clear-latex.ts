/** ClearLatex blanks the comments of LaTeX: to the end of a line, as an environment, and behind a condition that never holds. */
import { blank } from "./markdown-lines.ts";

/** Where code begins, which is kept, or a comment. */
const OPENS =
  /\\begin\{(verbatim|Verbatim|lstlisting|minted|comment)\*?\}|\\iffalse\b|\\(?:verb|lstinline)\*?([^\s\w*{])[^\n]{0,500}?\2|\\[\\%]|%[^\n]*/g;

/** clearLatex returns a text of the same length whose comments are blank. */
export function clearLatex(text: string): string {
  const opens = new RegExp(OPENS);
  /** Ends that stand nowhere behind: nobody looks for them again. */
  const missing = new Set<string>();
  let [cleared, from] = ["", 0];
  for (let found = opens.exec(text); found !== null; found = opens.exec(text)) {
    const [whole, environment] = found;
    const close = environment !== undefined ? `\\end{${environment}` : whole === "\\iffalse" ? "\\fi" : null;
    const end = close === null || missing.has(close) ? -1 : text.indexOf(close, opens.lastIndex);
    if (close !== null && end < 0) missing.add(close);
    const until = end < 0 ? opens.lastIndex : end + (close?.length ?? 0);
    const isAside = whole.startsWith("%") || (end >= 0 && (environment === "comment" || environment === undefined));
    // The brace behind the name of an environment goes with it.
    const stop = isAside && text.charAt(until) === "}" ? until + 1 : until;
    if (isAside) {
      cleared += text.slice(from, found.index) + blank(text.slice(found.index, stop));
      from = stop;
    }
    opens.lastIndex = stop;
  }
  return cleared + text.slice(from);
}
