/** Cards that scripts show, and the texts in them. */
import { cutKey, formatKey, formatLine } from "../format.ts";
import { fill, type Values } from "./fill.ts";

export type DrawnCard = {
  readonly title: string;
  readonly link: URL;
  readonly line: readonly (Node | string)[];
  /** True where the line is lines of code. */
  readonly code: boolean;
  readonly mark: string;
  readonly facts: readonly string[];
  readonly copies: readonly { readonly key: string; readonly link: URL }[];
};

/** drawCard fills the card that the search and the answers show. */
export function drawCard({ title, link, line, code, mark, facts, copies }: DrawnCard): HTMLElement {
  const text = new DocumentFragment();
  text.append(...line);
  const card = fill(code ? "card of code" : "card", {
    title: formatLine(title, 160),
    link: within(link),
    line: line.length === 0 ? null : text,
    mark: partsOf(mark),
    facts: listFacts(facts),
    copies: copies.map((copy) => ({ link: within(copy.link), key: partsOf(copy.key) })),
  });
  // The words before the copies are of no use without any.
  if (copies.length === 0) card.lastElementChild?.remove();
  return card;
}

function listFacts(facts: readonly string[]): readonly Values[] {
  return facts.filter((fact) => fact !== "").map((text) => ({ text }));
}

/** The parts of a key, as the component of that name shows it. */
function partsOf(key: string): readonly Values[] {
  return cutKey(formatKey(key))
    .filter((part) => part !== "")
    .map((part) => ({ part }));
}

/** A link within this site: addresses come from its files, so one that leads elsewhere is none. */
function within(link: URL): string | null {
  return link.origin === location.origin ? link.href : null;
}

export function element<K extends keyof HTMLElementTagNameMap>(name: K, className: string, text = ""): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  if (className !== "") made.className = className;
  made.textContent = text;
  return made;
}

/** markedText keeps text and <mark> of a part of a page; every other tag becomes its text. */
export function markedText(part: Node): (Node | string)[] {
  return [...part.childNodes].map((node) =>
    node.nodeName === "MARK" ? element("mark", "", node.textContent ?? "") : (node.textContent ?? ""),
  );
}
