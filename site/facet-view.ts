/** The contents of the component of a filter, made here for a server's pages and for a browser. */
import type { Facet } from "#snapshots/page";
import { formatCount, formatLine } from "./format.ts";
import { titleOfField, wordOfValue } from "./words.ts";

type ValueView = { readonly word: string; readonly count: string; readonly href: string; readonly current: "true" | null };

/** FacetView is a filter as its component shows it. `rest` and `rarer` are lists of one or of none. */
export type FacetView = {
  readonly title: string;
  readonly values: readonly ValueView[];
  readonly rest: readonly { readonly count: string; readonly values: readonly ValueView[] }[];
  readonly rarer: readonly { readonly count: string }[];
};

const SHORT = 8; // values shown before "more"
const OPEN = 5; // filters shown open

export function viewFacet({ name, values, more }: Facet, href: (path: string) => string): FacetView {
  const views = values.map(
    ({ value, count, selected, href: path }): ValueView => ({
      word: wordOf(name, value),
      count: formatCount(count),
      href: href(path),
      current: selected ? "true" : null,
    }),
  );
  return {
    title: titleOfField(name),
    values: views.slice(0, SHORT),
    rest: views.length > SHORT ? [{ count: String(views.length - SHORT), values: views.slice(SHORT) }] : [],
    rarer: more > 0 ? [{ count: formatCount(more) }] : [],
  };
}

/** isOpen tells whether a filter is open at first. @param at place among the filters */
export function isOpen({ values }: Facet, at: number): boolean {
  return at < OPEN || values.some(({ selected }) => selected);
}

export function wordOf(name: string, value: string): string {
  return formatLine(wordOfValue(name, value), 60);
}
