/** JSON of strangers, strictly: what two readers could read differently is an error, not a guess. */
import { ShelfError } from "../../snapshots/errors.ts";
import { skipString } from "../extract/skip.ts";

const MAX_JSON_DEPTH = 100; // levels; later steps walk values by recursion

/** The value of a JSON text in UTF-8; a byte order mark is skipped.
 *  @throws ShelfError "bad_source" on text that is no JSON, duplicate members, nesting over MAX_JSON_DEPTH; the message
 *    names the line. Half surrogate pairs and numbers beyond a double pass: findUnrepresentable tells them per record */
export function parseStrictJson(bytes: Uint8Array): unknown {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new ShelfError("bad_source", "It is not valid UTF-8.", { cause });
  }
  // Before JSON.parse, so that a bomb is refused while it is only text; on broken JSON the scan may miss things, and
  // JSON.parse then refuses it.
  scan(text);
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

function scan(text: string): void {
  /** One entry per open bracket: the names seen so far of an object, null for an array. */
  const open: (Set<string> | null)[] = [];
  let expectsName = false;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22: {
        const end = skipString(text, at + 1);
        const names = open.at(-1) ?? null;
        if (expectsName && names !== null) {
          const name = decode(text.slice(at, end));
          if (name === null) return;
          if (names.has(name)) fail(text, at, `has the member ${JSON.stringify(name.slice(0, 80))} twice in one object`);
          names.add(name);
          expectsName = false;
        }
        at = end - 1;
        break;
      }
      case 0x7b:
      case 0x5b:
        expectsName = text.charCodeAt(at) === 0x7b;
        open.push(expectsName ? new Set() : null);
        if (open.length > MAX_JSON_DEPTH) fail(text, at, `is nested deeper than ${MAX_JSON_DEPTH} levels`);
        break;
      case 0x7d:
      case 0x5d:
        open.pop();
        expectsName = false;
        break;
      case 0x2c:
        expectsName = (open.at(-1) ?? null) !== null;
        break;
    }
  }
}

/** null for what is no whole string. */
function decode(raw: string): string | null {
  try {
    return JSON.parse(raw) as string;
  } catch {
    return null;
  }
}

function fail(text: string, at: number, what: string): never {
  throw new ShelfError("bad_source", `Line ${lineOf(text, at)} ${what}.`);
}

function lineOf(text: string, at: number): number {
  let line = 1;
  for (let next = text.indexOf("\n"); next >= 0 && next < at; next = text.indexOf("\n", next + 1)) line++;
  return line;
}
