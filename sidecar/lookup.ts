/** The deterministic part of an answer: what the question names outright (collections and counts, CUB and claim ids, digests, keys,
 *  declared names and titles) is looked up, not guessed (interface §4, behaviour rule 3). */
import { objectPath, pagePath } from "../snapshots/format/layout.ts";
import { CUB_ID_PATTERN, type CubRecord } from "../snapshots/schema/cubs.ts";
import type { Claim } from "../snapshots/schema/claims.ts";
import type { Source } from "../snapshots/schema/resources.ts";
import { type CollectionInfo, mountPath, type ObjectRow, prefixRange, type ViewData } from "../snapshots/format/view-data.ts";
import { collect, oncePer } from "../snapshots/format/relations.ts";
import { isHarmless } from "./harmless.ts";

const MAX_HITS = 6;
const MAX_SENTENCE = 480;
const MIN_NAME = 4; // a shorter title is found only when it is the whole question: "a" occurs in every text

type Lookup = {
  readonly sentences: readonly string[];
  readonly sources: readonly Omit<Source, "score">[];
  /** Whether the question asks for nothing else, so that neither search nor a model is needed. */
  readonly settled: boolean;
};

type Hit = { readonly sentence: string; readonly source: Omit<Source, "score"> | null };
/** What a name stands for; a title may be shared by prose that says more, so it alone settles nothing. */
type Named = { readonly id: string; readonly hit: Hit; readonly settles: boolean };

/** @param prefix only keys under it; records and claims have no key, so any prefix leaves them out */
export function lookUp(question: string, prefix: string, data: ViewData): Lookup {
  const subject = subjectOf(question);
  const names = namesIn(question, subject);
  const index = indexOf(data);
  const hits = new Map<string, Hit>();
  let whole = false;
  for (const name of names) {
    for (const { id, hit, settles } of findNamed(name, prefix, data, index)) {
      if (hits.size < MAX_HITS) hits.set(id, hit);
      if (name === subject && settles) whole = true;
    }
  }
  const inventory = takeInventory(question, prefix, data);
  const all = [...inventory, ...hits.values()];
  return {
    sentences: all.map(({ sentence }) => sentence).filter((sentence) => sentence !== ""),
    sources: all.flatMap(({ source }) => source ?? []),
    settled: whole || (inventory.length > 0 && hits.size === 0),
  };
}

/** The question without the words that only make it one: "What is CUB-0007?" asks for CUB-0007. */
function subjectOf(question: string): string {
  return question
    .trim()
    .replace(/^(?:what(?:'s| is| are)|who is|where is|show(?: me)?|tell me about|find|look up|describe|define|get|open)\s+(?:the\s+)?/i, "")
    .replace(/^(?:record|cub|claim|object|file|digest|key|collection|theorem|lemma|definition)\s+(?=\S)/i, "")
    .replace(/[\s?.!]+$/, "")
    .replace(/^["'`“‘](.+)["'`”’]$/, "$1");
}

/** Everything in a question that could be a name: the subject, each word, and what stands in quotation marks. */
function namesIn(question: string, subject: string): ReadonlySet<string> {
  const quoted = [...question.matchAll(/["'`“‘]([^"'`“”‘’]{2,200})["'`”’]/g)].map((match) => match[1] ?? "");
  const words = question.split(/[\s,;()"'`“”‘’]+/).map((word) => word.replace(/[?.!:]+$/, ""));
  return new Set([subject, ...quoted, ...words].filter((name) => name !== ""));
}

type NameIndex = {
  readonly objects: ReadonlyMap<string, readonly ObjectRow[]>;
  readonly records: ReadonlyMap<string, readonly CubRecord[]>;
  readonly claims: ReadonlyMap<string, readonly Claim[]>;
};

const indexOf = oncePer((data: ViewData): NameIndex => {
  return {
    objects: group(data.objects, (row) => [row.key, row.sha256, fold(row.title)]),
    records: group(data.cubs, (record) => [record.id, record.theorem_name, ...Object.values(record.file_shas)]),
    claims: group(data.claims.claims, (claim) => [claim.id, fold(claim.title), ...claim.evidence.flatMap(({ sha256 }) => sha256 ?? [])]),
  };
});

function group<T>(items: readonly T[], namesOf: (item: T) => readonly string[]): ReadonlyMap<string, readonly T[]> {
  return collect(items.flatMap((item) => [...new Set(namesOf(item))].map((name) => [name, item] as const)));
}

/** Marks folded titles in the map of names; no key or id begins with it. */
const TITLE = "\u0000title ";

function fold(title: string): string {
  return `${TITLE}${title.normalize("NFC").toLowerCase().replaceAll(/\s+/g, " ").trim()}`;
}

function* findNamed(name: string, prefix: string, data: ViewData, index: NameIndex): Generator<Named> {
  const mount = mountPath(data.library);
  const upper = name.toUpperCase();
  const spellings = [name, ...(CUB_ID_PATTERN.test(upper) ? [upper] : []), ...(/^[0-9a-f]{64}$/i.test(name) ? [name.toLowerCase()] : [])];
  if (name.length >= MIN_NAME) spellings.push(fold(name));
  for (const spelling of new Set(spellings)) {
    const settles = !spelling.startsWith(TITLE);
    for (const row of index.objects.get(spelling) ?? []) {
      if (row.key.startsWith(prefix)) yield { id: `object ${row.key}`, hit: objectHit(row, mount), settles };
    }
    if (prefix !== "") continue;
    for (const record of index.records.get(spelling) ?? []) yield { id: `record ${record.id}`, hit: recordHit(record), settles };
    for (const claim of index.claims.get(spelling) ?? []) yield { id: `claim ${claim.id}`, hit: claimHit(claim, mount), settles };
  }
  for (const collection of data.library.collections) {
    const named = collection.id === name || fold(collection.title) === fold(name) || collection.prefix === name;
    if (!named || name.length < 2 || !collection.prefix.startsWith(prefix)) continue;
    yield {
      id: `collection ${collection.id}`,
      hit: { sentence: describeCollection(collection, data), source: collectionSource(collection, mount) },
      settles: true,
    };
  }
}

function collectionSource(collection: CollectionInfo, mount: string): Omit<Source, "score"> {
  const { title, prefix, summary } = collection;
  return { title, kind: "collection", key: prefix, href: mount + pagePath.browse(prefix), summary, snippet: summary.slice(0, 320) };
}

function describeCollection(collection: CollectionInfo, data: ViewData): string {
  const [from, to] = prefixRange(data.objects, collection.prefix);
  return sentence([
    `The collection ${collection.title} (${collection.prefix}) holds ${plural(to - from, "object")}.`,
    collection.summary === "" ? "" : `${collection.summary.replace(/\.$/, "")}.`,
  ]);
}

function takeInventory(question: string, prefix: string, data: ViewData): readonly Hit[] {
  // A part of a hyphenated word is another word: garbage-collection, a list-like type.
  const words = question.replaceAll(/[\p{L}\p{N}_]+(?:[-\u2010\u2011][\p{L}\p{N}_]+)+/gu, " ");
  const asks = /\b(how many|number of|count|list|which|what|name)\b/i.test(words);
  if (
    !asks ||
    !/\b(collections?|manifest|catalog(?:ue)?|(?:how many|number of|count)\b.*\b(?:objects?|files?|records?|cubs?|claims?))\b/i.test(words)
  ) {
    return [];
  }
  if (question.split(/\s+/).length > 12) return [];
  const collections = data.library.collections.filter((collection) => collection.prefix.startsWith(prefix));
  const [from, to] = prefixRange(data.objects, prefix);
  const parts = collections.map((collection) => {
    const [start, end] = prefixRange(data.objects, collection.prefix);
    return `${collection.title} (${collection.prefix}, ${plural(end - start, "object")})`;
  });
  const named = parts.length === 0 ? "" : `: ${parts.join(", ")}`;
  const rest = prefix === "" ? `, ${plural(data.cubs.length, "CUB record")} and ${plural(data.claims.claims.length, "claim")}` : "";
  return [
    { sentence: sentence([`This view has ${plural(collections.length, "collection")}${named}.`], 4_000), source: null },
    { sentence: `It holds ${plural(to - from, "object")}${rest}.`, source: null },
    ...collections.map((collection): Hit => ({ sentence: "", source: collectionSource(collection, mountPath(data.library)) })),
  ];
}

function objectHit(row: ObjectRow, mount: string): Hit {
  return {
    sentence: sentence([
      `${row.key} is ${row.kind} of ${plural(row.size, "byte")} with SHA-256 ${row.sha256}.`,
      `Its title is “${row.title}”.`,
      row.summary,
    ]),
    source: {
      title: row.title,
      kind: row.kind,
      key: row.key,
      href: mount + objectPath(row.key),
      summary: row.summary,
      snippet: row.summary,
    },
  };
}

function recordHit(record: CubRecord): Hit {
  const kind = record.kind === "" ? "record" : record.kind.toLowerCase();
  return {
    sentence: sentence([
      `${record.id} is the ${kind} ${record.theorem_name} in ${record.repo}; it is ${record.verification_state}.`,
      `Statement: ${record.statement}`,
      record.invocation === "" ? "" : `Invocation: ${record.invocation}.`,
    ]),
    source: {
      title: record.theorem_name,
      kind: "record",
      key: record.id,
      href: `/api/cubs/${record.id}`,
      summary: record.statement.slice(0, 280),
      snippet: record.statement.slice(0, 320),
    },
  };
}

function claimHit(claim: Claim, mount: string): Hit {
  return {
    sentence: sentence([`Claim ${claim.id} is ${claim.status}: ${claim.statement}`, `Scope: ${claim.scope}`]),
    source: {
      title: claim.title,
      kind: "claim",
      key: claim.id,
      href: `${mount}/api/claims`,
      summary: claim.scope.slice(0, 280),
      snippet: claim.statement.slice(0, 320),
    },
  };
}

/** Joins the parts that may stand in an answer; texts of sources can hold anything. */
function sentence(parts: readonly string[], limit = MAX_SENTENCE): string {
  const text = parts
    .map((part) => part.replaceAll(/\s+/g, " ").trim())
    .filter((part) => part !== "" && isHarmless(part))
    .join(" ");
  // Square brackets with a number would read as a citation.
  const plain = text.replaceAll(/\[(\d+)\]/g, "($1)");
  return plain.length <= limit
    ? plain
    : `${plain
        .slice(0, limit - 1)
        .toWellFormed()
        .replace(/\s+\S*$/, "")}…`;
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
