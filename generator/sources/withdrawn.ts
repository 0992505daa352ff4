/** Leaves out of what was read what is withdrawn, before anything follows from it, and tells the operator what looks like a slip. */
import { canonicalJson, sha256 } from "#snapshots/digest";
import { isAddress, type ViewData } from "#snapshots/format";
import type { Rejection, Withdrawal } from "#snapshots/schema";
import { noticeIn } from "#snapshots/shelf";
import { openDecisions } from "#generator/kept";
import type { Shelves } from "#generator/shelves";
import type { Claims } from "./claims.ts";
import type { ListedSince } from "./list-objects.ts";
import type { RegistryRead } from "./read-registry.ts";

type Sources = { readonly listed: ListedSince; readonly registry: RegistryRead; readonly claims: Claims };

/** Withdrawals are what is left out, and what the operator is told of it. */
export type Withdrawals = { readonly list: readonly Withdrawal[]; readonly notes: readonly string[] };

const nameOf = ({ what, name }: Pick<Withdrawal, "what" | "name">): string => `${what} ${name}`;
const WHATS: Readonly<Record<Rejection["source"], Withdrawal["what"] | null>> = {
  store: "object",
  registry: "record",
  claims: "claim",
  code: null,
};

/** leaveOut leaves what is withdrawn out of the sources. Of records that was done where they were read.
 *  @param known of these names, those that the shelf's history has
 *  @param today YYYY-MM-DD */
export async function leaveOut(
  sources: Sources,
  withdrawals: readonly Withdrawal[],
  known: (names: ReadonlySet<string>) => Promise<ReadonlySet<string>>,
  today: string,
): Promise<Sources & { readonly withdrawals: Withdrawals }> {
  const { listed, registry, claims } = sources;
  if (withdrawals.length === 0) return { ...sources, withdrawals: { list: withdrawals, notes: [] } };
  const named = new Set(withdrawals.map(nameOf));
  const isOut = (what: Withdrawal["what"], name: string): boolean => named.has(nameOf({ what, name }));
  const isShown = ({ source, key }: Rejection): boolean => {
    const what = WHATS[source];
    return what === null || !isOut(what, key);
  };
  const there = new Set([
    ...listed.rows.map(({ key }) => nameOf({ what: "object", name: key })),
    ...[...registry.leftOut, ...registry.cubs.map(({ id }) => id)].map((name) => nameOf({ what: "record", name })),
    ...claims.claims.map(({ id }) => nameOf({ what: "claim", name: id })),
  ]);
  const left = named.intersection(there);
  const absent = named.difference(there);
  const never = absent.size === 0 ? absent : absent.difference(await known(absent));
  const redacted = namesOf(withdrawals, (one) => one.redacted && left.has(nameOf(one)));
  const notes = [
    ...tell("Withdrawn, and left out, though the sources still have it", left.difference(redacted)),
    ...tell(
      "Redacted, and left out, though the sources still have it: take it out of them, too. The copies of the registry and the claims that builds keep are without it",
      redacted,
    ),
    ...tell("Withdrawn, but nothing of that name was ever here; look whether it is spelled right", never),
    ...tell(
      "Withdrawn from a day on that is not come yet; it is left out all the same",
      namesOf(withdrawals, ({ date }) => date > today),
    ),
    ...tell("What is to take the place of it is not there, or withdrawn too", namesOf(withdrawals, leadsNowhere)),
  ];
  return {
    listed: { ...listed, rows: listed.rows.filter(({ key }) => !isOut("object", key)), rejected: listed.rejected.filter(isShown) },
    registry: { ...registry, rejected: registry.rejected.filter(isShown) },
    claims: { ...claims, claims: claims.claims.filter(({ id }) => !isOut("claim", id)), rejected: claims.rejected.filter(isShown) },
    withdrawals: { list: withdrawals, notes },
  };

  function leadsNowhere({ what, replacement }: Withdrawal): boolean {
    if (replacement === null || isAddress(replacement)) return false;
    const name = nameOf({ what, name: replacement });
    return named.has(name) || !there.has(name);
  }
}

function namesOf(withdrawals: readonly Withdrawal[], isMeant: (one: Withdrawal) => boolean): ReadonlySet<string> {
  return new Set(withdrawals.filter(isMeant).map(nameOf));
}

function tell(what: string, names: ReadonlySet<string>): readonly string[] {
  return names.size === 0 ? [] : [`${what}: ${[...names].map((name) => JSON.stringify(name)).join(", ")}.`];
}

/** keepWithdrawals keeps what is withdrawn for the builds to come, whatever is served by then. */
export function keepWithdrawals({ buildDir }: Shelves, withdrawals: readonly Withdrawal[]): void {
  const list = withdrawals.map((one) => ({ about: nameOf(one), sha256: sha256(canonicalJson(one)), why: one.note }));
  openDecisions(buildDir).set("withdrawn", list);
}

/** standingWithdrawals names what was withdrawn so far, as `<what> <name>`.
 *  @param served what is served now, which may be older than the newest withdrawal; null where that cannot be read */
export function standingWithdrawals({ buildDir }: Shelves, served: Pick<ViewData, "withdrawn"> | null): ReadonlySet<string> {
  const kept = openDecisions(buildDir).of("withdrawn");
  return new Set([...(served?.withdrawn ?? []).map(nameOf), ...kept.map(({ about }) => about)]);
}

/** redactedBytes returns digests of what was redacted, and is withdrawn still: nothing with these bytes is taken in, whatever its name. */
export async function redactedBytes(shelves: Shelves, withdrawals: readonly Withdrawal[]): Promise<ReadonlySet<string>> {
  const standing = new Set(withdrawals.filter(({ redacted }) => redacted).map(nameOf));
  const found = new Set<string>();
  if (standing.size === 0) return found;
  for (const { redactions } of [shelves.public, shelves.internal]) {
    for (const digest of await redactions.list()) {
      const notice = await redactions.read(digest);
      if (notice === null) continue;
      const withdrawal = noticeIn(notice);
      if (withdrawal === null || standing.has(nameOf(withdrawal))) found.add(digest);
    }
  }
  return found;
}
