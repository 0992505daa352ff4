/** Query parameters of the API: unknown names are refused with the nearest known one, nothing is ignored silently. */
import { distance } from "fastest-levenshtein";
import { ShelfError } from "#snapshots/errors";
import type { Route } from "./route.ts";

const MAX_QUERY_STRING = 8192; // characters

/** checkParameters checks a query's parameters against those of its route.
 *  @throws ShelfError "unknown_parameter" naming each and the nearest known one; "bad_parameter" for broken escapes, because URLSearchParams would
 *  turn them into other text without a word */
export function checkParameters(route: Pick<Route, "query">, query: string): void {
  if (query === "") return;
  if (query.length > MAX_QUERY_STRING) throw new ShelfError("bad_parameter", `The query is longer than ${MAX_QUERY_STRING} characters.`);
  try {
    decodeURIComponent(query.replaceAll("+", " "));
  } catch {
    throw new ShelfError("bad_parameter", "The query is not percent-encoded UTF-8.");
  }
  const known = route.query.map((parameter) => parameter.name);
  const unknown = [...new Set(new URLSearchParams(query).keys())].filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  const errors = unknown.map((pointer) => ({ pointer, detail: explainUnknown(pointer, known, "this route takes no parameters") }));
  throw new ShelfError("unknown_parameter", errors.map(({ pointer, detail }) => `"${pointer}": ${detail}`).join("; "), {
    errors,
    fixes: known.length === 0 ? [] : [`Known parameters: ${known.join(", ")}.`],
  });
}

/** explainUnknown says what an unknown name may have meant. @param none for where nothing is known */
export function explainUnknown(name: string, known: readonly string[], none: string): string {
  const near = nearest(name, known);
  if (known.length === 0) return none;
  return near === null ? "unknown" : `unknown; did you mean "${near}"?`;
}

/** The known name that somebody may have meant: a third of its letters are other ones at most, or one begins the other. */
function nearest(name: string, known: readonly string[]): string | null {
  const typed = name.toLowerCase();
  const apart = (other: string): number =>
    typed.length > 2 && (other.startsWith(typed) || typed.startsWith(other)) ? 1 : distance(typed, other);
  const [best] = [...known].sort((a, b) => apart(a) - apart(b));
  return best !== undefined && apart(best) <= Math.floor(best.length / 3) ? best : null;
}
