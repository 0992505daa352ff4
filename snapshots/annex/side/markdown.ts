/** Markdown twins of pages, for readers that want no HTML: the page of an object, a record, a claim or a folder at `…/` has one at
 *  `…/index.md`, made from the same model. Text of strangers is escaped where Markdown would read it as markup, or fenced; an object's own
 *  text comes last, so that nothing of ours can be mistaken for it. */
import {
  authorWords,
  checkSentences,
  formatBytes,
  kindWords,
  meaningSentence,
  pagePath,
  reviewSentences,
  witnessSentence,
  wordSentence,
  countOf,
} from "#snapshots/format";
import type { otherProofs } from "#snapshots/query";
import type { CubRecord, Standing } from "#snapshots/schema";
import { type BrowsePage, flat, type ObjectCard, type ObjectPage, type PageInput, type PageModel, type RecordCard } from "#snapshots/page";

/** MarkdownLinks makes the links of a twin: absolute, and pinned where that makes sense. `proofs` are others of a record's statement. */
export type MarkdownLinks = { readonly href: (path: string) => string; readonly proofs: Awaited<ReturnType<typeof otherProofs>> };

/** pageMarkdown writes the twin of an object's, a record's, a claim's or a folder's page. @returns null for other pages
 *  @param text of an object, when the page is an object's and it has one */
export function pageMarkdown({ model, chrome }: PageInput, links: MarkdownLinks, text: string | null): string | null {
  const { href } = links;
  const body = bodyOf(model, links, text);
  return body === null
    ? null
    : `${body.trimEnd()}\n\n---\n\n[${inline(chrome.library)}](${href(pagePath.front)}) · [this page](${href(chrome.path)}) · [for agents](${href(pagePath.agents)})\n${text === null ? "" : `\n${text}${text.endsWith("\n") ? "" : "\n"}`}`;
}

type LinkTo = MarkdownLinks["href"];

function bodyOf(model: PageModel, { href, proofs }: MarkdownLinks, text: string | null): string | null {
  switch (model.page) {
    case "object":
      return objectText(model, href, text !== null);
    case "record":
      return recordText(model.record, model.standing, proofs, href);
    case "claim":
      return claimText(model, href);
    case "browse":
      return folderText(model, href);
    default:
      return null;
  }
}

function folderText({ prefix, prefixes, objects, part, parts, jumps }: BrowsePage, href: LinkTo): string {
  const ranges = jumps.map(({ first, last, path, here }) => (here ? inline(`${first}–${last}`) : link(`${first}–${last}`, href(path))));
  return lines(
    ...heading(prefix === "" ? "All objects" : prefix),
    ...prefixes.map(
      ({ prefix: folder, count, bytes }) =>
        `- ${link(folder, href(pagePath.browse(folder)))}: ${countOf(count, "object")}, ${formatBytes(bytes)}`,
    ),
    ...objects.map((card) => objectLine(card, href)),
    ...(parts < 2 ? [] : ["", `Part ${part} of ${parts}.`, "", ...ranges.map((range) => `- ${range}`)]),
  );
}

/** objectText tells everything of an object but its own text. @param follows whether that text comes after it */
function objectText(model: ObjectPage, href: LinkTo, follows: boolean): string {
  return lines(
    ...heading(model.title),
    inline(model.summary),
    "",
    `- key: ${code(model.key)}`,
    `- sha256: ${code(model.sha256)}`,
    `- ${countOf(model.size, "byte")}, ${inline(model.media_type)}${model.uploaded === null ? "" : `, ${model.uploaded}`}`,
    ...(model.source === undefined
      ? []
      : [`- source: ${code(model.source.path)} at ${code(model.source.ref)} in ${inline(model.source.repo)}`]),
    ...model.facts.map((fact) => `- ${fact.map(inline).join(": ")}`),
    ...model.notes.map((note) => `- ${inline(note)}`),
    ...model.cited_by.claims.map(
      ({ id, title, standing }) => `- cited by ${link(title, href(pagePath.claim(id)))} (${inline(standing.says)})`,
    ),
    ...model.cited_by.records.map((record) => `- cited by ${recordLine(record, href)}`),
    "",
    follows ? "The object's own text follows the line below the next rule." : "This object's text is not shown here.",
  );
}

function claimText({ claim, standing, records }: Extract<PageModel, { page: "claim" }>, href: LinkTo): string {
  const list = (title: string, items: readonly string[]): string[] => (items.length === 0 ? [] : ["", `## ${title}`, "", ...items]);
  return lines(
    ...heading(claim.title),
    `${inline(claim.statement)}`,
    "",
    `- id: ${code(claim.id)}`,
    `- standing: ${inline(standing.says)}`,
    `- status, as its author says it: ${claim.status}`,
    `- scope: ${inline(claim.scope)}`,
    ...list(
      "Evidence",
      claim.evidence.map(
        ({ artifact, kind, access, repo, path, ref, sha256 }) =>
          `- ${inline(artifact)} (${inline(kind)}, ${access})${[repo, ref, path]
            .filter((part) => part !== undefined)
            .map((part) => ` ${code(part)}`)
            .join("")}${sha256 === undefined ? "" : ` sha256 ${code(sha256)}: ${link("who has it", href(`/api/digests/${sha256}`))}`}`,
      ),
    ),
    ...list(
      "Records",
      records.map((record) => `- ${recordLine(record, href)}`),
    ),
    ...list("Reproduce", claim.reproduce.map(fence)),
    ...list("Verify", claim.verify.map(fence)),
    ...list(
      "Known gaps",
      claim.gaps.map((gap) => `- ${inline(gap)}`),
    ),
  );
}

function recordLine({ id, theorem_name: name, standing, reviewed }: RecordCard, href: LinkTo): string {
  return `${link(`${id} ${name}`, href(pagePath.record(id)))} (${[standing.says, ...reviewed].map(inline).join("; ")})`;
}

/** FROM_REGISTRY names the fields that the standing stands beside. */
const FROM_REGISTRY: ReadonlySet<string> = new Set(["status", "verification_state"]);

function recordText(record: CubRecord, standing: Standing, proofs: MarkdownLinks["proofs"], href: LinkTo): string {
  const { statement_source: source, statement_words: words = [], note } = record;
  const { id, theorem_name: name, statement, files, file_shas: digests, reproduce } = record;
  const facts = (
    [
      "repo",
      "module",
      "status",
      "verification_state",
      "invocation",
      "production_consumption",
      "proof_consumption",
      "formal_systems",
      "crate",
      "wiring",
      "rust_anchor",
    ] as const
  )
    .filter((field) => record[field] !== "")
    .map((field) => `- ${field}${FROM_REGISTRY.has(field) ? ", as the registry says it" : ""}: ${inline(record[field])}`);
  return lines(
    ...heading(`${id}: ${name}`),
    fence(statement),
    "",
    ...(source === undefined ? [] : ["So the prover prints it. The source writes:", "", fence(source), ""]),
    ...words.map((word) => `- ${inline(wordSentence(word))}`),
    `- standing: ${inline(standing.says)}`,
    ...(record.kind === "" ? [] : [`- kind: ${inline(kindWords(record))}`]),
    ...facts,
    ...checkSentences(record).map((says) => `- checked: ${inline(says)}`),
    ...reviewSentences(record).map((says) => `- ${inline(says)}`),
    ...[witnessSentence(record), meaningSentence(record)].flatMap((says) => (says === null ? [] : [`- ${inline(says)}`])),
    ...(record.meaning?.parts ?? []).map(
      ({ name, path, line }) => `- read: ${code(name)}${path === undefined ? "" : ` ${code(`${path}:${line ?? 1}`)}`}`,
    ),
    ...proofs.map(
      ({ id: other, first_seen: first }) =>
        `- also proved as ${link(other, href(pagePath.record(other)))}${first === null ? "" : `, first seen in snapshot ${first}`}`,
    ),
    ...(record.axioms ?? []).map((name) => `- rests on: ${code(name)}`),
    `- no_holes: ${record.no_holes}`,
    `- deployable: ${record.deployable}`,
    ...[files.coq_file, files.lean_file]
      .filter((file) => file !== "")
      .map((file) => `- file: ${code(file)}${digests[file] === undefined ? "" : ` sha256 ${code(digests[file])}`}`),
    "",
    ...[reproduce.verify_hash, reproduce.recheck].filter((step) => step !== "").map(fence),
    "",
    ...(note === "" ? [] : [inline(authorWords(note)), ""]),
    `${link("As JSON", href(`/api/cubs/${id}`))}, ${link("files with digests", href(`/api/cubs/${id}/code`))}`,
  );
}

function objectLine({ key, title, summary, sha256 }: ObjectCard, href: LinkTo): string {
  return `- ${link(title, href(pagePath.object(key)))} ${code(key)}${summary === "" ? "" : `: ${inline(summary)}`} sha256 ${code(sha256.slice(0, 12))}`;
}

/** Blank lines fold between parts: those within a fence are of what it holds. */
function lines(...all: readonly string[]): string {
  return all.filter((line, at) => line !== "" || all[at - 1] !== "").join("\n");
}

function heading(text: string): readonly [string, string] {
  return [`# ${inline(text)}`, ""];
}

/** An entity, the sign of a list and the line under a heading are escaped, too. */
function inline(text: string): string {
  return flat(text).replaceAll(/[\\`*_[\]<>#|~]|&(?=[#\p{L}])|^[-+=]|(?<=^\d+)[.)]/gu, "\\$&");
}

function link(text: string, href: string): string {
  return `[${inline(text)}](<${href.replaceAll(/[<>\s]/g, encodeURIComponent)}>)`;
}

function code(text: string): string {
  const line = text.replaceAll(/[\s\u0085]+/g, " ");
  const ticks = "`".repeat(longestRun(line) + 1);
  const pad = line.startsWith("`") || line.endsWith("`") ? " " : "";
  return `${ticks}${pad}${line}${pad}${ticks}`;
}

function fence(text: string): string {
  const ticks = "`".repeat(Math.max(3, longestRun(text) + 1));
  return `${ticks}\n${text}\n${ticks}`;
}

function longestRun(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map((match) => match[0].length));
}
