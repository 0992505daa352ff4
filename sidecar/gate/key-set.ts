/** The gateway's public keys, from an address or a file: cached, fetched again when old or when a token names a key that
 *  is not among them, and kept while their source is down, for a stated time: a key that was withdrawn meanwhile must not open for ever.
 *
 *  jose's own remote set is not used because it throws when its cache is old and the source is down, and counts its
 *  cooldown from the last success only: a source that is down would be asked once per bad token. */
import { constants, open } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { createLocalJWKSet } from "jose";
import { fetch as undiciFetch } from "undici";
import { z } from "zod";
import { limitBytes } from "#snapshots/limit-bytes";

/** Milliseconds between two fetches caused by tokens: conventions "at most once a minute on an unknown kid", and no oftener for a signature that fails. */
const MIN_FETCH_INTERVAL = 60_000;
/** Milliseconds after which keys are fetched again unasked: how long a key that was withdrawn is still believed. */
const MAX_KEYS_AGE = 10 * 60_000;
const MIN_FILE_INTERVAL = 1_000;
const MAX_FILE_AGE = 2_000;
const FETCH_TIMEOUT = 5_000;
/** Bytes of a key set; real ones have a few thousand. */
const MAX_KEYS_BYTES = 256 * 1024;

/** A KeySet is what was read of a source at one time. */
export type KeySet = {
  readonly kids: ReadonlySet<string>;
  /** jose's choice of the key for a token's header. */
  readonly choose: ReturnType<typeof createLocalJWKSet>;
  /** Differs from set to set of the whole process, also between sources: a verdict reached with other keys is worth nothing. */
  readonly version: number;
};

/** A KeySource gives the keys of one place. */
export type KeySource = ReturnType<typeof openKeySource>;

export type KeySourceOptions = {
  /** Milliseconds from any start that never go back: how old keys are must not depend on a clock that somebody sets. */
  readonly monotonic: () => number;
  /** Reads the text of the set; by default the file, or the address by HTTP. */
  readonly read: ((location: string) => Promise<string>) | undefined;
};

/** Sets read so far, whatever their source: no two ever have one version. */
let versions = 0;

export function openKeySource(location: string, options: KeySourceOptions) {
  const remote = /^https?:\/\//i.test(location);
  const minInterval = remote ? MIN_FETCH_INTERVAL : MIN_FILE_INTERVAL;
  const maxAge = remote ? MAX_KEYS_AGE : MAX_FILE_AGE;
  const read = options.read ?? (remote ? fetchText : readText);
  let current: KeySet | null = null;
  let last = "";
  let triedAt = -Infinity;
  let goodAt = -Infinity;
  let failing = false;
  let running: Promise<void> | null = null;

  const refresh = async (): Promise<void> => {
    try {
      const fresh = await read(location);
      if (fresh !== last || current === null) current = parseKeySet(fresh, ++versions);
      last = fresh;
      goodAt = options.monotonic();
      failing = false;
    } catch {
      // The last good keys stay; an unreadable source must neither lock everybody out nor let anybody in.
      failing = true;
    } finally {
      running = null;
    }
  };
  const start = (): void => {
    triedAt = options.monotonic();
    running = refresh();
  };
  return {
    /** Keys to check a token with; looks for newer ones when `kid` is not among them.
     *  @param believed milliseconds for which keys are believed that could not be read again
     *  @param doubted version of the set that a signature has failed under: its key may be another now, under the same id
     *  @returns null when none could ever be read, or none for longer than that */
    async find(kid: string, believed: number, doubted?: number): Promise<KeySet | null> {
      const now = options.monotonic();
      const isStale = (): boolean => options.monotonic() - goodAt >= believed;
      const known = !isStale() && current?.version !== doubted && (current?.kids.has(kid) ?? false);
      if (known && now - goodAt < maxAge) return current;
      const interval = current === null || isStale() ? MIN_FILE_INTERVAL : minInterval;
      if (running === null && now - triedAt >= interval) start();
      // A holder of a known key does not wait for a source that was down a moment ago.
      if (running !== null && (!known || !failing)) await running;
      return isStale() ? null : current;
    },
  };
}

/** @throws Error when the text is not a JWK set */
function parseKeySet(text: string, version: number): KeySet {
  const members = Keys.parse(JSON.parse(text)).keys.filter((key) => key !== null);
  const kids = new Set(members.map((key) => key["kid"]).filter((kid) => typeof kid === "string"));
  return { kids, version, choose: createLocalJWKSet({ keys: members }) };
}

/** Members that are no objects would make jose refuse the whole set; symmetric keys have no business in a public one. */
const Keys = z.object({
  keys: z.array(
    z
      .looseObject({ kty: z.string().regex(/^(?!oct$)/) })
      .nullable()
      .catch(null),
  ),
});

const tooLong = (): Error => new Error("too long");

/** Without waiting for anybody to write into a pipe that has taken the file's place. */
async function readText(path: string): Promise<string> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return text(limitBytes(file.createReadStream(), MAX_KEYS_BYTES, tooLong));
}

async function fetchText(address: string): Promise<string> {
  const response = await undiciFetch(address, {
    headers: { accept: "application/json" },
    // A redirect could lead the keys of this gateway to another host.
    redirect: "error",
    signal: AbortSignal.timeout(FETCH_TIMEOUT),
  });
  if (response.status !== 200) throw new Error(`status ${response.status}`);
  return text(limitBytes(response.body, MAX_KEYS_BYTES, tooLong));
}
