/** `proofshelf registry scan`: reads the revisions, and writes what came of them. */
import { countOf } from "#snapshots/format";
import { ShelfError } from "#snapshots/errors";
import { OPEN, writeWhole } from "#snapshots/shelf";
import { print, REFUSED } from "#generator/commands";
import { describeRefused } from "./judge.ts";
import type { Drift } from "./lock.ts";
import { writeRegistry } from "./make-registry.ts";
import { openSources, type SourceOptions } from "./open-sources.ts";
import { scanAll } from "./scan-all.ts";
import { reviewFindings } from "./meaning.ts";
import { writeScan } from "./write-scan.ts";

type ScanCommand = SourceOptions & {
  readonly source?: string;
  readonly rev?: string;
  readonly plan?: boolean;
  readonly accept?: string[];
  readonly reason?: string;
  readonly out?: string;
};

/** runRegistryScan reads the revisions, and writes the lock and the code store. Nothing is written when a statement that a prover accepted has changed and
 *  nobody has accepted that. */
export async function runRegistryScan(options: ScanCommand): Promise<void> {
  if ((options.accept ?? []).length > 0 && (options.reason ?? "").trim() === "")
    throw new ShelfError("bad_config", "--accept needs --reason: say why, for whoever reads the lock.");
  if (options.rev !== undefined && options.source === undefined)
    throw new ShelfError("bad_config", "--rev needs --source: say whose revision it is.");
  const config = await openSources(options);
  if (options.source !== undefined && !config.sources.some(({ repo }) => repo === options.source))
    throw new ShelfError(
      "bad_config",
      `--source: there is no source ${JSON.stringify(options.source)}; there is ${config.sources.map(({ repo }) => repo).join(", ")}.`,
    );
  const scan = await scanAll(config, options);
  const refused = scan.drift.filter((drift) => drift.refused);
  const writes = options.plan !== true && refused.length === 0;
  if (writes) {
    writeScan(config, scan);
    if (options.out !== undefined) writeWhole(options.out, writeRegistry(config, scan), { modes: OPEN });
  }
  const notes = [...scan.notes, ...reviewFindings(config, scan)];
  const lines = [
    ...notes.map((note) => `Note: ${note}`),
    ...scan.sources.map(
      ({ source, head, found }) => `${source.repo} at ${head.slice(0, 12)} (${source.prover}): ${countOf(found.length, "declaration")}`,
    ),
    ...[...Map.groupBy(scan.drift, ({ what, refused }) => `${what} ${refused}`).values()].flatMap(describeAlike),
    ...describeRefused(scan),
    refused.length > 0
      ? `Nothing was written: what ${refused.length} of them state is not what a prover accepted. If that is meant: --accept ${refused.map(({ id }) => id).join(" ")} --reason …`
      : `${countOf(scan.records.length, "record")}${options.plan === true ? "; nothing was written" : ""}.`,
  ];
  print(options, { records: scan.records.length, drift: scan.drift, notes, written: writes }, `${lines.join("\n")}\n`);
  if (refused.length > 0) process.exitCode = REFUSED;
}

const SHOWN = 20;

/** A first scan finds hundreds of one kind; --json has them all. */
function describeAlike(drift: readonly Drift[]): string[] {
  const shown = drift[0]?.refused === true ? drift : drift.slice(0, SHOWN);
  return [...shown.map(describeDrift), ...(shown.length < drift.length ? [`${drift[0]?.what}: ${drift.length - shown.length} more`] : [])];
}

function describeDrift({ what, id, key, from, refused }: Drift): string {
  const name = JSON.stringify(key).slice(1, -1);
  if (what === "renamed?") return `renamed?  ${name} states what ${id} did; a new id was given. To keep ${id}: --accept ${id} --reason …`;
  return `${what.padEnd(9)} ${id} ${name}${from === undefined ? "" : ` (was ${from})`}${refused ? "  a prover accepted another statement" : ""}`;
}
