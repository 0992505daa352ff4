/** Declarations, ids, checks and what people say → the registry, `{ meta, cubs }`, as a file of it would be. */
import { sha256 } from "../../../snapshots/digest.ts";
import { ShelfError } from "../../../snapshots/errors.ts";
import { compareNames } from "../../../snapshots/format/tree.ts";
import { countRecords } from "../../../snapshots/query/index.ts";
import { CubRecord, RecordCheck, type RecordEdge } from "../../../snapshots/schema/index.ts";
import { parseRegistry, type ParsedRegistry } from "../../sources/registry.ts";
import { MAX_REGISTRY_BYTES } from "../../sources/registry-pull.ts";
import { readSourceFile } from "../../sources/source-file.ts";
import { type Checks, readChecks, type ToldVerdict } from "./checks.ts";
import type { RegistrySources } from "./config.ts";
import { type Cause, causeOf, describeMoved, movedSince } from "./drift.ts";
import { type Drift, type LockLine, matchLock, readLock, UNWRITTEN } from "./lock.ts";
import { applyOverlay, type Overlay, readOverlay, unusedOf } from "./overlay.ts";
import { adapterOf, type ProverName, PROVERS } from "./provers.ts";
import { type Found, fullName, scanSource, type ScannedSource } from "./scan.ts";
import { scanLean } from "./lean.ts";
import { contradiction, isFailure, readPolicy, statesOf } from "./states.ts";

export type Scan = {
  readonly sources: readonly ScannedSource[];
  /** What becomes a record, with its id. */
  readonly records: readonly { readonly id: string; readonly one: Found; readonly source: ScannedSource }[];
  readonly lock: readonly LockLine[];
  readonly drift: readonly Drift[];
  readonly checks: Checks;
  readonly overlay: Overlay;
  readonly hand: ParsedRegistry | null;
  readonly notes: readonly string[];
};

export type ScanOptions = {
  readonly accept?: readonly string[];
  readonly reason?: string;
  readonly source?: string;
  readonly rev?: string;
};

/** scanAll reads every source, and gives each declaration its id. It writes nothing.
 *  @throws ShelfError "bad_source", "bad_config" */
export async function scanAll(config: RegistrySources, options: ScanOptions = {}): Promise<Scan> {
  const overlay = readOverlay(config.overlay);
  const hand = config.records === undefined ? null : parseRegistry(await readSourceFile(config.records, "registry", MAX_REGISTRY_BYTES));
  const chosen = config.sources.map((source) =>
    source.repo === options.source && options.rev !== undefined ? { ...source, rev: options.rev } : source,
  );
  const runtime = new Set(
    [...overlay.records, ...(hand?.records ?? []).map(({ record }) => record)].map((said) => String(said["exec_file"] ?? "")),
  );
  const sources: ScannedSource[] = [];
  for (const source of chosen) sources.push(await scanSource(source, runtime));
  const used = new Set<number>();
  const place = (repo: string, module: string, name: string): string => JSON.stringify([repo, module, name]);
  const byHand = new Map((hand?.records ?? []).map(({ record }) => [place(record.repo, record.module, record.theorem_name), record]));
  const lockBefore = readLock(config.lock);
  const known = new Map(lockBefore.map((line) => [line.key, line.id]));
  const shown = sources.flatMap((source) =>
    source.found
      .filter(
        (one) =>
          !applyOverlay(overlay, one, known.get(one.key) ?? byHand.get(place(one.repo, one.module, one.theorem))?.id ?? null, used).hidden,
      )
      .map((one) => ({ one, source })),
  );
  const ids = new Set(lockBefore.map(({ id }) => id));
  const taken = shown.flatMap(({ one }): LockLine[] => {
    const record = byHand.get(place(one.repo, one.module, one.theorem));
    if (record === undefined || known.has(one.key) || ids.has(record.id)) return [];
    return [{ id: record.id, key: one.key, first: "", seen: "", statement: "", was: [], state: "live" }];
  });
  // Ids of other records of that file are theirs.
  const reserved = (hand?.records ?? []).map(({ record }) => record.id);
  const { lock, drift } = matchLock(
    [...lockBefore, ...taken],
    shown.map(({ one }) => one),
    {
      heads: new Map(sources.map(({ source, head }) => [source.repo, head])),
      renames: new Map(overlay.renames.map(({ from, to }) => [to, from])),
      accept: new Set(options.accept ?? []),
      reason: options.reason,
      reserved,
    },
  );
  const idOf = new Map(lock.map((line) => [line.key, line.id]));
  const checks = readChecks(config.checks);
  const judged = judge({
    lock,
    drift,
    before: lockBefore,
    shown,
    checks,
    allowed: readPolicy(config.policy.axioms),
    accept: new Set(options.accept ?? []),
  });
  const notes = [
    ...sources.flatMap(({ source, problems }) => problems.map((problem) => `${source.repo}: ${problem}`)),
    ...unusedOf(overlay, used).map((what) => `The overlay speaks of ${JSON.stringify(what)}, and nothing is called so.`),
  ];
  return {
    sources,
    records: shown.map(({ one, source }) => ({ id: idOf.get(one.key) ?? "", one, source })),
    ...judged,
    checks,
    overlay,
    hand,
    notes,
  };
}

type Judged = {
  readonly lock: readonly LockLine[];
  readonly drift: readonly Drift[];
  readonly before: readonly LockLine[];
  readonly shown: readonly { readonly one: Found; readonly source: ScannedSource }[];
  readonly checks: Checks;
  readonly allowed: ReturnType<typeof readPolicy>;
  readonly accept: ReadonlySet<string>;
};

/** Words are a hint: where a prover printed what is there now, its print says what moved. What is refused stays in the lock as it was; of the rest
 *  the lock remembers what was accepted. */
function judge({ lock, drift, before, shown, checks, allowed, accept }: Judged): Pick<Scan, "lock" | "drift"> {
  const lines = new Map(before.map((line) => [line.id, line]));
  const idOf = new Map(lock.map((line) => [line.key, line.id]));
  const told = new Map(drift.filter(({ what }) => what === "changed").map((one) => [one.id, one]));
  const sealed = new Map<string, Partial<LockLine>>();
  for (const { one, source } of shown) {
    const id = idOf.get(one.key) ?? "";
    const verdicts = checks.of(one, source);
    const line = lines.get(id);
    const moved = line?.verified === undefined ? null : movedSince(line, verdicts[0], checks.history(one));
    const changed = told.get(id);
    if (moved === "unchanged" && changed !== undefined) told.set(id, { ...changed, what: "wording", refused: false });
    else if (moved !== null && moved !== "unchanged") {
      const refused = (moved.cause === "statement" || moved.cause === "meaning") && !accept.has(id);
      told.set(id, { what: moved.cause, id, key: one.key, definitions: moved.definitions, refused });
    }
    // What defines proves nothing: it is told by what rests on it.
    const isHeld =
      one.class === "theorem" &&
      verdicts.some(({ state }) => state === "accepted" || state === "accepted_with_axioms") &&
      !verdicts.some((verdict) => isFailure(verdict, allowed));
    const { type_sha256: type, meaning_sha256: meaning } = verdicts[0] ?? {};
    if (isHeld && told.get(id)?.refused !== true)
      sealed.set(id, {
        verified: one.digest,
        ...(type == null || !isDigest(type) ? {} : { type }),
        ...(meaning == null ? {} : { meaning }),
      });
  }
  const refused = new Set([...told.values()].filter((one) => one.refused).map(({ id }) => id));
  return {
    lock: lock.map((line) => (refused.has(line.id) ? (lines.get(line.id) ?? line) : ({ ...line, ...sealed.get(line.id) } as LockLine))),
    drift: [...drift.filter(({ what }) => what !== "changed"), ...told.values()],
  };
}

function isDigest(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

/** Ids and why, by cause, of what is not what a prover accepted. */
export function describeRefused({ drift }: Pick<Scan, "drift">): string[] {
  const refused = drift.filter((one) => one.refused);
  const isMoved = (what: Drift["what"]): what is Cause => what === "statement" || what === "meaning";
  const moved = refused.flatMap(({ what, id, definitions = [] }) => (isMoved(what) ? [{ cause: what, name: id, definitions }] : []));
  const words = refused.filter(({ what }) => what === "changed").map(({ id }) => id);
  return [
    ...describeMoved(moved),
    ...(words.length === 0
      ? []
      : [
          `words: ${words.join(", ")} ${words.length === 1 ? "has" : "have"} other words, and no prover has printed them as they are now: proofshelf registry recheck tells whether they say the same`,
        ]),
  ];
}

/** What a build reads. It runs no prover and writes nothing.
 *  @throws ShelfError "bad_source" when a scan has to come first */
export async function makeRegistry(config: RegistrySources): Promise<Uint8Array> {
  const scan = await scanAll(config);
  const refused = scan.drift.filter((drift) => drift.refused);
  if (refused.length > 0)
    throw new ShelfError(
      "bad_source",
      `What ${refused.length === 1 ? "a record states" : `${refused.length} records state`} is not what a prover accepted.\n${describeRefused(scan).join("\n")}`,
      { fixes: [`If it is meant: proofshelf registry scan --accept ${refused.map(({ id }) => id).join(" ")} --reason "…"`] },
    );
  const unknown = scan.drift.filter(({ what }) => UNWRITTEN.has(what));
  if (unknown.length > 0)
    throw new ShelfError(
      "bad_source",
      `${unknown.length} declarations are not in the lock (${unknown[0]?.key ?? ""}). Run proofshelf registry scan first.`,
    );
  return writeRegistry(config, scan);
}

export function writeRegistry(config: RegistrySources, scan: Scan): Uint8Array {
  const { checks } = scan;
  const meta = config.meta;
  const idOf = new Map(scan.records.map(({ id, one }) => [one.key, id]));
  const made = scan.records.map(({ id, one, source }) => recordOf(config, scan, checks, id, one, source, idOf));
  const ids = new Set(made.map(({ id }) => id));
  const others = (scan.hand?.records ?? []).map(({ record }) => record).filter(({ id }) => !ids.has(id));
  const cubs = [...withUsers(made, scan), ...others].sort((a, b) => Number(a.id.slice(4)) - Number(b.id.slice(4)));
  const times = scan.sources.map(({ time }) => time).filter((time) => time !== null);
  const heads = Object.fromEntries(
    scan.sources.map(({ source, head }) => [
      source.repo,
      { head, ref: source.rev === head ? source.ref : source.rev, csv_rows: cubs.filter(({ repo }) => repo === source.repo).length },
    ]),
  );
  const body = {
    meta: {
      service: "proofshelf",
      updated_iso: times.sort().at(-1) ?? "",
      ...scan.hand?.meta,
      generator: "proofshelf registry",
      ...meta,
      sources: { ...scan.hand?.meta.sources, ...heads },
      ...countRecords(cubs),
    },
    cubs,
  };
  return Buffer.from(`${JSON.stringify(body, null, 2)}\n`);
}

// A file is of many records, and a database of all: what follows from it is worked out once.
function memoize<K extends object, V>(make: (of: K) => V): (of: K) => V {
  const known = new WeakMap<K, V>();
  return (of) => {
    const value = known.get(of) ?? make(of);
    known.set(of, value);
    return value;
  };
}
const NOTHING = new Uint8Array();
const digestOf = memoize((bytes: Uint8Array) => sha256(bytes));
const recordsOf = memoize(({ records }: ParsedRegistry) => new Map(records.map(({ record }) => [record.id, record])));
const reasonsOf = memoize((lock: readonly LockLine[]) => new Map(lock.map(({ id, reason }) => [id, reason])));
const leanNamesOf = memoize(
  (bytes: Uint8Array) => new Set(scanLean(new TextDecoder().decode(bytes)).map(({ name }) => name.split(".").at(-1) ?? "")),
);

const MAX_USES = 500;
const MAX_USERS = 50;

/** Turns each edge round: who is used says by whom. */
function withUsers(made: readonly CubRecord[], { records }: Scan): CubRecord[] {
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

/** What each prover said, then who looked over it, then whom nobody trusts; of one that was never asked, why. */
function checksOf(one: Found, source: ScannedSource, checks: Checks, lean: string | null): RecordCheck[] {
  const [verdicts, last] = [checks.of(one, source), checks.last(one)];
  const [first] = verdicts;
  const told = (verdict: ToldVerdict, state: RecordCheck["state"]): RecordCheck => {
    const { check, exact, sha256: attestation, signers, counted, log } = verdict;
    const { version, name } = check.tool;
    return {
      state,
      prover: check.prover,
      version,
      revision: check.revision,
      finished: check.finished,
      attestation,
      tool: name === check.prover ? "" : name,
      signers: [...signers],
      counted,
      isolation: check.isolation,
      exact,
      reason: log,
    };
  };
  const silent = (prover: string, reason: string): RecordCheck => RecordCheck.parse({ state: "not_run", prover, reason });
  const { prover } = one;
  const adapted = adapterOf(source.source) !== null || source.source.adapter !== undefined;
  const own =
    verdicts.length > 0
      ? verdicts.map((verdict) => told(verdict, verdict.state))
      : last !== undefined
        ? [told(last, "stale")]
        : [
            silent(
              prover,
              one.abstract
                ? "it stands in a module with parameters, of which only instances can be asked"
                : adapted
                  ? ""
                  : noAdapter(prover),
            ),
          ];
  const again = checks.second(one, source).map((verdict): RecordCheck => {
    const against = first === undefined ? null : contradiction(first, verdict);
    return against === null ? told(verdict, verdict.state) : { ...told(verdict, "disagrees"), reason: against };
  });
  const strangers = checks.strangers(one, source).map((verdict) => told(verdict, verdict.state));
  return [...own, ...again, ...strangers, ...(lean === null ? [] : [silent("lean", noAdapter("lean"))])];
}
const noAdapter = (prover: ProverName): string => `no adapter runs ${PROVERS[prover].title} here`;

/** How many of those who ran a prover over these bytes say what the first says; each counts once, by its signature. */
function agreementOf([first, ...others]: readonly ToldVerdict[]): Pick<CubRecord, "agreement"> {
  if (first === undefined || others.length === 0) return {};
  const said = ({ state, axioms, unsafe }: ToldVerdict): string => JSON.stringify([state, axioms, unsafe]);
  const agree = others.filter((other) => said(other) === said(first)).length + 1;
  return { agreement: { checkers: others.length + 1, agree } };
}

/** What moved since the newest check of other bytes.
 *  @param reason why somebody accepted that it says something else */
function driftOf([now]: readonly ToldVerdict[], history: readonly ToldVerdict[], reason: string | undefined): Pick<CubRecord, "drift"> {
  const before =
    now === undefined
      ? undefined
      : history.find(({ check }) => check.revision !== now.check.revision && check.finished <= now.check.finished);
  const moved = now === undefined || before === undefined ? null : causeOf(before, now);
  if (moved === null || before === undefined) return {};
  const { cause, definitions } = moved;
  const accepted = reason === undefined || (cause !== "statement" && cause !== "meaning") ? {} : { accepted: reason };
  return { drift: { cause, since: before.check.revision, definitions: [...definitions], ...accepted } };
}

function recordOf(
  config: RegistrySources,
  { overlay, hand, lock }: Scan,
  checks: Checks,
  id: string,
  one: Found,
  source: ScannedSource,
  idOf: ReadonlyMap<string, string>,
): CubRecord {
  const { said } = applyOverlay(overlay, one, id, new Set());
  const base = hand === null ? undefined : recordsOf(hand).get(id);
  const lean = pairOf(one, source);
  const paths = [one.path, ...(lean === null ? [] : [lean])];
  const exec = said["exec_file"] ?? base?.exec_file;
  if (typeof exec === "string" && source.files.has(exec)) paths.push(exec);
  const verdicts = checks.of(one, source);
  const printed = verdicts.find(({ statement }) => statement !== null)?.statement ?? null;
  const [newest] = verdicts;
  const elaborated = printed !== null && (one.context.length > 0 || one.class !== "theorem");
  const disputed =
    verdicts.length > 0 && checks.second(one, source).some((second) => contradiction(verdicts[0] as ToldVerdict, second) !== null);
  const states = statesOf(
    one.class === "theorem",
    one.holes.length,
    verdicts,
    readPolicy(config.policy.axioms),
    printed !== null,
    disputed,
  );
  const shas = Object.fromEntries(paths.map((path) => [path, digestOf(source.files.get(path) ?? NOTHING)]));
  const api = String(config.meta["public_api"] ?? "");
  const ui = String(config.meta["authoritative_ui"] ?? "");
  const proofs = paths.filter((path) => path !== exec);
  const record = CubRecord.parse({
    ...base,
    source_class: "active",
    active: true,
    kind: one.class === "definition" ? "Definition" : one.kind.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase()),
    note: base?.note ?? one.summary,
    lineage: base?.lineage ?? `Read from ${one.path} at ${source.head.slice(0, 12)}.`,
    ...said,
    rust_anchor: said["rust_anchor"] ?? anchorOf(source, exec, said["exec_fn"] ?? base?.exec_fn) ?? base?.rust_anchor ?? "",
    id,
    repo: one.repo,
    theorem_name: one.theorem,
    module: one.module,
    // What was compiled is the text. Where sections or the body say more than the text, the prover's print is what is stated.
    statement: elaborated ? printed : statementOf(one),
    statement_basis: elaborated ? "elaborated" : "source",
    ...(one.summary === "" ? {} : { summary: one.summary }),
    revision: source.head,
    anchor: { path: one.path, line: one.line, end_line: one.endLine },
    holes: one.holes.map(({ line, what }) => ({ path: one.path, line, what })),
    checks: checksOf(one, source, checks, lean),
    ...agreementOf(verdicts),
    ...driftOf(verdicts, checks.history(one), reasonsOf(lock).get(id)),
    ...(newest?.axioms == null ? {} : { axioms: newest.axioms, unsafe: newest.unsafe }),
    ...(newest === undefined ? {} : { uses: { count: newest.uses.length, edges: edgesOf(one, newest.uses, idOf) } }),
    ...states,
    // A person may lower what a check says, and never raise it.
    verification_state: lower(states.verification_state, said["verification_state"]),
    formal_systems: lean === null ? PROVERS[one.prover].title : "Coq+Lean",
    kernels: "none",
    files: { coq_file: one.prover === "coq" ? one.path : "", lean_file: one.prover === "lean" ? one.path : (lean ?? "") },
    file_shas: shas,
    reproduce: {
      proof_files: proofs,
      verify_hash: `printf '%s  %s\\n' ${paths.map((path) => `${shas[path] ?? ""} ${quote(path)}`).join(" ")} | sha256sum -c`,
      recheck: recheckOf(one, source),
      get_code: `GET /api/cubs/${id}/code`,
    },
    links: { api: api && `${api}/${id}`, code: api && `${api}/${id}/code`, registry: ui && `${ui}${id}` },
  });
  // The record's schema knows none of these.
  const internal = overlay.internal.filter((name) => Object.hasOwn(said, name)).map((name) => [name, said[name]]);
  return { ...record, ...Object.fromEntries(internal) };
}

/** Where the function that runs stands. */
function anchorOf({ files }: ScannedSource, file: unknown, name: unknown): string | undefined {
  const bytes = typeof file === "string" ? files.get(file) : undefined;
  if (bytes === undefined || typeof name !== "string" || name === "") return undefined;
  const at = new TextDecoder()
    .decode(bytes)
    .split("\n")
    .findIndex((line) => line.includes(`fn ${name}(`));
  return at < 0 ? undefined : `${String(file)}:${at + 1}`;
}

/** In an order of their own: a graph lists them as it was walked. */
function edgesOf({ repo, prover }: Found, uses: ToldVerdict["uses"], idOf: ReadonlyMap<string, string>): RecordEdge[] {
  return uses
    .flatMap(({ to, part, basis }): RecordEdge[] => {
      const id = idOf.get(`${repo} ${prover} ${to}`);
      // What somebody hides is counted and not named.
      return id === undefined ? [] : [{ id, name: to, from: part, basis }];
    })
    .sort((a, b) => compareNames(`${a.name} ${a.from}`, `${b.name} ${b.from}`));
}

function lower(state: string, said: unknown): string {
  return said === "NOT_VERIFIED" || (said === "UNSPECIFIED" && state === "VERIFIED") ? said : state;
}

/** Where the text alone tells the statement, what its sections assume stands before it. */
function statementOf({ statement, context, theorem }: Found): string {
  return context.length === 0 ? statement || theorem : `${context.join("; ")} ⊢ ${statement}`;
}

/** The file of the other system that declares the same name. */
function pairOf({ path, theorem, prover }: Found, { source, files }: ScannedSource): string | null {
  if (source.pair === undefined || prover !== "coq") return null;
  const root = source.root.replace(/^\.?\/+|\/+$/g, "");
  const inner = (root === "" ? path : path.slice(root.length + 1)).replace(/\.v$/, "");
  const other = source.pair.replaceAll("{x}", inner);
  const bytes = files.get(other);
  if (bytes === undefined) return null;
  return leanNamesOf(bytes).has(theorem) ? other : null;
}

function recheckOf({ prover, module, theorem, path }: Found, { source }: ScannedSource): string {
  if (prover === "metamath") {
    const database = `${module.split(".").at(-1) ?? ""}.mm`;
    return `metamath ${[`read '${database}'`, "verify proof *", `show trace_back '${theorem}' /axioms`, "exit"].map(quote).join(" ")}`;
  }
  if (prover === "agda")
    return ["agda", "--safe", "-i", source.root === "" ? "." : source.root, ...source.flags, path].map(quote).join(" ");
  if (prover !== "coq") return "";
  const root = source.root === "" ? "." : source.root;
  const flags = `-Q ${quote(root)} ${quote(source.logical)}${source.flags.map((flag) => ` ${quote(flag)}`).join("")}`;
  const ask = [`Require ${module}.`, `Print Assumptions ${module}.${theorem}.`].map(quote).join(" ");
  // Works on a copy, so that the code store stays as it was pinned.
  return `( d=$(mktemp -d) && cp -r ${quote(root)} "$d" && cd "$d" && for f in $(find ${quote(root)} -name '*.v' | xargs coqdep ${flags} -sort); do coqc ${flags} "$f" || exit 1; done && printf '%s\\n' ${ask} > Ask.v && coqc ${flags} Ask.v )`;
}

function quote(text: string): string {
  return /^[\w./:=+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
