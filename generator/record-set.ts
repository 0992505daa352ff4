/** Everything one build read, before anybody asked who may see it. */
import type { Claim, ClaimsMeta } from "../snapshots/schema/claims.ts";
import type { CubCode, CubRecord, RegistryMeta } from "../snapshots/schema/cubs.ts";
import type { Rejection } from "../snapshots/schema/resources.ts";
import type { CollectionInfo, ObjectRow, RegistryState } from "../snapshots/format/view-data.ts";

/** An object as it was read, with the digest of its extract. */
export type ReadRow = ObjectRow & {
  readonly extract: { readonly sha256: string; readonly size: number };
  /** What could not be read of it, in words. */
  readonly notes: readonly string[];
};

export type RecordSet = {
  readonly title: string;
  readonly baseUrl: string;
  readonly registryUrl: string;
  readonly generator: string;
  readonly collections: readonly CollectionInfo[];
  /** Ascending by key; every key lies in a collection. */
  readonly objects: readonly ReadRow[];
  readonly claims: { readonly meta: ClaimsMeta; readonly claims: readonly Claim[] };
  readonly cubs: readonly CubRecord[];
  readonly registry: RegistryState;
  /** null when `registry` is "none" or "failed". */
  readonly meta: RegistryMeta | null;
  readonly code: ReadonlyMap<string, CubCode>;
  readonly rejected: readonly Rejection[];
  /** Notes about public things only: the registry and the claims. */
  readonly notes: readonly string[];
};
