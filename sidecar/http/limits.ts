/** Requests per client and minute, counted in memory: enough for one process, and off where a gateway in front counts
 *  better (conventions "Sidecar"). */
import { LRUCache } from "lru-cache";
import { ShelfError } from "#snapshots/errors";
import type { RateGroup } from "#snapshots/routes";

/** RATES gives requests per minute by group of routes. */
export const RATES: Readonly<Record<RateGroup, number>> = {
  search: 60,
  mcp: 60,
  ask: 10,
  "ai-search": 10,
  code: 60,
  "llms-full": 10,
  at: 60,
  "sign-in": 30, // a sign-in has two; a company may come from one address
};

const WINDOW_MS = 60_000;
const MAX_CLIENTS = 50_000;

type RateVerdict = {
  readonly ok: boolean;
  /** RateLimit and RateLimit-Policy, and Retry-After when refused. */
  readonly headers: Readonly<Record<string, string>>;
};

export interface RateLimiter {
  /** Counts one request. @param client an address or an identity; nothing a caller can choose freely */
  take(group: RateGroup, client: string): RateVerdict;
}

export const noRateLimits: RateLimiter = { take: () => ({ ok: true, headers: {} }) };

/** openRateLimiter limits requests by windows: a window opens with a client's first request and holds `RATES[group]` requests.
 *  @param options.monotonic milliseconds that never go back: a clock that is set would open or hold windows */
export function openRateLimiter(
  options: { readonly monotonic?: () => number; readonly rates?: Readonly<Partial<Record<RateGroup, number>>> } = {},
): RateLimiter {
  const monotonic = options.monotonic ?? (() => performance.now());
  const rates = { ...RATES, ...options.rates };
  const windows = new LRUCache<string, { readonly opened: number; count: number }>({ max: MAX_CLIENTS });
  return {
    take(group, client) {
      const quota = rates[group];
      const id = `${group} ${client}`;
      const at = monotonic();
      let window = windows.get(id);
      if (window === undefined || at - window.opened >= WINDOW_MS) {
        window = { opened: at, count: 0 };
        windows.set(id, window);
      }
      const ok = window.count < quota;
      if (ok) window.count++;
      const reset = Math.max(1, Math.ceil((window.opened + WINDOW_MS - at) / 1000));
      return {
        ok,
        headers: {
          "RateLimit-Policy": `"${group}";q=${quota};w=${WINDOW_MS / 1000}`,
          RateLimit: `"${group}";r=${quota - window.count};t=${reset}`,
          ...(ok ? {} : { "Retry-After": String(reset) }),
        },
      };
    },
  };
}

export function rateLimited(group: RateGroup): ShelfError {
  return new ShelfError("rate_limited", `At most ${RATES[group]} requests per minute are answered here.`, {
    fixes: ["Wait for the seconds in Retry-After."],
  });
}
