/** The page that asks: its form, and an answer with the quotes that it rests on. */
import { usesOf } from "#snapshots/query";
import { mountPath, pagePath, readerNotice, relationsOf, type ViewData } from "#snapshots/format";
import type { AskResponse } from "#snapshots/schema";

/** askForm makes the stored page: the form without an answer. `api` is the site path that takes questions as JSON. `elsewhere` is the absolute
 *  address of the page that does answer, when this one cannot. */
export function askForm(data: ViewData) {
  const { collections, view } = data.library;
  return {
    page: "ask" as const,
    question: "",
    prefix: "",
    collections: collections.map(({ id, prefix, title }) => ({ id, prefix, title })),
    // interface §4: the internal view has another route for machine clients, and browsers are machines.
    api: view === "internal" ? "/library/api/ask" : "/api/ask",
    examples: examplesOf(data),
    asked: null as ReturnType<typeof askedOf> | null,
    problem: null as string | null,
    elsewhere: null as string | null,
  };
}

/** examplesOf gives questions that this library is known to answer: what it counts, and what it has by name. */
function examplesOf({ cubs, claims, objects, library }: ViewData): readonly string[] {
  const [record] = cubs.toSorted((a, b) => usesOf(b) - usesOf(a));
  const object = objects.find(({ key }) => /^[\w./-]+$/.test(key));
  return [
    ...(record === undefined ? [] : ["How many records have holes?", `What is ${record.theorem_name}?`]),
    ...(claims.claims.length === 0 ? [] : ["How many claims are there?"]),
    ...(objects.length === 0 ? [] : ["How many objects are there?"]),
    ...(object === undefined ? [] : [`What is ${object.key}?`]),
    ...(library.collections.length === 0 ? [] : ["How many collections are there?"]),
  ].slice(0, 3);
}

/** unansweredPage makes the form with a question that this process does not answer. */
export function unansweredPage(data: ViewData, params: URLSearchParams) {
  const { base_url: base } = data.library;
  return {
    ...askForm(data),
    ...askedWith(params),
    problem: "This address serves files and search. It asks no model and gives no answers.",
    elsewhere: base === "" ? null : `${base}${mountPath(data.library)}${pagePath.ask}?${params.toString()}`,
  };
}

/** isAsked tells whether the address has a question. The search calls its words `q`, so people write `q` here, too. */
export function isAsked(params: URLSearchParams): boolean {
  return params.has("question") || params.has("q");
}

export function askedWith(params: URLSearchParams) {
  return { question: params.get("question") ?? params.get("q") ?? "", prefix: params.get("prefix") ?? "" };
}

export function askedPage(data: ViewData, answer: AskResponse) {
  return { ...askForm(data), question: answer.query, prefix: answer.prefix, asked: askedOf(data, answer) };
}

/** An answer as plain text, in which "[1]" refers to a citation. The path of a citation is the object's page in the answer's snapshot with
 *  these lines on top; that of a number, the list that it comes from. */
function askedOf(data: ViewData, { mode, answer, finding, notice, citations, counted = [], sources, snapshot, receipt }: AskResponse) {
  const { objectByKey } = relationsOf(data);
  return {
    mode,
    answer,
    finding: finding ?? null,
    notice: readerNotice(notice),
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
