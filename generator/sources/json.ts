/** JSON of strangers, strictly: what two readers could read differently is an error, not a guess. */
import { ShelfError } from "../../snapshots/errors.ts";
import { findJsonFault } from "../../snapshots/format/json-text.ts";

const MAX_JSON_DEPTH = 100; // levels; later steps walk values by recursion

/** @throws ShelfError "bad_source" on text that is no JSON, duplicate members, nesting over MAX_JSON_DEPTH; the message names the
 *  line. Half surrogate pairs and numbers beyond a double pass: findUnrepresentable tells them per record */
export function parseStrictJson(bytes: Uint8Array): unknown {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new ShelfError("bad_source", "It is not valid UTF-8.", { cause });
  }
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
    const at = /at position (\d+)/.exec(cause instanceof Error ? cause.message : "")?.[1];
    const where = at === undefined ? "" : ` (line ${lineOf(text, Number(at))})`;
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
