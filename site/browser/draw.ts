/** Elements that scripts draw as the components do. Texts are text: nothing here takes HTML. */

export type DrawnCard = {
  readonly title: string;
  readonly href: string | null;
  readonly line: readonly (Node | string)[];
  readonly mark: string;
  readonly kind: string;
};

export function drawCard({ title, href, line, mark, kind }: DrawnCard): HTMLElement {
  const card = element("li", "card");
  const head = element("div", "card-head");
  const link = element("a", "card-title", title);
  link.dir = "auto";
  if (href !== null) link.href = href;
  head.append(link);
  const text = element("p", "card-line");
  text.append(...line);
  const facts = element("p", "card-facts");
  if (mark !== "") facts.append(element("code", "shelfmark", mark));
  if (kind !== "") facts.append(element("span", "", kind));
  card.append(head, text, facts);
  return card;
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
