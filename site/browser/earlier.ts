/** On a page of a kept snapshot: which one it is, and the ways to what is there now. The page's own bytes stay as they are. */
import { element } from "./draw.ts";

type Listed = { readonly name: string; readonly day: string };

const [, root = "/", id = "", rest = ""] = /^(.*?\/)at\/([0-9a-f]{64})\/(.*)$/.exec(location.pathname) ?? [];
const place = document.querySelector<HTMLElement>("[data-earlier]");
if (place !== null && id !== "") void tell(place);

async function tell(place: HTMLElement): Promise<void> {
  const [listed, current, revisions] = await Promise.all([
    readList().catch(() => []),
    isThere(root + rest),
    /^(?:object|registry)\/./.test(rest) ? isThere(`${root}snapshots/${rest}`) : false,
  ]);
  const own = listed.find(([link]) => link.includes(`/at/${id}/`))?.[1];
  const [newest] = listed;
  const named = own === undefined ? "an earlier snapshot" : `${own.name} of ${own.day}`;
  const isNewest = newest !== undefined && own === newest[1];
  const then = newest === undefined ? "" : isNewest ? ", the newest" : `. Now: ${newest[1].name} of ${newest[1].day}`;
  const line = element("p", "width", `This page is of ${named}${then}. `);
  if (!isNewest && revisions === true) line.append(linkTo(`${root}snapshots/${rest}`, "What changed here"), " · ");
  if (current === true) line.append(linkTo(root + rest + location.hash, "The current page"));
  else
    line.append(
      current === false ? "It is not there any more. " : "What is there now could not be asked. ",
      linkTo(root, "The library now"),
    );
  place.replaceChildren(line);
}

/** readList reads the snapshots that are kept, newest first, off their page: servers and hosts of files have it alike. */
async function readList(): Promise<readonly (readonly [link: string, listed: Listed])[]> {
  const page = new DOMParser().parseFromString(await (await fetch(`${root}snapshots/`)).text(), "text/html");
  return [...page.querySelectorAll(".listing tbody tr")].map((row) => [
    `/${row.querySelector("th a")?.getAttribute("href") ?? ""}`,
    {
      name: /snapshot \d+/.exec(row.querySelector("th")?.textContent ?? "")?.[0] ?? "a snapshot",
      day: row.querySelector("time")?.dateTime.slice(0, 10) ?? "",
    },
  ]);
}

/** Tells whether a page is there; null where nothing said so. */
async function isThere(path: string): Promise<boolean | null> {
  const answer = await fetch(path, { method: "HEAD" }).catch(() => null);
  return answer?.ok === true ? true : answer?.status === 404 || answer?.status === 410 ? false : null;
}

function linkTo(href: string, text: string): HTMLAnchorElement {
  const link = element("a", "", text);
  link.href = href;
  return link;
}
