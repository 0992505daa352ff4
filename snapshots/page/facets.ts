/** A filter of the registry's page, and of a folder's: its values as links, with how many each leaves. Made here for pages, and in browsers. */
import { type Folder, pagePath } from "#snapshots/format";
import { type Counts, inOrder, type RegistryQuery, toggled } from "#snapshots/query";
import type { CubFacet } from "#snapshots/schema";
import type { ValueCount } from "./cards.ts";

export const BROWSE_SORTS = ["name", "-name", "size", "-size", "date", "-date", "kind", "-kind"] as const;
export type BrowseSort = (typeof BROWSE_SORTS)[number];

export type Facet = {
  readonly name: string;
  /** The most frequent ones, and those that are selected. */
  readonly values: readonly (ValueCount & { readonly selected: boolean; readonly href: string })[];
  /** How many values there are besides. */
  readonly more: number;
};

/** REGISTRY_PART is the number of records on one page. */
export const REGISTRY_PART = 50;
/** Values of a facet that its page names. */
const FACET_VALUES = 20;

/** facetOf makes the facet of one filter of the registry. @param counts of its values, as if it were not set itself: values of one filter are
 *  alternatives */
export function facetOf(query: RegistryQuery, name: CubFacet, counts: Counts): Facet {
  return facetFrom(name, counts, query.filters.get(name) ?? [], (value) => toggled(query, name, value));
}

/** @param hrefOf site path with the value added, or taken away where it is set */
function facetFrom(name: string, counts: Counts, set: readonly string[], hrefOf: (value: string) => string): Facet {
  const shown = counts.filter(({ value }, at) => at < FACET_VALUES || set.includes(value));
  return {
    name,
    values: shown.map(({ value, count }) => ({
      value,
      count,
      selected: set.includes(value),
      href: hrefOf(value),
    })),
    more: counts.length - shown.length,
  };
}

/** browseQuery returns the query of a folder's page in this order, with these licences: "" for the order by name and all licences. */
export function browseQuery(sort: BrowseSort, licences: readonly string[]): string {
  const params = new URLSearchParams([...(sort === "name" ? [] : [["sort", sort]]), ...licences.map((value) => ["license", value])]);
  return params.size === 0 ? "" : `?${params.toString()}`;
}

/** licenceFacet makes the facet of a folder's licences. @param set licences that are filtered by */
export function licenceFacet({ licenses, prefix }: Pick<Folder, "licenses" | "prefix">, sort: BrowseSort, set: readonly string[]): Facet {
  const counts = inOrder([...licenses].map(([value, count]) => ({ value, count })));
  return facetFrom("license", counts, set, (value) => {
    const toggled = new Set(set).symmetricDifference(new Set([value]));
    return pagePath.browse(prefix) + browseQuery(sort, [...toggled].sort());
  });
}

/** tellsApart tells whether a facet has anything to choose. */
export function tellsApart({ values }: Facet): boolean {
  return values.length > 1 || values.some(({ selected }) => selected);
}
