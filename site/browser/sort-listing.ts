/** The objects of a folder in another order, on a host of plain files: the rows of all its parts, as the pages have them, put in order. */

type Row = { readonly row: HTMLTableRowElement; readonly place: number };

const VALUE: Readonly<Record<string, (row: HTMLTableRowElement) => string | number>> = {
  name: () => "",
  kind: (row) => row.dataset["kind"] ?? "",
  size: (row) => Number.parseInt(row.cells[2]?.title ?? "0", 10),
  date: (row) => row.querySelector("time")?.dateTime ?? "",
};

/** sortListing puts the rows of a listing in order.
 *  @param sort as the page's links have it: name, kind, size or date, turned round by a leading "-"
 *  @param licences of the objects that are shown, all together; [] for all objects, in parts */
export async function sortListing(sort: string, licences: readonly string[], status: HTMLElement): Promise<void> {
  const column = sort.replace(/^-/, "");
  const valueOf = Object.hasOwn(VALUE, column) ? VALUE[column] : undefined;
  const body = document.querySelector<HTMLTableSectionElement>(".listing:not(.folders) tbody");
  if (valueOf === undefined || body === null) return;
  const part = Number(/\/=p(\d+)\/$/.exec(location.pathname)?.[1] ?? 1);
  const parts = Number(/of (\d+)$/.exec(document.querySelector(".pager .here")?.textContent ?? "")?.[1] ?? 1);
  const first = location.pathname.replace(/=p\d+\/$/, "");
  const bodies = await Promise.all(
    Array.from({ length: parts }, async (_, at) => (at + 1 === part ? document : fetchPage(at === 0 ? first : `${first}=p${at + 1}/`))),
  );
  const rows = bodies
    .flatMap((page) => [...page.querySelectorAll<HTMLTableRowElement>(".listing:not(.folders) tbody tr")])
    .map((row, place): Row => ({ row, place }));
  const sign = sort.startsWith("-") ? -1 : 1;
  const compare = (a: Row, b: Row): number => {
    if (column === "name") return sign * (a.place - b.place);
    const [left, right] = [valueOf(a.row), valueOf(b.row)];
    return (left === right ? 0 : sign * (left < right ? -1 : 1)) || a.place - b.place;
  };
  const from = bodies.slice(0, part - 1).reduce((sum, page) => sum + page.querySelectorAll(".listing:not(.folders) tbody tr").length, 0);
  const fitting = rows.filter(({ row }) => licences.length === 0 || licences.includes(row.dataset["license"] ?? "")).toSorted(compare);
  const shown = licences.length === 0 ? fitting.slice(from, from + body.rows.length) : fitting;
  if (licences.length > 0) {
    status.className = "quiet";
    status.textContent = `${shown.length} of ${rows.length} objects of this folder; folders in it are not looked into.`;
    for (const pager of document.querySelectorAll<HTMLElement>(".pager")) pager.hidden = true;
    for (const link of document.querySelectorAll<HTMLAnchorElement>("#filters a")) {
      if (!licences.includes(new URL(link.href).searchParams.get("license") ?? "")) continue;
      link.setAttribute("aria-current", "true");
      link.href = location.pathname;
    }
  }
  body.replaceChildren(...shown.map(({ row }) => document.adoptNode(row)));
  showOrder(sort, column);
}

/** Links of another part are relative to where that lies: they are made whole before its rows come here. */
async function fetchPage(path: string): Promise<Document> {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  for (const link of page.querySelectorAll<HTMLAnchorElement>(".listing a"))
    link.href = new URL(link.getAttribute("href") ?? "", response.url).href;
  return page;
}

function showOrder(sort: string, column: string): void {
  for (const link of document.querySelectorAll<HTMLAnchorElement>(".listing thead a")) {
    const target = new URL(link.href);
    const mine = target.searchParams.get("sort")?.replace(/^-/, "") === column;
    const ascending = sort === column;
    link.textContent = (link.textContent ?? "").replace(/ [↑↓]$/, "") + (mine ? (ascending ? " ↑" : " ↓") : "");
    const head = link.closest("th");
    if (mine) head?.setAttribute("aria-sort", ascending ? "ascending" : "descending");
    else head?.removeAttribute("aria-sort");
    target.searchParams.set(
      "sort",
      mine && ascending ? `-${column}` : mine ? column : (target.searchParams.get("sort") ?? "").replace(/^-/, ""),
    );
    link.href = target.href;
  }
  for (const link of document.querySelectorAll<HTMLAnchorElement>(".pager a, .jumps a"))
    link.href = `${new URL(link.href).pathname}?sort=${sort}`;
  document.querySelector(".jumps")?.remove();
}
