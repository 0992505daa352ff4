/** Elements that scripts draw as the components do. Texts are text: nothing here takes HTML. */
import { cutKey, formatCount, formatKey } from "../format.ts";

export type DrawnCard = {
  readonly title: string;
  readonly href: URL;
  readonly line: readonly (Node | string)[];
  /** Whether that is lines of code. */
  readonly code: boolean;
  readonly mark: string;
  readonly facts: readonly string[];
  readonly copies: readonly { readonly key: string; readonly href: URL }[];
};

export function drawCard({ title, href, line, code, mark, facts, copies }: DrawnCard): HTMLElement {
  const card = element("li", "card");
  const head = element("div", "card-head");
  head.append(drawLink("card-title", title, href));
  const text = element(code ? "pre" : "p", code ? "card-line code" : "card-line");
  text.append(...line);
  card.append(head, text, drawFacts([drawMark(element("code", "shelfmark"), mark), ...facts.map((fact) => element("span", "", fact))]));
  if (copies.length > 0) {
    const links = copies.map((copy) => drawMark(drawLink("shelfmark code", "", copy.href), copy.key));
    card.append(drawFacts([element("span", "", "the same bytes:"), ...links]));
  }
  return card;
}

function drawFacts(parts: readonly HTMLElement[]): HTMLElement {
  const facts = element("p", "card-facts");
  facts.append(...parts.filter(({ textContent }) => textContent !== ""));
  return facts;
}

/** A key as the component of that name shows it. */
function drawMark(mark: HTMLElement, key: string): HTMLElement {
  mark.append(
    ...cutKey(formatKey(key))
      .filter((part) => part !== "")
      .map((part) => element("bdi", "", part)),
  );
  return mark;
}

/** Only to this site: addresses come from its files. */
function drawLink(className: string, text: string, href: URL): HTMLElement {
  const link = element("a", className, text);
  link.dir = "auto";
  if (href.origin === location.origin) link.href = href.href;
  return link;
}

export type DrawnFilter = { readonly text: string; readonly count: number; readonly selected: boolean; readonly href: string };

export function drawFilters(title: string, filters: readonly DrawnFilter[]): HTMLElement {
  const row = element("p", "facts");
  row.append(
    element("span", "", `${title}:`),
    ...filters.map(({ text, count, selected, href }) => {
      const filter = element("span", "");
      const link = element("a", "", text);
      link.href = href;
      link.rel = "nofollow";
      if (selected) link.setAttribute("aria-current", "true");
      filter.append(link, " ", element("span", "number", formatCount(count)));
      return filter;
    }),
  );
  return row;
}

export function element<K extends keyof HTMLElementTagNameMap>(name: K, className: string, text = ""): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  if (className !== "") made.className = className;
  made.textContent = text;
  return made;
}

/** Text and <mark> of a part of a page; every other tag becomes its text. */
export function markedText(part: Node): (Node | string)[] {
  return [...part.childNodes].map((node) =>
    node.nodeName === "MARK" ? element("mark", "", node.textContent ?? "") : (node.textContent ?? ""),
  );
}
