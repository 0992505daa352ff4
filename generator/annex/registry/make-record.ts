/** makeRecord makes the record of one declaration. */
import { compareNames } from "#snapshots/format";
import { CubRecord, type RecordEdge } from "#snapshots/schema";
import { classNames, openSuspects, recallOf, type Suspect } from "#generator/annex/recall";
import type { ParsedRegistry } from "#generator/sources";
import { digestBytes, type ToldVerdict } from "./checks.ts";
import type { RegistrySources } from "./config.ts";
import { coqFolderOf, coqPathsOf } from "./coq-paths.ts";
import { scanLean } from "./lean.ts";
import { kernelsOf, quorumOf } from "./kernels.ts";
import type { LockLine } from "./lock.ts";
import { meaningOfRecord } from "./meaning.ts";
import { memoize } from "./memoize.ts";
import { applyOverlay } from "./overlay.ts";
import { PROVERS } from "./provers.ts";
import { hashRecipe, recheckRecipe } from "./recipes.ts";
import { agreementOf, checksOf, driftOf } from "./record-checks.ts";
import { EVERY } from "./request.ts";
import type { FoundDeclaration, ScannedSource } from "./scan.ts";
import type { SourcesScan } from "./scan-all.ts";
import { accepts, contradiction, outsideOf, readPolicy, statesOf } from "./states.ts";

const NOTHING = new Uint8Array();
const recordsOf = memoize(({ records }: ParsedRegistry) => new Map(records.map(({ record }) => [record.id, record])), new WeakMap());
const linesOf = memoize((lock: readonly LockLine[]) => new Map(lock.map((line) => [line.id, line])), new WeakMap());
const leanNamesOf = memoize(
  (bytes: Uint8Array) => new Set(scanLean(new TextDecoder().decode(bytes)).map(({ name }) => name.split(".").at(-1) ?? "")),
  new WeakMap(),
);

/** isOfExport tells whether a kernel was given what the check of an export speaks of; of other provers, files say that. */
function isOfExport(tool: ToldVerdict["check"]["tool"], first: ToldVerdict | undefined): boolean {
  return first?.state !== "exported" || tool.installed_sha256 === first.check.tool.executable_sha256;
}

function replayed(verdict: ToldVerdict): ToldVerdict {
  return verdict.state === "exported"
    ? { ...verdict, state: (verdict.axioms ?? []).length > 0 ? "accepted_with_axioms" : "accepted" }
    : verdict;
}

/** makeRecord joins what the source declares, what checks say of it and what a person says; a person may lower a state and never raise it.
 *  @param idOf ids of the records by their keys */
export function makeRecord(
  { policy, meta }: Pick<RegistrySources, "policy" | "meta">,
  { overlay, hand, lock, checks, records, advisories, reviews }: SourcesScan,
  { id, one, source }: SourcesScan["records"][number],
  idOf: ReadonlyMap<string, string>,
): CubRecord {
  const { witness: _, ...said } = applyOverlay(overlay, one, id, new Set()).said;
  const base = hand === null ? undefined : recordsOf(hand).get(id);
  const lean = pairOf(one, source);
  const paths = [one.path, ...(lean === null ? [] : [lean])];
  const exec = said["exec_file"] ?? base?.exec_file;
  if (typeof exec === "string" && source.files.has(exec) && !paths.includes(exec)) paths.push(exec);
  const { was = [], reason } = linesOf(lock).get(id) ?? {};
  const told = checks.of(one, source);
  const kernels = checks.second(one, source).filter(({ check: { tool } }) => isOfExport(tool, told[0]));
  // An export that a kernel has replayed counts as checked.
  const verdicts = kernels.some(accepts) ? told.map(replayed) : told;
  const printed = verdicts.find(({ statement }) => statement !== null)?.statement ?? null;
  const [newest] = verdicts;
  // Words that a prover was asked of, and that are not what it checked, are no statement.
  const isWords = newest?.is_words ?? null;
  const elaborated = printed !== null && (isWords === null ? one.context.length > 0 || one.class !== "theorem" : !isWords);
  const disputed =
    verdicts.some(({ state }) => state === "disagrees") ||
    kernels.some((second) => verdicts[0] !== undefined && contradiction(verdicts[0], second) !== null);
  const allowed = readPolicy(policy.axioms);
  const { quorum, accepted } = quorumOf(policy.kernels, [...told, ...kernels]);
  const checked = statesOf(one.class, one.holes.length, verdicts, allowed, printed === null ? null : isWords, disputed);
  const recall = recallOf(
    advisories,
    [...verdicts, ...kernels].filter(accepts).flatMap((verdict) => kernelsOf(verdict)),
    (suspects) => findSuspect(source, newest, one.path, suspects) !== null,
  );
  const why = accepted < policy.kernels ? "FEW_KERNELS" : recall !== null && recall.affected.length > 0 ? "RECALLED" : null;
  const held = why !== null && checked.verification_state === "VERIFIED";
  const states = held ? { ...checked, verification_state: "UNSPECIFIED" as const, status: why } : checked;
  const state = lower(states.verification_state, said["verification_state"]);
  const outside = state === states.verification_state && !disputed ? outsideAlone(verdicts, allowed) : [];
  const meaning = meaningOfRecord(one, source, newest, idOf);
  const reviewed = reviews.of(id, meaning?.sha256 ?? "");
  const shas = Object.fromEntries(paths.map((path) => [path, digestBytes(source.files.get(path) ?? NOTHING)]));
  const api = String(meta["public_api"] ?? "");
  const ui = String(meta["authoritative_ui"] ?? "");
  const proofs = paths.slice(0, lean === null ? 1 : 2);
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
    // The text is what was compiled. Where sections or the body say more than the text, the prover's print is what is stated.
    statement: elaborated ? printed : statementOf(one),
    statement_basis: elaborated ? "elaborated" : "source",
    ...(elaborated && one.statement !== "" && one.class === "theorem" ? { statement_source: statementOf(one) } : {}),
    ...(newest?.words === undefined || newest.words.length === 0 ? {} : { statement_words: newest.words }),
    ...(one.summary === "" ? {} : { summary: one.summary }),
    revision: source.head,
    anchor: { path: one.path, line: one.line, end_line: one.endLine },
    holes: one.holes.map(({ line, what }) => ({ path: one.path, line, what })),
    checks: checksOf(one, source, checks, was, lean),
    ...agreementOf(verdicts),
    ...(policy.kernels > 1 || quorum.verdicts.length > 1 ? { quorum } : {}),
    ...(recall === null ? {} : { recall }),
    ...(meaning === null ? {} : { meaning }),
    ...(reviewed.length === 0 ? {} : { reviews: reviewed }),
    ...driftOf(verdicts, checks.history(one, source, was), reason),
    ...(newest?.axioms == null ? {} : { axioms: newest.axioms, unsafe: newest.unsafe }),
    ...(newest === undefined ? {} : { uses: { count: newest.uses.length, edges: edgesOf(one, newest.uses, idOf) } }),
    ...states,
    // A person may lower what a check says, and never raise it.
    ...(state === states.verification_state ? {} : { verification_state: state, status: "LOWERED" }),
    ...(outside.length === 0 ? {} : { axioms_outside: outside }),
    // A twin of the same name is another proof: it counts when its own prover accepted it, too.
    formal_systems: state === "VERIFIED" && isProvedTwin(one, lean, { records, checks }, allowed) ? "Coq+Lean" : PROVERS[one.prover].title,
    kernels: "none",
    files: { coq_file: one.prover === "coq" ? one.path : "", lean_file: one.prover === "lean" ? one.path : (lean ?? "") },
    file_shas: shas,
    reproduce: {
      proof_files: proofs,
      verify_hash: hashRecipe(shas),
      recheck: recheckRecipe(one, source, newest),
      get_code: `GET /api/cubs/${id}/code`,
    },
    links: { api: api && `${api}/${id}`, code: webOf(one, source) ?? (api && `${api}/${id}/code`), registry: ui && `${ui}${id}` },
  });
  // The record's schema knows none of these.
  const internal = overlay.internal.filter((name) => Object.hasOwn(said, name)).map((name) => [name, said[name]]);
  return { ...record, ...Object.fromEntries(internal) };
}

/** Each file is looked at once for each hole: theorems of one file, and files that import the same, are many. */
const suspectsIn = memoize(({ files, source: { prover, flags } }: ScannedSource) => {
  const told = openSuspects(flags.join("\n"), false);
  const textOf = (path: string): string => new TextDecoder().decode(files.get(path) ?? NOTHING);
  const isCoq = prover === "coq";
  const classes = isCoq ? classNames([...files.keys()].map(textOf)) : new Set<string>();
  const inFile = memoize((path: string) => memoize(openSuspects(textOf(path), isCoq, classes)));
  return (paths: readonly string[], suspects: Parameters<typeof told>[0]): FoundSuspect | null => {
    const flag = told(suspects);
    if (flag !== null) return { ...flag, path: "flags" };
    for (const path of paths) {
      const found = inFile(path)(suspects);
      if (found !== null) return { ...found, path };
    }
    return null;
  };
}, new WeakMap());

type FoundSuspect = Suspect & { readonly path: string };

/** findSuspect looks for what a hole needs in the file of a declaration and in those of its sources that it imports, as the check has them. */
export function findSuspect(
  source: ScannedSource,
  verdict: ToldVerdict | undefined,
  path: string,
  suspects: Parameters<ReturnType<typeof openSuspects>>[0],
): FoundSuspect | null {
  const imports = verdict?.check.imports[path] ?? [];
  return suspectsIn(source)(imports.includes(EVERY) ? [...source.files.keys()] : [path, ...imports], suspects);
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
function edgesOf({ repo, prover }: FoundDeclaration, uses: ToldVerdict["uses"], idOf: ReadonlyMap<string, string>): RecordEdge[] {
  return uses
    .flatMap(({ to, part, basis }): RecordEdge[] => {
      const id = idOf.get(`${repo} ${prover} ${to}`);
      // A hidden record is counted and not named.
      return id === undefined ? [] : [{ id, name: to, from: part, basis }];
    })
    .sort((a, b) => compareNames(`${a.name} ${a.from}`, `${b.name} ${b.from}`));
}

/** outsideAlone lists the axioms outside the policy of what all accepted, with nothing switched off. */
function outsideAlone(verdicts: readonly ToldVerdict[], allowed: ReturnType<typeof readPolicy>): readonly string[] {
  const isAccepted = verdicts.every((verdict) => accepts(verdict) && verdict.unsafe.length === 0 && verdict.exact);
  return isAccepted ? [...new Set(verdicts.flatMap((verdict) => outsideOf(verdict, allowed)))] : [];
}

function lower(state: string, said: unknown): string {
  return said === "NOT_VERIFIED" || (said === "UNSPECIFIED" && state === "VERIFIED") ? said : state;
}

/** Where the text alone tells the statement, what its sections assume stands before it. */
function statementOf({ statement, context, theorem }: FoundDeclaration): string {
  return context.length === 0 ? statement || theorem : `${context.join("; ")} ⊢ ${statement}`;
}

/** The file of the other system that declares the same name. */
function pairOf({ path, theorem, prover }: FoundDeclaration, { source, files }: ScannedSource): string | null {
  if (source.pair === undefined || prover !== "coq") return null;
  const folder = coqFolderOf(coqPathsOf(source), path)?.folder ?? "";
  const inner = path.slice(folder === "" ? 0 : folder.length + 1).replace(/\.v$/, "");
  const other = source.pair.split("{x}").join(inner);
  const bytes = files.get(other);
  if (bytes === undefined) return null;
  return leanNamesOf(bytes).has(theorem) ? other : null;
}

const leanOf = memoize(
  (records: SourcesScan["records"]) =>
    new Map(records.flatMap((of) => (of.one.prover === "lean" ? [[placeOf(of.one.repo, of.one.path, of.one.theorem), of]] : []))),
  new WeakMap(),
);
const placeOf = (...parts: readonly string[]): string => JSON.stringify(parts);

/** isProvedTwin tells whether the Lean declaration of the same name has a check of its own by which it is VERIFIED. */
function isProvedTwin(
  { repo, theorem }: FoundDeclaration,
  lean: string | null,
  { records, checks }: Pick<SourcesScan, "records" | "checks">,
  allowed: ReturnType<typeof readPolicy>,
): boolean {
  const twin = lean === null ? undefined : leanOf(records).get(placeOf(repo, lean, theorem));
  if (twin === undefined) return false;
  const { one, source } = twin;
  return statesOf(one.class, one.holes.length, checks.of(one, source), allowed, false).verification_state === "VERIFIED";
}

/** webOf gives the address of the line that declares it, where the source says how addresses of its files are made. */
function webOf({ path, line }: FoundDeclaration, { source: { web }, head }: ScannedSource): string | null {
  if (web === undefined) return null;
  const members: Readonly<Record<string, string>> = {
    rev: head,
    path: path.split("/").map(encodeURIComponent).join("/"),
    line: String(line),
  };
  return web.replaceAll(/\{(rev|path|line)\}/g, (_, name: string) => members[name] ?? "");
}
