/** A filter of the registry's page: its values as links, with how many records each leaves. Made here for pages, and in browsers. */
import { type Counts, type Filters, toggled } from "../query/filters.ts";
import type { CubFacet } from "../schema/cub-facets.ts";
import type { Facet } from "./model.ts";

/** Records on one page. */
export const REGISTRY_PART = 50;
/** Values of a facet that its page names. */
const FACET_VALUES = 20;

/** @param counts of its values, as if it were not set itself: values of one filter are alternatives */
export function facetOf(query: { readonly q: string; readonly filters: Filters }, name: CubFacet, counts: Counts): Facet {
  const set = query.filters.get(name) ?? [];
  const shown = counts.filter(({ value }, at) => at < FACET_VALUES || set.includes(value));
  return {
    name,
    values: shown.map(({ value, count }) => ({
      value,
      count,
      selected: set.includes(value),
      href: toggled(query.q, query.filters, name, value),
    })),
    more: counts.length - shown.length,
  };
}

/** Whether there is anything to choose. */
export function tellsApart({ values }: Facet): boolean {
  return values.length > 1 || values.some(({ selected }) => selected);
}
