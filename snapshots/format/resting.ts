/** The weight of a record: how many others rest on it, step by step, and how many claims rest on any of them. */
import { countOf } from "./size.ts";
import type { Claim, CubRecord } from "#snapshots/schema";
import { collect } from "./relations.ts";

const MOST_RESTING = 250; // that are counted of one record: where tens of thousands are recalled, each would walk through all the others

/** openResting turns uses round once, and gives the records that rest on any of some others. A witness is named, and nothing rests on it.
 *  @returns as many as `most`, or some more */
export function openResting(cubs: readonly Pick<CubRecord, "id" | "uses">[]): (ids: readonly string[], most?: number) => Set<string> {
  const users = collect(
    cubs.flatMap(({ id, uses }) =>
      (uses?.edges ?? []).flatMap(({ id: used, from }) => (used === undefined || from === "witness" ? [] : [[used, id] as const])),
    ),
  );
  return (ids, most = Number.POSITIVE_INFINITY) => {
    const found = new Set(ids);
    // A set gives what is added to it while it is walked through.
    for (const id of found) {
      if (found.size - ids.length >= most) break;
      for (const user of users.get(id) ?? []) found.add(user);
    }
    return found.difference(new Set(ids));
  };
}

/** Recalled is a record that checkers with a known hole alone accepted, with the number of records and claims that rest on it. */
export type Recalled = { readonly record: CubRecord; readonly records: number; readonly claims: number };

/** recalledAmong lists them, those on which most rests first. */
export function recalledAmong(cubs: readonly CubRecord[], claimsOf: ReadonlyMap<string, readonly Claim[]>): readonly Recalled[] {
  const recalled = cubs.filter(({ status }) => status === "RECALLED");
  if (recalled.length === 0) return [];
  const restingOn = openResting(cubs);
  const counted = recalled.map((record): Recalled => {
    const resting = restingOn([record.id], MOST_RESTING);
    const claims = new Set([record.id, ...resting].flatMap((id) => claimsOf.get(id) ?? []));
    return { record, records: Math.min(resting.size, MOST_RESTING), claims: claims.size };
  });
  return counted.sort((a, b) => b.records + b.claims - a.records - a.claims);
}

/** restingWords counts what rests on a record; "" where nothing does. */
export function restingWords({ records, claims }: Omit<Recalled, "record">): string {
  const counts = [
    records === 0 ? "" : `${countOf(records, "record")}${records === MOST_RESTING ? " or more" : ""}`,
    claims === 0 ? "" : countOf(claims, "claim"),
  ].filter((count) => count !== "");
  return counts.length === 0 ? "" : `${counts.join(" and ")} ${records + claims === 1 ? "rests" : "rest"} on it`;
}
