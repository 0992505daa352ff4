/** Runs provers over what no check speaks of yet, and keeps what they say. A build never does this. */
import { spawn } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { ShelfError } from "#snapshots/errors";
import { sha256 } from "#snapshots/digest";
import type { SigningKey } from "#snapshots/log";
import { OPEN, writeWhole } from "#snapshots/shelf";
import { PREDICATE_PATH } from "#snapshots/annex/proofs";
import { type CheckStatement, reproducibleDigest, seal } from "./attest.ts";
import { type Checks, flagsOf, type ToldVerdict } from "./checks.ts";
import type { RegistrySources, SourceConfig } from "./config.ts";
import { adapterOf, isSourceOf, PROVERS } from "./provers.ts";
import { readTranscript, type Transcript } from "./protocol.ts";
import { type AdapterRequest, ANYWHERE, EVERY, LOOKED, PROTOCOL } from "./request.ts";
import { meaningOf } from "./drift.ts";
import { findSandbox, findUnfit, UNSANDBOXED } from "./sandbox.ts";
import { askKernel, type FoundKernel } from "./kernels.ts";
import { type FoundDeclaration, fullName, type ScannedSource } from "./scan.ts";
import { saysNothing } from "./states.ts";
import type { ProverTool } from "./tool.ts";

/** Where a library has no address yet. */
const USUAL_BASE = "https://proofshelf.dev";
export type RecheckOptions = {
  readonly unsandboxed: boolean;
  /** Asks of each theorem which axioms of a file are its own, also where the policy allows them all. */
  readonly exact: boolean;
  readonly jobs: number;
  /** Asks the second checker instead. */
  readonly second?: boolean;
  /** Asks this kernel instead. */
  readonly kernel?: FoundKernel;
  /** false asks as where the plugin is not installed. */
  readonly graph?: boolean;
  readonly key: SigningKey | null;
  readonly now: () => Date;
  /** Ends what runs, and asks no more. */
  readonly signal?: AbortSignal;
  /** Hears how many of the declarations of this call have been looked at. */
  readonly progress?: (looked: number) => void;
};

export type Rechecked = {
  readonly repo: string;
  readonly asked: number;
  /** Digest of the check; null when the run is void or was stopped, or no prover is here. */
  readonly check: string | null;
  readonly problems: readonly string[];
};

/** findStale lists what nobody has checked as it is now and with this tool, or where something lacked.
 *  @param checks null asks of all again
 *  @param toolOf the prover that would be asked; null where none is here */
export function findStale(
  records: readonly { readonly one: FoundDeclaration; readonly source: ScannedSource }[],
  checks: Checks | null,
  toolOf: (source: SourceConfig) => ProverTool | null,
  second = false,
  kernel?: FoundKernel,
): { one: FoundDeclaration; source: ScannedSource }[] {
  return records.filter(({ one, source }) => {
    const { adapter } = source.source;
    if ((adapter === undefined && adapterOf(source.source) === null) || one.abstract) return false;
    const tool = adapter === undefined ? toolOf(source.source) : null;
    const isOurs = ({ check: { tool: of } }: ToldVerdict): boolean =>
      tool === null || (of.executable_sha256 === tool.digest && of.installed_sha256 === tool.installed && of.adapter === tool.adapter);
    // A program of somebody else's names no second checker.
    if (
      kernel === undefined
        ? second && (one.prover !== "coq" || adapter !== undefined)
        : one.prover !== kernel.prover || adapter !== undefined
    )
      return false;
    const others = (checks?.second(one, source) ?? []).filter(({ check: { tool: of } }) =>
      kernel === undefined
        ? of.name === "coqchk"
        : of.name === kernel.name &&
          of.executable_sha256 === kernel.digest &&
          (kernel.prover !== "lean" || of.installed_sha256 === toolOf(source.source)?.digest),
    );
    const asksAgain = second || kernel !== undefined;
    const known = asksAgain ? others : (checks?.of(one, source) ?? []);
    return !known.some((told) => !saysNothing(told.state) && (asksAgain || isOurs(told)));
  });
}

/** recheckSource runs the adapter of a source over some of its declarations, a few files at a time where a prover takes them so, and writes a check of each
 *  run into the store: what is done is kept when the next one is stopped.
 *  @throws ShelfError "bad_config" where there is no sandbox and nobody asked to go without */
export async function recheckSource(
  config: RegistrySources,
  source: ScannedSource,
  asked: readonly FoundDeclaration[],
  options: RecheckOptions,
): Promise<Rechecked[]> {
  if (!options.unsandboxed && findSandbox() === null)
    throw new ShelfError(
      "bad_config",
      "Compiling foreign proofs is running foreign programs, and there is no sandbox here: bubblewrap (bwrap) is not installed, or may make no namespaces.",
      {
        fixes: [
          "Install bubblewrap, or say that the sources are to be trusted: proofshelf registry recheck --unsandboxed. The check says so.",
        ],
      },
    );
  const work = mkdtempSync(join(tmpdir(), "proofshelf-recheck-"));
  const runs: Rechecked[] = [];
  try {
    chmodSync(work, 0o755);
    const unfit = options.unsandboxed ? null : await findUnfit(work, config.limits);
    if (unfit !== null)
      throw new ShelfError("bad_config", `Nothing was checked, since the sandbox does not see the temporary folder: ${unfit}`, {
        fixes: [`Set TMPDIR to a folder that everybody may enter, as /tmp or /var/tmp; it is ${JSON.stringify(tmpdir())} now.`],
      });
    const folders = { root: join(work, "sources"), temporary: join(work, "tmp") };
    const files = writeFiles(source, folders);
    let looked = 0;
    const { most, parts } = partsOf(asked, source, options);
    let size = Math.min(most, FEW);
    while (looked < asked.length && options.signal?.aborted !== true) {
      const batch = parts.splice(0, size).flat();
      const before = looked;
      const progress = (more: number): void => options.progress?.(before + more);
      const began = performance.now();
      runs.push(await runOnce(config, source, batch, { ...options, progress }, folders, files));
      const seconds = (performance.now() - began) / 1000;
      if (seconds < QUICK) size = Math.min(most, size * 4);
      else if (seconds > SLOW) size = Math.max(1, size >> 1);
      looked += batch.length;
      progress(batch.length);
    }
    return runs;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** A run of a few files first; more at a time while that is quick, so that little is lost where one is stopped. */
const FEW = 4;
const QUICK = 20; // seconds
const SLOW = 120;

/** partsOf parts declarations by their files. A second checker and a program of somebody else are asked once: each run of them reads all again. */
function partsOf(
  asked: readonly FoundDeclaration[],
  { source }: ScannedSource,
  { second, kernel }: RecheckOptions,
): { readonly most: number; readonly parts: (readonly FoundDeclaration[])[] } {
  const { batch } = PROVERS[source.prover];
  if (batch === null || second === true || kernel !== undefined || source.adapter !== undefined) return { most: 1, parts: [asked] };
  return { most: batch, parts: [...Map.groupBy(asked, ({ path }) => path).values()] };
}

type Folders = { readonly root: string; readonly temporary: string };

/** runOnce runs one adapter once, and writes a check of what it said into the store. */
async function runOnce(
  config: RegistrySources,
  source: ScannedSource,
  asked: readonly FoundDeclaration[],
  options: RecheckOptions,
  folders: Folders,
  files: AdapterRequest["files"],
): Promise<Rechecked> {
  const { kernel } = options;
  const failed = (problem: string): Rechecked => ({ repo: source.source.repo, asked: asked.length, check: null, problems: [problem] });
  const request = requestOf(config, source, asked, folders, files, options);
  const started = options.now();
  const sandbox = options.unsandboxed ? UNSANDBOXED : findSandbox();
  const { bytes, code, stderr } =
    kernel === undefined || kernel.prover === "coq" || sandbox === null
      ? await runAdapter(config, source, request, folders, options)
      : { bytes: Buffer.from(await askKernel(kernel, request, sandbox)), code: 0, stderr: "" };
  if (options.signal?.aborted === true) return failed("It was stopped before it had answered.");
  if (code !== 0) return failed(`The adapter ended with ${code}: ${stderr.slice(-2000).trim()}`);
  const transcript = readTranscript(bytes, request);
  if ("void" in transcript) return failed(`The run is void: ${transcript.void}.`);
  const statement = stateOf(config, source, asked, request, transcript, sha256(bytes), started, options);
  const text = seal(statement, options.key);
  const digest = sha256(text);
  writeWhole(join(config.checks.store, `${digest}.json`), text, { modes: OPEN });
  return { repo: source.source.repo, asked: asked.length, check: digest, problems: transcript.problems };
}

/** writeFiles copies exactly the files of the source, and nothing else, into a fresh folder. */
function writeFiles({ source, files }: ScannedSource, { root, temporary }: Folders): AdapterRequest["files"] {
  for (const folder of [root, temporary]) mkdirSync(folder, { mode: 0o755 });
  const sources = [...files].filter(([path]) => isSourceOf(source.prover, path));
  const made = new Set<string>();
  for (const [path, bytes] of sources) {
    const file = join(root, path);
    if (!made.has(dirname(file))) mkdirSync(dirname(file), { recursive: true, mode: 0o755 });
    made.add(dirname(file));
    writeFileSync(file, bytes, { mode: 0o644 });
  }
  return sources.map(([path, bytes]) => ({ path, sha256: sha256(bytes) }));
}

function requestOf(
  config: RegistrySources,
  source: ScannedSource,
  asked: readonly FoundDeclaration[],
  { root: work }: Folders,
  files: AdapterRequest["files"],
  options: RecheckOptions,
): AdapterRequest {
  const { root, logical, paths, flags } = source.source;
  return {
    protocol: PROTOCOL,
    root: work,
    files,
    options: { root, logical, paths, flags, exported: source.source.exported ?? "" },
    ask: asked.map((one) => ({
      key: one.key,
      path: one.path,
      name: fullName(one),
      class: one.class,
      words: one.class === "theorem" ? one.statement : "",
    })),
    own: source.stated,
    theorems: source.proved,
    second: options.second === true || options.kernel !== undefined,
    kernel: options.kernel ?? null,
    graph: options.graph !== false,
    allowed: options.exact ? [] : config.policy.axioms,
    sandbox: !options.unsandboxed,
    limits: config.limits,
    cache: cacheFolder(),
    jobs: options.jobs,
  };
}

/** cacheFolder names the folder of compiled files. They are believed, so that they lie with the user and never in a repository, where others put
 *  files. */
export function cacheFolder(): string {
  return join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "proofshelf", "coq");
}

async function runAdapter(
  config: RegistrySources,
  { source }: ScannedSource,
  request: AdapterRequest,
  { temporary }: Folders,
  { signal, progress }: RecheckOptions,
): Promise<{ bytes: Buffer; code: number | string | null; stderr: string }> {
  const input = JSON.stringify(request);
  const [program = "", ...args] = source.adapter?.command ?? [process.execPath, adapterOf(source) ?? ""];
  if (source.adapter !== undefined && request.sandbox) {
    // A program of somebody else runs in the sandbox as a whole.
    const words = [program, ...args].map((word, at) =>
      word.startsWith("./") ? copyOwn(resolve(dirname(config.file), word), join(temporary, `adapter-${at}`)) : word,
    );
    const job = {
      command: [...words, "run"],
      reads: [temporary],
      writes: [request.root],
      cwd: request.root,
      input,
      limits: request.limits,
    };
    const ran = await findSandbox()?.run(job);
    return { bytes: Buffer.from(ran?.stdout ?? ""), code: ran?.code ?? 1, stderr: ran?.stderr ?? "" };
  }
  // Its temporary files lie in a folder that is removed in any case.
  const env = { ...process.env, TMPDIR: temporary };
  const child = spawn(program, [...args, "run"], { cwd: dirname(config.file), stdio: ["pipe", "pipe", "pipe"], env });
  const stop = (): boolean => child.kill("SIGTERM");
  signal?.addEventListener("abort", stop);
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  const out: Buffer[] = [];
  const errors: Buffer[] = [];
  let size = 0;
  const looked = progress === undefined ? null : countLooked(request.ask, progress);
  child.stdout.on("data", (chunk: Buffer) => {
    size += chunk.length;
    looked?.(chunk);
    if (size > request.limits.output * 1024 * 1024) child.kill("SIGKILL");
    else out.push(chunk);
  });
  child.stderr.on("data", (chunk: Buffer) => errors.length < 64 && errors.push(chunk));
  const code = await new Promise<number | string | null>((done) =>
    // One that is not here ends its own run, and not those of other sources.
    child.once("error", ({ message }) => done(message)).once("close", (ended) => done(ended)),
  );
  signal?.removeEventListener("abort", stop);
  return { bytes: Buffer.concat(out), code, stderr: Buffer.concat(errors).toString("utf8") };
}

/** copyOwn copies a file of an adapter to where whoever runs it may read it, so that what lies beside it is not there. */
function copyOwn(file: string, folder: string): string {
  if (!existsSync(file)) throw new ShelfError("bad_config", `There is no adapter ${file}.`);
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  const place = join(folder, basename(file));
  copyFileSync(file, place);
  chmodSync(place, 0o755);
  return place;
}

/** countLooked reads which files an adapter says that it has looked at, and counts what is asked of them. */
function countLooked(ask: AdapterRequest["ask"], progress: (looked: number) => void): (chunk: Buffer) => void {
  const waiting = new Map([...Map.groupBy(ask, ({ path }) => path)].map(([path, those]) => [path, those.length]));
  let rest = "";
  let looked = 0;
  return (chunk) => {
    const lines = (rest + chunk.toString("utf8")).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines.filter((one) => one.startsWith(LOOKED))) {
      const path = JSON.parse(line.slice(LOOKED.length, -1)) as string;
      looked += waiting.get(path) ?? 0;
      waiting.delete(path);
      progress(looked);
    }
  };
}

function stateOf(
  config: RegistrySources,
  source: ScannedSource,
  asked: readonly FoundDeclaration[],
  request: AdapterRequest,
  transcript: Transcript,
  transcriptDigest: string,
  started: Date,
  options: RecheckOptions,
): CheckStatement {
  const { tool, imports, results, logs } = transcript;
  const definitions = Object.fromEntries(
    [...transcript.definitions].map(([name, { sha256: digest, mentions }]) => [name, { sha256: digest, mentions: [...mentions] }]),
  );
  const wordsOf = new Map(asked.map(({ key, digest }) => [key, digest]));
  const pathOf = new Map(asked.map(({ key, path }) => [key, path]));
  const subjects = new Set([...imports].flatMap(([path, others]) => [path, ...others]));
  const subject = request.files
    .filter(({ path }) => [path, EVERY, ANYWHERE + basename(path)].some((name) => subjects.has(name)))
    .map(({ path, sha256: digest }) => ({ name: path, digest: { sha256: digest } }));
  const { root: _, cache: __, ...repeatable } = request;
  /** Where this machine had the files is nobody's. */
  const local = (log: string): string => log.replaceAll(`${request.root}/`, "");
  const predicate = {
    repo: source.source.repo,
    revision: source.head,
    prover: source.source.adapter?.prover ?? source.source.prover,
    tool: {
      name: tool.name,
      version: tool.version,
      executable_sha256: tool.executable_sha256,
      installed_sha256: tool.installed_sha256,
      adapter: tool.adapter,
      ...(tool.kernels === undefined ? {} : { kernels: tool.kernels }),
    },
    second: request.second,
    flags: flagsOf(source.source),
    command: tool.command,
    isolation: options.unsandboxed ? ("none" as const) : ("bubblewrap" as const),
    limits: config.limits,
    started: started.toISOString(),
    finished: options.now().toISOString(),
    request_sha256: sha256(JSON.stringify(repeatable)),
    transcript_sha256: transcriptDigest,
    reproducible_sha256: "",
    imports: Object.fromEntries([...imports].map(([path, others]) => [path, [...others]])),
    definitions,
    results: results.map(({ reason, ...result }) => ({
      ...result,
      ...(reason === undefined ? {} : { reason: local(reason) }),
      statement_sha256: wordsOf.get(result.key) ?? "",
      meaning_sha256: meaningOf(result.type_sha256, result.mentions, result.axioms, definitions),
      mentions: [...(result.mentions ?? [])],
      path: pathOf.get(result.key) ?? "",
      axioms: result.axioms === null ? null : [...result.axioms],
      own: [...(result.own ?? [])].sort(),
      unsafe: [...result.unsafe],
      words: [...result.words],
      uses: [...result.uses],
    })),
    logs: logs.map(({ log, ...rest }) => ({ ...rest, log: local(log) })),
  };
  const predicateType = `${predicateBase(config)}${PREDICATE_PATH}`;
  const statement = { _type: "https://in-toto.io/Statement/v1" as const, subject, predicateType, predicate };
  return { ...statement, predicate: { ...predicate, reproducible_sha256: reproducibleDigest(statement) } };
}

/** predicateBase gives the address under which the types of statements lie. */
export function predicateBase({ checks: { base_url: base } }: Pick<RegistrySources, "checks">): string {
  return (base ?? USUAL_BASE).replace(/\/+$/, "");
}
