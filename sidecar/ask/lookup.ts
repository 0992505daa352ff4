/** The deterministic part of an answer: what the question names outright (collections and counts, CUB and claim ids, digests, keys,
 *  declared names and titles) is looked up, not guessed (interface §4, behaviour rule 3). */
import { objectPath, pagePath } from "../../snapshots/format/layout.ts";
import type { CubRecord, Source } from "../../snapshots/schema/index.ts";
import type { Claim } from "../../snapshots/schema/claims.ts";
import { type CollectionInfo, mountPath, type ObjectRow, prefixRange, type ViewData } from "../../snapshots/format/view-data.ts";
import { claimStandings } from "../../snapshots/format/index.ts";
import { recordStanding } from "../../snapshots/format/standing.ts";
import { relationsOf } from "../../snapshots/format/relations.ts";
import { findNamed } from "../../snapshots/query/index.ts";
import { isHarmless } from "./harmless.ts";

const MAX_HITS = 6;
const MAX_SENTENCE = 480;
const MIN_NAME = 4; // a shorter title is found only when it is the whole question: "a" occurs in every text

type Lookup = {
  readonly sentences: readonly string[];
  /** Of objects that the question names by their titles: what stands in them says more, where it can be quoted. */
  readonly instead: readonly string[];
  readonly sources: readonly Omit<Source, "score">[];
  /** Whether the question asks for nothing else, so that neither search nor a model is needed. */
  readonly settled: boolean;
};

type Hit = { readonly sentence: string; readonly source: Omit<Source, "score"> | null };
/** What a name stands for; a title may be shared by prose that says more, so it alone settles nothing. */
type Found = {
  readonly id: string;
  readonly hit: Hit;
  readonly settles: boolean;
  /** Whether the name is one that people use as a word: a title, a collection's id, a record named `sorted`. */
  readonly common: boolean;
};

/** @param prefix only keys under it; records and claims have no key, so any prefix leaves them out */
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
    sources: all.flatMap(({ source }) => source ?? []),
    settled: whole,
  };
}

/** nameAsked cuts off the words that only make a question: "What is CUB-0007?" asks for CUB-0007. */
function nameAsked(question: string): string {
  return question
    .trim()
    .replace(/^(?:what(?:'s| is| are)|who is|where is|show(?: me)?|tell me about|find|look up|describe|define|get|open)\s+(?:the\s+)?/i, "")
    .replace(/^(?:record|cub|claim|object|file|digest|key|collection|theorem|lemma|definition)\s+(?=\S)/i, "")
    .replace(/[\s?.!]+$/, "")
    .replace(/^["'`“‘](.+)["'`”’]$/, "$1");
}

/** Everything in a question that could be a name: the subject and what stands in quotation marks as a whole, and each word. */
function namesIn(question: string, subject: string): readonly { readonly name: string; readonly whole: boolean }[] {
  const quoted = [...question.matchAll(/["'`“‘]([^"'`“”‘’]{2,200})["'`”’]/g)].map((match) => match[1] ?? "");
  const words = question.split(/[\s,;()"'`“”‘’]+/).map((word) => word.replace(/[?.!:]+$/, ""));
  const whole = new Set([subject, ...quoted]);
  return [...new Set([...whole, ...words])].filter((name) => name !== "").map((name) => ({ name, whole: whole.has(name) }));
}

function* findHits(name: string, prefix: string, data: ViewData): Generator<Found> {
  const mount = mountPath(data.library);
  for (const named of findNamed(data, name)) {
    const { kind, by } = named;
    // A short title is found only when it is the whole question.
    if (by === "title" && name.length < MIN_NAME) continue;
    const settles = by !== "title" || kind === "collection";
    const common = by === "title" || kind === "collection" || (by === "name" && /^\p{L}\p{Ll}*$/u.test(name));
    if (kind === "object") {
      if (named.item.key.startsWith(prefix)) yield { id: `object ${named.item.key}`, hit: objectHit(named.item, mount), settles, common };
    } else if (kind === "collection") {
      if (named.item.prefix.startsWith(prefix) && name.length > 1)
        yield {
          id: `collection ${named.item.id}`,
          hit: { sentence: describeCollection(named.item, data), source: collectionSource(named.item, mount) },
          settles,
          common,
        };
    } else if (prefix === "") {
      if (kind === "record") yield { id: `record ${named.item.id}`, hit: recordHit(named.item), settles, common };
      else yield { id: `claim ${named.item.id}`, hit: claimHit(named.item, data), settles, common };
    }
  }
}

/** Sources of what facts name. */
export function sourcesOf(
  found: readonly { readonly kind: string; readonly key: string }[],
  data: ViewData,
): readonly Omit<Source, "score">[] {
  const mount = mountPath(data.library);
  const { recordById, claimById, objectByKey } = relationsOf(data);
  return found.flatMap(({ kind, key }) => {
    const record = kind === "record" ? recordById.get(key) : undefined;
    const claim = kind === "claim" ? claimById.get(key) : undefined;
    const collection = kind === "collection" ? data.library.collections.find(({ prefix }) => prefix === key) : undefined;
    if (collection !== undefined) return [collectionSource(collection, mount)];
    const row = objectByKey.get(key);
    const hit =
      record !== undefined
        ? recordHit(record)
        : claim !== undefined
          ? claimHit(claim, data)
          : row === undefined
            ? null
            : objectHit(row, mount);
    return hit?.source ?? [];
  });
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
  const standing = recordStanding(record);
  return {
    sentence: sentence([
      `${record.id} is the ${kind} ${record.theorem_name} in ${record.repo}; it is ${standing.says}.`,
      record.invocation === "" ? "" : `Invocation: ${record.invocation}.`,
      `Statement: ${record.statement}`,
    ]),
    source: {
      title: record.theorem_name,
      kind: "record",
      key: record.id,
      href: `/api/cubs/${record.id}`,
      summary: record.statement.slice(0, 280),
      snippet: record.statement.slice(0, 320),
      standing,
    },
  };
}

function claimHit(claim: Claim, data: ViewData): Hit {
  const standing = claimStandings(data)(claim);
  return {
    sentence: sentence([`Claim ${claim.id} is ${standing.says}: ${claim.statement}`, `Scope: ${claim.scope}`]),
    source: {
      title: claim.title,
      kind: "claim",
      key: claim.id,
      href: `${mountPath(data.library)}/api/claims`,
      summary: claim.scope.slice(0, 280),
      snippet: claim.statement.slice(0, 320),
      standing,
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
