/** Models of the registry, its records and its dashboard. */
import {
  checkSentence,
  compareNames,
  cutText,
  findRecalled,
  lowerBound,
  pagePath,
  recordStanding,
  REGISTRY_WORDS,
  registryUnavailable,
  relationsOf,
  restingWords,
  type ViewData,
  wordSentence,
  shownState,
} from "#snapshots/format";
import {
  countNarrowed,
  type CubQuery,
  filterValues,
  findCubs,
  findPlaces,
  neighbourhood,
  reconcile,
  REGISTRY_SORTS,
  registryPath,
  type RegistryQuery,
  toggled,
} from "#snapshots/query";

import { CHECK_STATES, RECORD_FILTERS, type CubRecord, EVIDENCE_STATES, type Extract } from "#snapshots/schema";
import { axiomsOf } from "./axioms.ts";
import { fileGraph } from "./file-graph.ts";
import { theoremShelf } from "./theorem-shelf.ts";
import { claimCard, countBy, countStandings, recordCard, recordCounts } from "./cards.ts";
import { highlightLines, loadLanguage } from "#snapshots/highlight";
import { jumpsOf } from "./jumps.ts";
import { type KnownName, linkNames } from "./linked-names.ts";
import { type Facet, facetOf, REGISTRY_PART, tellsApart } from "./facets.ts";
import { type DifferentLine, difference } from "./difference.ts";
import {
  type CodeFileRow,
  declaredBefore,
  declaredLines,
  declaredText,
  linesOf,
  type RecordSide,
  sidesOf,
  typeAt,
} from "./record-sides.ts";
import { breakStatement, findStatement, firstSentence, partsOfStatement } from "./statement.ts";

/** Facets that may say what the standing says already. */
const SAME_STATES: ReadonlySet<string> = new Set(["status", "verification_state", "check_state", "evidence_state", "no_holes"]);

/** registryPage makes a page of the registry. Each filter that is set has the site path that removes it; `next` and `previous` are site paths,
 *  with the query. */
export function registryPage(data: ViewData, query: RegistryQuery, part = 1) {
  const everything: CubQuery = { ...query, limit: data.cubs.length };
  const { sort = null } = query;
  const found = findCubs(data.cubs, everything);
  const places = findPlaces(data.cubs, query);
  const parts = Math.max(1, Math.ceil(found.count / REGISTRY_PART));
  const plain = query.q === "" && query.filters.size === 0 && sort === null;
  const pathOf = (target: number): string => (plain ? pagePath.registryPart(target) : registryPath(query, target));
  const toPart = (target: number): string | null => (target < 1 || target > parts ? null : pathOf(target));
  const facets = RECORD_FILTERS.map(({ name }): Facet => {
    return facetOf(query, name, countNarrowed(data.cubs, query, places, name));
  }).filter(tellsApart);
  const counts = ({ values }: Facet): string => values.map(({ count }) => count).join();
  const states = facets.find(({ name }) => name === "standing");
  const isSaid = (facet: Facet): boolean =>
    SAME_STATES.has(facet.name) &&
    states !== undefined &&
    counts(facet) === counts(states) &&
    !facet.values.some(({ selected }) => selected);
  return {
    page: "registry" as const,
    total: data.cubs.length,
    /** The shelf of everything, where nothing is asked for. */
    shelf: plain && part === 1 && data.cubs.length > 0 ? theoremShelf(data.cubs) : null,
    matching: found.count,
    records: found.cubs.slice((part - 1) * REGISTRY_PART, part * REGISTRY_PART).map(recordCard),
    facets: facets.filter((facet) => !isSaid(facet)),
    query: query.q,
    sort,
    /** Site paths of the same in each order, the order of ids first. */
    sorts: [null, ...REGISTRY_SORTS].map((one) => ({ sort: one, path: registryPath({ ...query, sort: one }) })),
    selected: [...query.filters].flatMap(([name, values]) =>
      values.map((value) => ({
        name,
        value,
        remove: toggled(query, name, value),
      })),
    ),
    part,
    parts,
    // A search puts an exact id first, and in another order ids say nothing: in both cases places are told.
    jumps: jumpsOf({
      items: found.count,
      size: REGISTRY_PART,
      part,
      path: pathOf,
      nameAt: query.q === "" && sort === null ? (place) => found.cubs[place]?.id ?? "" : null,
    }),
    next: toPart(part + 1),
    previous: toPart(part - 1),
    unavailable: registryUnavailable(data) ?? (data.library.registry === "kept" ? REGISTRY_WORDS.kept : null),
  };
}

/** recordFacts makes the page of a record without two things: the lines of its sides, which need objects' extracts, and its coloured statement,
 *  which follows from the record. Both are harmless HTML. The sides are statement, twin and code, to be read side by side; `files` are the others. */
export function recordFacts(data: ViewData, record: CubRecord) {
  const { id } = record;
  const relations = relationsOf(data);
  const at = lowerBound(data.cubs, (other) => other.id < id);
  const index = data.code.get(id);
  const files: readonly CodeFileRow[] = (index?.files ?? []).map(({ gated: _, media_type: __, ...file }): CodeFileRow => {
    return { ...file, object: relations.keysByDigest.get(file.sha256)?.[0] ?? null };
  });
  const sides = sidesOf(record, files);
  const meaning = meaningParts(data, record);
  const rest: readonly CodeFileRow[] = files.filter((file) => !sides.some((side) => side.file === file));
  const without: readonly RecordSide[] = sides.map((side) => ({ ...side, lines: null }));
  return {
    page: "record" as const,
    record,
    standing: recordStanding(record),
    checks: (record.checks ?? []).map((check) => ({
      state: shownState(check),
      says: checkSentence(check, record),
      counted: check.counted,
      signers: check.signers,
      reason: check.reason,
      attestation: check.attestation,
      object: relations.keysByDigest.get(check.attestation)?.[0] ?? null,
    })),
    words: (record.statement_words ?? []).map((word) => ({ says: wordSentence(word), link: wordLink(data, record, word) })),
    meaning,
    graph: neighbourhood(data, record),
    names: namesOf(record, relations.recordById),
    statement: "",
    summary: "",
    /** The declaration in the file that proves it, where `statement_state` says that it is the same or differs; else null. */
    found: null as { readonly file: string; readonly lines: readonly DifferentLine[] } | null,
    head: index === undefined || index.head === "" ? null : index.head,
    sides: without,
    files: rest,
    claims: (relations.claimsOfRecord.get(id) ?? []).map((claim) => claimCard(data, claim)),
    previous: data.cubs[at - 1]?.id ?? null,
    next: data.cubs[at + 1]?.id ?? null,
  };
}

type MeaningPart = {
  readonly name: string;
  /** Where it is declared, for people; empty where no line is known. */
  readonly place: string;
  /** Its record, its line, or its address; null where nobody knows. */
  readonly link: string | null;
  readonly lines: { readonly object: string; readonly from: number; readonly to: number } | null;
  /** Its lines as harmless HTML, where this view has the bytes. */
  readonly html: readonly string[];
};

/** meaningPlaces gives what has to be read to believe a record, each with the digest of its file and an object of this view that has these bytes. */
export function meaningPlaces(data: ViewData, record: CubRecord) {
  const { keysByDigest } = relationsOf(data);
  return (record.meaning?.parts ?? []).map((part) => {
    const sha256 = (part.path === undefined ? undefined : placesOf(data).get(JSON.stringify([record.repo, part.path]))) ?? null;
    return { part, sha256, object: keysByDigest.get(sha256 ?? "")?.[0] ?? null };
  });
}

function meaningParts(data: ViewData, record: CubRecord): readonly MeaningPart[] {
  return meaningPlaces(data, record).map(({ part: { name, id, path, line = 1, end_line: end = line }, object }) => ({
    name,
    place: path === undefined ? "" : `${path}:${line}${end === line ? "" : `–${end}`}`,
    link: id === undefined ? wordLink(data, record, { path, line }) : pagePath.record(id),
    lines: object === null ? null : { object, from: line, to: end },
    html: [],
  }));
}

const MAX_READ = 8000; // characters of HTML that a record's page quotes of what is below its statement

/** Quotes what has to be read, as far as there is room: the last parts are the nearest to the statement. */
async function quotedParts(parts: readonly MeaningPart[], read: (key: string) => Promise<Extract>): Promise<readonly MeaningPart[]> {
  let room = MAX_READ;
  const quoted: MeaningPart[] = [];
  for (const part of parts.toReversed()) {
    const html = part.lines === null ? [] : linesOf(await read(part.lines.object), part.lines.from, part.lines.to);
    room -= html.join("\n").length;
    quoted.unshift(room < 0 ? part : { ...part, html });
  }
  return quoted;
}

/** The records that statement and proof name, as the prover says. */
function namesOf({ uses }: CubRecord, recordById: ReadonlyMap<string, CubRecord>): readonly KnownName[] {
  return (uses?.edges ?? []).flatMap(({ id = "", name }): KnownName[] => {
    const one = recordById.get(id);
    return one === undefined ? [] : [{ name, path: pagePath.record(id), type: cutText(one.statement, 200) }];
  });
}

/** The definitions below a statement that the library has, with or without a record of their own. */
async function namesBelow(
  { meaning, names, sides }: ReturnType<typeof recordFacts>,
  read: (key: string) => Promise<Extract>,
): Promise<readonly KnownName[]> {
  const named = new Set(names.map(({ name }) => name));
  const system = sides.find(({ file }) => file.role === "proof")?.file.system ?? "";
  const below = meaning.map(async ({ name, link, place, lines }): Promise<KnownName[]> => {
    if (link?.startsWith("/") !== true || named.has(name)) return [];
    const type = lines === null ? null : typeAt(await read(lines.object), lines.from, system);
    return [{ name, path: link, type: type ?? place }];
  });
  return (await Promise.all(below)).flat();
}

/** PlacesOf knows the records of each line of a repository's files, and the digests of these. */
const PLACES = new WeakMap<ViewData, ReadonlyMap<string, string>>();
function placesOf(data: ViewData): ReadonlyMap<string, string> {
  const known = PLACES.get(data);
  if (known !== undefined) return known;
  const places = new Map<string, string>();
  for (const { id, repo, anchor, file_shas: digests } of data.cubs) {
    if (anchor !== undefined) places.set(JSON.stringify([repo, anchor.path, anchor.line]), id);
    for (const [path, digest] of Object.entries(digests)) places.set(JSON.stringify([repo, path]), digest);
  }
  PLACES.set(data, places);
  return places;
}

/** wordLink leads to where a word is defined: a record, else the line of an object, else the line where the source lies; null where nobody knows. */
function wordLink(
  data: ViewData,
  { repo, anchor, links }: CubRecord,
  { path, line = 1 }: { readonly path?: string | undefined; readonly line?: number | undefined },
): string | null {
  if (path === undefined) return null;
  const places = placesOf(data);
  const id = places.get(JSON.stringify([repo, path, line]));
  if (id !== undefined) return pagePath.record(id);
  const key = objectAt(data, { repo }, path);
  if (key !== undefined) return `${pagePath.object(key)}#L${line}`;
  const here = anchor === undefined ? "" : `${encodePath(anchor.path)}#L${anchor.line}`;
  return here !== "" && links.code.endsWith(here) ? `${links.code.slice(0, -here.length)}${encodePath(path)}#L${line}` : null;
}

/** objectAt returns the object that has the bytes of a repository's file. */
function objectAt(data: ViewData, { repo }: Pick<CubRecord, "repo">, path: string): string | undefined {
  return relationsOf(data).keysByDigest.get(placesOf(data).get(JSON.stringify([repo, path])) ?? "")?.[0];
}

function encodePath(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}

/** recordPage adds to a record's page what objects' extracts hold. The summary is what the file says above the theorem. `found.lines` are the
 *  lines of the file's declaration that differ from the record's statement, none where it is the same.
 *  @param read returns an object's extract */
export async function recordPage(bare: ReturnType<typeof recordFacts>, read: (key: string) => Promise<Extract>) {
  const facts = { ...bare, names: [...bare.names, ...(await namesBelow(bare, read))] };
  const sides = facts.sides.map(async (side): Promise<RecordSide> => {
    const { object } = side.file;
    const lines = object === null ? null : declaredLines(side, facts.record, await read(object));
    return lines === null ? side : { ...side, lines: { ...lines, html: await linked(facts, side, lines.html, read) } };
  });
  const declared = await declaredStatement(facts, read);
  const proof = facts.sides.find(({ file }) => file.role === "proof");
  return {
    ...facts,
    ...declared,
    meaning: await quotedParts(facts.meaning, read),
    statement: (await linked(facts, proof, await colouredStatement(facts), read)).join("\n"),
    sides: await inParts(await Promise.all(sides), facts, read),
  };
}

/** Lines of code whose names are links: to the records that the prover says it uses, and where it does not say all, to what the file declares. */
async function linked(
  { record, names }: ReturnType<typeof recordFacts>,
  side: RecordSide | undefined,
  lines: readonly string[],
  read: (key: string) => Promise<Extract>,
): Promise<string[]> {
  const object = side?.file.role === "proof" ? side.file.object : null;
  const isAsked = record.uses !== undefined && (side === undefined || record.checks?.[0]?.prover === side.file.system);
  const used = isAsked ? names : [];
  const isAll = isAsked && record.uses?.count === record.uses?.edges.length;
  const own = side === undefined || object === null || isAll ? [] : declaredBefore(side, record, await read(object), lines.join("\n"));
  const last = (name: string): string | undefined => name.split(".").at(-1);
  const others = own.filter(({ name }) => !used.some((known) => last(known.name) === last(name)));
  return linkNames(lines, [...used, ...others], record.theorem_name, pagePath.record(record.id));
}

/** The statements of a theorem and of its twins, in parts. */
async function inParts(
  sides: readonly RecordSide[],
  facts: ReturnType<typeof recordFacts>,
  read: (key: string) => Promise<Extract>,
): Promise<readonly RecordSide[]> {
  const parted = await Promise.all(
    sides.map(async (side): Promise<RecordSide> => {
      const { object, role, system } = side.file;
      if (side.lines === null || object === null || role !== "proof") return side;
      const stated = findStatement(declaredText(side, facts.record, await read(object))?.text ?? "", side.name, system);
      const parts = stated === null ? null : partsOfStatement(stated);
      if (parts === null) return side;
      await loadLanguage(system);
      const coloured = async (text: string): Promise<string> => (await linked(facts, side, highlightLines(text, system), read)).join("\n");
      return {
        ...side,
        parts: {
          signature: await coloured(parts.signature),
          hypotheses: await Promise.all(parts.hypotheses.map(coloured)),
          conclusion: await coloured(parts.conclusion),
        },
      };
    }),
  );
  return parted.filter(({ parts }) => parts !== undefined).length > 1 ? parted : sides;
}

async function declaredStatement(
  { sides, record }: ReturnType<typeof recordFacts>,
  read: (key: string) => Promise<Extract>,
): Promise<Pick<ReturnType<typeof recordFacts>, "summary" | "found">> {
  const proof = sides.find(({ file }) => file.role === "proof" && file.object !== null);
  const declared = proof === undefined ? null : declaredText(proof, record, await read(proof.file.object ?? ""));
  if (proof === undefined || declared === null) return { summary: "", found: null };
  const { file, name } = proof;
  const stated = findStatement(declared.text, name, file.system);
  const [was, is] = [record.statement.replaceAll(/\s+/g, " ").trim(), stated ?? ""];
  const told = record.statement_state === "same" || (record.statement_state === "differs" && stated !== null);
  const lines = record.statement_state === "differs" ? (difference(was, is)?.lines ?? []) : [];
  return { summary: firstSentence(declared.before), found: told ? { file: file.path, lines } : null };
}

/** In the language of the file that proves it, or else of the first system that the record names. */
async function colouredStatement({ record, sides }: ReturnType<typeof recordFacts>): Promise<readonly string[]> {
  const proof = sides.find(({ file }) => file.role === "proof" && file.system !== "");
  const language = proof?.file.system ?? /[\w*]+/.exec(record.formal_systems)?.[0] ?? null;
  await loadLanguage(language);
  return highlightLines(breakStatement(record.statement.replaceAll("\r\n", "\n")), language);
}

/** Rows of the dashboard's plots; the registry's own page filters by the others. */
const PLOTTED = 12;

function standingsBy(cubs: readonly CubRecord[], value: (record: CubRecord) => string) {
  return [...Map.groupBy(cubs, value)]
    .map(([name, records]) => ({
      value: name,
      count: records.length,
      byStanding: countStandings(records),
    }))
    .sort((a, b) => b.count - a.count || compareNames(a.value, b.value))
    .slice(0, PLOTTED);
}

/** Holes that are named; the registry's own page finds the others. */
const HOLES = 100;

/** The checks of all records by provers: how often each prover said what, which axioms most records rest on, and where something is open. Checks
 *  that are not counted are left out. */
function provenBy(data: ViewData) {
  const { cubs } = data;
  const said = cubs.flatMap(({ checks = [] }) => checks.filter(({ counted }) => counted !== false));
  const provers = [...Map.groupBy(said, ({ prover, tool }) => tool || prover)].map(([prover, all]) => ({
    prover,
    states: countBy(all, shownState, [...CHECK_STATES, "agrees"]).filter(({ count }) => count > 0),
  }));
  const holes = cubs.flatMap(({ id, theorem_name: name, holes: open = [] }) => open.map((hole) => ({ id, name, ...hole })));
  return {
    provers: provers.sort((a, b) => compareNames(a.prover, b.prover)),
    axioms: axiomsOf(cubs).slice(0, 2 * PLOTTED),
    holes: holes.slice(0, HOLES),
    openHoles: holes.length,
    recalled: findRecalled(data)
      .slice(0, HOLES)
      .map(({ record: { id, theorem_name: name }, ...counts }) => ({ id, name, resting: restingWords(counts) })),
  };
}

/** dashboardPage makes the overview of the registry. Its lists by repository and by proof system begin with the one that has most records, each
 *  with its records by standing. `notes` are the generator's, in words. */
export function dashboardPage(data: ViewData) {
  const { cubs, meta } = data;
  return {
    page: "dashboard" as const,
    meta,
    unavailable: registryUnavailable(data),
    total: cubs.length,
    counts: meta === null ? [] : reconcile(meta, cubs),
    ...recordCounts(cubs),
    byEvidence: countBy(cubs, ({ evidence_state: state = "unpinned" }) => state, EVIDENCE_STATES),
    byRepository: standingsBy(cubs, (record) => record.repo),
    bySystem: standingsBy(cubs, (record) => record.formal_systems),
    ...provenBy(data),
    files: fileGraph(cubs),
    sources: Object.entries(meta?.sources ?? {})
      .sort(([a], [b]) => compareNames(a, b))
      .map(([repo, source]) => ({ repo, ...source, records: cubs.filter((record) => filterValues(record, "repo").includes(repo)).length })),
    notes: data.library.notes,
  };
}
