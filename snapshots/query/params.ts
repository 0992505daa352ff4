/** Values of query parameters that routes have in common. */
import { ShelfError } from "#snapshots/errors";

export const DEFAULT_LIMIT = 50; // conventions: results in one response without a `limit`
export const MAX_LIMIT = 500;
export const MAX_QUERY = 500; // conventions: characters of q after NFC

/** single returns the one value of a parameter, or null. @throws ShelfError "bad_parameter" when it is given twice */
export function single(params: URLSearchParams, name: string): string | null {
  const values = params.getAll(name);
  if (values.length > 1) throw badParameter(name, "is given more than once");
  return values[0] ?? null;
}

/** parseLimit reads the parameter `limit`. @throws ShelfError "bad_parameter" outside 0 … 500, and when it is given twice */
export function parseLimit(params: URLSearchParams, usual = DEFAULT_LIMIT): number {
  const text = single(params, "limit");
  if (text === null) return usual;
  const limit = /^[0-9]{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(limit <= MAX_LIMIT)) throw badParameter("limit", `takes a whole number from 0 to ${MAX_LIMIT}`);
  return limit;
}

export function badParameter(name: string, detail: string): ShelfError {
  return new ShelfError("bad_parameter", `The parameter "${name}" ${detail}.`, { errors: [{ pointer: name, detail }] });
}
