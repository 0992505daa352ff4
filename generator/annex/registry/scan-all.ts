/** scanAll joins sources, lock, overlay, a registry by hand and checks: every declaration with its id, and what is other than it was. */
import { basename } from "node:path";
import { ShelfError } from "#snapshots/errors";
import { MAX_REGISTRY_BYTES, type ParsedRegistry, parseRegistry, readSourceFile } from "#generator/sources";
import { type Advisory, readAdvisories } from "#generator/annex/recall";
import { readReviews, type Reviews } from "#generator/annex/reviews";
import { type Checks, readChecks, trustedKeys } from "./checks.ts";
import type { RegistrySources } from "./config.ts";
import { judge } from "./judge.ts";
import { type Drift, type LockLine, matchLock, readLock, statedAs } from "./lock.ts";
import { applyOverlay, type Overlay, readOverlay, unusedOf } from "./overlay.ts";
import { type FoundDeclaration, scanSource, type ScannedSource, tellAgain } from "./scan.ts";
import { readPolicy } from "./states.ts";

export type SourcesScan = {
  readonly sources: readonly ScannedSource[];
  /** Declarations that become a record, each with its id. */
  readonly records: readonly { readonly id: string; readonly one: FoundDeclaration; readonly source: ScannedSource }[];
  /** The lock's view of them before the checks are asked. */
  readonly matched: Omit<Parameters<typeof judge>[0], "checks">;
  readonly lock: readonly LockLine[];
  readonly drift: readonly Drift[];
  readonly checks: Checks;
  readonly overlay: Overlay;
  readonly hand: ParsedRegistry | null;
  readonly advisories: readonly Advisory[];
  readonly reviews: Reviews;
  readonly notes: readonly string[];
};

export type ScanOptions = {
  readonly accept?: readonly string[];
  readonly reason?: string;
  readonly source?: string;
  readonly rev?: string;
};

/** scanAll reads every source, and gives each declaration its id. It writes nothing.
 *  @throws ShelfError "bad_source", "bad_config" */
export async function scanAll(config: RegistrySources, options: ScanOptions = {}): Promise<SourcesScan> {
  const overlay = readOverlay(config.overlay);
  const advisories = await readAdvisories(config.advisories, trustedKeys(config.checks.trust));
  const hand =
    config.records === undefined ? null : parseRegistry(await readSourceFile(config.records, "registry file", MAX_REGISTRY_BYTES));
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
  const accept = new Set(options.accept ?? []);
  const lockBefore = readLock(config.lock);
  const { all, again } = findAll(sources);
  // Ids of other records of that file are theirs.
  const reserved = (hand?.records ?? []).map(({ record }) => record.id);
  const before = [...lockBefore, ...idsByHand(all, lockBefore, hand)];
  const matching = {
    heads: new Map(sources.map(({ source, head }) => [source.repo, head])),
    renames: new Map(overlay.renames.map(({ from, to }) => [to, from])),
    accept,
    reason: options.reason,
    reserved,
  };
  const match = (some: typeof all) =>
    matchLock(
      before,
      some.map(({ one }) => one),
      matching,
    );
  // An id that the overlay names is asked for by the declaration that has it now, wherever it has moved to.
  const known = new Set(before.map(({ id }) => id));
  const now = match(all).lock.filter(({ id }) => known.has(id));
  const idNow = idsOf(now);
  // Another name for the same statement may be that of a hidden one: whoever means a new one says so by its name.
  const gone = Map.groupBy(
    now.filter(({ state }) => state === "gone"),
    ({ key, statement }) => statedAs(key, statement),
  );
  const hiddenWith = (one: FoundDeclaration): string | undefined =>
    gone.get(statedAs(one.key, one.digest))?.find(({ id }) => applyOverlay(overlay, one, id, new Set()).hidden)?.id;
  const hidden = new Set<string>();
  const shown = all.filter(({ one }) => {
    const id = idNow.get(one.key) ?? null;
    const other = id === null ? hiddenWith(one) : undefined;
    if (other !== undefined) hidden.add(other);
    return other === undefined && !applyOverlay(overlay, one, id, used).hidden;
  });
  const matched = { ...match(shown), before: lockBefore, shown, allowed: readPolicy(config.policy.axioms), accept };
  const unknown = [...accept].filter((id) => !before.some((line) => line.id === id));
  if (unknown.length > 0) throw new ShelfError("bad_config", `--accept: there is no record ${unknown.join(", ")} in the lock.`);
  const lost = matched.lock.filter(({ id, state }) => state === "gone" && accept.has(id)).map(({ id }) => id);
  if (lost.length > 0)
    throw new ShelfError("bad_config", `--accept: ${lost.join(", ")} is gone, and no one declaration alone states what it did.`, {
      fixes: ["Say which it is now in the overlay: renames: [{ from: the key of the lock, to: the new one }]."],
    });
  const idOf = idsOf(matched.lock);
  const notes = [
    ...sources.flatMap(({ source, problems }) => problems.map((problem) => `${source.repo}: ${problem}`)),
    ...again,
    ...[...hidden].map(
      (id) => `The overlay hides ${id}: what states the same under another name is hidden, too, unless a later entry says hide: false.`,
    ),
    ...unusedOf(overlay, used).map((what) => `The overlay speaks of ${JSON.stringify(what)}, and nothing is called so.`),
  ];
  const records = shown.map(({ one, source }) => ({ id: idOf.get(one.key) ?? "", one, source }));
  const scan = judgeAgain(config, { sources, records, matched, overlay, hand, advisories, notes });
  // Nothing is accepted in advance: nobody has seen it yet.
  const idle = [...accept].filter((id) => !scan.drift.some((one) => one.id === id));
  if (idle.length > 0)
    throw new ShelfError("bad_config", `--accept: ${idle.join(", ")} is as it was, as far as its check and its words tell.`, {
      fixes: ["Where a definition below it has changed: proofshelf registry recheck, and then accept what that finds."],
    });
  return scan;
}

/** judgeAgain holds what a scan found against the checks as they lie in the store now: the sources are not read again.
 *  @param made digests of checks that this very process made, which it believes whoever signed them */
export function judgeAgain(
  config: Pick<RegistrySources, "checks" | "reviews">,
  scan: Omit<SourcesScan, "checks" | "lock" | "drift" | "reviews">,
  made: ReadonlySet<string> = new Set(),
): SourcesScan {
  const checks = readChecks(config.checks, made);
  return { ...scan, ...judge({ ...scan.matched, checks }), checks, reviews: readReviews(config.reviews, checks.reviews) };
}

function idsOf(lock: readonly LockLine[]): Map<string, string> {
  return new Map(lock.map((line) => [line.key, line.id]));
}

type Placed = { readonly one: FoundDeclaration; readonly source: ScannedSource };

/** findAll puts the declarations of all sources together. A key that two of them declare is told, and is the first one's. */
function findAll(sources: readonly ScannedSource[]): { all: readonly Placed[]; again: readonly string[] } {
  const first = new Map<string, FoundDeclaration>();
  const again: string[] = [];
  const all = sources.flatMap((source) =>
    source.found.flatMap((one): Placed[] => {
      const other = first.get(one.key);
      if (other !== undefined) again.push(tellAgain(one, other));
      else first.set(one.key, one);
      return other === undefined ? [{ one, source }] : [];
    }),
  );
  return { all, again };
}

/** idsByHand gives the ids of a registry by hand to what it speaks of, each once: to the first that has its name. */
function idsByHand(all: readonly Placed[], lock: readonly LockLine[], hand: ParsedRegistry | null): LockLine[] {
  if (hand === null) return [];
  const place = (repo: string, module: string, name: string): string => JSON.stringify([repo, module, name]);
  const byHand = new Map(hand.records.map(({ record }) => [place(record.repo, record.module, record.theorem_name), record]));
  const keys = new Set(lock.map(({ key }) => key));
  const taken = new Set(lock.map(({ id }) => id));
  return all.flatMap(({ one }): LockLine[] => {
    const record = byHand.get(place(one.repo, one.module, one.theorem));
    if (record === undefined || keys.has(one.key) || taken.has(record.id)) return [];
    taken.add(record.id);
    return [{ id: record.id, key: one.key, first: "", statement: "", was: [], state: "live" }];
  });
}
