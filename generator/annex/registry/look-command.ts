/** `proofshelf registry graph | explain | axioms`: what checks say, looked at. No prover runs. */
import { ShelfError } from "#snapshots/errors";
import {
  accepts,
  checkSentences,
  meaningSentence,
  recalledAmong,
  relateClaims,
  restingWords,
  reviewSentences,
  witnessSentence,
  nameSome,
  countOf,
} from "#snapshots/format";
import { formatGraphDot, formatGraphNdjson } from "#snapshots/annex/proofs";
import type { ClaimsRegistry, CubRecord, RegistryMeta } from "#snapshots/schema";
import { FOUND, print } from "#generator/commands";
import { nearest } from "#generator/config";
import { MAX_CLAIMS_BYTES, NO_CLAIMS, parseClaims, readSourceFile } from "#generator/sources";
import { describeRefused } from "./judge.ts";
import { describeCause } from "./need.ts";
import { findSuspect } from "./make-record.ts";
import { writeRegistry } from "./make-registry.ts";
import { scanAll } from "./scan-all.ts";
import { openSources, type SourceOptions } from "./open-sources.ts";
import { contradiction, isFailure, policyName, readPolicy } from "./states.ts";

/** The records as a build would have them. */
async function open(options: SourceOptions) {
  const config = await openSources(options);
  const scan = await scanAll(config);
  const { cubs, meta } = JSON.parse(Buffer.from(writeRegistry(config, scan)).toString()) as { cubs: CubRecord[]; meta: RegistryMeta };
  return { config, scan, meta, byId: new Map(cubs.map((record) => [record.id, record])) };
}

function findRecord(byId: ReadonlyMap<string, CubRecord>, id: string): CubRecord {
  const names = ({ module, theorem_name: name }: CubRecord): boolean => id === name || id === `${module}.${name}`;
  const [record, ...more] = byId.has(id) ? [byId.get(id)] : [...byId.values()].filter(names);
  if (record !== undefined && more.length === 0) return record;
  const meant = record === undefined ? nearest(id, [...byId.keys()]) : null;
  const several = [record, ...more].flatMap((one) => one?.id ?? []).join(", ");
  throw new ShelfError(
    "bad_config",
    `There is no record ${id}${several === "" ? "" : `, and that is the name of ${several}`}.${meant === null ? "" : ` Did you mean ${meant}?`}`,
  );
}

const MAX_DEPTH = 50;
const MAX_NAMED = 10; // records that are affected
const MAX_WORDS = 12; // lines of what a prover printed

/** runGraph prints the records around a record, as far as it is asked. */
export async function runGraph(id: string, options: SourceOptions & { readonly depth: string; readonly dot?: boolean }): Promise<void> {
  const depth = Number(options.depth);
  if (options.dot === true && options.json === true)
    throw new ShelfError("bad_config", "--dot and --json are two forms; keep one of them.");
  if (!Number.isSafeInteger(depth) || depth < 1 || depth > MAX_DEPTH)
    throw new ShelfError("bad_config", `--depth takes a number of steps, 1 to ${MAX_DEPTH}.`);
  const { byId } = await open(options);
  const start = findRecord(byId, id);
  const near = new Set([start.id]);
  for (const side of ["uses", "used_by"] as const) {
    let border = [start];
    for (let step = 0; step < depth; step++)
      border = border.flatMap((record) =>
        (record[side]?.edges ?? []).flatMap(({ id: other = "" }) =>
          near.has(other) ? [] : ([byId.get(other)].filter((one) => one !== undefined && near.add(one.id)) as CubRecord[]),
        ),
      );
  }
  const records = [...near].map((one) => findRecord(byId, one));
  if (options.dot === true) process.stdout.write([...formatGraphDot(records)].join(""));
  else {
    const lines = (["uses", "used_by"] as const).flatMap((side) =>
      (start[side]?.edges ?? []).map(
        ({ id: other = "", name, from, basis }) =>
          `${side === "uses" ? "uses   " : "used by"} ${other} ${name} (in the ${from}, ${basis === "kernel" ? "as the kernel has it" : "as the source names it"})\n`,
      ),
    );
    const graph = [...formatGraphNdjson(records)].join("").trimEnd().split("\n");
    print(
      options,
      { id, depth, graph: graph.map((line) => JSON.parse(line) as unknown) },
      `${start.id} ${start.module}.${start.theorem_name}\n${lines.join("")}${countOf(near.size - 1, "record")} within ${countOf(depth, "step")}.\n`,
    );
  }
}

/** runExplain prints why a record's state is what it is, and which line of which file or check says so. */
export async function runExplain(id: string, options: SourceOptions): Promise<void> {
  const { config, scan, byId } = await open(options);
  const record = findRecord(byId, id);
  const found = scan.records.find((one) => one.id === id);
  const allowed = readPolicy(config.policy.axioms);
  const reasons: string[] = [];
  for (const { path, line, what } of record.holes ?? []) reasons.push(`${path}:${line} is open: ${what}.`);
  if (found !== undefined) {
    const verdicts = scan.checks.of(found.one, found.source);
    for (const verdict of verdicts) {
      const { check, sha256, state, axioms, unsafe } = verdict;
      reasons.push(
        `${config.checks.store}/${sha256}.json: ${check.tool.name} ${check.tool.version} said ${state}${isFailure(verdict, allowed) ? ", which is no proof" : ""}.`,
      );
      for (const name of axioms ?? [])
        reasons.push(
          `  rests on ${name}, which policy.axioms of ${config.file} ${allowed.has(policyName(verdict, name)) ? "allows" : `does not name as ${policyName(verdict, name)}`}.`,
        );
      for (const what of unsafe) reasons.push(`  ${what}.`);
      const logs = new Map(check.logs.map(({ path, log }) => [path, log]));
      reasons.push(
        ...describeCause(found.one.path, logs)
          .slice(0, MAX_WORDS)
          .map((line) => `  ${line}`),
      );
    }
    for (const second of scan.checks.second(found.one, found.source)) {
      const against = verdicts[0] === undefined ? null : contradiction(verdicts[0], second);
      reasons.push(`${config.checks.store}/${second.sha256}.json: ${second.check.tool.name} ${against ?? "agrees"}.`);
    }
    for (const { sha256, signers } of scan.checks.strangers(found.one, found.source))
      reasons.push(
        `${config.checks.store}/${sha256}.json counts for nothing: ${signers.length === 0 ? "it is unsigned" : `${signers.join(", ")} is not trusted here`}.`,
      );
    for (const { id: hole } of record.recall?.affected ?? []) {
      const { suspects } = scan.advisories.find((one) => one.id === hole) ?? {};
      const at = suspects === undefined ? null : findSuspect(found.source, verdicts[0], found.one.path, suspects);
      if (at !== null) reasons.push(`${hole} may be used by ${at.path}${at.line === 0 ? "" : `:${at.line}: ${at.words}`}`);
    }
    if (verdicts.length === 0) reasons.push("No check is of exactly these bytes and of all that they import.");
    const drift = scan.drift.filter((one) => one.id === id);
    if (drift.length > 0) reasons.push(...describeRefused({ drift }));
  }
  const read = meaningSentence(record);
  const meaning =
    read === null ? [] : [read, ...(record.meaning?.sha256 ? [`  A review is of the meaning ${record.meaning.sha256}.`] : [])];
  const head = `${record.id} ${record.module}.${record.theorem_name} (${record.anchor?.path ?? ""}:${record.anchor?.line ?? 0}): ${record.verification_state}, ${record.status}`;
  print(
    options,
    {
      id: record.id,
      verification_state: record.verification_state,
      status: record.status,
      meaning: record.meaning?.sha256 || null,
      reasons,
    },
    `${[head, ...checkSentences(record), ...meaning, ...reviewSentences(record), ...[witnessSentence(record)].flatMap((says) => says ?? []), ...reasons].join("\n")}\n`,
  );
}

/** runAxioms prints what each record rests on, grouped by what that is, from the checks; and whether the policy allows it. */
export async function runAxioms(ids: readonly string[], options: SourceOptions & { readonly allow?: readonly string[] }): Promise<void> {
  const { config, scan, byId } = await open(options);
  const allowed = readPolicy([...config.policy.axioms, ...(options.allow ?? [])]);
  const verdictOf = new Map(scan.records.map(({ id, one, source }) => [id, scan.checks.of(one, source)[0]]));
  const namesOf = ({ id, axioms = [] }: CubRecord): string[] => axioms.map((name) => policyName(verdictOf.get(id) ?? {}, name));
  const records = ids.length === 0 ? [...byId.values()] : ids.map((id) => findRecord(byId, id));
  const asked = records.filter(({ axioms }) => axioms !== undefined);
  const groups = [...Map.groupBy(asked, (record) => JSON.stringify([namesOf(record), record.unsafe ?? []]))]
    .map(([set, those]) => {
      const [axioms, unsafe] = JSON.parse(set) as [string[], string[]];
      return { axioms, unsafe, outside: axioms.filter((name) => !allowed.has(name)), records: those.map(({ id }) => id) };
    })
    .sort((a, b) => a.axioms.length - b.axioms.length || b.records.length - a.records.length);
  const lines = groups.flatMap(({ axioms, unsafe, outside, records: those }) => [
    `${countOf(those.length, "record rests", "records rest")} on ${axioms.length === 0 ? "no axiom" : ""}`.trimEnd() +
      (axioms.length === 0 ? "." : ":"),
    ...axioms.map((name) => `  ${name}${outside.includes(name) ? " (outside the policy)" : ""}`),
    ...unsafe.map((what) => `  ${what}`),
    ...(axioms.length + unsafe.length === 0 ? [] : [`  ${those.join(" ")}`]),
  ]);
  const unknown = records.length - asked.length;
  if (unknown > 0) lines.push(`Of ${unknown} no prover has told what they rest on.`);
  print(options, { groups, unknown }, `${lines.join("\n")}\n`);
  if (groups.some(({ outside, unsafe }) => outside.length + unsafe.length > 0)) process.exitCode = FOUND;
}

/** runAdvisories prints the known holes of the checkers that accepted records, those on which most rests first, and which records may use one. */
export async function runAdvisories(options: SourceOptions): Promise<void> {
  const { config, meta, byId } = await open(options);
  const cubs = [...byId.values()];
  const recalled = cubs.filter(({ recall }) => (recall?.affected.length ?? 0) > 0);
  const most = options.verbose === true ? cubs.length : MAX_NAMED;
  const told = (meta.advisories ?? []).map((advisory) => {
    const records = recalled.filter(({ recall }) => recall?.affected.some(({ id }) => id === advisory.id)).map(({ id }) => id);
    return { ...advisory, records };
  });
  const lines = told.flatMap(({ id, title, url, needs, affected, passed, records, survives, test, withdrawn }) => [
    `${id}: ${title}. ${url}`,
    withdrawn !== undefined
      ? `  It is withdrawn, and recalls nothing: ${withdrawn}`
      : `  ${affected === 0 ? "No record may use it" : `${affected} may use it: ${nameSome(records, most)}`}${passed === 0 ? "" : `; of ${passed} it is no reason to doubt them`} (${needs === "" ? "a checker without it accepted them, too" : `it needs ${needs}`}).`,
    ...(survives === undefined ? [] : [`  It passes, too: ${survives.join(", ")}.`]),
    ...(test === undefined ? [] : [`  Shown by ${test}`]),
  ]);
  const recheck = recalledAmong(cubs, relateClaims({ cubs, claims: await claimsIn(config.claims) }));
  if (recheck.length > 0)
    lines.push(
      "To recheck with a version or a kernel without the hole, those on which most rests first:",
      ...recheck
        .slice(0, most)
        .map(
          ({ record, ...counts }) =>
            `  ${record.id} ${record.module}.${record.theorem_name}, ${restingWords(counts) || "nothing rests on it"}`,
        ),
      ...(recheck.length > most ? [`  and ${recheck.length - most} more; --verbose has them all`] : []),
    );
  const unheld = cubs.filter(({ checks = [] }) => !checks.some((check) => check.counted && accepts(check))).length;
  if (unheld === cubs.length) lines.push("No check that counts accepted a record, so that nothing is held against the advisories.");
  else {
    if (told.length === 0) lines.push("No checker that accepted a record has a known hole.");
    if (unheld > 0) lines.push(`Of ${unheld} of ${countOf(cubs.length, "record")} this says nothing: no check that counts accepted them.`);
  }
  print(
    options,
    { advisories: told, unchecked: unheld, recheck: recheck.map(({ record: { id }, ...counts }) => ({ id, ...counts })) },
    `${lines.join("\n")}\n`,
  );
  if (told.some(({ affected }) => affected > 0)) process.exitCode = FOUND;
}

async function claimsIn(file: string | null): Promise<ClaimsRegistry> {
  return file === null
    ? NO_CLAIMS
    : parseClaims(await readSourceFile(file, "claims file", MAX_CLAIMS_BYTES), /\.json$/i.test(file) ? "json" : "yaml");
}
