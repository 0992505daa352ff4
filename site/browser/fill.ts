/** Components that scripts show: the page has each as a <template>, made by the component itself with a name in braces for every value.
 *  What is filled in is text: nothing here takes HTML. */

/** Values has for a name its text; text with marks; null where there is none, which takes its element (or attribute) away; or a list, for which
 *  the element that holds all its names is repeated. Names within a list are "list.name". */
export type Values = { readonly [name: string]: Value | readonly Values[] };
type Value = string | DocumentFragment | null;
type Place = Attr | Text;

/** Read before a script changes the page. */
const TEMPLATES = new Map([...document.querySelectorAll("template")].map(({ dataset, content }) => [dataset["of"] ?? "", content]));

export function hasTemplate(component: string): boolean {
  return TEMPLATES.has(component);
}

/** fill fills a copy of the template of a component. @param component as `data-of` names it */
export function fill(component: string, values: Values): HTMLElement {
  const filled = document.importNode(TEMPLATES.get(component) ?? new DocumentFragment(), true).firstElementChild;
  if (!(filled instanceof HTMLElement)) throw new Error(`This page has no template of "${component}".`);
  fillIn(filled, values, "");
  return filled;
}

/** Finds all places before it fills any: what is filled in may hold such names, too. */
function fillIn(root: Element, values: Values, prefix: string): void {
  const places = [...placesOf(root, prefix)];
  const lists = Object.entries(values).flatMap(([name, list]) =>
    isList(list) ? [{ list, names: `${prefix}${name}.`, holder: findHolder(places, `{${prefix}${name}.`) }] : [],
  );
  for (const place of places) fillPlace(place, values, prefix);
  for (const { list, names, holder } of lists) {
    const copies = list.map((one) => {
      const copy = holder?.cloneNode(true) as Element;
      fillIn(copy, one, names);
      return copy;
    });
    holder?.replaceWith(...copies);
  }
}

function fillPlace(place: Place, values: Values, prefix: string): void {
  const valueOf = (mark: string): Values[string] | undefined => values[mark.slice(1 + prefix.length, -1)];
  const text = place.nodeValue ?? "";
  const whole = valueOf(text);
  if (whole === null) {
    if (place instanceof Attr) place.ownerElement?.removeAttributeNode(place);
    else place.parentElement?.remove();
  } else if (whole instanceof DocumentFragment && place instanceof Text) place.replaceWith(whole.cloneNode(true));
  else
    place.nodeValue = text.replaceAll(/\{[\w.]+\}/g, (mark) => {
      const value = mark.startsWith(`{${prefix}`) ? valueOf(mark) : undefined;
      return value instanceof DocumentFragment ? (value.textContent ?? "") : typeof value === "string" ? value : mark;
    });
}

/** Finds the smallest element with all names of a list; an item of a list where that is all of the item. */
function findHolder(places: readonly Place[], names: string): Element | null {
  const [first = null, ...more] = places.filter(({ nodeValue }) => nodeValue?.includes(names)).map(elementOf);
  let holder = first;
  while (holder !== null && more.some((element) => holder?.contains(element) !== true)) holder = holder.parentElement;
  const parent = holder?.parentElement ?? null;
  return parent?.localName === "li" && parent.childElementCount === 1 ? parent : holder;
}

function elementOf(place: Place): Element | null {
  return place instanceof Attr ? place.ownerElement : place.parentElement;
}

/** Yields the attributes and texts of an element, and of all in it, that hold a name with a prefix. */
function* placesOf(root: Element, prefix: string): Generator<Place> {
  for (const element of [root, ...root.querySelectorAll("*")]) {
    for (const place of [...element.attributes, ...element.childNodes])
      if ((place instanceof Attr || place instanceof Text) && place.nodeValue?.includes(`{${prefix}`) === true) yield place;
  }
}

function isList(value: Value | readonly Values[]): value is readonly Values[] {
  return Array.isArray(value);
}
