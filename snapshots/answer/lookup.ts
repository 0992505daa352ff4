/** The deterministic part of an answer: what the question names outright (collections and counts, CUB and claim ids, digests, keys,
 *  declared names and titles) is looked up, not guessed (interface §4, behaviour rule 3). */
import {
  claimStandings,
  cutText,
  kindWords,
  mountPath,
  objectPath,
  pagePath,
  prefixRange,
  judgedWords,
  type ViewData,
  wordSentence,
  countOf,
} from "#snapshots/format";
import type { Source } from "#snapshots/schema";
import { findNamed, type NamedThing, standingOf } from "#snapshots/query";
import { isHarmless } from "./harmless.ts";

const MAX_HITS = 6;
const MAX_SENTENCE = 480;
export const MAX_SUMMARY = 280; // UTF-16 units; a statement may have thousands, and an answer has ten sources
const MAX_SNIPPET = 320;
const MIN_NAME = 4; // a shorter title is found only when it is the whole question: "a" occurs in every text

type Lookup = {
  readonly sentences: readonly string[];
  /** Keys of objects that the question names by their titles: what stands in them says more, where it can be quoted. */
  readonly instead: readonly string[];
  readonly sources: readonly Omit<Source, "score">[];
  /** True when the question asks for nothing else, so that neither search nor a model is needed. */
  readonly settled: boolean;
};

type Hit = { readonly sentence: string; readonly source: Omit<Source, "score"> };
/** A thing that a name stands for; a title may be shared by prose that says more, so it alone settles nothing. */
type Found = {
  readonly id: string;
  readonly hit: Hit;
  readonly settles: boolean;
  /** True when the name is one that people use as a word: a title, a collection's id, a record named `sorted`. */
  readonly common: boolean;
};

/** lookUp finds what a question names outright. @param prefix only keys under it; records and claims have no key, so any prefix leaves them out */
export function lookUp(question: string, prefix: string, data: ViewData): Lookup {
  const subject = nameAsked(question);
  const hits = new Map<string, Hit & { readonly titled: boolean }>();
  let whole = false;
  for (const { name, whole: isWhole } of namesIn(question, subject)) {
    for (const { id, hit, settles, common } of findHits(name, prefix, data)) {
      // "What do the papers say" names no collection, nor a file with that title.
      if (common && !isWhole) continue;
      if (hits.size < MAX_HITS) hits.set(id, { ...hit, titled: !settles && id.startsWith("object ") });
      if (name === subject && settles) whole = true;
    }
  }
  const all = [...hits.values()];
  const said = (titled: boolean): readonly string[] =>
    all.flatMap((hit) => (hit.titled === titled && hit.sentence !== "" ? [hit.sentence] : []));
  return {
    sentences: said(false),
    instead: said(true),
    sources: all.map(({ source }) => source),
    settled: whole,
  };
}

/** nameAsked cuts off the words that only make a question: "What is CUB-0007?" asks for CUB-0007. */
function nameAsked(question: string): string {
  return bareName(
    question
      .trim()
      .replace(/^(?:what(?:'s| is| are)|who is|where is|show(?: me)?|tell me about|find|look up|describe|define|get|open)\s+/i, ""),
  );
}

/** bareName returns a name without what kind of thing it is called, and without quotation marks. */
export function bareName(written: string): string {
  return written
    .replace(/[\s?.!]+$/, "")
    .replace(/^the\s+(?=\S)/i, "")
    .replace(/^(?:record|cub|claim|object|file|digest|key|collection|theorem|lemma|definition|document|note|paper|page|text)\s+(?=\S)/i, "")
    .replace(/^["'`\u201c\u2018](.+)["'`\u201d\u2019]$/, "$1");
}

/** Everything in a question that could be a name: the subject and what stands in quotation marks as a whole, and each word. */
function namesIn(question: string, subject: string): readonly { readonly name: string; readonly whole: boolean }[] {
  const quoted = [...question.matchAll(/["'`“‘]([^"'`“”‘’]{2,200})["'`”’]/g)].map((match) => match[1] ?? "");
  const words = question.split(/[\s,;()"'`“”‘’]+/).map((word) => word.replace(/[?.!:]+$/, ""));
  const whole = new Set([subject, ...quoted]);
  return [...new Set([...whole, ...words])].filter((name) => name !== "").map((name) => ({ name, whole: whole.has(name) }));
}

function* findHits(name: string, prefix: string, data: ViewData): Generator<Found> {
  for (const named of findNamed(data, name)) {
    const { kind, by } = named;
    // A short title is found only when it is the whole question.
    if (by === "title" && name.length < MIN_NAME) continue;
    if (kind === "collection" && name.length < 2) continue;
    const key = keyOf(named);
    if (kind === "object" || kind === "collection" ? !key.startsWith(prefix) : prefix !== "") continue;
    const settles = by !== "title" || kind === "collection";
    const common = by === "title" || kind === "collection" || (by === "name" && /^\p{L}\p{Ll}*$/u.test(name));
    yield { id: `${kind} ${key}`, hit: hitOf(named, data), settles, common };
  }
}

/** sourcesOf gives the sources of what facts name. */
export function sourcesOf(
  found: readonly { readonly kind: string; readonly key: string }[],
  data: ViewData,
): readonly Omit<Source, "score">[] {
  return found.flatMap(({ kind, key }) => {
    const named = findNamed(data, key).find((one) => one.by !== "title" && keyOf(one) === key && kindOf(one) === kind);
    return named === undefined ? [] : [hitOf(named, data).source];
  });
}

/** keyOf returns what a thing is told by: a key, a prefix, an id. */
export function keyOf({ kind, item }: NamedThing): string {
  return kind === "object" ? item.key : kind === "collection" ? item.prefix : item.id;
}

/** kindOf returns what a thing is: of an object the kind of its file. */
export function kindOf({ kind, item }: NamedThing): Source["kind"] {
  return kind === "object" ? item.kind : kind;
}

function hitOf(named: NamedThing, data: ViewData): Hit {
  const { kind, item } = named;
  const key = keyOf(named);
  const mount = mountPath(data.library);
  const hit = (parts: readonly string[], title: string, href: string, summary: string, snippet = summary): Hit => ({
    sentence: sentence(parts),
    source: {
      title,
      kind: kindOf(named),
      key,
      href,
      summary: cutText(summary, MAX_SUMMARY),
      snippet: cutText(snippet, MAX_SNIPPET),
      ...standingOf(data, kind, key),
    },
  });
  if (kind === "object")
    return hit(
      [
        `${key} is ${item.kind} of ${countOf(item.size, "byte")} with SHA-256 ${item.sha256}.`,
        `Its title is “${item.title}”.`,
        item.summary,
      ],
      item.title,
      mount + objectPath(key),
      item.summary,
    );
  if (kind === "collection") {
    const { title, summary } = item;
    const [from, to] = prefixRange(data.objects, key);
    const about = summary === "" ? "" : `${summary.replace(/\.$/, "")}.`;
    return hit(
      [`The collection ${title} (${key}) holds ${countOf(to - from, "object")}.`, about],
      title,
      mount + pagePath.browse(key),
      summary,
    );
  }
  if (kind === "record") {
    const { theorem_name: name, repo, invocation, statement } = item;
    const words = kindWords(item);
    const called = words === item.kind ? item.kind.toLowerCase() || "record" : `record (of kind ${words})`;
    const parts = [
      `${key} is the ${called} ${name} in ${repo}; it is ${judgedWords(item)}.`,
      invocation === "" ? "" : `Invocation: ${invocation}.`,
      `Statement: ${statement}`,
      ...(item.statement_words ?? []).map(wordSentence),
    ];
    return hit(parts, name, `/api/cubs/${key}`, statement);
  }
  const { title, statement, scope } = item;
  const says = `Claim ${key} is ${claimStandings(data)(item).says}: ${statement}`;
  return hit([says, `Scope: ${scope}`], title, `${mount}/api/claims`, scope, statement);
}

/** Joins the parts that may stand in an answer; texts of sources can hold anything. */
function sentence(parts: readonly string[]): string {
  const text = parts
    .map((part) => part.replaceAll(/\s+/g, " ").trim())
    .filter((part) => part !== "" && isHarmless(part))
    .join(" ");
  // Square brackets with a number would read as a citation.
  const plain = text.replaceAll(/\[(\d+)\]/g, "($1)");
  return plain.length <= MAX_SENTENCE ? plain : cutText(plain, MAX_SENTENCE).replace(/\s+\S*…$/, "…");
}
