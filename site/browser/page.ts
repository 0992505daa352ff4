/** Additions of a script to every page: theme and width are chosen, "/" and Ctrl-K go to the search, which answers while one types, what can be
 *  copied has a button, the page's permanent address is one, and the page can be verified. Every page works without. */
import { ownHash } from "./own-hash.ts";
import { shownSnapshot } from "../shown-snapshot.ts";

const search = document.querySelector<HTMLInputElement>("input[data-search]");

addEventListener("keydown", (event) => {
  const calls = event.key === "k" && (event.ctrlKey || event.metaKey) && !event.altKey;
  if (search === null || !(calls || (event.key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey))) return;
  const at = event.target;
  if (!calls && at instanceof HTMLElement && (at.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(at.tagName))) return;
  event.preventDefault();
  search.focus();
  search.select();
});

// Nobody who only reads loads it. The page of the search shows its results itself.
const live = search?.dataset["search"] ?? "";
if (live !== "") search?.addEventListener("focus", () => void import(/* @vite-ignore */ new URL(live, location.href).href));

/** @param copied null when there is nothing to copy here */
function offerCopy(place: HTMLElement, label: string, name: string, copied: () => string | null | Promise<string | null>): void {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = label;
  button.setAttribute("aria-label", name);
  button.addEventListener("click", async () => {
    try {
      const text = await copied();
      if (text !== null) await navigator.clipboard.writeText(text);
      button.textContent = text === null ? "not on this host" : "copied";
    } catch {
      button.textContent = "failed";
    }
    setTimeout(() => (button.textContent = label), 1500);
  });
  place.append(button);
}

if (navigator.clipboard !== undefined) {
  for (const place of document.querySelectorAll<HTMLElement>("[data-copy]"))
    offerCopy(
      place,
      place.dataset["button"] ?? "copy",
      `Copy ${place.dataset["what"] ?? "this"}`,
      // A text that is copied as it is shown stands in the page once.
      () => place.dataset["copy"] || (place.firstElementChild?.textContent ?? ""),
    );
  for (const place of document.querySelectorAll<HTMLElement>("[data-permalink]"))
    offerCopy(place, "copy permanent link", "copy permanent link", () =>
      permanentLink(new URL(place.dataset["permalink"] ?? "", location.href)),
    );
}

/** permanentLink returns the address of this page, with the lines that are chosen, in the snapshot that it was sent from. Hosts of files keep
 *  one snapshot, and name none. */
function permanentLink(root: URL): string | null {
  if (/\/at\/[0-9a-f]{64}\/$/.test(root.pathname)) return location.href;
  const snapshot = shownSnapshot();
  return snapshot === null ? null : new URL(`at/${snapshot}/${location.href.slice(root.href.length)}`, root).href;
}

/** An address of lines, or of a heading, that another part of a long text has: whoever linked to it did not know its part. */
const parts = JSON.parse(document.querySelector<HTMLElement>("[data-parts]")?.dataset["parts"] ?? "[]") as readonly (readonly [
  number | null,
  string,
])[];
addEventListener("hashchange", findPart);
findPart();

async function findPart(): Promise<void> {
  const id = ownHash();
  const [, digits] = /^L(\d+)(?:-L\d+)?$/.exec(id) ?? [];
  if (id === "" || document.getElementById(digits === undefined ? id : `L${digits}`) !== null) return;
  const first = parts.findLast(([line]) => digits !== undefined && line !== null && line <= Number(digits));
  for (const [, address] of first === undefined ? parts : [first]) {
    const found = first !== undefined || (await (await fetch(address)).text()).includes(` id="${id}"`);
    const target = new URL(address + location.hash, location.href).href;
    if (found && target !== location.href) return location.replace(target);
  }
}

// A server makes the archive of everything; a host of files has none, and the link goes where it is told how to get all.
for (const link of document.querySelectorAll<HTMLAnchorElement>("[data-archive]"))
  link.addEventListener("click", async (event) => {
    event.preventDefault();
    const archive = link.dataset["archive"] ?? "";
    const isThere = await fetch(archive, { method: "HEAD" }).then(
      ({ ok }) => ok,
      () => false,
    );
    location.assign(isThere ? archive : link.href);
  });

// The marks of a light page get their names and links, as the list of theorems has them, when somebody points at one.
const shelf = document.querySelector<HTMLElement>("[data-shelf]");
shelf?.addEventListener("pointerover", nameMarks);

/** Asks once more at the next one where the list did not come. */
async function nameMarks(): Promise<void> {
  shelf?.removeEventListener("pointerover", nameMarks);
  await linkMarks(new URL(shelf?.dataset["shelf"] ?? "", location.href).href).catch(() =>
    shelf?.addEventListener("pointerover", nameMarks),
  );
}

async function linkMarks(list: string): Promise<void> {
  const response = await fetch(list);
  if (!response.ok) throw new Error(String(response.status));
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const rowsOf = (root: ParentNode): readonly (readonly [string, SVGElement])[] =>
    [...root.querySelectorAll(".shelf tr")].flatMap((row) => {
      const [link, marks] = [row.querySelector("a"), row.querySelector("svg")];
      return link === null || marks === null ? [] : [[link.getAttribute("href")?.replace(/^.*\?/, "") ?? "", marks] as const];
    });
  const linked = new Map(rowsOf(page));
  for (const [file, marks] of rowsOf(document)) {
    for (const link of linked.get(file)?.querySelectorAll("a") ?? []) {
      link.setAttribute("href", new URL(link.getAttribute("href") ?? "", list).href);
      marks.append(link);
    }
  }
}

// The contents follow: the last heading above the middle of the window is marked.
const places = [...document.querySelectorAll<HTMLAnchorElement>(".outline a[href^='#']:not([data-page])")].flatMap((link) => {
  const place = document.getElementById(decodeURIComponent(link.hash.slice(1)));
  return place === null ? [] : [{ link, place }];
});
if (places.length > 1)
  addEventListener(
    "scroll",
    () => {
      const here = places.findLast(({ place }) => place.getBoundingClientRect().top < innerHeight / 2)?.link;
      for (const { link } of places) link.ariaCurrent = link === here ? "location" : null;
    },
    { passive: true },
  );

const filter = document.querySelector<HTMLElement>("[data-filter]");
if (filter !== null) {
  const field = document.createElement("input");
  field.type = "search";
  field.placeholder = field.ariaLabel = "Filter this list";
  const none = document.createElement("span");
  none.className = "quiet";
  none.role = "status";
  const fold = (text: string): string => text.normalize("NFC").toLowerCase();
  field.addEventListener("input", () => {
    const words = fold(field.value).split(/\s+/);
    const rows = [...document.querySelectorAll<HTMLElement>(".dir tbody tr")];
    for (const row of rows) row.hidden = !words.every((word) => fold(row.textContent ?? "").includes(word));
    none.replaceChildren();
    if (rows.some((row) => !row.hidden)) return;
    const search = document.createElement("a");
    search.href = (filter.dataset["filter"] ?? "") + encodeURIComponent(field.value.trim());
    search.textContent = "Search all of this folder";
    none.append(` None of the ${rows.length} shown here. `, search);
  });
  filter.append(field, none);
}

const READING = { theme: ["as the system", "light", "dark"], width: ["narrow", "wide"] } as const;

/** Theme and width, which kept.ts sets on every page. */
const reading = document.createElement("details");
reading.append(Object.assign(document.createElement("summary"), { textContent: "Theme and width" }));
document.querySelector("[data-reading]")?.append(reading);
for (const [name, choices] of Object.entries(READING)) {
  const select = document.createElement("select");
  const root = document.documentElement;
  for (const choice of choices) select.add(new Option(choice, choice === choices[0] ? "" : choice));
  select.value = root.dataset[name] ?? "";
  select.addEventListener("change", () => {
    if (select.value === "") delete root.dataset[name];
    else root.dataset[name] = select.value;
    if (name === "theme") document.querySelector("meta[name=color-scheme]")?.setAttribute("content", select.value || "light dark");
    try {
      if (select.value === "") localStorage.removeItem(`reading ${name}`);
      else localStorage.setItem(`reading ${name}`, select.value);
    } catch {
      // It holds for this page.
    }
  });
  const label = document.createElement("label");
  label.append(name === "theme" ? "Theme " : " Text ", select);
  reading.append(label);
}

// On paper a page says which snapshot it is of, and the day; one that was asked for says what was asked.
addEventListener("beforeprint", () => {
  const [snapshot, paper] = [shownSnapshot(), document.querySelector<HTMLElement>("[data-paper]")];
  if (paper === null) return;
  paper.dataset["paper"] ||= location.search === "" ? (paper.textContent ?? "") : location.href;
  const day = new Date().toISOString().slice(0, 10);
  paper.textContent = [paper.dataset["paper"], snapshot === null ? "" : `snapshot ${snapshot}`, `printed ${day}`]
    .filter(Boolean)
    .join(" · ");
});

const earlier = document.querySelector<HTMLElement>("[data-earlier]")?.dataset["earlier"] ?? "";
if (document.documentElement.dataset["at"] !== undefined) void import(/* @vite-ignore */ new URL(earlier, location.href).href);

const asked = document.querySelector<HTMLElement>("[data-on-files]");
// A server would have answered the query with another page.
if (asked !== null && location.search !== "") void import(/* @vite-ignore */ new URL(asked.dataset["onFiles"] ?? "", location.href).href);

const place = document.querySelector<HTMLElement>("[data-verify]");
if (place !== null && crypto.subtle !== undefined) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Verify this page";
  const why = document.createElement("span");
  why.textContent = " checks in your browser that these are the published bytes";
  button.addEventListener("click", () => {
    // Nobody who only reads loads it.
    import(/* @vite-ignore */ new URL(place.dataset["verify"] ?? "", location.href).href).catch(
      () => (why.textContent = " could not be loaded: open this page again when the network is there"),
    );
  });
  place.append(button, why);
}
