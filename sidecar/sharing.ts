/** What scripts of other sites may read of the effects that are everybody's: as of every public file, without credentials. */

const READABLE = "X-Snapshot, RateLimit, RateLimit-Policy, Retry-After";

export function shareWithAll(headers: Headers): void {
  headers.set("Access-Control-Allow-Origin", "*");
  headers.set("Access-Control-Expose-Headers", READABLE);
}

/** The answer to a browser that asks first.
 *  @param methods of the row */
export function preflight(methods: readonly string[]): Readonly<Record<string, string>> {
  return {
    "Access-Control-Allow-Methods": methods.join(", "),
    "Access-Control-Allow-Headers": "Accept, Content-Type",
    // Seconds; no browser keeps it longer.
    "Access-Control-Max-Age": "7200",
    "Cache-Control": "no-store",
  };
}
