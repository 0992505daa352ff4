/** Shows an answer while it comes, and opens what a number refers to beside it. Everything that comes is shown as text. Without this
 *  script the form asks the server for a page that says the same. */
import { createParser } from "eventsource-parser";
import type { AskResponse, Citation, Source } from "#snapshots/schema";
import { pagePath, readerNotice } from "#snapshots/format";
import { type AnswerPiece, keysIn, type LinkedNumber, parseParagraph, queriesOf, saysQuote, tagOf, viewQuote } from "../answer-text.ts";
import { formatLine, formatPiece } from "../format.ts";
import { explainMode, titleOfKind } from "../words.ts";
import { drawCard, element, markedText } from "./draw.ts";
import { fill } from "./fill.ts";

/** The data of each event of the stream. */
type SourcesEvent = { readonly sources: readonly Source[] };
type TextEvent = { readonly text: string; readonly citations: readonly Citation[]; readonly counted: readonly LinkedNumber[] };

const NAMES = [
  "status",
  "answer",
  "notice",
  "quotes",
  "queries",
  "problem",
  "else",
  "sources",
  "receipt",
  "how",
  "cites",
  "thread",
] as const;

/** The page that asks: its form, and the parts of it that an answer fills. */
class Asking {
  readonly #root: URL;
  readonly #api: URL;
  readonly #parts = new Map(NAMES.map((name) => [name, document.querySelector<HTMLElement>(`[data-${name}]`) ?? element("div", "")]));
  readonly #question: HTMLInputElement | HTMLSelectElement | null;
  readonly #prefix: HTMLInputElement | HTMLSelectElement | null;
  #request: AbortController | null = null;
  /** The answer that comes: its snapshot, the quotes that are there, how much of its text is there, and whether it has ended. */
  #snapshot: string | null = null;
  #numbers = new Set<number>();
  #written = 0;
  #sources: readonly { readonly key: string; readonly href: string }[] = [];
  #ended = false;
  /** The question that is answered here, "" where none is. */
  #asked = new URL(location.href).searchParams.get("question") ?? "";

  constructor(place: HTMLElement, form: HTMLFormElement) {
    this.#root = new URL(place.dataset["root"] ?? "./", location.href);
    this.#api = new URL(place.dataset["api"] ?? "", location.href);
    this.#question = field(form, "question");
    this.#prefix = field(form, "prefix");
  }

  #part(name: (typeof NAMES)[number]): HTMLElement {
    return this.#parts.get(name) as HTMLElement;
  }

  get question(): string {
    return this.#question?.value ?? "";
  }

  /** The address of the page that answers the form. */
  get address(): URL {
    const here = new URL(location.href);
    const prefix = this.#prefix?.value ?? "";
    here.hash = "";
    here.search = new URLSearchParams({ question: this.question, ...(prefix === "" ? {} : { prefix }) }).toString();
    return here;
  }

  /** Takes the form's values from an address. */
  take(given: URLSearchParams): void {
    if (this.#question !== null) this.#question.value = given.get("question") ?? given.get("q") ?? "";
    if (this.#prefix !== null && given.has("prefix")) this.#prefix.value = given.get("prefix") ?? "";
  }

  /** Asks what the form holds, and shows the answer while it comes; an answer that still comes is given up. */
  async ask(): Promise<void> {
    this.#request?.abort();
    const { signal } = (this.#request = new AbortController());
    this.#clear();
    try {
      const response = await fetch(this.#api, {
        method: "POST",
        signal,
        headers: { accept: "text/event-stream", "content-type": "application/json" },
        body: JSON.stringify({ question: this.question, prefix: this.#prefix?.value ?? "" }),
      });
      if (!response.ok || response.body === null || !(response.headers.get("content-type") ?? "").startsWith("text/event-stream")) {
        this.#fail(await explainRefusal(response));
        return;
      }
      this.#snapshot = response.headers.get("x-snapshot");
      const parser = createParser({ onEvent: ({ event, data }) => this.#show(event, data) });
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      for (let step = await reader.read(); !step.done; step = await reader.read()) parser.feed(step.value);
      if (!this.#ended) this.#fail("The answer broke off.");
    } catch {
      if (!signal.aborted) this.#fail("The answer did not come: the service cannot be reached.");
    }
  }

  /** Keeps the question before and its answer below, in the page alone. */
  #keepBefore(): void {
    const text = this.#part("answer").innerText.trim();
    if (text !== "" && this.#asked !== "") {
      const before = element("details", "");
      const whole = this.#ended ? text : `${text} (broken off)`;
      before.append(element("summary", "", formatLine(this.#asked, 300)), element("p", "lines", whole));
      this.#part("thread").prepend(before);
    }
    this.#asked = this.question;
  }

  #clear(): void {
    this.#keepBefore();
    for (const name of ["answer", "quotes", "notice", "queries"] as const) this.#part(name).replaceChildren();
    for (const name of ["problem", "else", "sources", "receipt", "how", "cites"] as const) this.#part(name).hidden = true;
    for (const hint of document.querySelectorAll<HTMLElement>(".hints, [data-once]")) hint.hidden = true;
    this.#part("status").textContent = "Looking…";
    this.#snapshot = null;
    this.#numbers = new Set();
    this.#written = 0;
    this.#ended = false;
  }

  #fail(words: string): void {
    this.#part("status").textContent = "";
    this.#part("problem").textContent = words;
    this.#part("problem").hidden = this.#part("else").hidden = false;
    const search = `${this.#linkTo(pagePath.search)}?q=${encodeURIComponent(this.question)}`;
    this.#part("else").querySelector("a")?.setAttribute("href", search);
  }

  #linkTo(path: string): string {
    return new URL(path.slice(1), this.#root).href;
  }

  #show(event: string | undefined, data: string): void {
    if (event === "sources") this.#showSources(JSON.parse(data) as SourcesEvent);
    else if (event === "text") this.#showText(JSON.parse(data) as TextEvent);
    else if (event === "answer") this.#showEnd(JSON.parse(data) as AskResponse);
  }

  #showSources({ sources }: SourcesEvent): void {
    this.#part("status").textContent = "Reading the sources…";
    this.#part("sources").hidden = sources.length === 0;
    this.#part("sources").toggleAttribute("open", true);
    this.#sources = sources.map(({ kind, key }) => ({ key, href: this.#linkTo(pagePath.source(kind, key)) }));
    const cards = sources.map(({ title, kind, key, summary, snippet }) =>
      drawCard({
        title,
        link: new URL(this.#linkTo(pagePath.source(kind, key))),
        line: [formatLine(snippet === "" ? summary : snippet, 280)],
        code: false,
        mark: key,
        facts: [titleOfKind(kind)],
        copies: [],
      }),
    );
    this.#part("sources")
      .querySelector("ol")
      ?.replaceChildren(...cards);
  }

  #showText({ text, citations, counted }: TextEvent): void {
    for (const citation of citations) {
      this.#numbers.add(citation.n);
      this.#part("quotes").append(this.#drawQuote(citation, text));
    }
    if (citations.length > 0) this.#part("cites").hidden = false;
    // The first paragraph of what came goes on with the last one that is there.
    const here = counted.map((number) => ({ ...number, start: number.start - this.#written }));
    for (const [at, paragraph] of text.split(/\n{2,}/).entries()) {
      const pieces = parseParagraph(paragraph, this.#numbers, [...(at === 0 ? here : []), ...keysIn(paragraph, this.#sources)]);
      if (at > 0 || this.#part("answer").lastElementChild === null) this.#part("answer").append(element(tagOf(pieces), ""));
      this.#part("answer").lastElementChild?.append(...pieces.map(drawPiece));
    }
    this.#written += text.length;
  }

  #drawQuote(citation: Citation, text: string): HTMLElement {
    const { key, sha256 } = citation;
    const link = this.#snapshot === null ? null : this.#linkTo(pagePath.at(this.#snapshot, pagePath.quote(citation)));
    const digest = new DocumentFragment();
    digest.append(sha256.slice(0, 8), element("i", "", sha256.slice(8, -4)), sha256.slice(-4));
    return fill(saysQuote(text, citation.quote) ? "said quote" : "quote", { ...viewQuote(citation, key, link), digest });
  }

  #showEnd({ mode, notice, counted = [], finding, citations, receipt }: AskResponse): void {
    this.#ended = true;
    this.#part("status").textContent = explainMode(mode, receipt?.model ?? null, counted.length, finding ?? null, citations.length);
    // Where something is quoted, the rest of what was found is folded.
    this.#part("sources").toggleAttribute("open", citations.length === 0);
    this.#part("notice").textContent = formatLine(readerNotice(notice), 600);
    const queries = queriesOf(counted).map(({ query, href }) => fill("query", { query: formatLine(query, 300), link: href }));
    this.#part("queries").append(...queries);
    const link = this.#part("receipt").querySelector("a");
    if (receipt === undefined || link === null) return;
    link.href = `data:application/json;charset=utf-8,${encodeURIComponent(`${JSON.stringify(receipt, null, 1)}\n`)}`;
    link.download = `receipt-${receipt.digest.slice(0, 12)}.json`;
    this.#part("receipt").hidden = false;
  }
}

const place = document.querySelector<HTMLElement>("[data-api]");
const form = document.querySelector<HTMLFormElement>("form.search");
if (place && form) start(place, form);

function start(place: HTMLElement, form: HTMLFormElement): void {
  const asking = new Asking(place, form);
  /** Query of the address whose answer is shown. */
  let shown = location.search;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (asking.question.trim() === "") return;
    const { address } = asking;
    if (address.href !== location.href) history.pushState(null, "", address);
    shown = location.search;
    void asking.ask();
  });
  document.querySelector("[data-answer]")?.addEventListener("copy", (event) => {
    const text = getSelection()?.toString() ?? "";
    if (event instanceof ClipboardEvent && text !== "") event.clipboardData?.setData("text/plain", text + citationsOf(text));
    if (text !== "") event.preventDefault();
  });
  addEventListener("popstate", () => {
    // A number in the answer, and the link to the content, change the hash only.
    if (location.search !== shown) location.reload();
  });
  addEventListener("click", (event) => {
    const link = event.target;
    if (!(link instanceof HTMLAnchorElement) || link.className !== "cite" || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const item = document.getElementById(link.hash.slice(1));
    if (item === null) return;
    event.preventDefault();
    void openBeside(item);
  });
  // A page of files only, opened with a question: it may lie beside a service that answers.
  const given = new URL(location.href).searchParams;
  if (place.dataset["asked"] !== undefined || !(given.has("question") || given.has("q"))) return;
  asking.take(given);
  void asking.ask();
}

/** citationsOf lists the quotes that a copied part of an answer cites: where each stands, and its address. */
function citationsOf(text: string): string {
  const cited = new Set([...text.matchAll(/\[(\d{1,3})\]/g)].map(([, n]) => n));
  const items = [...document.querySelectorAll<HTMLLIElement>("[data-quotes] > li")].filter(({ value }) => cited.has(String(value)));
  const lines = items.map((item) => `[${item.value}] ${item.querySelector("a")?.innerText ?? ""} ${item.querySelector("a")?.href ?? ""}`);
  return lines.length === 0 ? "" : `\n\n${lines.join("\n")}\n`;
}

/** A stretch of an answer: text, or a link to its quote or to what was counted. */
function drawPiece({ text, n, href }: AnswerPiece): Node | string {
  if (href === null && n === null) return formatPiece(text);
  const link = href === null ? element("a", "cite", text) : element("a", "number", formatPiece(text));
  link.href = href ?? `#c${n}`;
  return link;
}

function field(form: HTMLFormElement, name: string): HTMLInputElement | HTMLSelectElement | null {
  const found = form.elements.namedItem(name);
  return found instanceof HTMLInputElement || found instanceof HTMLSelectElement ? found : null;
}

async function explainRefusal(response: Response): Promise<string> {
  const body = (await response.json().catch(() => null)) as {
    readonly code?: unknown;
    readonly detail?: unknown;
    readonly title?: unknown;
  } | null;
  if (response.status === 404 || response.status === 405 || body?.code === "not_configured")
    return "This address serves files and search. It asks no model and gives no answers.";
  return typeof body?.detail === "string"
    ? formatLine(body.detail, 600)
    : `The service did not answer (${response.status}). Try again in a while.`;
}

/** Marks a quote, and shows the lines around it from the object's own page, in its snapshot. */
async function openBeside(item: HTMLElement): Promise<void> {
  for (const other of document.querySelectorAll("[data-quotes] [aria-current]")) other.removeAttribute("aria-current");
  item.setAttribute("aria-current", "true");
  item.tabIndex = -1;
  item.focus({ preventScroll: true });
  item.scrollIntoView({ block: "nearest" });
  const link = item.querySelector("a");
  if (item.dataset["open"] !== undefined || link === null || link.href === "") return;
  const lines = await readQuotedLines(link.href).catch(() => null);
  if (lines === null || item.dataset["open"] !== undefined) return;
  item.dataset["open"] = "";
  item.querySelector("blockquote")?.replaceWith(lines);
  item.querySelector("details")?.setAttribute("open", "");
}

/** The lines of a quote's page: copied as text and marks, nothing else. */
async function readQuotedLines(href: string): Promise<HTMLElement | null> {
  const response = await fetch(href);
  if (!response.ok) return null;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const found = page.querySelector<HTMLOListElement>("#quote ol");
  if (found === null) return null;
  const list = element("ol", "");
  list.start = found.start;
  list.dir = "auto";
  for (const line of found.children) {
    const item = element("li", line.className === "quiet" ? "quiet" : "");
    item.append(...markedText(line));
    list.append(item);
  }
  const quoted = element("div", "quoted");
  quoted.append(list);
  return quoted;
}
