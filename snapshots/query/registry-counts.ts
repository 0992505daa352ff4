/** The counts that a registry declares of its records, beside those that the records give. */
import type { CubFilter, CubRecord, RegistryMeta } from "#snapshots/schema";
import { compareNames } from "#snapshots/format";
import { countFacet } from "./cubs.ts";

/** A CountRow is one counter, declared and counted. `declared` is null where the registry declares none of the group, `counted` where the records
 *  do not tell. */
export type CountRow = {
  readonly group: string;
  readonly name: string;
  readonly declared: number | null;
  readonly counted: number | null;
  /** Their equality, where both are known. */
  readonly agrees: boolean;
};

/** Counters that the registry declares and that follow from its records. */
const COUNTED: readonly { readonly group: keyof RegistryMeta & `${string}_counts`; readonly filter: CubFilter }[] = [
  { group: "verification_counts", filter: "verification_state" },
  { group: "invocation_counts", filter: "invocation" },
  { group: "production_consumption_counts", filter: "production_consumption" },
  { group: "proof_consumption_counts", filter: "proof_consumption" },
];

const isVerified = (record: CubRecord): boolean => record.verification_state === "VERIFIED";
const isRuntime = (record: CubRecord): boolean => record.invocation === "runtime";
const isConsumed = (record: CubRecord): boolean => !["", "NOT-RUNTIME-CONSUMED"].includes(record.production_consumption);
const isWired = (record: CubRecord): boolean => record.proof_consumption === "RUNTIME-CONSUMER-WIRED";

/** Meaning of the readiness counters that interface §2 names. */
const READINESS: Readonly<Record<string, (record: CubRecord) => boolean>> = {
  verified_runtime_deployable: (record) => isVerified(record) && isRuntime(record) && record.deployable,
  verified_runtime_not_deployable: (record) => isVerified(record) && isRuntime(record) && !record.deployable,
  verified_not_runtime: (record) => isVerified(record) && !isRuntime(record),
  runtime_deployable_total: (record) => isRuntime(record) && record.deployable,
  runtime_deployable_not_verified: (record) => !isVerified(record) && isRuntime(record) && record.deployable,
  verified_production_consumed: (record) => isVerified(record) && isConsumed(record),
  verified_proof_consumer_wired: (record) => isVerified(record) && isWired(record),
  verified_proof_consumer_wired_total: (record) => isVerified(record) && isWired(record),
  verified_proof_consumer_runtime: (record) => isVerified(record) && isWired(record) && isRuntime(record),
  verified_proof_consumer_nonruntime: (record) => isVerified(record) && isWired(record) && !isRuntime(record),
  verified_not_runtime_unconsumed: (record) => isVerified(record) && !isRuntime(record) && !isConsumed(record),
};

/** reconcile puts the declared number beside the counted one, for every counter that can be counted. */
export function reconcile(meta: RegistryMeta, cubs: readonly CubRecord[]): readonly CountRow[] {
  const rows: CountRow[] = [];
  const row = (group: string, name: string, declared: number | null, counted: number | null): void => {
    rows.push({ group, name, declared, counted, agrees: counted === null || declared === null || declared === counted });
  };
  for (const { group, filter } of COUNTED) {
    const declared = meta[group] as Readonly<Record<string, number>>;
    const counted = new Map(countFacet(cubs, filter).map(({ value, count }) => [value, count]));
    const declares = Object.keys(declared).length > 0;
    // A field that is left out is no value that a registry would count.
    if (declares && !Object.hasOwn(declared, "")) counted.delete("");
    for (const name of [...new Set([...Object.keys(declared), ...counted.keys()])].sort(compareNames)) {
      row(group, name, declares ? (declared[name] ?? 0) : null, counted.get(name) ?? 0);
    }
  }
  for (const [name, declared] of Object.entries(meta.readiness_counts).sort(([a], [b]) => compareNames(a, b))) {
    const holds = READINESS[name];
    row("readiness_counts", name, declared, holds === undefined ? null : cubs.filter(holds).length);
  }
  return rows;
}

/** countRecords returns every counter that follows from the records, as `meta` would declare it. */
export function countRecords(cubs: readonly CubRecord[]): Readonly<Record<string, Readonly<Record<string, number>>>> {
  const counters = COUNTED.map(({ group, filter }) => {
    // A field that no record has is no value that a registry would count.
    const counted = countFacet(cubs, filter).filter(({ value }, _, all) => value !== "" || all.length > 1);
    return [group, Object.fromEntries(counted.map(({ value, count }) => [value, count]))] as const;
  });
  const readiness = Object.entries(READINESS).map(([name, holds]) => [name, cubs.filter(holds).length] as const);
  return { ...Object.fromEntries(counters), readiness_counts: Object.fromEntries(readiness) };
}
