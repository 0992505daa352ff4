/** Markdown twins of pages, for readers that want no HTML: every page at `…/` has one at `…/index.md`. Made from the same
 *  models as the pages. Text of strangers is escaped where Markdown would read it as markup, or fenced; an object's own
 *  text comes last, so that nothing of ours can be mistaken for it. */
import { checkSentences } from "../../format/check-sentence.ts";
import { formatBytes } from "../../format/size.ts";
import { standingWord } from "../../format/standing.ts";
import { pagePath } from "../../format/layout.ts";
import type { Claim } from "../../schema/claims.ts";
import type { Standing } from "../../schema/standing.ts";
import type { CubRecord } from "../../schema/cubs.ts";
import { flat } from "../../page/text-files.ts";
import type { Count, DifferentLine, BrowsePage, ClaimCard, ObjectCard, PageInput, PageModel, RecordCard } from "../../page/model.ts";

/** What a twin may link to: absolute, and pinned where that makes sense. */
export type MarkdownLinks = { readonly href: (path: string) => string };

/** @returns null for pages that are only forms or only about other pages
 *  @param text of an object, when the page is an object's and it has one */
export function pageMarkdown({ model, chrome }: PageInput, { href }: MarkdownLinks, text: string | null): string | null {
  const body = bodyOf(model, href, text);
  return body === null
    ? null
    : `${body.trimEnd()}\n\n---\n\n[${inline(chrome.library)}](${href(pagePath.front)}) · [this page](${href(chrome.path)}) · [for agents](${href(pagePath.agents)})\n${text === null ? "" : `\n${text}${text.endsWith("\n") ? "" : "\n"}`}`;
}

type LinkTo = MarkdownLinks["href"];

function partLines({ part, parts, jumps }: Pick<BrowsePage, "part" | "parts" | "jumps">, href: LinkTo): readonly string[] {
  if (parts < 2) return [];
  const ranges = jumps.map(({ first, last, path, here }) => (here ? inline(`${first}–${last}`) : link(`${first}–${last}`, href(path))));
  return ["", `Part ${part} of ${parts}.`, "", ...ranges.map((range) => `- ${range}`)];
}

type Body<Model extends PageModel> = (model: Model, href: LinkTo, text: string | null) => string | null;

/** What each page says in Markdown; null where it is only a form, or only about other pages. */
const BODIES: { readonly [Kind in PageModel["page"]]: Body<Extract<PageModel, { readonly page: Kind }>> } = {
  front: (model, href) =>
    lines(
      heading("Library"),
      inline(model.summary),
      "",
      ...model.collections.map(
        ({ title, prefix, summary, count, bytes }) =>
          `- ${link(title, href(pagePath.browse(prefix)))}: ${inline(summary)} ${count} objects, ${formatBytes(bytes)}`,
      ),
      "",
      `- ${link("Claims", href(pagePath.claims))}: ${model.claims.total}${countsText(model.claims.byStanding)}`,
      ...(model.registry === null
        ? []
        : [
            `- ${link("Registry", href(pagePath.registry))}: ${model.registry.total} proof records${countsText(model.registry.byStanding)}`,
          ]),
    ),
  browse: (model, href) =>
    lines(
      heading(model.prefix === "" ? "All objects" : model.prefix),
      ...model.prefixes.map(
        ({ prefix, count, bytes }) => `- ${link(prefix, href(pagePath.browse(prefix)))}: ${count} objects, ${formatBytes(bytes)}`,
      ),
      ...model.objects.map((card) => objectLine(card, href)),
      ...partLines(model, href),
    ),
  object: (model, href, text) =>
    lines(
      heading(model.title),
      inline(model.summary),
      "",
      `- key: ${code(model.key)}`,
      `- sha256: ${code(model.sha256)}`,
      `- ${model.size} bytes, ${inline(model.media_type)}${model.uploaded === null ? "" : `, ${model.uploaded}`}`,
      ...(model.source === undefined
        ? []
        : [`- source: ${code(model.source.path)} at ${code(model.source.ref)} in ${inline(model.source.repo)}`]),
      ...model.facts.map((fact) => `- ${fact.map(inline).join(": ")}`),
      ...model.notes.map((note) => `- ${inline(note)}`),
      ...model.cited_by.claims.map((claim) => `- cited by ${claimLink(claim, href)} (${inline(claim.standing.says)})`),
      ...model.cited_by.records.map((record) => `- cited by ${recordLink(record, href)} (${inline(record.standing.says)})`),
      ...(text === null
        ? ["", "This object's text is not shown here."]
        : ["", "The object's own text follows the line below the next rule."]),
    ),
  claims: (model, href) =>
    lines(
      heading(model.meta.title === "" ? "Claims" : model.meta.title),
      inline(model.meta.note),
      "",
      ...model.claims.map((claim) => `- ${claimLink(claim, href)} (${inline(claim.standing.says)}): ${inline(claim.scope)}`),
    ),
  claim: (model, href) => claimText(model.claim, model.standing, href),
  registry: (model, href) =>
    lines(
      heading("Registry"),
      `${model.matching} of ${model.total} records.`,
      "",
      ...model.records.map(
        (record) => `- ${recordLink(record, href)} (${inline(record.kind)}, ${inline(record.standing.says)}): ${inline(record.statement)}`,
      ),
      ...partLines(model, href),
    ),
  record: (model, href) => recordText(model.record, model.standing, href),
  rejected: (model) =>
    lines(
      heading("Left out"),
      ...model.rejected.map(({ source, key, reason }) => `- ${inline(source)} ${code(key)}: ${inline(reason)}`),
      ...(model.withheld === 0 ? [] : [`- ${model.withheld} under no collection, not named here`]),
      ...model.withdrawn.map(
        ({ what, name, date, reason, note }) => `- Withdrawn on ${date} (${reason}): ${what} ${code(name)}. ${inline(note)}`,
      ),
    ),
  problem: (model) => lines(heading(model.problem.title), code(model.problem.code)),
  agents: (model) =>
    lines(
      heading("For agents"),
      `MCP endpoint: ${code(model.endpoint)}. Revisions: ${model.versions.join(", ")}. Results have at most ${model.resultBytes} bytes.`,
      "",
      ...model.tools.map(
        ({ name, description, twin, example }) => `- ${code(name)}: ${description} Twin: ${code(twin)}. Example: ${code(example)}`,
      ),
      "",
      "## Connect",
      "",
      ...model.clients.flatMap(({ title, where, text: shown }) => [`${title} (${where}):`, "", fence(shown), ""]),
    ),
  dashboard: (model) =>
    lines(
      heading("Registry dashboard"),
      `${model.total} records${countsText(model.byStanding)}.`,
      "",
      "| group | name | declared | counted |",
      "| --- | --- | --- | --- |",
      ...model.counts.map(
        ({ group, name, declared, counted }) => `| ${inline(group)} | ${inline(name)} | ${declared ?? ""} | ${counted ?? ""} |`,
      ),
      "",
      ...model.sources.map(({ repo, head, records }) => `- ${inline(repo)} at ${code(head)}: ${records} records`),
      ...model.notes.map((note) => `- ${inline(note)}`),
    ),
  snapshots: (model) =>
    lines(
      heading("Snapshots"),
      ...model.snapshots.map(
        ({ sequence, id, created, kept, restores, added, changed, removed }) =>
          `- ${sequence}: ${code(id)}, ${created}: ${kept ? "" : "no longer available, "}${restores === undefined ? "" : `snapshot ${restores} again, `}${added} added, ${changed} changed, ${removed} removed`,
      ),
      ...(model.parts > 1 ? ["", `Part ${model.part} of ${model.parts}.`] : []),
      "",
      ...model.states
        .filter(({ states }) => states?.length !== 0)
        .map(
          ({ sequence, states }) =>
            `- Records in ${sequence}: ${states?.map(({ value, count }) => `${count} ${inline(standingWord(value))}`).join(", ") ?? "cannot be read here"}`,
        ),
    ),
  diff: (model) =>
    lines(
      heading(`From snapshot ${model.from.sequence} to ${model.to.sequence}`),
      ...model.changes.map(({ what, name, change }) => `- ${change}: ${what} ${code(name)}`),
      ...(model.truncated ? ["", "There are more."] : []),
    ),
  revisions: (model, href) =>
    lines(
      heading(`Revisions of ${model.name}`),
      ...model.revisions.map(
        ({ sequence, created, path, sha256 }) =>
          `- ${path === null ? `snapshot ${sequence}` : link(`snapshot ${sequence}`, href(path))}, ${created}${sha256 === null ? ": not kept" : ` sha256 ${code(sha256)}`}`,
      ),
      ...(model.compared?.difference ? ["", fence(model.compared.difference.lines.map(lineText).join("\n"))] : []),
    ),
  reference: (model) =>
    lines(
      heading("API reference"),
      ...model.groups.flatMap(({ title, operations }) => [
        `## ${inline(title)}`,
        "",
        ...operations.map(({ method, path, summary }) => `- ${code(`${method} ${path}`)}: ${inline(summary)}`),
        "",
      ]),
    ),
  problems: (model) =>
    lines(heading("Errors"), ...model.problems.map(({ code: name, status, title }) => `- ${code(name)} (${status}): ${inline(title)}`)),
  search: (model, href) => lines(heading("Search"), `GET ${href("/api/search")}?q=… gives the same as JSON.`),
  ask: (model, href) =>
    lines(heading("Ask"), `POST ${href("/api/ask")} with {"question": "…"} answers as JSON, with quotes that can be checked.`),
  "not-found": () => null,
  gated: () => null,
};

function bodyOf<Kind extends PageModel["page"]>(
  model: Extract<PageModel, { readonly page: Kind }>,
  href: LinkTo,
  text: string | null,
): string | null {
  return (BODIES[model.page as Kind] as Body<typeof model>)(model, href, text);
}

function lineText({ kind, number, pieces }: DifferentLine): string {
  const text = pieces.map((piece) => piece.text).join("");
  return kind === "left-out" ? `… ${number} lines …` : `${{ same: " ", added: "+", removed: "-" }[kind]} ${text}`;
}

function claimText(claim: Claim, standing: Standing, href: LinkTo): string {
  const list = (title: string, items: readonly string[]): string[] => (items.length === 0 ? [] : ["", `## ${title}`, "", ...items]);
  return lines(
    heading(claim.title),
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
    ...list("Reproduce", claim.reproduce.map(fence)),
    ...list("Verify", claim.verify.map(fence)),
    ...list(
      "Known gaps",
      claim.gaps.map((gap) => `- ${inline(gap)}`),
    ),
  );
}

/** What the standing stands beside. */
const FROM_REGISTRY: ReadonlySet<string> = new Set(["status", "verification_state"]);

function recordText(record: CubRecord, standing: Standing, href: LinkTo): string {
  const { id, theorem_name: name, statement, files, file_shas: digests, reproduce } = record;
  const facts = (
    [
      "repo",
      "module",
      "kind",
      "status",
      "verification_state",
      "invocation",
      "production_consumption",
      "proof_consumption",
      "formal_systems",
      "crate",
      "wiring",
      "rust_anchor",
      "note",
    ] as const
  )
    .filter((field) => record[field] !== "")
    .map((field) => `- ${field}${FROM_REGISTRY.has(field) ? ", as the registry says it" : ""}: ${inline(record[field])}`);
  return lines(
    heading(`${id}: ${name}`),
    fence(statement),
    "",
    `- standing: ${inline(standing.says)}`,
    ...facts,
    ...checkSentences(record).map((says) => `- checked: ${inline(says)}`),
    ...(record.axioms ?? []).map((name) => `- rests on: ${code(name)}`),
    `- no_holes: ${record.no_holes}`,
    `- deployable: ${record.deployable}`,
    ...[files.coq_file, files.lean_file]
      .filter((file) => file !== "")
      .map((file) => `- file: ${code(file)}${digests[file] === undefined ? "" : ` sha256 ${code(digests[file])}`}`),
    "",
    ...[reproduce.verify_hash, reproduce.recheck].filter((step) => step !== "").map(fence),
    "",
    `${link("As JSON", href(`/api/cubs/${id}`))}, ${link("files with digests", href(`/api/cubs/${id}/code`))}`,
  );
}

/** ": 40 verified, 2 verified once". */
function countsText(counts: readonly Count[]): string {
  return counts.length === 0 ? "" : `: ${counts.map(({ value, count }) => `${count} ${inline(standingWord(value))}`).join(", ")}`;
}

function objectLine({ key, title, summary, sha256 }: ObjectCard, href: LinkTo): string {
  return `- ${link(title, href(pagePath.object(key)))} ${code(key)}${summary === "" ? "" : `: ${inline(summary)}`} sha256 ${code(sha256.slice(0, 12))}`;
}

function claimLink({ id, title }: Pick<ClaimCard, "id" | "title">, href: LinkTo): string {
  return link(title, href(pagePath.claim(id)));
}

function recordLink({ id, theorem_name: name }: Pick<RecordCard, "id" | "theorem_name">, href: LinkTo): string {
  return link(`${id} ${name}`, href(pagePath.record(id)));
}

function lines(...all: readonly string[]): string {
  return all.join("\n").replaceAll(/\n{3,}/g, "\n\n");
}

function heading(text: string): string {
  return `# ${inline(text)}\n`;
}

function inline(text: string): string {
  return flat(text).replaceAll(/[\\`*_[\]<>#|~]/g, "\\$&");
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
