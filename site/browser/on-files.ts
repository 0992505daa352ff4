/** Answers to a query on a host of plain files, which gives a page as if nothing had been asked: a folder is put in order here, and the search
 *  answers what the registry is asked for. */
import { pagePath } from "#snapshots/format";
import { element } from "./draw.ts";
import { sortListing } from "./sort-listing.ts";

const place = document.querySelector<HTMLElement>("[data-on-files]");
if (place) void start(place);

async function start(place: HTMLElement): Promise<void> {
  const root = new URL(place.dataset["root"] ?? "./", location.href);
  const status = place.querySelector<HTMLElement>("[data-status]") ?? element("p", "");
  const params = new URL(location.href).searchParams;
  const sort = params.get("sort");
  const isFolder = location.pathname.startsWith(new URL(pagePath.browse("").slice(1), root).pathname);
  if (!isFolder) return searchRecords(root, params, status);
  const licences = params.getAll("license");
  if (sort === null && licences.length === 0) return;
  await sortListing(sort ?? "name", licences, status).catch(() => {
    status.className = "warning";
    status.textContent = "The files that this takes did not come; everything is shown.";
  });
}

/** searchRecords leads to the search among records, whose filters have the registry's names. */
function searchRecords(root: URL, params: URLSearchParams, status: HTMLElement): void {
  // Plain files have the records in one order.
  document.querySelector("[data-sorts]")?.remove();
  params.delete("part");
  const isSorted = params.has("sort");
  params.delete("sort");
  if (params.size === 0) {
    if (!isSorted) return;
    status.className = "quiet";
    status.textContent = "Plain files have the records in one order.";
    return;
  }
  if (!params.has("kind")) params.append("kind", "record");
  location.replace(new URL(`${pagePath.search.slice(1)}?${params.toString()}`, root));
}
