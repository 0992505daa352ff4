/** What is withdrawn is left out of what was read, before anything follows from it, and the operator is told what looks like a slip. */
import { isAddress } from "../snapshots/format/withdrawn.ts";
import type { ViewData } from "../snapshots/format/view-data.ts";
import type { Rejection } from "../snapshots/schema/resources.ts";
import type { Withdrawal } from "../snapshots/schema/withdrawals.ts";
import type { Weaker } from "./gates.ts";
import type { Claims } from "./sources/claims.ts";
import type { ListedSince } from "./sources/list-objects.ts";
import type { RegistryRead } from "./sources/read-registry.ts";

type Sources = { readonly listed: ListedSince; readonly registry: RegistryRead; readonly claims: Claims };

/** What is left out, and what the operator is told of it. */
export type Withdrawals = { readonly list: readonly Withdrawal[]; readonly notes: readonly string[] };

const nameOf = ({ what, name }: Pick<Withdrawal, "what" | "name">): string => `${what} ${name}`;
const WHATS: Readonly<Record<Rejection["source"], Withdrawal["what"] | null>> = {
  store: "object",
  registry: "record",
  claims: "claim",
  code: null,
};

/** @param known of these names, those that the shelf's history has
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
    ...registry.cubs.map(({ id }) => nameOf({ what: "record", name: id })),
    ...claims.claims.map(({ id }) => nameOf({ what: "claim", name: id })),
  ]);
  const left = named.intersection(there);
  const absent = named.difference(there);
  const never = absent.size === 0 ? absent : absent.difference(await known(absent));
  const notes = [
    ...tell("Withdrawn, and left out, though the sources still have it", left),
    ...tell("Withdrawn, but nothing of that name was ever here; look whether it is spelled right", never),
    ...tell(
      "Withdrawn from a day on that is not come yet; it is left out all the same",
      namesOf(withdrawals, ({ date }) => date > today),
    ),
    ...tell("What is to take the place of it is not there, or withdrawn too", namesOf(withdrawals, leadsNowhere)),
  ];
  return {
    listed: { ...listed, rows: listed.rows.filter(({ key }) => !isOut("object", key)), rejected: listed.rejected.filter(isShown) },
    registry: {
      ...registry,
      cubs: registry.cubs.filter(({ id }) => !isOut("record", id)),
      code: new Map([...registry.code].filter(([id]) => !isOut("record", id))),
      rejected: registry.rejected.filter(isShown),
    },
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

/** Withdrawals that are served and stand in the file no more: taking one back has to be said, since a file that was emptied by mistake
 *  would bring back what the law forbids. */
export function findTakenBack(before: ViewData | null, now: readonly Withdrawal[]): readonly Weaker[] {
  const standing = new Set(now.map(nameOf));
  return (before?.withdrawn ?? [])
    .filter((one) => !standing.has(nameOf(one)))
    .map(({ what, name }) => ({ gate: "withdrawals", what, id: name, reason: "its withdrawal stands in the file no more" }));
}
