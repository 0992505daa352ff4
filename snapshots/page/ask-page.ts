/** The page that asks: its form, and an answer with the quotes that it rests on. */
import { pagePath } from "../format/layout.ts";
import type { AskResponse } from "../schema/resources.ts";
import { mountPath, type ViewData } from "../format/view-data.ts";
import type { AskPage, Asked } from "./model.ts";
import { relationsOf } from "../format/relations.ts";

/** The form without an answer: the stored page. */
export function askForm(data: ViewData): AskPage {
  const { collections, view } = data.library;
  return {
    page: "ask",
    question: "",
    prefix: "",
    collections: collections.map(({ id, prefix, title }) => ({ id, prefix, title })),
    // interface §4: the internal view has another route for machine clients, and browsers are machines.
    api: view === "internal" ? "/library/api/ask" : "/api/ask",
    asked: null,
    problem: null,
    elsewhere: null,
  };
}

/** The form with a question that this process does not answer. */
export function unansweredPage(data: ViewData, params: URLSearchParams): AskPage {
  const { base_url: base } = data.library;
  return {
    ...askForm(data),
    ...askedWith(params),
    problem: "This address serves files and search. It asks no model and gives no answers.",
    elsewhere: base === "" ? null : `${base}${mountPath(data.library)}${pagePath.ask}?${params.toString()}`,
  };
}

export function askedWith(params: URLSearchParams): Pick<AskPage, "question" | "prefix"> {
  return { question: params.get("question") ?? "", prefix: params.get("prefix") ?? "" };
}

export function askedPage(data: ViewData, answer: AskResponse): AskPage {
  return { ...askForm(data), question: answer.query, prefix: answer.prefix, asked: askedOf(data, answer) };
}

function askedOf(data: ViewData, { mode, answer, notice, citations, counted = [], sources, snapshot, receipt }: AskResponse): Asked {
  const { objectByKey } = relationsOf(data);
  return {
    mode,
    answer,
    notice,
    model: receipt?.model ?? null,
    citations: citations.map(({ href: _, ...citation }) => ({
      ...citation,
      title: objectByKey.get(citation.key)?.title ?? citation.key,
      path: pagePath.at(snapshot, pagePath.quote(citation)),
    })),
    counted: counted.map(({ href, ...number }) => ({ ...number, path: href.slice(mountPath(data.library).length) })),
    sources: sources.map(({ title, kind, key, summary, snippet }) => ({
      title,
      kind,
      key,
      path: pagePath.source(kind, key),
      line: snippet === "" ? summary : snippet,
    })),
    snapshot,
    receipt: receipt === undefined ? null : { text: `${JSON.stringify(receipt, null, 1)}\n`, digest: receipt.digest },
  };
}
