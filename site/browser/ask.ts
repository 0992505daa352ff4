/** Shows an answer while it comes, and opens what a number refers to beside it. Everything that comes is shown as text. Without this
 *  script the form asks the server for a page that says the same. */
import { createParser } from "eventsource-parser";
import type { AskResponse, Citation, Source } from "../../snapshots/schema/resources.ts";
import { pagePath } from "../../snapshots/format/layout.ts";
import { type Linked, parseParagraph, queriesOf } from "../answer-text.ts";
import { formatBlock, formatLine, formatPiece } from "../format.ts";
import { explainMode, titleOfKind } from "../words.ts";
import { drawCard, element, markedText } from "./draw.ts";

const place = document.querySelector<HTMLElement>("[data-api]");
const form = document.querySelector<HTMLFormElement>("form.search");
if (place && form) start(place, form);

function start(place: HTMLElement, form: HTMLFormElement): void {
  const root = new URL(place.dataset["root"] ?? "./", location.href);
  const api = new URL(place.dataset["api"] ?? "", location.href);
  const part = (name: string): HTMLElement => document.querySelector<HTMLElement>(`[data-${name}]`) ?? element("div", "");
  const [status, text, notice, quotes] = [part("status"), part("answer"), part("notice"), part("quotes")];
  const queries = part("queries");
  const [problem, instead, sources, receipt] = [part("problem"), part("else"), part("sources"), part("receipt")];
  const [question, prefix] = [field(form, "question"), field(form, "prefix")];
  let asking: AbortController | null = null;

  const linkOf = (citation: Citation, snapshot: string): string =>
    new URL(pagePath.at(snapshot, pagePath.quote(citation)).slice(1), root).href;

  const drawQuote = (citation: Citation, snapshot: string | null): HTMLElement => {
    const { n, key, sha256, page, start_line: from, end_line: to, quote } = citation;
    const item = element("li", "");
    item.id = `c${n}`;
    item.value = n;
    const link = element(
      "a",
      "",
      `${formatLine(key, 80)}, ${page === undefined ? "" : `page ${page}, `}${from === to ? `line ${from}` : `lines ${from}–${to}`}`,
    );
    if (snapshot !== null) link.href = linkOf(citation, snapshot);
    const said = element("blockquote", "", formatBlock(quote));
    said.dir = "auto";
    const digest = element("code", "quiet", `${sha256.slice(0, 12)}…`);
    digest.title = sha256;
    item.append(link, said, digest);
    return item;
  };

  /** @param counted with places in this text, which holds them in its first paragraph */
  const drawText = (more: string, numbers: ReadonlySet<number>, counted: readonly Linked[]): void => {
    for (const [at, paragraph] of more.split(/\n{2,}/).entries()) {
      if (at > 0 || text.lastElementChild === null) text.append(element("p", ""));
      text.lastElementChild?.append(
        ...parseParagraph(paragraph, numbers, at === 0 ? counted : []).map((piece) => {
          if (piece.href !== null) {
            const number = element("a", "number", formatPiece(piece.text));
            number.href = piece.href;
            return number;
          }
          if (piece.n === null) return formatPiece(piece.text);
          const cite = element("a", "cite", piece.text);
          cite.href = `#c${piece.n}`;
          return cite;
        }),
      );
    }
  };

  const fail = (words: string): void => {
    status.textContent = "";
    problem.textContent = words;
    problem.hidden = instead.hidden = false;
    instead
      .querySelector("a")
      ?.setAttribute("href", `${new URL(pagePath.search.slice(1), root).href}?q=${encodeURIComponent(question?.value ?? "")}`);
  };

  const ask = async (): Promise<void> => {
    asking?.abort();
    const { signal } = (asking = new AbortController());
    for (const emptied of [text, quotes, notice, queries]) emptied.replaceChildren();
    for (const hidden of [
      problem,
      instead,
      sources,
      receipt,
      part("how"),
      ...document.querySelectorAll<HTMLElement>(".hints, [data-once]"),
    ])
      hidden.hidden = true;
    status.textContent = "Looking…";
    const numbers = new Set<number>();
    let snapshot: string | null = null;
    let ended = false;
    let written = 0;
    const take: Readonly<Record<string, (data: string) => void>> = {
      sources(data) {
        const found = (JSON.parse(data) as { readonly sources: readonly Source[] }).sources;
        status.textContent = "Reading the sources…";
        sources.hidden = found.length === 0;
        sources.querySelector("ol")?.replaceChildren(
          ...found.map(({ title, kind, key, summary, snippet }) =>
            drawCard({
              title: formatLine(title, 160),
              href: new URL(pagePath.source(kind, key).slice(1), root),
              line: [formatLine(snippet === "" ? summary : snippet, 280)],
              code: false,
              mark: key,
              facts: [titleOfKind(kind)],
              copies: [],
            }),
          ),
        );
      },
      text(data) {
        const said = JSON.parse(data) as {
          readonly text: string;
          readonly citations: readonly Citation[];
          readonly counted: readonly Linked[];
        };
        for (const citation of said.citations) {
          numbers.add(citation.n);
          quotes.append(drawQuote(citation, snapshot));
        }
        const before = written;
        drawText(
          said.text,
          numbers,
          said.counted.map((number) => ({ ...number, start: number.start - before })),
        );
        written += said.text.length;
      },
      answer(data) {
        const answer = JSON.parse(data) as AskResponse;
        ended = true;
        status.textContent = explainMode(answer.mode, answer.receipt?.model ?? null, answer.counted?.length ?? 0);
        notice.textContent = formatLine(answer.notice, 600);
        for (const { query, href } of queriesOf(answer.counted ?? [])) {
          const item = element("li", "");
          const link = element("a", "");
          link.href = href;
          link.append(element("code", "", formatLine(query, 300)));
          item.append(link);
          queries.append(item);
        }
        const link = receipt.querySelector("a");
        if (answer.receipt === undefined || link === null) return;
        link.href = `data:application/json;charset=utf-8,${encodeURIComponent(`${JSON.stringify(answer.receipt, null, 1)}\n`)}`;
        link.download = `receipt-${answer.receipt.digest.slice(0, 12)}.json`;
        receipt.hidden = false;
      },
    };
    try {
      const response = await fetch(api, {
        method: "POST",
        signal,
        headers: { accept: "text/event-stream", "content-type": "application/json" },
        body: JSON.stringify({ question: question?.value ?? "", prefix: prefix?.value ?? "" }),
      });
      if (!response.ok || response.body === null || !(response.headers.get("content-type") ?? "").startsWith("text/event-stream")) {
        fail(await explainRefusal(response));
        return;
      }
      snapshot = response.headers.get("x-snapshot");
      const parser = createParser({ onEvent: ({ event, data }) => take[event ?? ""]?.(data) });
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      for (let step = await reader.read(); !step.done; step = await reader.read()) parser.feed(step.value);
      if (!ended) fail("The answer broke off.");
    } catch {
      if (!signal.aborted) fail("The answer did not come: the service cannot be reached.");
    }
  };

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (question === null || question.value.trim() === "") return;
    const here = new URL(location.href);
    here.hash = "";
    here.search = new URLSearchParams({
      question: question.value,
      ...(prefix === null || prefix.value === "" ? {} : { prefix: prefix.value }),
    }).toString();
    if (here.href !== location.href) history.pushState(null, "", here);
    void ask();
  });
  addEventListener("popstate", () => {
    // A number in the answer changes the hash only.
    if (new URL(location.href).searchParams.get("question") !== (question?.value ?? "")) location.reload();
  });

  addEventListener("click", (event) => {
    if (
      !(event.target instanceof HTMLAnchorElement) ||
      event.target.className !== "cite" ||
      event.ctrlKey ||
      event.metaKey ||
      event.shiftKey
    )
      return;
    const item = document.getElementById(event.target.hash.slice(1));
    if (item === null) return;
    event.preventDefault();
    void openBeside(item);
  });

  // A page of files only, opened with a question: it may lie beside a service that answers.
  const given = new URL(location.href).searchParams;
  if (place.dataset["asked"] === undefined && given.has("question") && question !== null) {
    question.value = given.get("question") ?? "";
    if (prefix !== null && given.has("prefix")) prefix.value = given.get("prefix") ?? "";
    void ask();
  }
}

function field(form: HTMLFormElement, name: string): HTMLInputElement | HTMLSelectElement | null {
  const found = form.elements.namedItem(name);
  return found instanceof HTMLInputElement || found instanceof HTMLSelectElement ? found : null;
}

async function explainRefusal(response: Response): Promise<string> {
  const body = (await response.json().catch(() => null)) as { readonly detail?: unknown; readonly title?: unknown } | null;
  if (response.status < 500 && response.status !== 404 && response.status !== 405 && typeof body?.detail === "string")
    return formatLine(body.detail, 600);
  return "This address serves files and search. It asks no model and gives no answers.";
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
  item.dataset["open"] = "";
  const lines = await readQuotedLines(link.href).catch(() => null);
  if (lines === null) return;
  item.querySelector("blockquote")?.replaceWith(lines);
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
