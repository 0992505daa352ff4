/** scanAll joins sources, lock, overlay, a registry by hand and checks: every declaration with its id, and what is other than it was. */
import { basename } from "node:path";
import { ShelfError } from "../../../snapshots/errors.ts";
import { type ParsedRegistry, parseRegistry } from "../../sources/registry.ts";
import { MAX_REGISTRY_BYTES } from "../../sources/registry-pull.ts";
import { readSourceFile } from "../../sources/source-file.ts";
import { type Checks, readChecks } from "./checks.ts";
import type { RegistrySources } from "./config.ts";
import { judge } from "./judge.ts";
import { type Drift, type LockLine, matchLock, readLock } from "./lock.ts";
import { applyOverlay, type Overlay, readOverlay, unusedOf } from "./overlay.ts";
import { type Found, scanSource, type ScannedSource } from "./scan.ts";
import { readPolicy } from "./states.ts";

export type Scan = {
  readonly sources: readonly ScannedSource[];
  /** What becomes a record, with its id. */
  readonly records: readonly { readonly id: string; readonly one: Found; readonly source: ScannedSource }[];
  readonly lock: readonly LockLine[];
  readonly drift: readonly Drift[];
  readonly checks: Checks;
  readonly overlay: Overlay;
  readonly hand: ParsedRegistry | null;
  readonly notes: readonly string[];
};

export type ScanOptions = {
  readonly accept?: readonly string[];
  readonly reason?: string;
  readonly source?: string;
  readonly rev?: string;
  /** Digests of checks that this very process made, which it believes whoever signed them. */
  readonly made?: ReadonlySet<string>;
};

/** scanAll reads every source, and gives each declaration its id. It writes nothing.
 *  @throws ShelfError "bad_source", "bad_config" */
export async function scanAll(config: RegistrySources, options: ScanOptions = {}): Promise<Scan> {
  const overlay = readOverlay(config.overlay);
  const hand = config.records === undefined ? null : parseRegistry(await readSourceFile(config.records, "registry", MAX_REGISTRY_BYTES));
  // A record that is left out would lose its id.
  if (hand !== null && hand.rejected.length > 0)
    throw new ShelfError(
      "bad_source",
      `${basename(config.records ?? "")} has records that cannot be used:\n${hand.rejected.map(({ key, reason }) => `${key}: ${reason}`).join("\n")}`,
    );
  const chosen = config.sources.map((source) =>
    source.repo === options.source && options.rev !== undefined ? { ...source, rev: options.rev } : source,
  );
  const runtime = new Set(
    [...overlay.records, ...(hand?.records ?? []).map(({ record }) => record)].map((said) => String(said["exec_file"] ?? "")),
  );
  const sources: ScannedSource[] = [];
  for (const source of chosen) sources.push(await scanSource(source, runtime));
  const used = new Set<number>();
  const place = (repo: string, module: string, name: string): string => JSON.stringify([repo, module, name]);
  const byHand = new Map((hand?.records ?? []).map(({ record }) => [place(record.repo, record.module, record.theorem_name), record]));
  const lockBefore = readLock(config.lock);
  const known = new Map(lockBefore.map((line) => [line.key, line.id]));
  const shown = sources.flatMap((source) =>
    source.found
      .filter(
        (one) =>
          !applyOverlay(overlay, one, known.get(one.key) ?? byHand.get(place(one.repo, one.module, one.theorem))?.id ?? null, used).hidden,
      )
      .map((one) => ({ one, source })),
  );
  const ids = new Set(lockBefore.map(({ id }) => id));
  const taken = shown.flatMap(({ one }): LockLine[] => {
    const record = byHand.get(place(one.repo, one.module, one.theorem));
    if (record === undefined || known.has(one.key) || ids.has(record.id)) return [];
    return [{ id: record.id, key: one.key, first: "", seen: "", statement: "", was: [], state: "live" }];
  });
  // Ids of other records of that file are theirs.
  const reserved = (hand?.records ?? []).map(({ record }) => record.id);
  const { lock, drift } = matchLock(
    [...lockBefore, ...taken],
    shown.map(({ one }) => one),
    {
      heads: new Map(sources.map(({ source, head }) => [source.repo, head])),
      renames: new Map(overlay.renames.map(({ from, to }) => [to, from])),
      accept: new Set(options.accept ?? []),
      reason: options.reason,
      reserved,
    },
  );
  const idOf = new Map(lock.map((line) => [line.key, line.id]));
  const checks = readChecks(config.checks, options.made);
  const judged = judge({
    lock,
    drift,
    before: lockBefore,
    shown,
    checks,
    allowed: readPolicy(config.policy.axioms),
    accept: new Set(options.accept ?? []),
  });
  const notes = [
    ...sources.flatMap(({ source, problems }) => problems.map((problem) => `${source.repo}: ${problem}`)),
    ...unusedOf(overlay, used).map((what) => `The overlay speaks of ${JSON.stringify(what)}, and nothing is called so.`),
  ];
  return {
    sources,
    records: shown.map(({ one, source }) => ({ id: idOf.get(one.key) ?? "", one, source })),
    ...judged,
    checks,
    overlay,
    hand,
    notes,
  };
}
