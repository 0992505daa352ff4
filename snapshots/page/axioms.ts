/** The axioms of a library, by how many records rest on each. */
import { compareNames, recordStanding } from "#snapshots/format";
import type { CubRecord } from "#snapshots/schema";

/** axiomsOf counts axioms, most used first. `basis`: allowed where a verified record rests on it, outside where
 *  the policy does not allow it to some record, else open, as what nobody proved is; `would`: how many records would be verified if
 *  this one more were allowed. */
export function axiomsOf(cubs: readonly CubRecord[]) {
  const outside = cubs.flatMap(({ axioms_outside: names = [] }) => (names.length > 0 ? [names] : []));
  const allowed = new Set(cubs.flatMap((record) => (recordStanding(record).state === "verified" ? (record.axioms ?? []) : [])));
  const counts = Map.groupBy(
    cubs.flatMap(({ axioms = [] }) => axioms),
    (name) => name,
  );
  return [...counts]
    .map(([name, all]) => ({
      name,
      count: all.length,
      basis: outside.some((names) => names.includes(name))
        ? ("outside" as const)
        : allowed.has(name)
          ? ("allowed" as const)
          : ("open" as const),
      would: outside.filter((names) => names.length === 1 && names[0] === name).length,
    }))
    .sort((a, b) => b.count - a.count || compareNames(a.name, b.name));
}
