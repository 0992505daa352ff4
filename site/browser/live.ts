/** Results while one types, below the field that searches on any page: loaded when the field is gone to. A server is asked for the page that sending
 *  the form would give; a host of files has the browser's index. What was searched last is kept in this browser alone. */
import { parseOperators } from "../../snapshots/query/operators.ts";
import { KINDS } from "../../snapshots/schema/kinds.ts";
import { formatLine } from "../format.ts";
import { element } from "./draw.ts";
import { openWordIndex, type WordIndex } from "./word-index.ts";

const SHOWN = 8;
const RECENT = 5; // searches that are kept
const PAUSE = 150; // milliseconds without a keystroke

type Result = { readonly title: string; readonly link: string; readonly facts: string };

class Live {
  readonly #field: HTMLInputElement;
  readonly #search: URL;
  readonly #list = element("div", "found");
  #timer: ReturnType<typeof setTimeout> | undefined;
  #latest = 0;
  #served: boolean | null = null;
  #index: Promise<WordIndex | null> | undefined;

  constructor(field: HTMLInputElement, form: HTMLFormElement) {
    this.#field = field;
    this.#search = new URL(form.action);
    this.#list.id = "found";
    this.#list.role = "listbox";
    this.#list.ariaLabel = "Results";
    form.append(this.#list);
    field.role = "combobox";
    field.setAttribute("aria-controls", "found");
    field.setAttribute("aria-autocomplete", "list");
    this.#close();
  }

  listen(): void {
    const field = this.#field;
    const form = field.form;
    field.addEventListener("input", () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => void this.#ask(), PAUSE);
    });
    field.addEventListener("focus", () => void this.#ask());
    field.addEventListener("keydown", (event) => this.#press(event));
    form?.addEventListener("submit", () => this.#remember());
    form?.addEventListener("focusout", ({ relatedTarget }) => {
      if (!(relatedTarget instanceof Node && form.contains(relatedTarget))) this.#close();
    });
    this.#list.addEventListener("click", () => this.#remember());
    void this.#ask();
  }

  get #query(): string {
    return this.#field.value.trim();
  }

  async #ask(): Promise<void> {
    const [turn, query] = [++this.#latest, this.#query];
    const results = query === "" ? this.#recent().map((text) => this.#again(text)) : await this.#find(query).catch(() => null);
    if (turn !== this.#latest || document.activeElement !== this.#field) return;
    const options = (results ?? []).slice(0, SHOWN).map(({ title, link, facts }, at) => {
      const option = element("a", "", formatLine(title, 120));
      option.href = link;
      option.role = "option";
      option.id = `found-${at}`;
      option.tabIndex = -1;
      option.append(element("div", "quiet", facts));
      return option;
    });
    const none = results?.length === 0 && query !== "" ? [element("p", "quiet", "Nothing found.")] : [];
    this.#list.replaceChildren(...options, ...none);
    this.#list.hidden = options.length + none.length === 0;
    this.#field.ariaExpanded = String(!this.#list.hidden);
    this.#field.removeAttribute("aria-activedescendant");
  }

  #again(query: string): Result {
    return { title: query, link: this.#addressOf(query), facts: "searched before" };
  }

  #addressOf(query: string): string {
    return `${this.#search.href}?${new URLSearchParams({ q: query })}`;
  }

  async #find(query: string): Promise<readonly Result[]> {
    const served = this.#served === false ? null : await this.#fetch(query);
    this.#served = served !== null;
    if (served !== null) return served;
    const root = new URL("../", this.#search);
    const index = await (this.#index ??= openWordIndex(root));
    const found = (await index?.find(parseOperators(query)))?.pages.slice(0, SHOWN) ?? [];
    const cards = (await Promise.all(found.map(({ page }) => index?.cards(page) ?? []))).flat();
    return cards.map(({ title, path, kind, key }) => ({
      title,
      link: new URL(path.replace(/^\/+/, ""), root).href,
      facts: `${KINDS[kind].title} · ${formatLine(key, 80)}`,
    }));
  }

  /** @returns null where no server answers */
  async #fetch(query: string): Promise<readonly Result[] | null> {
    const response = await fetch(this.#addressOf(query));
    if (!response.ok) return [];
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    if (page.querySelector<HTMLElement>("[data-answered]") === null) return null;
    return [...page.querySelectorAll(".card")].flatMap((card) => {
      const [link, facts] = [card.querySelector("a"), card.querySelector(".card-facts")];
      const target = new URL(link?.getAttribute("href") ?? "", this.#search);
      if (link === null || target.origin !== location.origin) return [];
      const words = [...(facts?.querySelectorAll("span:not(.shelfmark span), .shelfmark") ?? [])].map(({ textContent }) => textContent);
      return [{ title: link.textContent ?? "", link: target.href, facts: words.slice(0, 3).join(" · ") }];
    });
  }

  #press(event: KeyboardEvent): void {
    const options = [...this.#list.querySelectorAll<HTMLAnchorElement>("a")];
    const at = options.findIndex(({ ariaSelected }) => ariaSelected === "true");
    if (event.key === "Escape") this.#close();
    else if (event.key === "Enter" && at >= 0) {
      event.preventDefault();
      options[at]?.click();
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const next = options.at((at + (event.key === "ArrowDown" ? 1 : at < 0 ? 0 : -1)) % Math.max(1, options.length));
      for (const option of options) option.ariaSelected = String(option === next);
      if (next !== undefined) this.#field.setAttribute("aria-activedescendant", next.id);
      next?.scrollIntoView({ block: "nearest" });
    }
  }

  #close(): void {
    this.#latest++;
    this.#list.hidden = true;
    this.#field.ariaExpanded = "false";
  }

  #recent(): readonly string[] {
    try {
      const kept: unknown = JSON.parse(localStorage.getItem(this.#name) ?? "[]");
      return Array.isArray(kept) ? kept.filter((text) => typeof text === "string").slice(0, RECENT) : [];
    } catch {
      return []; // a browser may keep nothing
    }
  }

  #remember(): void {
    if (this.#query === "") return;
    const recent = [this.#query, ...this.#recent().filter((text) => text !== this.#query)].slice(0, RECENT);
    try {
      localStorage.setItem(this.#name, JSON.stringify(recent));
    } catch {
      // A browser that keeps nothing searches as well.
    }
  }

  /** Libraries may share a host. */
  get #name(): string {
    return `searched in ${this.#search.pathname}`;
  }
}

const field = document.querySelector<HTMLInputElement>("input[data-search]");
if (field?.form) new Live(field, field.form).listen();
