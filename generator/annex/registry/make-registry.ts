/** makeRegistry makes the registry, `{ meta, cubs }`, as a file of it would be. */
import { countOf } from "#snapshots/format";
import { ShelfError } from "#snapshots/errors";
import { countRecords } from "#snapshots/query";
import type { CubRecord, RecordEdge, RegistryMeta } from "#snapshots/schema";
import { cutAlike, type Mentions, withWitnesses } from "#generator/annex/reviews";
import { countRecalls } from "#generator/annex/recall";
import type { RegistrySources } from "./config.ts";
import { withIds } from "./formalization.ts";
import { describeRefused } from "./judge.ts";
import { UNWRITTEN } from "./lock.ts";
import { reviewFindings, withSame } from "./meaning.ts";
import { makeRecord } from "./make-record.ts";
import { applyOverlay } from "./overlay.ts";
import { fullName } from "./scan.ts";
import { type SourcesScan, scanAll } from "./scan-all.ts";

const MAX_USES = 500;
const MAX_USERS = 50;

/** makeRegistry gives what a build reads. It runs no prover and writes nothing.
 *  @param tell hears of checks that count for nothing, and of reviews and witnesses that are of nothing
 *  @throws ShelfError "bad_source" when a scan has to come first, "gate_refused" when something moved that nobody accepted */
export async function makeRegistry(config: RegistrySources, tell: (what: string) => void = () => {}): Promise<Uint8Array> {
  const scan = await scanAll(config);
  const refused = scan.drift.filter((drift) => drift.refused);
  if (refused.length > 0)
    throw new ShelfError(
      "gate_refused",
      `What ${refused.length === 1 ? "a record states" : `${refused.length} records state`} is not what a prover accepted.\n${describeRefused(scan).join("\n")}`,
      { fixes: [`If it is meant: proofshelf registry scan --accept ${refused.map(({ id }) => id).join(" ")} --reason "…"`] },
    );
  const unknown = scan.drift.filter(({ what }) => UNWRITTEN.has(what));
  if (unknown.length > 0)
    throw new ShelfError(
      "bad_source",
      `${countOf(unknown.length, "declaration is", "declarations are")} not in the lock (${unknown[0]?.key ?? ""}). Run proofshelf registry scan first.`,
    );
  const uncounted = scan.checks.refused.map((what) => `${config.checks.store}/${what}.`);
  for (const what of [...cutAlike(uncounted, "checks that count for nothing"), ...reviewFindings(config, scan)]) tell(what);
  return writeRegistry(config, scan);
}

/** writeRegistry gives the registry as JSON. */
export function writeRegistry(config: RegistrySources, scan: SourcesScan): Uint8Array {
  const idOf = new Map(scan.records.map(({ id, one }) => [one.key, id]));
  const { advisories } = scan;
  const bare = withSame(scan.records.map((record) => makeRecord(config, scan, record, idOf)));
  const made = withWitnesses(bare, witnessesIn(scan), mentionsIn(scan));
  const ids = new Set(made.map(({ id }) => id));
  const others = (scan.hand?.records ?? []).map(({ record }) => record).filter(({ id }) => !ids.has(id));
  const cubs = [...withUsers(made, scan), ...others].sort((a, b) => Number(a.id.slice(4)) - Number(b.id.slice(4)));
  const times = scan.sources.map(({ time }) => time).filter((time) => time !== null);
  const checked = made.flatMap(({ checks = [] }) => checks.flatMap(({ finished }) => (finished === "" ? [] : [finished])));
  const heads = Object.fromEntries(
    scan.sources.map(({ source, head }) => [
      source.repo,
      { head, ref: source.rev === head ? source.ref : source.rev, csv_rows: cubs.filter(({ repo }) => repo === source.repo).length },
    ]),
  );
  const body = {
    meta: {
      service: "proofshelf",
      updated_iso: [...times, ...checked].sort().at(-1) ?? "",
      ...scan.hand?.meta,
      generator: "proofshelf registry",
      ...config.meta,
      sources: { ...scan.hand?.meta.sources, ...heads },
      ...countRecords(cubs),
      ...tellRecalls(countRecalls(advisories, cubs)),
      ...tellFormalizations(config, scan),
    },
    cubs,
  };
  return Buffer.from(`${JSON.stringify(body, null, 2)}\n`);
}

function tellFormalizations({ formalizations }: RegistrySources, { records }: SourcesScan): Partial<Pick<RegistryMeta, "formalizations">> {
  if (formalizations.length === 0) return {};
  const named = records.map(({ id, one }) => ({ id, repo: one.repo, name: fullName(one) }));
  return { formalizations: formalizations.map((said) => withIds(said, named)) };
}

function tellRecalls(advisories: ReturnType<typeof countRecalls>): { advisories?: typeof advisories } {
  return advisories.length === 0 ? {} : { advisories };
}

/** witnessesIn gives what the overlay names as witnesses, by record. */
function witnessesIn({ overlay, records }: SourcesScan): ReadonlyMap<string, string> {
  const saysNone = overlay.records.every((entry) => entry["witness"] === undefined);
  if (saysNone) return new Map();
  return new Map(
    records.flatMap(({ id, one }) => {
      const { witness } = applyOverlay(overlay, one, id, new Set()).said;
      return typeof witness === "string" ? [[id, witness] as const] : [];
    }),
  );
}

/** mentionsIn gives the names in a statement where its check tells them, and the words that stand there are known to be what was checked. */
function mentionsIn({ records, checks }: SourcesScan): Mentions {
  const byId = new Map(records.map((record) => [record.id, record]));
  return (id) => {
    const record = byId.get(id);
    const verdict = record === undefined ? undefined : checks.of(record.one, record.source)[0];
    return verdict === undefined || verdict.meaning_sha256 === null || verdict.is_words == null ? null : verdict.mentions;
  };
}

/** withUsers turns each edge round: who is used says by whom. */
function withUsers(made: readonly CubRecord[], { records }: SourcesScan): CubRecord[] {
  const nameOf = new Map(records.map(({ id, one }) => [id, fullName(one)]));
  const users = new Map<string, RecordEdge[]>();
  for (const { id, uses } of made)
    for (const edge of uses?.edges ?? []) {
      if (edge.id === undefined) continue;
      const of = users.get(edge.id) ?? [];
      users.set(edge.id, of);
      of.push({ ...edge, id, name: nameOf.get(id) ?? id });
    }
  return made.map((record) => ({
    ...record,
    ...(record.uses === undefined
      ? {}
      : {
          uses: { ...cutEdges(record.uses.edges, MAX_USES), count: record.uses.count },
          used_by: cutEdges(users.get(record.id) ?? [], MAX_USERS),
        }),
  }));
}

function cutEdges(edges: readonly RecordEdge[], most: number): { count: number; edges: RecordEdge[] } {
  return { count: edges.length, edges: edges.slice(0, most) };
}
