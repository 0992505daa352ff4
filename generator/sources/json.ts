/** JSON of strangers, strictly: what two readers could read differently is an error, not a guess. */
import { isUtf8 } from "node:buffer";
import { ShelfError } from "#snapshots/errors";
import { findJsonFault } from "#snapshots/format";

const MAX_JSON_DEPTH = 100; // levels; later steps walk values by recursion

/** parseStrictJson parses a JSON text. @throws ShelfError "bad_source" on text that is no JSON, duplicate members, nesting over MAX_JSON_DEPTH; the message names the line. Half
 *  surrogate pairs and numbers beyond a double pass: findUnrepresentable tells them per record */
export function parseStrictJson(bytes: Uint8Array): unknown {
  if (!isUtf8(bytes)) throw new ShelfError("bad_source", "It is not valid UTF-8.");
  const text = new TextDecoder().decode(bytes);
  // Before JSON.parse, so that a bomb is refused while it is only text.
  const fault = findJsonFault(text, MAX_JSON_DEPTH, true);
  if (fault !== null) {
    const what =
      fault.kind === "deep"
        ? `is nested deeper than ${MAX_JSON_DEPTH} levels`
        : `has the member ${JSON.stringify(fault.name.slice(0, 80))} twice in one object`;
    throw new ShelfError("bad_source", `Line ${lineOf(text, fault.at)} ${what}.`);
  }
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    const at = placeOf(text, cause instanceof Error ? cause.message : "");
    const where = at === null ? "" : ` (line ${lineOf(text, at)})`;
    const why = at === null ? "" : explainBroken(text.slice(0, at), text.slice(at));
    throw new ShelfError("bad_source", `${text.trim() === "" ? "It is empty" : "It is not valid JSON"}${where}${why}.`, {
      cause,
    });
  }
}

/** placeOf finds where V8 stumbled: by its position, or by the ten characters on either side that it repeats. */
function placeOf(text: string, said: string): number | null {
  const [, position] = /at position (\d+)/.exec(said) ?? [];
  if (position !== undefined) return Number(position);
  if (said.startsWith("Unexpected end")) return text.length;
  const [, token = "", around = ""] = /^Unexpected token '([^]+?)', \.{0,3}"([^]*)"(?:\.\.\. | )is not valid JSON$/.exec(said) ?? [];
  const from = token === "" || text.indexOf(around) !== text.lastIndexOf(around) ? -1 : text.indexOf(around);
  const within = around.indexOf(token, said.includes('..."') ? 10 : 0);
  return from < 0 || within < 0 || (around === text && around.indexOf(token) !== around.lastIndexOf(token)) ? null : from + within;
}

/** explainBroken says why JSON breaks where it does, in words that repeat nothing of it; "" where it cannot tell. */
function explainBroken(before: string, after: string): string {
  const last = before.trimEnd().at(-1) ?? "";
  const [next = ""] = after.trimStart();
  if (next === "") return ": it breaks off there";
  if (last === "," && "]}".includes(next)) return ": a comma too many stands before that";
  if (/["\]}\w]/.test(last) && /["{[]/.test(next)) return ": a comma is missing before that";
  if (next === "'") return ": names and texts stand in double quotes";
  if (after.charAt(0) < " ") return ": a text is not ended on its line; end it with a quote, or write \\n for a new line";
  if (last === "\\") return ": a backslash stands before that; in a text it is written twice";
  if (/^(?:True|False|None|NaN|undefined)\b/.test(after)) return ": write true, false or null";
  if (last === "") return ": it begins with { as every registry does, not with this";
  return "/#".includes(next) || /(?:^|\n)\s*(?:\/\/|\/\*|#)[^\n]*$/.test(before) ? ": JSON has no comments" : "";
}

function lineOf(text: string, at: number): number {
  let line = 1;
  for (let next = text.indexOf("\n"); next >= 0 && next < at; next = text.indexOf("\n", next + 1)) line++;
  return line;
}
