/** The leak rule as a check of what is published: README.md. */
import type { Sha256 } from "#snapshots/digest";
import type { CollectionInfo, ViewData } from "#snapshots/format";
import type { Snapshot } from "#snapshots/shelf";
import type { Check, ScannedFile } from "#snapshots/verify";
import { type KeptInHistory, nameExposed } from "./exposure.ts";
import { gatedSecrets } from "./gated.ts";
import { indexFiles, snapshotFiles } from "./leak-files.ts";
import { findLeaks, type Leak, type LeakOptions } from "./leaks.ts";

export type LeakSources = {
  /** The software's own words: what a page says in every library is no leak. */
  readonly software?: () => AsyncIterable<ScannedFile>;
  /** The texts that the rows of the public search index have. */
  readonly rows?: (snapshot: Sha256) => AsyncIterable<ScannedFile>;
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

/** openStays makes a test that tells whether some snapshot keeps what has a gated key or prefix, or null, what a claim or a record says. */
function openStays(kept: KeptInHistory, collections: readonly CollectionInfo[]): (name: string | null) => boolean {
  const about = new Set(kept.map((one) => one.about));
  const hasWords = kept.some((one) => /^(?:claim|record) /.test(one.about));
  const idsOf = (name: string): readonly string[] => collections.filter(({ prefix }) => prefix === name).map(({ id }) => id);
  return (name) =>
    name === null
      ? hasWords
      : about.has(nameExposed({ what: "object", name })) ||
        idsOf(name).some((id) => about.has(nameExposed({ what: "collection", name: id })));
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
      const stays = openStays(sources.kept ?? [], full.data.library.collections);
      const isKept = ({ gated, public: { path } }: Leak): boolean => INDEX_FILE.test(path) && stays(gated.name);
      const told = leaks.map((leak) => (isKept(leak) ? { ...leak, severity: "warning" as const } : leak));
      for (const found of Map.groupBy(told, ({ severity, kind, public: { path } }) => JSON.stringify([severity, kind, path])).values()) {
        const { severity, kind, public: place } = found[0] as Leak;
        // Names are told to who verifies both views; of texts and values only where they stand.
        const names = kind === "key" ? `: ${found.slice(0, MAX_NAMED).map(tellKey).join(", ")}` : "";
        const where = place.line === null || names !== "" ? "" : `, first in line ${place.line}`;
        const detail = `${found.length} ${found.length === 1 ? "occurrence" : "occurrences"}${where}${names}.`;
        report.add(`leak_${kind}`, "public", { snapshot: snapshot.id, path: place.path }, detail, severity);
      }
    },
  };
}
