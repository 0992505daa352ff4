/** Models of the registry, its records and its dashboard. */
import { pagePath } from "../format/layout.ts";
import { countNarrowed, type CubQuery, findCubs } from "../query/cubs.ts";
import { filterValues, registryPath, toggled } from "../query/filters.ts";
import { reconcile } from "../query/registry-counts.ts";
import { CUB_FACETS } from "../schema/cub-facets.ts";
import { type CubRecord, KNOWN_VALUES } from "../schema/cubs.ts";
import type { Extract } from "../schema/extract.ts";
import { EVIDENCE_STATES } from "../schema/scalar.ts";
import { recordState } from "../format/evidence-state.ts";
import { REGISTRY_WORDS, registryUnavailable } from "../format/registry-words.ts";
import { compareNames } from "../format/tree.ts";
import { lowerBound, type ViewData } from "../format/view-data.ts";
import { claimCard, countBy, recordCard, recordCounts } from "./cards.ts";
import { highlightLines, loadLanguage } from "./highlight/highlight.ts";
import { jumpsOf } from "./jumps.ts";
import { facetOf, REGISTRY_PART, tellsApart } from "./facets.ts";
import type { CodeFileRow, DashboardPage, Facet, RecordPage, RecordSide, RegistryPage, VerifiedCounts } from "./model.ts";
import { declaredLines, sidesOf } from "./record-sides.ts";
import { relationsOf } from "../format/relations.ts";

export function registryPage(data: ViewData, query: Omit<CubQuery, "limit">, part = 1): RegistryPage {
  const everything: CubQuery = { ...query, limit: data.cubs.length };
  const found = findCubs(data.cubs, everything);
  const parts = Math.max(1, Math.ceil(found.count / REGISTRY_PART));
  const plain = query.q === "" && query.filters.size === 0;
  const pathOf = (target: number): string => (plain ? pagePath.registryPart(target) : registryPath(query.q, query.filters, target));
  const toPart = (target: number): string | null => (target < 1 || target > parts ? null : pathOf(target));
  const facets = CUB_FACETS.map(({ name }): Facet => {
    return facetOf(query, name, countNarrowed(data.cubs, everything, found.cubs, name));
  }).filter(tellsApart);
  return {
    page: "registry",
    total: data.cubs.length,
    matching: found.count,
    records: found.cubs.slice((part - 1) * REGISTRY_PART, part * REGISTRY_PART).map(recordCard),
    facets,
    query: query.q,
    selected: [...query.filters].flatMap(([name, values]) =>
      values.map((value) => ({
        name,
        value,
        remove: toggled(query.q, query.filters, name, value),
      })),
    ),
    part,
    parts,
    // Of a search an exact id comes first, so its places are told.
    jumps: jumpsOf({
      items: found.count,
      size: REGISTRY_PART,
      part,
      path: pathOf,
      nameAt: query.q === "" ? (place) => found.cubs[place]?.id ?? "" : null,
    }),
    next: toPart(part + 1),
    previous: toPart(part - 1),
    unavailable: registryUnavailable(data) ?? (data.library.registry === "kept" ? REGISTRY_WORDS.kept : null),
  };
}

/** All but the lines of its sides, which are in what was read out of objects, and its coloured statement, which follows from it. */
export function recordFacts(data: ViewData, record: CubRecord): RecordPage {
  const { id } = record;
  const relations = relationsOf(data);
  const at = lowerBound(data.cubs, (other) => other.id < id);
  const index = data.code.get(id);
  const files = (index?.files ?? []).map(({ gated: _, media_type: __, ...file }): CodeFileRow => {
    return { ...file, object: relations.keysByDigest.get(file.sha256)?.[0] ?? null };
  });
  const sides = sidesOf(record, files);
  return {
    page: "record",
    record,
    statement: "",
    head: index === undefined || index.head === "" ? null : index.head,
    sides: sides.map((side) => ({ ...side, lines: null })),
    files: files.filter((file) => !sides.some((side) => side.file === file)),
    claims: (relations.claimsOfRecord.get(id) ?? []).map(claimCard),
    previous: data.cubs[at - 1]?.id ?? null,
    next: data.cubs[at + 1]?.id ?? null,
  };
}

/** @param read what was read out of an object */
export async function recordPage(facts: RecordPage, read: (key: string) => Promise<Extract>): Promise<RecordPage> {
  const sides = facts.sides.map(async (side): Promise<RecordSide> => {
    const { object } = side.file;
    return object === null ? side : { ...side, lines: declaredLines(side, facts.record, await read(object)) };
  });
  return { ...facts, statement: await colouredStatement(facts), sides: await Promise.all(sides) };
}

/** In the language of the file that proves it, or else of the first system that the record names. */
async function colouredStatement({ record, sides }: RecordPage): Promise<string> {
  const proof = sides.find(({ file }) => file.role === "proof" && file.system !== "");
  const language = proof?.file.system ?? /[\w*]+/.exec(record.formal_systems)?.[0] ?? null;
  await loadLanguage(language);
  return highlightLines(record.statement.replaceAll("\r\n", "\n"), language).join("\n");
}

/** Rows of the dashboard's plots; the registry's own page filters by the others. */
const PLOTTED = 12;

function verifiedBy(cubs: readonly CubRecord[], value: (record: CubRecord) => string): readonly VerifiedCounts[] {
  return [...Map.groupBy(cubs, value)]
    .map(([name, records]) => ({
      value: name,
      count: records.length,
      byVerification: countBy(records, (record) => record.verification_state, KNOWN_VALUES.verification_state),
    }))
    .sort((a, b) => b.count - a.count || compareNames(a.value, b.value))
    .slice(0, PLOTTED);
}

export function dashboardPage(data: ViewData): DashboardPage {
  const { cubs, meta } = data;
  return {
    page: "dashboard",
    meta,
    unavailable: registryUnavailable(data),
    total: cubs.length,
    counts: meta === null ? [] : reconcile(meta, cubs),
    ...recordCounts(cubs),
    byEvidence: countBy(cubs, ({ id }) => recordState(data, id), EVIDENCE_STATES),
    byRepository: verifiedBy(cubs, (record) => record.repo),
    bySystem: verifiedBy(cubs, (record) => record.formal_systems),
    sources: Object.entries(meta?.sources ?? {})
      .sort(([a], [b]) => compareNames(a, b))
      .map(([repo, source]) => ({ repo, ...source, records: cubs.filter((record) => filterValues(record, "repo").includes(repo)).length })),
    notes: data.library.notes,
  };
}
