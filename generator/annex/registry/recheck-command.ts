/** `proofshelf registry recheck | adapters`, and what `check` says of a registry.yaml. */
import { countOf } from "#snapshots/format";
import { existsSync } from "node:fs";
import { constants } from "node:os";
import { ShelfError } from "#snapshots/errors";
import type { SigningKey } from "#snapshots/log";
import { type CommonOptions, FOUND, print, REFUSED } from "#generator/commands";
import { openProgress, SIGNALS } from "#generator/files";
import { type Checks, machineKey, type ToldVerdict } from "./checks.ts";
import { advisoriesJsonSchema } from "#generator/annex/recall";
import { reviewsJsonSchema } from "#generator/annex/reviews";
import { type RegistrySources, sourcesJsonSchema } from "./config.ts";
import { findChecker } from "./coq-tool.ts";
import { describeRefused } from "./judge.ts";
import { findKernels } from "./kernels.ts";
import { memoize } from "./memoize.ts";
import { lockJsonSchema, UNWRITTEN } from "./lock.ts";
import { writeRegistry } from "./make-registry.ts";
import { openSources, type SourceOptions } from "./open-sources.ts";
import { reviewFindings } from "./meaning.ts";
import { overlayJsonSchema } from "./overlay.ts";
import { ADAPTERS, adapterOf, openTools, type ProverName, PROVERS } from "./provers.ts";
import { findStale, recheckSource, type Rechecked, type RecheckOptions } from "./recheck.ts";
import { describeTable, exitOf, type RecheckRow, tabulate } from "./recheck-table.ts";
import { endJobs, findSandbox } from "./sandbox.ts";
import { type FoundDeclaration, fullName, type ScannedSource } from "./scan.ts";
import { judgeAgain, type SourcesScan, scanAll } from "./scan-all.ts";
import { contradiction, isFailure, readPolicy, saysNothing } from "./states.ts";
import { writeScan } from "./write-scan.ts";

export const SCHEMAS = {
  sources: sourcesJsonSchema,
  overlay: overlayJsonSchema,
  lock: lockJsonSchema,
  advisories: advisoriesJsonSchema,
  reviews: reviewsJsonSchema,
};

type RecheckCommand = SourceOptions & {
  readonly force?: boolean;
  readonly jobs: string;
  readonly limit?: string;
  readonly unsandboxed?: boolean;
  readonly exact?: boolean;
  /** False leaves coqchk out. */
  readonly second?: boolean;
  readonly require?: string[];
  readonly requireAll?: boolean;
};

/** runRecheck runs the provers over what is not fresh; what nobody can run here is not run, and said so. */
export async function runRecheck(ids: readonly string[], options: RecheckCommand): Promise<void> {
  const jobs = Number(options.jobs);
  if (!Number.isSafeInteger(jobs) || jobs < 1) throw new ShelfError("bad_config", "--jobs takes a number of programs, 1 or more.");
  const minutes = options.limit === undefined ? null : Number(options.limit);
  if (minutes !== null && !(minutes > 0 && minutes <= MAX_MINUTES))
    throw new ShelfError("bad_config", `--limit takes a number of minutes, more than 0 and at most ${MAX_MINUTES}.`);
  const config = await openSources(options);
  // A first scan has nothing to lose.
  if (!existsSync(config.lock)) writeScan(config, await scanAll(config));
  const scan = await scanAll(config);
  const unknown = ids.filter((id) => !scan.records.some((record) => record.id === id));
  if (unknown.length > 0) throw new ShelfError("bad_config", `There is no record ${unknown.join(", ")}.`);
  const wanted = ids.length === 0 ? scan.records : scan.records.filter(({ id }) => ids.includes(id));
  const { passes, absent, lacking } = planPasses(config, scan, wanted, options);
  const key = machineKey();
  if (passes.length > 0 && key === null && options.quiet !== true) process.stderr.write(`${UNSIGNED}\n`);
  const stop = openStop(minutes);
  let runs: readonly Rechecked[];
  try {
    runs = await runPasses(config, passes, {
      unsandboxed: options.unsandboxed === true,
      exact: options.exact === true,
      jobs,
      key,
      now: () => new Date(),
      signal: stop.signal,
    });
  } finally {
    stop.close();
  }
  const made = new Set(runs.flatMap(({ check }) => (check === null ? [] : [check])));
  const after = runs.length > 0 ? judgeAgain(config, scan, made) : scan;
  const allowed = readPolicy(config.policy.axioms);
  const table = tabulate(
    wanted.map((record) => rowOf(record, after.checks, allowed)),
    config.policy.axioms,
  );
  const refused = after.drift.filter((drift) => drift.refused);
  const unwritten = refused.length > 0 && after.drift.some(({ what }) => UNWRITTEN.has(what));
  // From now on what was accepted is not replaced unless somebody accepts it.
  if (!unwritten) writeScan(config, after);
  const lines = [
    ...lacking,
    ...[...absent].map((prover) => `${PROVERS[prover].needs} is not installed: nothing was run over ${PROVERS[prover].title}.`),
    ...runs.flatMap(({ repo, asked, check, problems }) => [
      `${repo}: asked of ${countOf(asked, "declaration")}; ${check === null ? "no check came of it" : `check ${check}`}`,
      ...problems.map((problem) => `  ${problem}`),
    ]),
    ...(options.second === false ? ["coqchk was left out, as --no-second says: what Coq accepts nobody looks over."] : []),
    ...(passes.length === 0 && absent.size === 0 ? ["Nothing has changed since it was checked: no prover was started."] : []),
    ...(made.size > 0 ? tellUncounted(key, config.checks.trust) : []),
    ...(stop.signal.aborted
      ? [`${String(stop.signal.reason)} What was done until then is kept; the same command goes on from there.`]
      : []),
    ...(unwritten ? ["The lock is not of these revisions: proofshelf registry scan writes it, when what is refused is accepted."] : []),
    ...(refused.length > 0
      ? [
          ...describeRefused(after),
          `If that is meant: proofshelf registry scan --accept ${refused.map(({ id }) => id).join(" ")} --reason …`,
        ]
      : []),
    ...describeTable(table),
    ...(runs.length > 0 ? tellRecalled(config, after) : []),
  ];
  print(options, { runs, table, drift: after.drift }, `${lines.join("\n")}\n`);
  const exit = exitOf(table, options.requireAll === true);
  process.exitCode = stop.exit ?? (exit === FOUND ? FOUND : refused.length > 0 ? REFUSED : exit);
}

/** tellRecalled counts what a prover with a known hole alone accepted: it is not verified. */
function tellRecalled(config: RegistrySources, scan: SourcesScan): string[] {
  const { cubs } = JSON.parse(Buffer.from(writeRegistry(config, scan)).toString()) as { cubs: { status: string }[] };
  const count = cubs.filter(({ status }) => status === "RECALLED").length;
  return count === 0
    ? []
    : [`${count} of what was accepted may use a known hole of its prover, and does not count as verified: proofshelf registry advisories`];
}

const MAX_MINUTES = 20_000; // as far as a timer goes

/** openStop fires when the time is over, and when somebody ends the process: what runs ends, and what is done is kept.
 *  @param minutes null for ever */
function openStop(minutes: number | null) {
  const controller = new AbortController();
  let exit: number | null = null;
  const stop = (why: string): void => {
    controller.abort(why);
    endJobs();
  };
  const timer = minutes === null ? undefined : setTimeout(() => stop(`The limit of ${minutes} min is over.`), minutes * 60_000);
  const signals = SIGNALS.map((signal) => ({
    signal,
    hear: (): void => {
      exit = 128 + constants.signals[signal];
      stop(`It was ended by ${signal}.`);
    },
  }));
  for (const { signal, hear } of signals) process.once(signal, hear);
  return {
    signal: controller.signal,
    get exit() {
      return exit;
    },
    close(): void {
      clearTimeout(timer);
      for (const { signal, hear } of signals) process.off(signal, hear);
    },
  };
}

/** The checker that is asked: the prover itself where neither a second checker nor a kernel is. */
type Asked = Pick<RecheckOptions, "second" | "kernel">;
type Pass = { readonly who: Asked; readonly source: ScannedSource; readonly asked: readonly FoundDeclaration[] };

/** planPasses says who is asked of what: the prover of each source, then its second checker, and then each kernel.
 *  @throws ShelfError "bad_config" where a program that was asked for is not installed */
function planPasses(
  config: RegistrySources,
  scan: SourcesScan,
  wanted: SourcesScan["records"],
  { second = true, force = false, require = [] }: RecheckCommand,
): { passes: readonly Pass[]; absent: ReadonlySet<ProverName>; lacking: readonly string[] } {
  const strange = require.filter((name) => !Object.hasOwn(PROVERS, name));
  if (strange.length > 0)
    throw new ShelfError("bad_config", `--require: ${strange.join(", ")} is no prover; there is ${Object.keys(PROVERS).join(", ")}.`);
  const toolOf = openTools();
  const known = force ? null : scan.checks;
  const isAbsent = ({ source }: ScannedSource): boolean => source.adapter === undefined && toolOf(source) === null;
  const stale = findStale(wanted, known, toolOf);
  const absent = new Set(stale.flatMap(({ source }) => (isAbsent(source) ? [source.source.prover] : [])));
  const required = [...absent].filter((prover) => require.includes(prover));
  if (required.length > 0)
    throw new ShelfError(
      "bad_config",
      `${required.map((prover) => PROVERS[prover].needs).join(", ")}: not installed, and --require asks for it.`,
    );
  const { kernels, lacking } = findKernels(config);
  const looked = second ? findStale(wanted, known, toolOf, true) : [];
  const hasChecker = looked.length > 0 && findChecker() !== null;
  const whos: readonly Asked[] = [{}, ...(hasChecker ? [{ second: true }] : []), ...kernels.map((kernel) => ({ kernel }))];
  const passes = whos.flatMap((who) => {
    const all = who.second === true ? looked : who.kernel === undefined ? stale : findStale(wanted, known, toolOf, false, who.kernel);
    return scan.sources.map((source) => ({ who, source, asked: all.filter((entry) => entry.source === source).map(({ one }) => one) }));
  });
  const runs = passes.filter(({ source, asked }) => asked.length > 0 && !isAbsent(source));
  const lacksChecker = looked.some(({ source }) => !isAbsent(source)) && !hasChecker;
  return {
    passes: runs,
    absent,
    lacking: [...lacking, ...(lacksChecker ? ["coqchk is not installed: what Coq accepts nobody looks over."] : [])],
  };
}

async function runPasses(config: RegistrySources, passes: readonly Pass[], how: RecheckOptions): Promise<readonly Rechecked[]> {
  const runs: Rechecked[] = [];
  const progress = openProgress();
  for (const { who, source, asked } of passes) {
    if (how.signal?.aborted === true) break;
    const by = who.second === true ? "coqchk" : who.kernel?.name;
    const name = `recheck ${source.source.repo}${by === undefined ? "" : ` by ${by}`}, declarations`;
    const tell = (looked: number): void => progress.step(name, looked, asked.length);
    tell(0);
    runs.push(...(await recheckSource(config, source, asked, { ...how, ...who, progress: tell })));
  }
  progress.end();
  return runs;
}

const logsOf = memoize(
  ({ logs }: ToldVerdict["check"]): RecheckRow["logs"] => new Map(logs.map(({ path, log }) => [path, log])),
  new WeakMap(),
);

/** rowOf joins what was said of one declaration. A verdict that fails counts before those that hold. */
function rowOf({ id, one, source }: SourcesScan["records"][number], checks: Checks, allowed: ReturnType<typeof readPolicy>): RecheckRow {
  const verdicts = checks.of(one, source);
  const [first] = verdicts;
  const verdict = verdicts.find((told) => isFailure(told, allowed)) ?? first ?? null;
  const second = checks.second(one, source).map((again): RecheckRow["second"][number] => {
    const { name } = again.check.tool;
    const how = first === undefined ? null : contradiction(first, again);
    const said = again.state === "unsupported" ? "declines" : saysNothing(again.state) ? "says nothing" : "agrees";
    return { name, said: how === null ? said : "disagrees", how: how ?? "" };
  });
  const adapted = adapterOf(source.source) !== null || source.source.adapter !== undefined;
  const { title } = PROVERS[one.prover];
  const never = one.abstract
    ? "it stands in a module with parameters, of which only instances can be asked"
    : adapted
      ? ""
      : `no adapter runs ${title} here`;
  return {
    id,
    name: fullName(one),
    path: one.path,
    line: one.line,
    isTheorem: one.class === "theorem",
    verdict,
    logs: verdict === null ? new Map() : logsOf(verdict.check),
    reason: verdict === null ? never : (verdict.reason ?? ""),
    askable: never === "",
    second,
  };
}

const UNSIGNED =
  "There is no RECHECK_KEY: these checks are unsigned, and will count for nothing in a build. Give the key that registry init has told, export RECHECK_KEY='PRIVATE+KEY+…'; where it is lost, proofshelf keygen makes another, whose public half belongs into checks.trust.";

/** tellUncounted says why a build believes nothing of what was run here, and what would mend it. */
function tellUncounted(key: SigningKey | null, trust: readonly string[]): readonly string[] {
  if (key === null) return [UNSIGNED];
  const { text } = key;
  return trust.length === 0 || trust.includes(text)
    ? []
    : [
        `The checks are signed by a key that checks.trust does not name, and count for nothing in a build. To trust it, add ${JSON.stringify(text)}.`,
      ];
}

/** runSourcesCheck looks through registry.yaml, its overlay, its lock and its checks. */
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
    ...reviewFindings(config, scan),
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
    ...[...agree].map(([says, those]) => `${says}: ${countOf(those.length, "record")}.`),
    `${countOf(scan.records.length, "record")}, ${countOf(checks.count, "check that holds", "checks that hold")}, ${countOf(stale.length, "record")} that no check is of, ${findings.length === 0 ? "nothing found" : countOf(findings.length, "finding")}.`,
  ];
  print(options, { records: scan.records.length, checks: checks.count, unchecked: stale.length, findings }, `${lines.join("\n")}\n`);
  if (findings.length > 0) process.exitCode = FOUND;
}

/** printSchema prints the JSON Schema of a file that people write, for editors. */
export function printSchema(which: keyof typeof SCHEMAS): void {
  process.stdout.write(`${JSON.stringify(SCHEMAS[which], null, 2)}\n`);
}

/** runAdapters prints which provers are here, what each can say, which of them nobody could try where this was written, and whether they can be
 *  run safely. */
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
