/** Everything one build read, before anybody asked who may see it. */
import { type CollectionInfo, compareNames, pagePath, type RegistryState } from "#snapshots/format";
import type { Claim, ClaimsMeta, CubCode, CubRecord, RegistryMeta, Rejection, Withdrawal } from "#snapshots/schema";
import { countRecords } from "#snapshots/query";
import type { Config } from "#generator/config";
import type { BuildFacts, Looked } from "./facts.ts";
import { withCredits } from "./credits.ts";
import { declaredSource } from "./origins.ts";
import type { KnownObject, ReadRow } from "#generator/kept";
import { VERSION } from "#generator/files";

export type RecordSet = {
  readonly title: string;
  /** Description of the library in one sentence, or "". */
  readonly description: string;
  readonly baseUrl: string;
  readonly registryUrl: string;
  readonly generator: string;
  readonly collections: readonly CollectionInfo[];
  /** Numbers of collections that the operator states. */
  readonly declared: Config["declared"];
  /** Key of the object whose text opens the front page. */
  readonly front: string | null;
  readonly security: Config["security"];
  readonly report: Config["report"];
  readonly main: Config["main"];
  /** How many pages of a PDF are drawn. */
  readonly pageImages: number;
  /** Ascending by key; every key lies in a collection. */
  readonly objects: readonly ReadRow[];
  readonly claims: { readonly state: RegistryState; readonly meta: ClaimsMeta; readonly claims: readonly Claim[] };
  readonly cubs: readonly CubRecord[];
  readonly registry: RegistryState;
  /** Licence of the records whose files state none; null when none is declared. */
  readonly recordLicense: string | null;
  /** null when `registry` is "none" or "failed". */
  readonly meta: RegistryMeta | null;
  readonly code: ReadonlyMap<string, CubCode>;
  readonly rejected: readonly Rejection[];
  readonly withdrawn: readonly Withdrawal[];
  /** Notes about public things only: the registry and the claims. */
  readonly notes: readonly string[];
};

/** recordSet puts together everything that one build read. @param read the objects, read or taken for it */
export function recordSet(
  facts: BuildFacts,
  read: { readonly objects: readonly KnownObject[]; readonly refused: readonly Rejection[] },
): RecordSet {
  const { config, registry, claims } = facts;
  return {
    title: config.title,
    description: config.description,
    baseUrl: config.baseUrl,
    registryUrl: config.registryUrl ?? "",
    generator: `proofshelf ${VERSION}`,
    collections: config.collections,
    declared: config.declared,
    front: config.front,
    security: config.security,
    report: config.report,
    main: config.main,
    pageImages: config.pdf.pageImages,
    objects: withCredits(
      read.objects.map(({ version: _, root: __, secrets: ___, links: ____, drawn: _____, asked: ______, told: _______, ...row }) => {
        const source = declaredSource(config, row.key) ?? row.source;
        return source === undefined ? row : { ...row, source };
      }),
      config,
    ),
    claims,
    cubs: registry.cubs.map((record) => filledIn(record, config)),
    registry: registry.state,
    recordLicense: config.registry?.license ?? null,
    meta: registry.meta === null ? null : withCounts(registry.meta, registry.cubs),
    code: registry.code,
    rejected: refusals(facts, read.refused),
    withdrawn: facts.withdrawals.list,
    notes: [...registry.notes, ...claims.notes],
  };
}

/** filledIn fills in what the registry leaves empty and follows from the rest of a record: links to this service, and to the registry's pages; its
 *  proof files, how they are held against their digests, and how the prover is asked about them. */
function filledIn(record: CubRecord, { baseUrl, registryUrl }: Config): CubRecord {
  const { api, code, registry } = record.links;
  const own = `${baseUrl}/api/cubs/${record.id}`;
  // Without a registry of its own, what is said of a record stands on its page here.
  const page = `${baseUrl}${pagePath.record(record.id)}`;
  const { proof_files: named, verify_hash: check, recheck, get_code: get } = record.reproduce;
  const proofs = Object.keys(record.file_shas).filter((path) => path !== record.exec_file && !path.endsWith(".rs"));
  const reproduce = {
    ...record.reproduce,
    proof_files: named.length > 0 ? named : proofs.sort(compareNames),
    verify_hash: check || checkCommand(record.file_shas),
    recheck: recheck || recheckCommand(record),
    get_code: get || `GET /api/cubs/${record.id}/code`,
  };
  return { ...record, reproduce, links: { api: api || own, code: code || `${own}/code`, registry: registry || (registryUrl ?? page) } };
}

/** withCounts fills in the groups of counts that a registry leaves out: they are those of its records, and say "verified" where those do. */
export function withCounts(meta: RegistryMeta, cubs: readonly CubRecord[]): RegistryMeta {
  const isLeftOut = (group: string): boolean => Object.keys(meta[group as "verification_counts"]).length === 0;
  return { ...meta, ...Object.fromEntries(Object.entries(countRecords(cubs)).filter(([group]) => isLeftOut(group))) };
}

/** To a shell it is one word, and no option. */
const isWord = (text: string): boolean => /^[\w./+@:=-]+$/.test(text) && !text.startsWith("-");

/** Empty where nothing is pinned, and where a path would be more than a word to a shell. */
function checkCommand(digests: CubRecord["file_shas"]): string {
  const pinned = Object.entries(digests).sort(([a], [b]) => compareNames(a, b));
  if (pinned.length === 0 || !pinned.every(([path]) => isWord(path))) return "";
  return `printf '%s  %s\\n' ${pinned.map(([path, digest]) => `${digest} ${path}`).join(" ")} | sha256sum -c`;
}

/** refusals lists everything that is left out.
 *  @param refused objects that were listed and could not be read */
export function refusals({ listed, registry, claims }: BuildFacts | Looked, refused: readonly Rejection[]): readonly Rejection[] {
  return [...listed.rejected, ...refused, ...registry.rejected, ...claims.rejected];
}

/** recheckCommand asks the provers of the files that a record names, in a copy of its repository. A folder and the beginning of a module that
 *  fit together are where Coq finds the files that are required. Empty where no file of a prover is named. */
function recheckCommand({ files: { coq_file: coq, lean_file: lean }, module }: CubRecord): string {
  const commands: string[] = [];
  if (coq.endsWith(".v") && isWord(coq)) commands.push(`coqc ${coqPlace(coq, module)}${coq}`);
  if (lean.endsWith(".lean") && isWord(lean)) commands.push(`lake env lean ${lean}`);
  return commands.join(" && ");
}

/** @returns "-Q coq Sorting " of coq/Sort.v and Sorting.Sort */
function coqPlace(path: string, module: string): string {
  const folders = path.slice(0, -".v".length).split("/");
  const names = module.split(".");
  while (folders.length > 0 && names.length > 0 && folders.at(-1) === names.at(-1)) {
    folders.pop();
    names.pop();
  }
  const fits = folders.length + names.length < path.split("/").length + module.split(".").length && names.length > 0;
  return fits && names.every((name) => /^\w+$/.test(name)) ? `-Q ${folders.join("/") || "."} ${names.join(".")} ` : "";
}
