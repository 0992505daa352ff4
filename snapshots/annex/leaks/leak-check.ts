/** The leak rule as a check of what is published: README.md. */
import { countOf } from "#snapshots/format";
import type { Sha256 } from "#snapshots/digest";
import type { ObjectRow, ViewData } from "#snapshots/format";
import { createTreeCache, openSnapshot, type Shelf, type Snapshot, unreadable } from "#snapshots/shelf";
import type { Check, ScannedFile } from "#snapshots/verify";
import type { KeptInHistory } from "./exposure.ts";
import { gatedSecrets, stringsOf } from "./gated.ts";
import { indexFiles, snapshotFiles } from "./leak-files.ts";
import { findLeaks, type Leak, type LeakOptions } from "./leaks.ts";

export type LeakSources = {
  /** The software's own words: what a page says in every library is no leak. */
  readonly software?: () => AsyncIterable<ScannedFile>;
  /** The texts that the rows of the public search index have. */
  readonly rows?: (snapshot: Sha256) => AsyncIterable<ScannedFile>;
  /** Tells whether its files have rows of pruned snapshots still, which were public. */
  readonly holdsRemoved?: () => Promise<boolean>;
  /** How public sources are read anew, and what is allowed. */
  readonly leaks?: (snapshot: Snapshot, data: ViewData) => LeakOptions;
  /** Things that an operator lets stay in what was published before they were gated. */
  readonly kept?: KeptInHistory;
  /** Private values that no view holds, at least twelve characters each: nothing public may hold them. */
  readonly extra?: readonly string[];
};

/** A file of the index holds rows of every kept snapshot; those of the served one are read apart, as "index/rows". */
const INDEX_FILE = /^index\/(?!rows$)/;

/** Keys that a finding names. */
const MAX_NAMED = 5;

function tellKey({ text, public: { line } }: Leak): string {
  return `${JSON.stringify(text)}${line === null ? "" : ` in line ${line}`}`;
}

/** openStays makes a test that tells whether a leak stands in a snapshot that the operator lets stay: the files of the index have its rows. */
async function openStays(kept: KeptInHistory, shelf: Shelf, objects: readonly ObjectRow[]): Promise<(leak: Leak) => boolean> {
  const { byId } = await shelf.records.index();
  const said: string[] = [];
  for (const id of new Set(kept.map((one) => one.sha256))) {
    const record = byId.get(id);
    const then =
      record === undefined
        ? null
        : await openSnapshot(shelf, record, createTreeCache())
            .then(async (one) => one.data())
            .catch(unreadable);
    for (const text of stringsOf(then === null ? [] : [then, [...then.code.values()]])) said.push(text);
  }
  const digests = new Map(objects.map(({ key, sha256 }) => [key, sha256]));
  return ({ text, gated: { name } }) =>
    said.some((one) => one.includes(text) || (name !== null && (one === name || one === digests.get(name))));
}

/** saidThen finds which texts the rows of kept snapshots say, which the files of the index hold, too: those of a public source, and those of none.
 *  @param isGated tells whether an object is gated now: then its rows are no source */
async function saidThen(
  leaks: readonly Leak[],
  shelf: Shelf,
  now: Sha256,
  rows: NonNullable<LeakSources["rows"]>,
  isGated: (key: string) => boolean,
): Promise<Readonly<Record<"open" | "gated", ReadonlySet<string>>>> {
  const said = { open: new Set<string>(), gated: new Set<string>() };
  for (const id of (await shelf.records.index()).byId.keys()) {
    if (id === now) continue;
    for await (const { bytes } of rows(id)) {
      // A row begins with the key of its object.
      const all = JSON.parse(new TextDecoder().decode(bytes)) as readonly (readonly string[])[];
      for (const [key = "", ...rest] of all)
        for (const { text } of leaks) if ([key, ...rest].some((one) => one.includes(text))) said[isGated(key) ? "gated" : "open"].add(text);
    }
  }
  return said;
}

export function leakCheck(sources: LeakSources): Check {
  return {
    name: "leaks",
    needs: "views",
    async run(report, { snapshot, data, files }, full) {
      const secrets = await gatedSecrets(data, full.data, (key) => full.snapshot.extract(key), sources.extra);
      const scanned = async function* () {
        yield* sources.software?.() ?? [];
        yield* snapshotFiles(snapshot, data, files);
        yield* sources.rows?.(snapshot.id) ?? [];
        yield* indexFiles(snapshot.shelf);
      };
      const { leaks } = await findLeaks(secrets, scanned(), sources.leaks?.(snapshot, data));
      const inIndex = ({ public: { path } }: Leak): boolean => INDEX_FILE.test(path);
      const inside = leaks.filter(inIndex);
      const stays = inside.length > 0 ? await openStays(sources.kept ?? [], snapshot.shelf, full.data.objects) : () => false;
      const shown = new Set(data.objects.map(({ key }) => key));
      const gated = new Set(full.data.objects.map(({ key }) => key)).difference(shown);
      const then =
        inside.length > 0 && sources.rows !== undefined
          ? await saidThen(inside, snapshot.shelf, snapshot.id, sources.rows, (key) => gated.has(key))
          : null;
      // Else it lies in rows that no snapshot has any more.
      const isPruned = then !== null && (await sources.holdsRemoved?.()) === true;
      const isKept = (leak: Leak): boolean =>
        inIndex(leak) && (stays(leak) || then?.open.has(leak.text) === true || (isPruned && !then.gated.has(leak.text)));
      // Words are anybody's: that a source says a title is told to who builds, and is no finding.
      const telling = leaks.filter(({ kind, severity }) => kind !== "title" || severity === "error");
      const told = telling.map((leak) => (isKept(leak) ? { ...leak, severity: "warning" as const } : leak));
      for (const found of Map.groupBy(told, ({ severity, kind, public: { path } }) => JSON.stringify([severity, kind, path])).values()) {
        const { severity, kind, public: place } = found[0] as Leak;
        // Names are told to who verifies both views; of texts and values only where they stand.
        const names = kind === "key" ? `: ${found.slice(0, MAX_NAMED).map(tellKey).join(", ")}` : "";
        const where = place.line === null || names !== "" ? "" : `, first in line ${place.line}`;
        const detail = `${countOf(found.length, "occurrence")}${where}${names}.`;
        report.add(`leak_${kind}`, "public", { snapshot: snapshot.id, path: place.path }, detail, severity);
      }
    },
  };
}
