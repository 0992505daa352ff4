/** Answers to a query on a host of plain files, which gives a page as if nothing had been asked: it is said that lists have one order, and the
 *  search answers what the registry is asked for. */
import { pagePath } from "#snapshots/format";
import { element } from "./draw.ts";

const place = document.querySelector<HTMLElement>("[data-on-files]");
if (place) start(place);

function start(place: HTMLElement): void {
  const root = new URL(place.dataset["root"] ?? "./", location.href);
  const status = place.querySelector<HTMLElement>("[data-status]") ?? element("p", "");
  const params = new URL(location.href).searchParams;
  params.delete("part");
  const isFolder = location.pathname.startsWith(new URL(pagePath.browse("").slice(1), root).pathname);
  const isAsked = params.has("sort") || (isFolder && params.has("license"));
  params.delete("sort");
  for (const links of document.querySelectorAll("[data-sorts]")) links.remove();
  if (!isFolder && params.size > 0) return searchRecords(root, params);
  if (!isAsked) return;
  status.className = "quiet";
  status.textContent = "Plain files have this list whole and in one order.";
}

/** searchRecords leads to the search among records, whose filters have the registry's names. */
function searchRecords(root: URL, params: URLSearchParams): void {
  if (!params.has("kind")) params.append("kind", "record");
  location.replace(new URL(`${pagePath.search.slice(1)}?${params.toString()}`, root));
}
