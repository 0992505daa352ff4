/** JSON of strangers, strictly: what two readers could read differently is an error, not a guess. */
import { isUtf8 } from "node:buffer";
import { ShelfError } from "#snapshots/errors";
import { findJsonFault } from "#snapshots/format";

export const MAX_JSON_DEPTH = 100; // levels; later steps walk values by recursion

/** parseStrictJson parses a JSON text, or a part of one.
 *  @param within what a part of a file stands in: how many levels, and the line of the file that the part begins in
 *  @throws ShelfError "bad_source" on text that is no JSON, duplicate members, nesting over MAX_JSON_DEPTH; the message names the line. Half
 *  surrogate pairs and numbers beyond a double pass: findUnrepresentable tells them per record */
export function parseStrictJson(
  bytes: Uint8Array,
  within: { readonly depth: number; readonly line: () => number } = { depth: 0, line: () => 1 },
): unknown {
  if (!isUtf8(bytes)) throw new ShelfError("bad_source", "It is not valid UTF-8.");
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
  // A byte order mark stands at the beginning of a file and nowhere else.
  const text = within.depth === 0 && whole.startsWith("\ufeff") ? whole.slice(1) : whole;
  const lineAt = (at: number): number => within.line() + lineOf(text, at) - 1;
  // Before JSON.parse, so that a bomb is refused while it is only text.
  const fault = findJsonFault(text, MAX_JSON_DEPTH - within.depth, true);
  if (fault !== null) {
    const what =
      fault.kind === "deep"
        ? `is nested deeper than ${MAX_JSON_DEPTH} levels`
        : `has the member ${JSON.stringify(fault.name.slice(0, 80))} twice in one object`;
    throw new ShelfError("bad_source", `Line ${lineAt(fault.at)} ${what}.`);
  }
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    const at = /at position (\d+)/.exec(cause instanceof Error ? cause.message : "")?.[1];
    // V8 tells the place of some mistakes only; a part of a file begins near it.
    const where = at === undefined && within.depth === 0 ? "" : ` (line ${lineAt(Number(at ?? 0))})`;
    throw new ShelfError("bad_source", `${text.trim() === "" ? "It is empty" : "It is not valid JSON"}${where}.`, {
      cause,
    });
  }
}

function lineOf(text: string, at: number): number {
  let line = 1;
  for (let next = text.indexOf("\n"); next >= 0 && next < at; next = text.indexOf("\n", next + 1)) line++;
  return line;
}
