/** Additions of a script to the pages of a PDF: arrow keys turn them, the number of the page that is shown is marked and stands in the address,
 *  `#page=12` leads there, and pages that are too many for the page of the site come as they are turned to, their text from the Markdown twin. */
import { element } from "./draw.ts";

const place = document.querySelector<HTMLElement>("[data-pdf]");
const strip = place?.querySelector<HTMLElement>(".strip");
if (place && strip) start(place, strip);

function start(place: HTMLElement, strip: HTMLElement): void {
  const file = place.dataset["pdf"] ?? "";
  const [count, drawn] = [Number(place.dataset["count"]), Number(place.dataset["drawn"])];
  const said = place.querySelector("[data-shown]");
  const isBelow = (): boolean => getComputedStyle(strip).display === "block";
  let shown = 1;
  // On paper the pages stand below each other: there nothing is turned.
  strip.addEventListener("scroll", () => see(numberOf(strip.children[Math.round(strip.scrollLeft / strip.clientWidth)] ?? null)));

  /** A page came into sight. */
  function see(number: number): void {
    if (number === shown || Number.isNaN(number)) return;
    shown = number;
    fit();
    for (const link of place.querySelectorAll<HTMLElement>("[data-page]"))
      link.ariaCurrent = Number(link.dataset["page"]) === number ? "page" : null;
    said?.replaceChildren(`Page ${number} of ${count}`);
    markContents(number);
    if (!location.hash.startsWith(`#P${number}L`)) history.replaceState(history.state, "", `#page-${number}`);
    addUpTo(number + 1);
  }

  /** The strip is as high as the page that is shown, not as the highest. */
  function fit(): void {
    const page = document.getElementById(`page-${shown}`);
    if (page !== null) strip.style.height = `${page.offsetHeight + strip.offsetHeight - strip.clientHeight}px`;
  }

  function addUpTo(number: number): void {
    for (let last = numberOf(strip.lastElementChild); last < Math.min(number, count); last++) {
      strip.append(makePage(last + 1));
    }
  }

  function makePage(number: number): HTMLElement {
    const page = element("article", "");
    page.id = `page-${number}`;
    const link = element("a", "", number <= drawn ? "" : `Open page ${number} in the file`);
    link.href = `${file}#page=${number}`;
    const example = strip.querySelector("img");
    if (number <= drawn && example !== null) {
      const image = example.cloneNode() as HTMLImageElement;
      image.src = example.src.replace(/\d+(?=\.png$)/, String(number));
      image.alt = image.alt.replace(/^Page \d+/, `Page ${number}`);
      link.href = image.src;
      const words = element("span", "", "as it is set");
      words.hidden = true;
      link.append(image, words);
    }
    const text = element("details", "");
    text.append(element("summary", "", `Text of page ${number}`));
    text.addEventListener("toggle", () => void showText(text, number));
    text.open = number > drawn || isBelow();
    page.append(element("h2", "quiet", `Page ${number}`), link, text);
    return page;
  }

  function turnTo(number: number): void {
    if (!(number >= 1 && number <= count)) return;
    addUpTo(number);
    document.getElementById(`page-${number}`)?.scrollIntoView({ block: isBelow() ? "start" : "nearest", inline: "start" });
    // A page begins at its top, wherever the one before was left.
    if (!isBelow() && place.getBoundingClientRect().top < 0) place.scrollIntoView();
    see(number);
  }

  function follow(): void {
    const { hash } = location;
    const [, number] = /^#(?:page[-=]|P)(\d+)(?:L\d+)?$/.exec(hash) ?? [];
    if (number === undefined) return;
    turnTo(Number(number));
    if (/L/.test(hash)) document.getElementById(hash.slice(1))?.scrollIntoView({ block: "center" });
  }

  addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest<HTMLElement>("a[data-page]") : null;
    if (link === null || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    link.closest(".pages details")?.removeAttribute("open");
    turnTo(Number(link.dataset["page"]));
  });
  for (const [sign, step, name] of [
    ["›", 1, "Next page"],
    ["‹", -1, "Page before"],
  ] as const) {
    const button = element("button", "", sign);
    button.ariaLabel = name;
    button.addEventListener("click", () => turnTo(shown + step));
    place.querySelector(".pages")?.prepend(button);
  }
  addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const at = event.target;
    if (step === undefined || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (at instanceof HTMLElement && (at.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(at.tagName))) return;
    event.preventDefault();
    turnTo(shown + step);
  });
  addEventListener("hashchange", follow);
  addEventListener("resize", fit);
  // Where pages stand below each other, the one above the middle is shown, and the next one comes before it is reached.
  addEventListener(
    "scroll",
    () => {
      if (isBelow()) see(numberOf([...strip.children].findLast((page) => page.getBoundingClientRect().top < innerHeight / 2) ?? null));
    },
    { passive: true },
  );
  strip.addEventListener("toggle", fit, true);
  said?.replaceChildren(`Page 1 of ${count}`);
  fit();
  follow();
}

/** The last entry of the contents that begins on the page or before it is where one is. */
function markContents(number: number): void {
  const entries = [...document.querySelectorAll<HTMLElement>(".outline [data-page]")];
  const here = entries.findLast((link) => Number(link.dataset["page"]) <= number);
  for (const link of entries) link.ariaCurrent = link === here ? "location" : null;
}

function numberOf(page: Element | null): number {
  return Number(page?.id.slice("page-".length));
}

let texts: Promise<ReadonlyMap<number, string>> | undefined;

async function showText(text: HTMLElement, number: number): Promise<void> {
  if (!text.hasAttribute("open") || text.querySelector(".lines") !== null) return;
  const reading = (texts ??= readTexts());
  const found = await reading.catch(() => {
    // Opened once more, it is asked for once more.
    texts = undefined;
    return new Map<number, string>();
  });
  const shown = found.get(number);
  text.querySelector("p")?.remove();
  text.append(element("p", shown === undefined ? "quiet" : "lines", shown ?? "Its text did not come; the file has it."));
}

/** The text of each page, as the twin of this page has it below its rule. */
async function readTexts(): Promise<ReadonlyMap<number, string>> {
  const response = await fetch("index.md");
  if (!response.ok) throw new Error(String(response.status));
  const texts = new Map<number, string>();
  const parts = (await response.text()).split(/^\[page (\d+)\]\n/m);
  for (let at = 1; at + 1 < parts.length; at += 2) texts.set(Number(parts[at]), parts[at + 1] ?? "");
  return texts;
}
