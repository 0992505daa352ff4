/** Results while one types, below the field that searches on any page: loaded when the field is gone to. A server is asked for the page that sending
 *  the form would give; on a host of files Pagefind answers. What was searched last is kept in this browser alone. */
import { KINDS } from "#snapshots/schema";
import { formatLine } from "../format.ts";
import { element } from "./draw.ts";
import { readQuery, searchPages } from "./page-search.ts";
import { describeFailure, Refusal } from "./refusal.ts";

const SHOWN = 8;
const RECENT = 5; // searches that are kept
const PAUSE = 150; // milliseconds without a keystroke
const FEW_LETTERS = 2; // of a query of which nothing is said where nothing is found
const INPUT_METHOD = 229; // key code of what an input method takes, in browsers that do not say so otherwise

type Result = { readonly title: string; readonly link: string; readonly facts: string };

class Live {
  readonly #field: HTMLInputElement;
  readonly #search: URL;
  readonly #list = element("div", "found");
  #timer: ReturnType<typeof setTimeout> | undefined;
  #latest = 0;
  #served: boolean | null = null;
  /** The query whose results are drawn: keys choose among those of what is typed alone. */
  #drawn: string | null = null;

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
      this.#select(null);
      if (this.#query === "") this.#close();
      else this.#timer = setTimeout(() => void this.#ask(), PAUSE);
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
    const found = query === "" ? this.#recent().map((text) => this.#again(text)) : await this.#find(query).catch(describeFailure);
    // All that is awaited may come late, the parts of an index that others wait for, too: no request is given up, its answer is.
    if (turn !== this.#latest || document.activeElement !== this.#field) return;
    const results = typeof found === "string" ? [] : found.slice(0, SHOWN);
    const options = results.map(({ title, link, facts }, at) => {
      const option = element("a", "", formatLine(title, 120));
      option.href = link;
      option.role = "option";
      option.id = `found-${at}`;
      option.tabIndex = -1;
      option.append(element("div", "quiet", facts));
      return option;
    });
    const words = typeof found === "string" ? found : results.length === 0 ? sayNone(query) : "";
    this.#list.replaceChildren(...options, ...(words === "" ? [] : [element("p", "quiet", words)]));
    this.#list.hidden = this.#list.childElementCount === 0;
    this.#field.ariaExpanded = String(!this.#list.hidden);
    this.#drawn = query;
    this.#select(null);
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
    const found = await searchPages(new URL("../", this.#search), readQuery(query), SHOWN);
    return (found?.pages ?? []).map(({ title, link, kind, key }) => ({
      title,
      link: link.href,
      facts: `${Object.hasOwn(KINDS, kind) ? KINDS[kind as keyof typeof KINDS].title : kind} · ${formatLine(key, 80)}`,
    }));
  }

  /** @returns null where no server answers. @throws Refusal, and what the network throws */
  async #fetch(query: string): Promise<readonly Result[] | null> {
    const response = await fetch(this.#addressOf(query));
    if (!response.ok) throw new Refusal(response.status);
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    if (page.querySelector<HTMLElement>("[data-answered]") === null) return null;
    return [...page.querySelectorAll(".card")].flatMap((card) => {
      const [link, facts] = [card.querySelector("a"), card.querySelector(".card-facts")];
      const target = new URL(link?.getAttribute("href") ?? "", this.#search);
      if (link === null || target.origin !== location.origin) return [];
      const words = [...(facts?.querySelectorAll("span:not(.shelfmark span), .shelfmark") ?? [])].map(({ textContent }) => textContent);
      // A card that has a state is told by its line, and not by its number.
      const said = card.querySelector(".state") === null ? null : (card.querySelector(".card-line")?.textContent ?? null);
      return [{ title: link.textContent ?? "", link: target.href, facts: formatLine(said ?? words.slice(0, 3).join(" · "), 120) }];
    });
  }

  #press(event: KeyboardEvent): void {
    // Keys of an input method choose among its own candidates.
    if (event.isComposing || event.keyCode === INPUT_METHOD) return;
    const options = this.#drawn === this.#query && !this.#list.hidden ? [...this.#list.querySelectorAll<HTMLAnchorElement>("a")] : [];
    const at = options.findIndex(({ ariaSelected }) => ariaSelected === "true");
    if (event.key === "Escape") {
      // The first one leaves the field as it is; a browser may clear it at the next.
      if (!this.#list.hidden) event.preventDefault();
      this.#close();
    } else if (event.key === "Enter" && at >= 0) {
      event.preventDefault();
      options[at]?.click();
    } else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && options.length > 0) {
      event.preventDefault();
      this.#select(options.at((at + (event.key === "ArrowDown" ? 1 : at < 0 ? 0 : -1)) % options.length) ?? null);
    }
  }

  #select(chosen: HTMLElement | null): void {
    for (const option of this.#list.querySelectorAll("a")) option.ariaSelected = String(option === chosen);
    if (chosen === null) this.#field.removeAttribute("aria-activedescendant");
    else this.#field.setAttribute("aria-activedescendant", chosen.id);
    chosen?.scrollIntoView({ block: "nearest" });
  }

  #close(): void {
    clearTimeout(this.#timer);
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

/** sayNone says what Enter does where nothing that is typed so far was found: it is perhaps half a word. */
function sayNone(query: string): string {
  return [...query].length <= FEW_LETTERS ? "" : `Enter searches everywhere for “${formatLine(query, 60)}”.`;
}

const field = document.querySelector<HTMLInputElement>("input[data-search]");
if (field?.form) new Live(field, field.form).listen();
