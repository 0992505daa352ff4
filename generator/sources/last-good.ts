/** A source file that is a list: the registry, the claims. What cannot be read or parsed, is empty, or has lost more than half of what
 *  is served costs freshness and nothing else: the last good copy stays, and says why. Where no copy is left, and something was
 *  served, nothing is published. */
import { countOf } from "#snapshots/format";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { sha256, type Sha256 } from "#snapshots/digest";
import { ShelfError } from "#snapshots/errors";
import { writeWhole } from "#snapshots/shelf";
import { type KeptFile, keptFile } from "#generator/files";
import { isRecord } from "./issues.ts";
import { findLoss } from "./loss-rule.ts";

export type Pulled = { readonly bytes: Uint8Array; readonly etag: string; readonly lastModified: string };
export type KeptCopy = Pulled & { readonly sha256: Sha256; readonly fetched: string };

export type ListSource<T> = {
  readonly name: "registry" | "claims";
  /** Where it comes from: a copy kept of another place is not used. */
  readonly place: string;
  /** Fresh bytes, or null when the source says that `kept` still stands. @throws ShelfError "bad_source" */
  pull(kept: KeptCopy | null): Promise<Pulled | null>;
  /** @throws ShelfError "bad_source" when the bytes as a whole cannot be used */
  parse(bytes: Uint8Array, digest: Sha256): T;
  ids(value: T): readonly string[];
  /** The list without entries of these ids, as bytes that parse to the rest; null when it has none of them. */
  without(bytes: Uint8Array, ids: ReadonlySet<string>): Uint8Array | null;
};

export type LastGoodOptions = {
  /** Where the copy lies. */
  readonly dir: string;
  /** Ids that are served now, for bytes that are not those that they came from. Default: none. */
  readonly served?: (digest: string | null) => Promise<readonly string[]>;
  /** Tells whether nothing has been published yet. Default: something has. */
  readonly first?: () => Promise<boolean>;
  /** A list that is broken, empty or much shorter is meant. */
  readonly acceptLoss?: boolean;
  /** Ids of what is redacted: no copy is kept of it, though the source may still have it. */
  readonly redacted?: ReadonlySet<string>;
  /** True when what proves good is kept. Default true; without it nothing is written. */
  readonly keep?: boolean;
  readonly now?: () => Date;
};

export type Stale = {
  readonly reason: string;
  /** RFC 3339, when the copy was read. */
  readonly fetched: string;
  /** True when a gate refused what is there now. */
  readonly refused: boolean;
};

export type LastGood<T> =
  | { readonly unavailable: null; readonly value: T; readonly size: number; readonly sha256: Sha256; readonly stale: Stale | null }
  | { readonly unavailable: string };

/** readLastGood reads a source, or its last good copy where the source cannot be used.
 *  @returns unavailable when it cannot be used, no copy is kept, and nothing of it is served
 *  @throws ShelfError "build_failed" when something is, or when this would be the first that is published; "gate_refused" where a gate refused it */
export async function readLastGood<T>(source: ListSource<T>, options: LastGoodOptions): Promise<LastGood<T>> {
  const { dir, served = async () => [], first = async () => false, acceptLoss = false, keep = true, now = () => new Date() } = options;
  const kept = await findKept(dir, source);
  let reason: string;
  let refused = false;
  let pulled: Pulled | null = null;
  try {
    pulled = await source.pull(kept);
    const fresh = pulled ?? kept;
    if (fresh === null) throw new ShelfError("bad_source", `The ${source.name} sent nothing.`);
    const digest = pulled === null && kept !== null ? kept.sha256 : sha256(fresh.bytes);
    const value = source.parse(fresh.bytes, digest);
    if (!acceptLoss) await refuseLoss(source, value, served, digest);
    const clean = source.without(fresh.bytes, options.redacted ?? new Set());
    // Without its tag: the source must not say that this still stands.
    if (clean !== null && keep)
      await keepCopy(dir, source, { bytes: clean, etag: "", lastModified: "", sha256: sha256(clean) }, kept, now());
    else if (pulled !== null && keep) await keepCopy(dir, source, { ...pulled, sha256: digest }, kept, now());
    return { unavailable: null, value, size: fresh.bytes.length, sha256: digest, stale: null };
  } catch (error) {
    if (!(error instanceof ShelfError)) throw error; // the folder of the copy: ours to repair, not the source's fault
    reason = error.message;
    refused = error.code === "gate_refused";
  }
  // A source that was read and is broken can be meant to be so; a source that is down says nothing.
  const meant = acceptLoss && pulled !== null;
  if (meant && keep) stateFile(dir, source).remove();
  if (kept !== null && !meant) {
    try {
      const { bytes, sha256: digest, fetched } = kept;
      return {
        unavailable: null,
        value: source.parse(bytes, digest),
        size: bytes.length,
        sha256: digest,
        stale: { reason, fetched, refused },
      };
    } catch {
      // Kept by a version that was less strict.
    }
  }
  const code = refused ? "gate_refused" : "build_failed";
  const count = meant ? 0 : (await served(null)).length;
  if (count === 0 && !acceptLoss && (await first()))
    throw new ShelfError(code, `Nothing was published, because the ${source.name} cannot be used and there is no copy of it. ${reason}`, {
      fixes: [
        `Look whether the ${source.name} is where the configuration says, and whole.`,
        "To publish the library without it all the same, say so once: proofshelf build --accept-loss. If there is to be none, take it out of the configuration.",
      ],
    });
  if (count === 0) return { unavailable: reason };
  throw new ShelfError(
    code,
    `Nothing was published, because ${countOf(count, `${source.name} entry is`, `${source.name} entries are`)} served and none can be had. ${reason}`,
    {
      fixes: [
        `Look whether the ${source.name} is where the configuration says, and whole. What was published before is served on.`,
        `If it was emptied on purpose, say so once: proofshelf build --accept-loss. If there is to be none, take it out of the configuration.`,
      ],
    },
  );
}

/** describeStale tells of a stale copy, for a snapshot's notes. */
export function describeStale(name: string, { reason, fetched }: Pick<Stale, "reason" | "fetched">): string {
  return `The ${name} could not be used when this snapshot was built (${reason.replace(/\.$/, "")}); what is served is the copy of ${fetched}.`;
}

async function refuseLoss<T>(
  source: ListSource<T>,
  value: T,
  served: (digest: string) => Promise<readonly string[]>,
  digest: string,
): Promise<void> {
  const had = await served(digest);
  // A list that was parsed before need not be parsed for this.
  if (had.length === 0) return;
  const ids = new Set(source.ids(value));
  const loss = findLoss(had, (id) => ids.has(id), ids.size === 0);
  if (loss === null) return;
  const which = ids.size === 0 ? "It is empty" : "It has lost more than half";
  throw new ShelfError(
    "bad_source",
    `${which}: of ${countOf(loss.had, "entry that is", "entries that are")} served ${loss.lost} ${loss.lost === 1 ? "is" : "are"} gone. If that is meant, say so once: proofshelf build --accept-loss`,
  );
}

/** withoutEntries writes a list anew without entries of some ids. JSON is YAML, too. @param list name of the list in the body */
export function withoutEntries(body: unknown, list: string, ids: ReadonlySet<string>): Uint8Array | null {
  const entries = isRecord(body) ? body[list] : null;
  if (!Array.isArray(entries)) return null;
  const rest = entries.filter((entry) => !(isRecord(entry) && typeof entry["id"] === "string" && ids.has(entry["id"])));
  return rest.length === entries.length ? null : Buffer.from(JSON.stringify({ ...(body as object), [list]: rest }));
}

const KeptState = z.object({
  source: z.string(),
  sha256: z.string(),
  etag: z.string(),
  last_modified: z.string(),
  fetched: z.string(),
});

type Named = Pick<ListSource<unknown>, "name" | "place">;

function stateFile(dir: string, { name }: Named): KeptFile<z.infer<typeof KeptState>> {
  return keptFile(KeptState, join(dir, `${name}.state`));
}

function copyFile(dir: string, { name }: Named, digest: string): string {
  return join(dir, `${name}-${digest}.json`);
}

/** The last good copy of this source; null when there is none, or when the files are not as they were written. */
async function findKept(dir: string, source: Named): Promise<KeptCopy | null> {
  const state = stateFile(dir, source).read();
  if (state === null || state.source !== source.place) return null;
  const bytes = await readFile(copyFile(dir, source, state.sha256)).catch(() => null);
  if (bytes === null || sha256(bytes) !== state.sha256) return null;
  return { bytes, sha256: state.sha256, etag: state.etag, lastModified: state.last_modified, fetched: state.fetched };
}

/** Body first, then the state that names it by rename: a crash leaves the older pair. */
async function keepCopy(
  dir: string,
  source: Named,
  pulled: Pulled & { readonly sha256: Sha256 },
  previous: KeptCopy | null,
  now: Date,
): Promise<void> {
  const { sha256: digest } = pulled;
  if (digest !== previous?.sha256) writeWhole(copyFile(dir, source, digest), pulled.bytes);
  stateFile(dir, source).write({
    source: source.place,
    sha256: digest,
    etag: pulled.etag,
    last_modified: pulled.lastModified,
    fetched: now.toISOString(),
  });
  if (previous !== null && previous.sha256 !== digest) await rm(copyFile(dir, source, previous.sha256), { force: true });
}
