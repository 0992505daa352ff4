/** Models of the front page, folders, objects, claims and the rejected list. */
import {
  claimStandings,
  compareNames,
  findCollection,
  formalizationSentence,
  type Folder,
  formatEtag,
  lowerBound,
  moveLinks,
  type ObjectRow,
  openEvidence,
  orWithdrawn,
  pagePath,
  parentPrefix,
  prefixRange,
  README,
  recordStanding,
  relationsOf,
  replacementHref,
  type ViewData,
} from "#snapshots/format";
import { ShelfError } from "#snapshots/errors";
import { unlinkDead } from "./dead-links.ts";
import { declarationLine, findClaims, usesOf, withLicences } from "#snapshots/query";
import type { Extract, Passage } from "#snapshots/schema";
import { citedBy, claimCard, collectionCard, countClaims, countStandings, crumbsOf, objectCard, recordCard } from "./cards.ts";
import { axiomsOf } from "./axioms.ts";
import { theoremShelf } from "./theorem-shelf.ts";
import { type BrowseSort, browseQuery, licenceFacet } from "./facets.ts";
import { jumpsOf } from "./jumps.ts";
import { lineWithin, openParts } from "./object-parts.ts";
import type { QuotedLines } from "./quoted-lines.ts";

const BROWSE_PART = 50; // folders and objects on one page of a folder: with long titles and summaries below 60 kB of HTML
const NEWEST_CLAIMS = 3;
const MAX_FRONT = 6 * 1024; // UTF-16 units of HTML; of a longer text the front page has the summary
const MAX_README = 24 * 1024; // likewise, below the list of its folder
const MAX_OUTLINE = 60;

/** frontFacts makes the front page, all but the text that opens it. That text is harmless HTML from an object's extract, with links as they are on
 *  the front page; it is null when it is too long to open the page. */
export function frontFacts(data: ViewData) {
  const { claims, cubs, library, objects } = data;
  const front = relationsOf(data).objectByKey.get(library.front ?? "");
  return {
    page: "front" as const,
    summary: library.summary === "" ? (front?.summary ?? "") : library.summary,
    front: front === undefined ? null : { key: front.key, html: null as string | null },
    objects: objects.length,
    bytes: objects.reduce((sum, row) => sum + row.size, 0),
    collections: library.collections.map((collection) => collectionCard(data, collection)),
    claims: {
      total: claims.claims.length,
      byStanding: countClaims(data),
      newest: claims.claims.slice(0, NEWEST_CLAIMS).map((claim) => claimCard(data, claim)),
    },
    registry: cubs.length === 0 ? null : frontRegistry(data),
    rejected: data.rejected.length + data.withheld,
  };
}

/** Records that the front page names. */
const MAIN = 5;
const FRONT_AXIOMS = 6;
/** The front page is to be light. */
const FRONT_SHELF = { marks: 1500, links: 25, rows: 14 };

function frontRegistry({ cubs, library, meta }: ViewData) {
  const said = meta?.formalizations ?? [];
  const main = library.main ?? said.flatMap((one) => one.main.flatMap(({ id }) => id ?? []));
  const chosen = main.slice(0, MAIN).flatMap((id) => cubs.filter((record) => record.id === id));
  const proved = cubs.filter((record) => !["defined", "assumed"].includes(recordStanding(record).state));
  const used = proved.toSorted((a, b) => usesOf(b) - usesOf(a));
  return {
    total: cubs.length,
    byStanding: countStandings(cubs),
    updated: meta === null || meta.updated_iso === "" ? null : meta.updated_iso,
    shelf: theoremShelf(cubs, FRONT_SHELF),
    /** Those that the owner chose, else the most used. */
    main: (chosen.length > 0 ? chosen : used).slice(0, MAIN).map(recordCard),
    chosen: chosen.length > 0,
    said: said.slice(0, MAIN).map(formalizationSentence),
    axioms: axiomsOf(cubs).slice(0, FRONT_AXIOMS),
  };
}

/** frontPage adds the text that opens the front page, unless it is too long. @param read returns an object's extract */
export async function frontPage(data: ViewData, facts: ReturnType<typeof frontFacts>, read: (key: string) => Promise<Extract>) {
  if (facts.front === null) return facts;
  const { key } = facts.front;
  const { html } = await read(key);
  if (html === null || html.length > MAX_FRONT) return facts;
  const fitted = moveLinks(unlinkDead(html, key, data), pagePath.object(key), pagePath.front);
  return { ...facts, front: { key, html: fitted } };
}

const byKey = (a: ObjectRow, b: ObjectRow): number => compareNames(a.key, b.key);
const SORTS: Readonly<Record<string, (a: ObjectRow, b: ObjectRow) => number>> = {
  size: (a, b) => a.size - b.size,
  date: (a, b) => Date.parse(a.uploaded ?? "") - Date.parse(b.uploaded ?? "") || 0,
  kind: (a, b) => compareNames(a.kind, b.kind),
};

function sortObjects(objects: readonly ObjectRow[], sort: BrowseSort): readonly ObjectRow[] {
  const compare = SORTS[sort.replace(/^-/, "")] ?? byKey;
  const sign = sort.startsWith("-") ? -1 : 1;
  return objects.toSorted((a, b) => sign * compare(a, b) || byKey(a, b));
}

export function browseParts({ prefixes, objects }: Folder): number {
  return Math.max(1, Math.ceil((prefixes.length + objects.length) / BROWSE_PART));
}

/** browsePage makes the page of a folder. Large folders come in parts, folders first. Totals are of the whole folder, and licences are those of
 *  all objects under the prefix. `collections` counts the collections of the whole view, at its root only.
 *  @param part 1 to the `parts` of the answer
 *  @param licences of the objects that are shown; [] for all */
export function browsePage(data: ViewData, whole: Folder, sort: BrowseSort, part: number, licences: readonly string[] = []) {
  const { prefix } = whole;
  const under = data.objects.slice(...prefixRange(data.objects, prefix));
  const { folders } = relationsOf(licences.length === 0 ? data : { ...data, objects: withLicences(under, licences) });
  const folder: Folder = folders.get(prefix) ?? { ...whole, prefixes: [], objects: [], count: 0, bytes: 0 };
  const objects = sort === "name" ? folder.objects : sortObjects(folder.objects, sort);
  const named = /^-?name$/.test(sort);
  const entries = folder.prefixes.length + objects.length;
  const [from, to] = [(part - 1) * BROWSE_PART, part * BROWSE_PART];
  const afterFolders = (place: number): number => Math.max(0, place - folder.prefixes.length);
  // The root shows all collections, also where one of them takes what is left over and so has the root's prefix.
  const collection = prefix === "" ? undefined : data.library.collections.find((candidate) => candidate.prefix === prefix);
  return {
    page: "browse" as const,
    prefix,
    collections: prefix === "" ? data.library.collections.length : null,
    crumbs: crumbsOf(data, prefix),
    collection: collection === undefined ? null : collectionCard(data, collection),
    prefixes: folder.prefixes.slice(from, to).map((child) => ({
      prefix: child,
      title: data.library.collections.find((candidate) => candidate.prefix === child)?.title ?? null,
      count: folders.get(child)?.count ?? 0,
      bytes: folders.get(child)?.bytes ?? 0,
      kinds: bytesByKind(data.objects.slice(...prefixRange(data.objects, child))),
    })),
    objects: objects.slice(afterFolders(from), afterFolders(to)).map(objectCard),
    sort,
    part,
    parts: browseParts(folder),
    jumps: jumpsOf({
      items: entries,
      size: BROWSE_PART,
      part,
      path: (target) => pagePath.browsePart(prefix, target) + browseQuery(sort, licences),
      nameAt: named ? (place) => (folder.prefixes[place] ?? objects[afterFolders(place)]?.key ?? "").slice(prefix.length) : null,
    }),
    folders: folder.prefixes.length,
    total: folder.objects.length,
    licences: licenceFacet(whole, sort, licences),
    shelf: shelfOf(data, part === 1 ? folder : null),
    readme: null as { readonly key: string; readonly html: string } | null,
  };
}

/** bytesByKind adds up the sizes of objects, the largest kind first. */
function bytesByKind(objects: readonly ObjectRow[]) {
  return [...Map.groupBy(objects, ({ kind }) => kind)]
    .map(([kind, all]) => ({ kind, bytes: all.reduce((sum, { size }) => sum + size, 0) }))
    .sort((a, b) => b.bytes - a.bytes || compareNames(a.kind, b.kind));
}

/** shelfOf puts the records that the files of a folder prove on a shelf; null where there are none. */
function shelfOf(data: ViewData, folder: Folder | null) {
  const { recordsOfObject } = relationsOf(data);
  const records = [...new Set(folder?.objects.flatMap(({ key }) => recordsOfObject.get(key) ?? []))];
  return records.length === 0 ? null : theoremShelf(records);
}

/** readmeOf returns the key of the object that describes a folder, for the folder's first part; null where there is none. */
export function readmeOf({ prefix, objects }: Folder, part: number): string | null {
  const found = part > 1 ? [] : objects.filter(({ key }) => README.test(key.slice(prefix.length)));
  return (found.find(({ kind }) => kind === "markdown") ?? found[0])?.key ?? null;
}

/** folderPage adds to a folder's page the text that describes the folder.
 *  @param readme key of the object that describes it, shown below the list unless it is long
 *  @param read returns an object's extract */
export async function folderPage(
  data: ViewData,
  model: ReturnType<typeof browsePage>,
  readme: string | null,
  read: (key: string) => Promise<Extract>,
): Promise<ReturnType<typeof browsePage>> {
  const html = readme === null ? null : (await read(readme)).html;
  if (readme === null || html === null || html.length > MAX_README) return model;
  return {
    ...model,
    readme: { key: readme, html: moveLinks(unlinkDead(html, readme, data), pagePath.object(readme), pagePath.browse(model.prefix)) },
  };
}

export function objectFacts(data: ViewData, row: ObjectRow) {
  const { folders } = relationsOf(data);
  const siblings = folders.get(parentPrefix(row.key))?.objects ?? [];
  const at = lowerBound(siblings, (other) => other.key < row.key);
  const neighbour = (other: ObjectRow | undefined) => (other === undefined ? null : { key: other.key, title: other.title });
  const collection = findCollection(data.library.collections, row.key);
  return {
    page: "object" as const,
    ...row,
    crumbs: crumbsOf(data, row.key),
    collection: collection === null ? null : { id: collection.id, title: collection.title, visibility: collection.visibility },
    etag: formatEtag(row.sha256),
    cited_by: citedBy(data, row.key),
    previous: neighbour(siblings[at - 1]),
    next: neighbour(siblings[at + 1]),
  };
}

/** openObject reads the text of an object, mends its links and cuts it, once for all of its pages. The outline is a table of contents: the heading
 *  path and the first line of each passage, or, of a PDF, the pages that its own list names.
 *  @param links targets of the links in the text, where all of them are known */
export function openObject(data: ViewData, row: ObjectRow, extract: Extract, links: readonly string[] | null = null) {
  const show = openParts(row, unlinkDead(extract.html ?? "", row.key, data, links), extract.written);
  const said = {
    notes: extract.notes,
    facts: extract.facts ?? [],
    lines: extract.lines,
    language: extract.language,
    // Pages of a PDF, and how many of them are drawn.
    pages: extract.passages.reduce((most, { page }) => Math.max(most, page ?? 0), extract.images?.at(-1)?.page ?? 0),
    drawn: extract.images?.at(-1)?.page ?? 0,
    quoted: null as QuotedLines | null,
  };
  const outline = extract.outline === undefined ? outlineOf(extract.passages) : null;
  return (part: number | { readonly line: number }) => {
    const path = typeof part === "number" ? pagePath.objectPart(row.key, part) : pagePath.object(row.key);
    const { placeOf, ...shown } = show(part, path);
    return {
      ...shown,
      ...said,
      html: extract.html === null ? null : shown.html,
      outline:
        outline?.map((entry) => ({ ...entry, place: placeOf(entry.line) })) ??
        (extract.outline ?? []).map(({ title, page: line, depth }) => ({ title, line, depth, place: null })),
    };
  };
}

/** objectPage makes one page of an object. `quoted` are lines that the address asks for, shown above the text: none on the stored page.
 *  @param part of a long text: its number, or a line of it */
export function objectPage(
  facts: ReturnType<typeof objectFacts>,
  show: ReturnType<typeof openObject>,
  part: number | { readonly line: number },
) {
  return { ...facts, ...show(part) };
}

function outlineOf(passages: readonly Passage[]) {
  const outline: { title: string; line: number; depth: number }[] = [];
  let open: readonly string[] = [];
  for (const { heading, name, page, start_line, text } of passages) {
    const line = lineWithin(page, start_line);
    for (const [depth, title] of heading.entries()) {
      if (open[depth] === title && depth < open.length && heading.slice(0, depth).every((text, at) => text === open[at])) continue;
      outline.push({ title, line, depth });
    }
    open = heading;
    // Above the declaration may stand what belongs to it, and the beginning of the file.
    if (name !== null && outline.at(-1)?.title !== name)
      outline.push({ title: name, line: declarationLine({ name, text, start_line: line }), depth: heading.length });
    if (outline.length >= MAX_OUTLINE) break;
  }
  return outline.slice(0, MAX_OUTLINE);
}

/** claimsPage makes the list of claims. @param standings of the claims that are shown; null for all */
export function claimsPage(data: ViewData, standings: readonly string[] | null = null) {
  return {
    page: "claims" as const,
    meta: data.claims.meta,
    claims: findClaims(data, standings).map((claim) => ({
      ...claimCard(data, claim),
      evidence: claim.evidence.length,
      gaps: claim.gaps.length,
    })),
    byStanding: countClaims(data),
  };
}

/** Records of a claim that a list shows at once. */
const LISTED = 12;

/** claimPage makes the page of a claim. In its evidence, `object` is the key of the library object with that digest, when this view holds one.
 *  @throws ShelfError "claim_not_found" */
export function claimPage(data: ViewData, id: string) {
  const relations = relationsOf(data);
  const claim = relations.claimById.get(id);
  if (claim === undefined)
    throw orWithdrawn(
      data.withdrawn,
      "claim",
      id,
      new ShelfError("claim_not_found", "No claim has this id.", { fixes: [`See ${pagePath.claims}.`] }),
    );
  const stateOf = openEvidence(data);
  const evidence = claim.evidence.map((item) => {
    const { sha256: digest = "" } = item;
    const object = relations.keysByDigest.get(digest)?.[0] ?? null;
    const record = data.cubs.find((candidate) => Object.values(candidate.file_shas).includes(digest))?.id ?? null;
    return { ...item, object, record, evidence_state: stateOf(item) };
  });
  const records = relations.recordsOfClaim.get(id) ?? [];
  return {
    page: "claim" as const,
    claim,
    standing: claimStandings(data)(claim),
    evidence,
    pins: data.claims.meta.pins,
    records: records.map(recordCard),
    /** In one look, where a list would be long. */
    shelf: records.length > LISTED ? theoremShelf(records) : null,
  };
}

/** rejectedPage lists what was rejected, withheld or withdrawn. A notice of a withdrawal has the link to what takes the place of the thing. */
export function rejectedPage(data: ViewData) {
  const withdrawn = (data.withdrawn ?? []).map((notice) => ({ ...notice, href: replacementHref(notice) }));
  return { page: "rejected" as const, rejected: data.rejected, withheld: data.withheld, withdrawn };
}
