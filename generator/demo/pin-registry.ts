/** Everything that registry.json pins, derived again from the code store: digests, anchors, recipes, links, counts.
 *  What a person decides (statement, state, notes, wiring …) is left as it stands. */
import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { sha256 } from "../../snapshots/digest.ts";

const DemoRecord = z.looseObject({
  id: z.string(),
  repo: z.string(),
  theorem_name: z.string(),
  module: z.string(),
  kind: z.string(),
  statement: z.string(),
  verification_state: z.string(),
  invocation: z.string(),
  production_consumption: z.string(),
  proof_consumption: z.string(),
  wiring: z.string(),
  crate: z.string(),
  lane: z.string(),
  tier: z.string(),
  deployable: z.boolean(),
  no_holes: z.boolean(),
  note: z.string(),
  claims: z.array(z.string()),
  files: z.object({ coq_file: z.string(), lean_file: z.string() }),
  file_shas: z.record(z.string(), z.string()),
  exec_file: z.string(),
  exec_fn: z.string(),
  exec_fns: z.array(z.string()),
  rust_anchor: z.string(),
  reproduce: z.object({
    proof_files: z.array(z.string()),
    verify_hash: z.string(),
    recheck: z.string(),
    get_code: z.string(),
  }),
  links: z.object({ api: z.string(), code: z.string(), registry: z.string() }),
});
const DemoRegistry = z.object({
  meta: z.looseObject({
    authoritative_ui: z.string(),
    public_api: z.string(),
    sources: z.record(z.string(), z.object({ head: z.string(), ref: z.string(), csv_rows: z.number() })),
  }),
  cubs: z.array(DemoRecord),
});
export type DemoRecord = z.infer<typeof DemoRecord>;
export type DemoRegistry = z.infer<typeof DemoRegistry>;

/** @throws ZodError when registry.json has lost a field that the pins are made from */
export function readRegistry(demo: string): DemoRegistry {
  const raw: unknown = JSON.parse(readFileSync(join(demo, "registry.json"), "utf8"));
  DemoRegistry.parse(raw);
  // The parsed copy has the schema's field order; the file keeps its own.
  return raw as DemoRegistry;
}

/** Files below `folder`, as paths with "/", in the byte order of `LC_ALL=C sort`. */
export function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

/** The revision id of a folder of the code store: the SHA-1 of what this prints in it:
 *  `find . -type f | LC_ALL=C sort | xargs sha256sum`. */
export function headOf(folder: string): string {
  const manifest = listFiles(folder).map((path) => `${sha256(readFileSync(join(folder, path)))}  ./${path}\n`);
  return createHash("sha1").update(manifest.join("")).digest("hex");
}

/** The Coq library name of a repository: sorted-lists → SortedLists. */
export function libraryName(repo: string): string {
  return repo.replace(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** The Coq modules of a revision that `module` needs, itself last. */
export function modulesInOrder(root: string, repo: string, module: string): string[] {
  const source = readFileSync(join(root, "coq", `${module}.v`), "utf8");
  const needs = [...source.matchAll(new RegExp(`From ${libraryName(repo)} Require Import (\\w+)\\.`, "g"))];
  return [...new Set([...needs.flatMap((need) => modulesInOrder(root, repo, need[1] ?? "")), module])];
}

/** Data rows of a CSV file of the code store, by column; none of these files quotes a field. */
export function readRows(path: string): Record<string, string>[] {
  const [header = "", ...lines] = readFileSync(path, "utf8").trimEnd().split("\n");
  const names = header.split(",");
  return lines.map((line) => {
    const fields = line.split(",");
    return Object.fromEntries(names.map((name, i) => [name, fields[i] ?? ""]));
  });
}

function pinRecord(record: DemoRecord, root: string, meta: DemoRegistry["meta"]): DemoRecord {
  const { coq_file, lean_file } = record.files;
  const paths = [coq_file, lean_file, ...(record.exec_file === "" ? [] : [record.exec_file])];
  const file_shas = Object.fromEntries(paths.map((path) => [path, sha256(readFileSync(join(root, path)))]));
  const library = libraryName(record.repo);
  const module = record.module.split(".").at(-1) ?? "";
  const compile = modulesInOrder(root, record.repo, module).map((name) => `coqc -Q . ${library} ${name}.v`);
  const line = (): number => {
    const lines = readFileSync(join(root, record.exec_file), "utf8").split("\n");
    return lines.findIndex((text) => text.includes(`fn ${record.exec_fn}(`)) + 1;
  };
  return {
    ...record,
    file_shas,
    rust_anchor: record.exec_fn === "" ? "" : `${record.exec_file}:${line()}`,
    reproduce: {
      proof_files: [coq_file, lean_file],
      verify_hash: `printf '%s  %s\\n' ${paths.map((path) => `${file_shas[path]} ${path}`).join(" ")} | sha256sum -c`,
      // Works on a copy, so that the code store stays as it was pinned.
      recheck: `( d=$(mktemp -d) && cp coq/*.v "$d" && cd "$d" && ${compile.join(" && ")} && printf '%s\\n' 'From ${library} Require Import ${module}.' 'Print Assumptions ${record.theorem_name}.' > Ask.v && coqc -Q . ${library} Ask.v )`,
      get_code: `GET /api/cubs/${record.id}/code`,
    },
    links: {
      api: `${meta.public_api}/${record.id}`,
      code: `${meta.public_api}/${record.id}/code`,
      registry: `${meta.authoritative_ui}${record.id}`,
    },
  };
}

const verified = (r: DemoRecord) => r.verification_state === "VERIFIED";
const runtime = (r: DemoRecord) => r.invocation === "runtime";
const wired = (r: DemoRecord) => r.proof_consumption === "RUNTIME-CONSUMER-WIRED";
const consumed = (r: DemoRecord) => r.production_consumption !== "NOT-RUNTIME-CONSUMED";

/** What each readiness counter counts. */
const READINESS: Readonly<Record<string, (record: DemoRecord) => boolean>> = {
  verified_runtime_deployable: (r) => verified(r) && runtime(r) && r.deployable,
  verified_runtime_not_deployable: (r) => verified(r) && runtime(r) && !r.deployable,
  verified_not_runtime: (r) => verified(r) && !runtime(r),
  verified_not_runtime_unconsumed: (r) => verified(r) && !runtime(r) && !consumed(r),
  verified_production_consumed: (r) => verified(r) && consumed(r),
  verified_proof_consumer_wired: (r) => verified(r) && wired(r),
  verified_proof_consumer_wired_total: (r) => verified(r) && wired(r),
  verified_proof_consumer_runtime: (r) => verified(r) && wired(r) && runtime(r),
  verified_proof_consumer_nonruntime: (r) => verified(r) && wired(r) && !runtime(r),
  runtime_deployable_total: (r) => runtime(r) && r.deployable,
  runtime_deployable_not_verified: (r) => runtime(r) && r.deployable && !verified(r),
};

function countBy(records: readonly DemoRecord[], value: (record: DemoRecord) => string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const key of records.map(value).sort()) counts[key] = (counts[key] ?? 0) + 1;
  return counts;
}

/** The registry as it should stand, given what lies in the code store.
 *  @param registry its heads must name folders that exist */
export function pinRegistry(demo: string, registry: DemoRegistry): DemoRegistry {
  const { meta } = registry;
  const root = (repo: string) => join(demo, "code", repo, meta.sources[repo]?.head ?? "");
  const cubs = registry.cubs.map((record) => pinRecord(record, root(record.repo), meta));
  const repos = Object.keys(meta.sources);
  const declared = repos.flatMap((repo) => readRows(join(root(repo), "theorems.csv")).map((row) => `${repo} ${row["theorem"]}`));
  const audited = repos.flatMap((repo) => readRows(join(root(repo), "audit.csv")).map((row) => `${repo} ${row["theorem"]}`));
  const names = declared.map((entry) => entry.split(" ")[1] ?? "");
  const bound = new Set(cubs.map((record) => record.crate).filter((crate) => crate !== ""));
  return {
    meta: {
      ...meta,
      sources: Object.fromEntries(
        Object.entries(meta.sources).map(([repo, source]) => [
          repo,
          { ...source, csv_rows: declared.filter((entry) => entry.startsWith(`${repo} `)).length },
        ]),
      ),
      invocation_counts: countBy(cubs, (r) => r.invocation),
      production_consumption_counts: countBy(cubs, (r) => r.production_consumption),
      verification_counts: countBy(cubs, (r) => r.verification_state),
      readiness_counts: Object.fromEntries(Object.entries(READINESS).map(([name, holds]) => [name, cubs.filter(holds).length])),
      proof_consumption_counts: countBy(cubs, (r) => r.proof_consumption),
      lane_tier: countBy(cubs, (r) => `${r.lane}/${r.tier}`),
      crates: {
        cubie_tf_workspace_total: repos.length,
        bound_count: bound.size,
        // No crate has a Verus proof, so every bound one still waits for its first.
        awaiting_verus_count: bound.size,
      },
      reconciliation: {
        tf_csv_rows: declared.length,
        tf_audit_entries: audited.length,
        tf_csv_only_count: declared.filter((entry) => !audited.includes(entry)).length,
        tf_audit_only_count: audited.filter((entry) => !declared.includes(entry)).length,
        id_overlap_across_repos: names.filter((name, i) => names.indexOf(name) !== i),
      },
    },
    cubs,
  };
}
