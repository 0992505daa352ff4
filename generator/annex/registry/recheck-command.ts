/** `proofshelf registry recheck | adapters`, and what `check` says of a registry.yaml. */
import { existsSync } from "node:fs";
import { ShelfError } from "#snapshots/errors";
import { parseSigningKey } from "#snapshots/log";
import { type CommonOptions, FOUND, print } from "#generator/commands";
import { sourcesJsonSchema } from "./config.ts";
import { openProgress } from "#generator/files";
import { findChecker } from "./coq-tool.ts";
import { lockJsonSchema, UNWRITTEN, writeLock } from "./lock.ts";
import { overlayJsonSchema } from "./overlay.ts";
import { ADAPTERS, openTools, PROVERS } from "./provers.ts";
import { findStale, recheckSource, type Rechecked } from "./recheck.ts";
import { describeRefused } from "./judge.ts";
import { writeRegistry } from "./make-registry.ts";
import { judgeAgain, scanAll } from "./scan-all.ts";
import { findSandbox } from "./sandbox.ts";
import { openSources, type SourceOptions } from "./open-sources.ts";
import { REFUSED } from "./scan-command.ts";
import { findKernels } from "./kernels.ts";
import { writeScan } from "./write-scan.ts";
import { contradiction, isFailure, readPolicy, saysNothing } from "./states.ts";

export const SCHEMAS = { sources: sourcesJsonSchema, overlay: overlayJsonSchema, lock: lockJsonSchema };

type RecheckCommand = SourceOptions & {
  readonly force?: boolean;
  readonly jobs: string;
  readonly unsandboxed?: boolean;
  readonly exact?: boolean;
  readonly second?: boolean;
  readonly require?: string[];
};

/** Runs the provers over what is not fresh; what nobody can run here is not run, and said so. */
export async function runRecheck(ids: readonly string[], options: RecheckCommand): Promise<void> {
  const jobs = Number(options.jobs);
  if (!Number.isSafeInteger(jobs) || jobs < 1) throw new ShelfError("bad_config", "--jobs takes a number of programs, 1 or more.");
  const config = await openSources(options);
  // A first scan has nothing to lose.
  if (!existsSync(config.lock)) writeScan(config, await scanAll(config));
  const scan = await scanAll(config);
  const unknown = ids.filter((id) => !scan.records.some((record) => record.id === id));
  if (unknown.length > 0) throw new ShelfError("bad_config", `There is no record ${unknown.join(", ")}.`);
  const wanted = ids.length === 0 ? scan.records : scan.records.filter(({ id }) => ids.includes(id));
  const second = options.second === true;
  const toolOf = openTools();
  const stale = findStale(wanted, options.force === true ? null : scan.checks, toolOf, second);
  if (second && stale.length > 0 && findChecker() === null)
    throw new ShelfError("bad_config", "coqchk is not installed, and --second asks for it.");
  const absent = new Set(
    stale.flatMap(({ source: { source } }) => (source.adapter === undefined && toolOf(source) === null ? [source.prover] : [])),
  );
  const required = [...absent].filter((prover) => (options.require ?? []).includes(prover));
  if (required.length > 0)
    throw new ShelfError(
      "bad_config",
      `${required.map((prover) => PROVERS[prover].needs).join(", ")}: not installed, and --require asks for it.`,
    );
  const key = process.env["RECHECK_KEY"];
  const runs: Rechecked[] = [];
  const progress = openProgress();
  const { kernels, lacking } = findKernels(config);
  const known = options.force === true ? null : scan.checks;
  const all = kernels.map((kernel) => ({ kernel, of: findStale(wanted, known, toolOf, second, kernel) }));
  const passes = [{ kernel: undefined, of: stale }, ...(second ? [] : all)].flatMap(({ kernel, of }) =>
    scan.sources.map((source) => ({ kernel, source, asked: of.filter((entry) => entry.source === source).map(({ one }) => one) })),
  );
  const total = passes.reduce((sum, { asked }) => sum + asked.length, 0);
  let begun = 0;
  for (const { kernel, source, asked } of passes) {
    if (source.source.adapter === undefined && absent.has(source.source.prover)) continue;
    // A program of somebody else's is asked once: it names no second checker.
    if (asked.length === 0 || (second && source.source.adapter !== undefined)) continue;
    // How far a prover is it does not say; that it is asked still, and for how long, is said.
    progress.step(`recheck ${source.source.repo}${kernel === undefined ? "" : ` by ${kernel.name}`}`, begun, total);
    begun += asked.length;
    runs.push(
      await recheckSource(config, source, asked, {
        unsandboxed: options.unsandboxed === true,
        exact: options.exact === true,
        second,
        ...(kernel === undefined ? {} : { kernel }),
        jobs,
        key: key === undefined ? null : parseSigningKey(key),
        now: () => new Date(),
      }),
    );
  }
  progress.end();
  const made = new Set(runs.flatMap(({ check }) => (check === null ? [] : [check])));
  const after = runs.length > 0 ? judgeAgain(config, scan, made) : scan;
  const { checks } = after;
  const allowed = readPolicy(config.policy.axioms);
  const counts: Record<string, number> = {};
  const failures: string[] = [];
  let outside = false;
  for (const { id, one, source } of wanted) {
    const verdicts = checks.of(one, source);
    for (const again of checks.second(one, source)) {
      const { name } = again.check.tool;
      if (!second && name === "coqchk") continue;
      const said = again.state === "unsupported" ? "declines" : saysNothing(again.state) ? "says nothing" : "agrees";
      const against = verdicts[0] === undefined ? null : contradiction(verdicts[0], again);
      const count = `${name === "coqchk" ? "second" : name} ${against === null ? said : "disagrees"}`;
      counts[count] = (counts[count] ?? 0) + 1;
      if (against !== null)
        failures.push(`${id} ${one.module}.${one.theorem} (${one.path}:${one.line}): ${again.check.tool.name} disagrees: ${against}`);
    }
    const state = verdicts[0]?.state ?? "not_run";
    counts[state] = (counts[state] ?? 0) + 1;
    const failed = verdicts.find((verdict) => isFailure(verdict, allowed));
    if (failed?.state === "accepted_with_axioms") outside = true;
    if (failed !== undefined)
      failures.push(
        `${id} ${one.module}.${one.theorem} (${one.path}:${one.line}): ${failed.state}${[...(failed.axioms ?? []), ...failed.unsafe].map((name) => `\n    ${name}`).join("")}`,
      );
  }
  // From now on what was accepted is not replaced unless somebody accepts it.
  const unwritten = after.drift.some(({ what }) => UNWRITTEN.has(what));
  if (runs.length > 0 && !unwritten) writeLock(config.lock, after.lock);
  const refused = after.drift.filter((drift) => drift.refused);
  const lines = [
    ...lacking,
    ...[...absent].map((prover) => `${PROVERS[prover].needs} is not installed: nothing was run over ${PROVERS[prover].title}.`),
    ...runs.flatMap(({ repo, asked, check, problems }) => [
      `${repo}: asked of ${asked} declarations; ${check === null ? "no check came of it" : `check ${check}`}`,
      ...problems.map((problem) => `  ${problem}`),
    ]),
    ...(runs.length === 0 && absent.size === 0 ? ["Nothing has changed since it was checked: no prover was started."] : []),
    ...(runs.length > 0 ? tellUncounted(key, config.checks.trust) : []),
    ...failures,
    ...(unwritten ? ["The lock is not of these revisions: proofshelf registry scan writes it."] : []),
    ...(refused.length > 0
      ? [
          ...describeRefused(after),
          `If that is meant: proofshelf registry scan --accept ${refused.map(({ id }) => id).join(" ")} --reason …`,
        ]
      : []),
    ...(outside ? ["What rests on an axiom is VERIFIED when policy.axioms of registry.yaml names the axiom."] : []),
    Object.entries(counts)
      .map(([state, count]) => `${count} ${state.replaceAll("_", " ")}`)
      .join(", "),
  ];
  print(options, { runs, counts, failures, drift: after.drift }, `${lines.join("\n")}\n`);
  if (failures.length > 0 || runs.some(({ check }) => check === null)) process.exitCode = FOUND;
  else if (refused.length > 0) process.exitCode = REFUSED;
}

/** tellUncounted says why a build believes nothing of what was run here, and what would mend it. */
function tellUncounted(key: string | undefined, trust: readonly string[]): readonly string[] {
  if (key === undefined)
    return [
      "The checks are unsigned, and count for nothing in a build: put a private key of proofshelf keygen into RECHECK_KEY, and its public key into checks.trust.",
    ];
  const { text } = parseSigningKey(key);
  return trust.length === 0 || trust.includes(text)
    ? []
    : [
        `The checks are signed by a key that checks.trust does not name, and count for nothing in a build. To trust it, add ${JSON.stringify(text)}.`,
      ];
}

/** Looks through registry.yaml, its overlay, its lock and its checks. */
export async function runSourcesCheck(file: string, options: CommonOptions & { readonly trust?: readonly string[] }): Promise<void> {
  const opened = await openSources({ ...options, sources: file });
  const config = { ...opened, checks: { ...opened.checks, trust: [...opened.checks.trust, ...(options.trust ?? [])] } };
  const scan = await scanAll(config);
  const { checks } = scan;
  const stale = findStale(scan.records, checks, () => null);
  const findings = [
    ...scan.notes,
    ...checks.refused,
    ...checks.findings(scan.sources),
    ...describeRefused(scan),
    ...scan.drift
      .filter(({ what }) => UNWRITTEN.has(what) || what === "gone")
      .map(({ what, id, key }) => `${what} ${id} ${key}: run proofshelf registry scan`),
  ];
  const agreements = JSON.parse(Buffer.from(writeRegistry(config, scan)).toString()) as {
    cubs: { agreement?: { checkers: number; agree: number } }[];
  };
  const agree = Map.groupBy(
    agreements.cubs.flatMap(({ agreement }) => agreement ?? []),
    ({ checkers, agree: how }) => `${how} of ${checkers} agree`,
  );
  const lines = [
    ...findings,
    ...[...agree].map(([says, those]) => `${says}: ${those.length} records.`),
    `${scan.records.length} records, ${checks.count} checks that hold, ${stale.length} records that no check is of, ${findings.length === 0 ? "nothing found" : `${findings.length} findings`}.`,
  ];
  print(options, { records: scan.records.length, checks: checks.count, unchecked: stale.length, findings }, `${lines.join("\n")}\n`);
  if (findings.length > 0) process.exitCode = FOUND;
}

/** The JSON Schema of a file that people write, for editors. */
export function printSchema(which: keyof typeof SCHEMAS): void {
  process.stdout.write(`${JSON.stringify(SCHEMAS[which], null, 2)}\n`);
}

/** Which provers are here, what each can say, which of them nobody could try where this was written, and whether they can be run safely. */
export function runAdapters(options: CommonOptions): void {
  const sandbox = findSandbox();
  const rows = ADAPTERS.map(({ name, prover, needs, says, experimental }) => ({
    name,
    prover,
    version: prover === null ? null : (PROVERS[prover].find(null)?.version ?? null),
    needs,
    says,
    experimental,
  }));
  const text = rows.map(({ name, version, needs, says, experimental }) => {
    const state =
      version ?? (experimental === null ? `not installed (${needs}); its records are found, and stay not run` : `needs ${needs}`);
    return `${name} ${state}: ${says}${experimental === null ? "" : `. Experimental: ${experimental}`}`;
  });
  text.push(
    sandbox === null
      ? "No sandbox: recheck refuses, unless --unsandboxed."
      : `Sandbox: bubblewrap${sandbox.asNobody ? ", as nobody" : ""}.`,
  );
  print(options, { adapters: rows, sandbox: sandbox?.isolation ?? null }, `${text.join("\n")}\n`);
}
