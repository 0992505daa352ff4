/** `proofshelf registry diff`: a source at two revisions. */
import { countOf } from "#snapshots/format";
import { ShelfError } from "#snapshots/errors";
import { print } from "#generator/commands";
import { type Checks, readChecks } from "./checks.ts";
import { causeOf, describeMoved, type Moved } from "./drift.ts";
import { type LockLine, matchLock } from "./lock.ts";
import { openSources, type SourceOptions } from "./open-sources.ts";
import { scanSource, type ScannedSource } from "./scan.ts";

/** runRegistryDiff tells what a source declares at two revisions, compared as a scan would. */
export async function runRegistryDiff(a: string, b: string, options: SourceOptions & { readonly source?: string }): Promise<void> {
  const config = await openSources(options);
  const source = options.source === undefined ? config.sources[0] : config.sources.find(({ repo }) => repo === options.source);
  if (source === undefined) throw new ShelfError("bad_config", `--source: there is no source ${JSON.stringify(options.source)}.`);
  const [before, after] = [await scanSource({ ...source, rev: a }), await scanSource({ ...source, rev: b })];
  const lines = before.found.map(
    ({ key, digest }, at): LockLine => ({
      id: `CUB-${String(at + 1).padStart(4, "0")}`,
      key,
      first: before.head,
      statement: digest,
      was: [],
      state: "live",
    }),
  );
  const { drift } = matchLock(lines, after.found, {
    heads: new Map([[source.repo, after.head]]),
    renames: new Map(),
    accept: new Set(),
    reason: undefined,
    reserved: [],
  });
  // Ids were made up here, and say nothing.
  const keyOf = new Map(lines.map(({ id, key }) => [id, key]));
  const moved = movedBetween(readChecks(config.checks), before, after);
  const shown = drift
    .filter(({ what, key }) => what !== "changed" || moved.get(key) === undefined)
    .map(({ what, id, key, from }) => ({
      what: what === "changed" ? "words" : what,
      key,
      ...(what === "renamed?" ? { from: keyOf.get(id) ?? "" } : from === undefined ? {} : { from }),
    }));
  const causes = [...moved].flatMap(([key, one]) => (one === null ? [] : [{ ...one, key, name: key.split(" ").slice(2).join(" ") }]));
  const text = shown.map(({ what, key, from }) => `${what.padEnd(9)} ${key}${from === undefined ? "" : ` (was ${from})`}\n`).join("");
  print(
    options,
    { a: before.head, b: after.head, drift: shown, moved: causes.map(({ name: _, ...one }) => one), printed: moved.size },
    `${text}${describeMoved(causes)
      .map((line) => `${line}\n`)
      .join(
        "",
      )}${countOf(before.found.length, "declaration")}, then ${after.found.length}; ${shown.length + causes.length} differ; a prover has printed ${moved.size} at both revisions${moved.size === 0 ? ", so that only words are compared" : ""}.\n`,
  );
}

/** movedBetween says what moved of each declaration that a prover printed at both revisions, by key; null where nothing did. */
function movedBetween(checks: Checks, before: ScannedSource, after: ScannedSource): Map<string, Moved | null> {
  const was = new Map(before.found.map((one) => [one.key, checks.of(one, before)[0]]));
  return new Map(
    after.found.flatMap((one): [string, Moved | null][] => {
      const [then, now] = [was.get(one.key), checks.of(one, after)[0]];
      return then?.meaning_sha256 == null || now?.meaning_sha256 == null ? [] : [[one.key, causeOf(then, now)]];
    }),
  );
}
