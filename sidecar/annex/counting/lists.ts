/** The lists that are counted: things of one kind, with the page of the site that lists just those that are left of them. */
import { pagePath } from "../../../snapshots/format/layout.ts";
import { claimStandings } from "../../../snapshots/format/index.ts";
import { CLAIM_STANDINGS, recordStanding } from "../../../snapshots/format/standing.ts";
import { relationsOf } from "../../../snapshots/format/relations.ts";
import { findCollection, type ViewData } from "../../../snapshots/format/view-data.ts";
import { claimsPath, countAll, directPath, findObjects } from "../../../snapshots/query/index.ts";
import { filterValues, registryPath } from "../../../snapshots/query/filters.ts";
import type { CubFacet } from "../../../snapshots/schema/cub-facets.ts";
import type { Facts } from "../../ask/counted.ts";
import { type Facet, knownValues } from "./lexicon.ts";
import type { Chosen, Filters } from "./question.ts";

export type Item = {
  /** A stranger's text. */
  readonly name: string;
  readonly found: Facts["found"][number];
  valuesOf(facet: Facet): readonly string[];
  /** All that a record rests on; null where nobody has asked a prover. */
  readonly axioms?: readonly string[] | null;
  /** The standing of a record or a claim, in words. */
  readonly says?: string;
  /** Bytes of an object, objects of a collection. */
  readonly size?: number;
  readonly time?: string | null;
};

export type List = {
  readonly noun: string;
  readonly all: readonly Item[];
  /** Null when no page lists just these. */
  path(filters: Filters): string | null;
};

/** allowed returns the values that pass. */
export function allowed({ include, exclude }: Chosen, values: readonly string[]): readonly string[] {
  return (include ?? values).filter((value) => !exclude.includes(value));
}

export function narrow({ all }: List, filters: Filters): readonly Item[] {
  const passes = (value: string, { include, exclude }: Chosen): boolean => (include?.includes(value) ?? true) && !exclude.includes(value);
  return all.filter(({ valuesOf }) => [...filters].every(([facet, chosen]) => valuesOf(facet).some((value) => passes(value, chosen))));
}

/** @param prefix only objects under it */
export function openList(subject: "records" | "claims" | "objects" | "collections", data: ViewData, prefix: string): List {
  return { records: recordList, claims: claimList, objects: objectList, collections: collectionList }[subject](data, prefix);
}

function recordList({ cubs }: ViewData): List {
  const valuesOf = (name: CubFacet): readonly string[] => {
    return [...new Set([...countAll(cubs, name).map(({ value }) => value), ...knownValues(name)])];
  };
  return {
    noun: "record",
    all: cubs.map((record) => ({
      name: `${record.theorem_name} (${record.id})`,
      found: { kind: "record", key: record.id },
      says: recordStanding(record).says,
      axioms: record.axioms ?? null,
      valuesOf: (facet) => filterValues(record, facet as CubFacet),
    })),
    path: (filters) =>
      registryPath({
        q: "",
        filters: new Map(
          [...filters].map(([facet, chosen]) => [facet as CubFacet, allowed(chosen, valuesOf(facet as CubFacet)).toSorted()]),
        ),
      }),
  };
}

function claimList(data: ViewData): List {
  const standingOf = claimStandings(data);
  return {
    noun: "claim",
    all: data.claims.claims.map((claim) => ({
      name: `${claim.title} (${claim.id})`,
      found: { kind: "claim", key: claim.id },
      says: standingOf(claim).says,
      valuesOf: () => [standingOf(claim).state],
    })),
    path: (filters) => {
      const chosen = filters.get("claim_standing");
      return claimsPath(chosen === undefined ? null : allowed(chosen, CLAIM_STANDINGS));
    },
  };
}

function objectList(data: ViewData, prefix: string): List {
  const { collections } = data.library;
  return {
    noun: "object",
    all: findObjects(data, { kinds: null, collections: null, prefix }).map(({ key, title, kind, size, uploaded }) => ({
      name: title === key ? key : `${title} (${key})`,
      found: { key, kind },
      valuesOf: (facet) => [facet === "collection" ? (findCollection(collections, key)?.id ?? "") : kind],
      size,
      time: uploaded,
    })),
    path: (filters) => {
      const chosen = (facet: Facet, values: readonly string[]): readonly string[] | null => {
        const one = filters.get(facet);
        return one === undefined ? null : allowed(one, values);
      };
      return directPath(data, {
        kinds: chosen("object_kind", [...new Set(data.objects.map(({ kind }) => kind))]),
        collections: chosen(
          "collection",
          collections.map(({ id }) => id),
        ),
        prefix,
      });
    },
  };
}

function collectionList(data: ViewData): List {
  const { library } = data;
  const { totals } = relationsOf(data);
  return {
    noun: "collection",
    all: library.collections.map(({ id, title, prefix, visibility }) => ({
      name: `${title} (${prefix})`,
      found: { kind: "collection", key: prefix },
      valuesOf: () => [visibility],
      size: totals.get(id)?.count ?? 0,
      time: totals.get(id)?.updated ?? null,
    })),
    // One page lists them all and says of each who may see it. The public view names no gated one.
    path: (filters) => (filters.has("visibility") && library.view === "public" ? null : pagePath.browse("")),
  };
}
