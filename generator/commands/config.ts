/** `proofshelf config check | schema` */
import { findCollection, nameSome, countOf } from "#snapshots/format";
import { existsSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { howToInstallModel } from "#snapshots/embedders";
import { sha256 } from "#snapshots/digest";
import { ShelfError } from "#snapshots/errors";
import type { Withdrawal } from "#snapshots/schema";
import { type Config, configJsonSchema, foldAlike, formatPath, MAX_CONFIG_BYTES, nearest, openConfig } from "#generator/config";
import {
  checkClaims,
  checkEvidence,
  checkRecords,
  checkRegistry,
  claimsJsonSchema,
  describeFindings,
  findShownEvidence,
  listObjects,
  locateShown,
  type ObjectStore,
  type Located,
  MAX_CLAIMS_BYTES,
  MAX_REGISTRY_BYTES,
  openObjectStore,
  parseClaims,
  type ParsedRegistry,
  parseRegistry,
  readSourceFile,
  readWithdrawals,
  type StoredObject,
  registryJsonSchema,
  type SourceProblems,
  type StatementAnnexes,
  type StoreAnnexes,
  withdrawalsJsonSchema,
} from "#generator/sources";
import { type CommonOptions, configOf, print } from "./options.ts";

/** PROPOSED names files that init proposes, by their key of the configuration. */
export const PROPOSED = { claims: "claims.yaml", registry: "registry.json", withdrawals: "withdrawals.yaml" } as const;
export const MAX_LEFT_OUT = 8; // names

/** runConfigCheck checks the configuration and the sources that it names. @throws ShelfError "bad_config" with every problem and its line */
export async function runConfigCheck(options: CommonOptions, annexes: StoreAnnexes & StatementAnnexes): Promise<void> {
  const config = await openConfig(configOf(options));
  const { found: sources, records } = await checkSourceFiles(config, annexes);
  const { withdrawals, wrong: wrongWithdrawals } = checkWithdrawals(config);
  const wrong = [...sources.flatMap(({ wrong: lines }) => lines), ...wrongWithdrawals];
  // A member that is not known may be the one that is missing.
  if (wrong.length > 0) throw badSources([...wrong, ...sources.flatMap(({ notes }) => notes)]);
  const store = openObjectStore(config.store, annexes);
  const { rows, rejected } = await listObjects(store, config);
  const counts = new Map(config.collections.map(({ id }) => [id, 0]));
  for (const { key } of rows) {
    const id = findCollection(config.collections, key)?.id ?? "";
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  const evidence = await checkClaimPaths(config, { rows, store }, records);
  if (evidence.wrong.length > 0) throw badSources(evidence.wrong);
  sources.push(evidence, findForgotten(config), findFront(config, rows));
  const collections = config.collections.map(({ id, visibility }) => ({ id, visibility, objects: counts.get(id) ?? 0 }));
  const whyNone = (id: string): string => {
    const prefix = config.collections.find((one) => one.id === id)?.prefix ?? "";
    const lost = rejected.find(({ key }) => key.startsWith(prefix));
    return lost === undefined ? "is the prefix right?" : `${JSON.stringify(lost.key)}: ${lost.reason}`;
  };
  const fold = options.verbose === true ? (all: readonly string[]) => all : foldAlike;
  const lines = [
    `${config.file} is right.`,
    ...collections.map(
      ({ id, visibility, objects }) => `  ${id} (${visibility}): ${countOf(objects, "object")}${objects === 0 ? `; ${whyNone(id)}` : ""}`,
    ),
    ...(withdrawals.length === 0 ? [] : [`  withdrawn: ${withdrawals.length}`]),
    ...fold(sources.flatMap(({ notes }) => notes.map(({ detail }) => `Note: ${detail}`))),
    ...(config.embeddings.kind === "embedded" && howToInstallModel() !== null
      ? [`Note: the embedded model is not installed here: ${howToInstallModel() ?? ""}`]
      : []),
    ...(rejected.length === 0
      ? []
      : [
          `  left out: ${nameSome(
            rejected.map(({ key }) => key),
            MAX_LEFT_OUT,
          )}; build --verbose says why`,
        ]),
  ];
  const notes = sources.flatMap((source) => source.notes);
  print(options, { file: config.file, collections, left_out: rejected.length, notes }, `${lines.join("\n")}\n`);
}

/** findForgotten names files that lie beside the configuration under the names that init proposes, and that it does not name. */
function findForgotten(config: Config): Found {
  const forgotten = Object.entries(PROPOSED).filter(
    ([name, file]) => config[name as keyof typeof PROPOSED] === null && existsSync(join(dirname(config.file), file)),
  );
  const notes = forgotten.map(([name, file]) => ({
    pointer: `/${name}`,
    detail: `${file} is here and is not read; write ${name}: { path: ./${file} } into ${basename(config.file)}`,
  }));
  return { wrong: [], notes };
}

type Finding = { readonly pointer: string; readonly detail: string };
type Found = { readonly wrong: readonly Finding[]; readonly notes: readonly Finding[] };

/** @param file where they were found */
function tell(file: string, list: readonly Located[]): readonly Finding[] {
  const shown = relative(process.cwd(), file);
  return list.map(({ line, path, what }) => ({
    pointer: path.map((step) => `/${String(step)}`).join(""),
    detail: `${shown}${line === null ? "" : `:${line}`}: ${[formatPath(path), what].filter((part) => part !== "").join(" ")}`,
  }));
}

/** @param records ids that are there; null where the registry is elsewhere */
async function checkClaimPaths(
  { claims, collections, baseUrl }: Config,
  { rows, store }: { readonly rows: readonly StoredObject[]; readonly store: ObjectStore },
  records: ReadonlySet<string> | null,
): Promise<Found> {
  const bytes = claims === null ? null : await readSourceFile(claims.path, "claims file", MAX_CLAIMS_BYTES);
  if (claims === null || bytes === null || bytes.length > MAX_CONFIG_BYTES) return { wrong: [], notes: [] };
  const shown = findShownEvidence(parseClaims(bytes, formatOf(claims.path)).claims, rows, { collections, baseUrl });
  const digestOf = async (key: string): Promise<string> => sha256((await store.read(key)).bytes);
  const notes = await checkEvidence(bytes, new Set(rows.map(({ key }) => key)), records, digestOf);
  return { wrong: tell(claims.path, locateShown(bytes, shown)), notes: tell(claims.path, notes) };
}

const formatOf = (path: string): "json" | "yaml" => (/\.json$/i.test(path) ? "json" : "yaml");

function findFront({ front, file }: Config, rows: readonly StoredObject[]): Found {
  const keys = rows.map(({ key }) => key);
  if (front === null || keys.includes(front)) return { wrong: [], notes: [] };
  const meant = nearest(front, keys);
  const detail = `front in ${basename(file)} is ${JSON.stringify(front)}, which no object has as its key${meant === null ? "" : `; did you mean ${JSON.stringify(meant)}?`}`;
  return { wrong: [], notes: [{ pointer: "/front", detail }] };
}

/** The files that a build reads besides, those of this machine. */
async function checkSourceFiles(
  config: Config,
  annexes: StatementAnnexes,
): Promise<{ readonly found: Found[]; readonly records: ReadonlySet<string> | null }> {
  const found: Found[] = [];
  let records: ReadonlySet<string> | null = config.registry === null ? new Set() : null;
  const add = (path: string, { wrong, notes }: SourceProblems): void =>
    void found.push({ wrong: tell(path, wrong), notes: tell(path, notes) });
  const { claims, registry } = config;
  if (claims !== null) {
    const bytes = await readSourceFile(claims.path, "claims file", MAX_CLAIMS_BYTES);
    add(
      claims.path,
      checkClaims(bytes, (text) => parseClaims(text, formatOf(claims.path))),
    );
  }
  if (registry !== null && "path" in registry) {
    const bytes = await readSourceFile(registry.path, "registry file", MAX_REGISTRY_BYTES);
    const problems = checkRecords(bytes, registry.internalFields, parseRegistry);
    add(registry.path, problems);
    if (problems.wrong.length === 0) {
      const parsed = parseRegistry(bytes);
      records = new Set(parsed.records.map(({ record }) => record.id));
      const { findings, rejected } = await checkRegistry(parsed, config, annexes);
      const shown = relative(process.cwd(), registry.path);
      const lines = [
        ...noteMissingCode(parsed, config),
        ...rejected.map(({ key, reason }) => `${key}: ${reason}`),
        // A value that nobody knows is told with its line already.
        ...describeFindings(findings.filter(({ record, field }) => record !== null && !field.startsWith("the value of "))),
      ];
      found.push({ wrong: [], notes: lines.map((line) => ({ pointer: "", detail: `${shown}: ${line}` })) });
    }
  }
  return { found, records };
}

/** noteMissingCode says where the files of records are looked for, when nothing says where they are. */
function noteMissingCode({ records, meta }: ParsedRegistry, { code, file }: Config): readonly string[] {
  const [{ record } = { record: null }] = records.filter(({ record: { file_shas: digests } }) => Object.keys(digests).length > 0);
  if (code !== null || record === null) return [];
  const [path = ""] = Object.keys(record.file_shas);
  const place = `code/${record.repo}/${meta.sources[record.repo]?.head ?? "REVISION"}/${path}`;
  return [
    `the files of records are not looked at. Put them there, ${place} for instance, and write code: { kind: directory, root: ./code } into ${basename(file)}`,
  ];
}

/** checkWithdrawals reads the file of withdrawals as a build does, and gives its problems beside those of the other files. */
function checkWithdrawals({ withdrawals }: Config): { readonly withdrawals: readonly Withdrawal[]; readonly wrong: readonly Finding[] } {
  try {
    return { withdrawals: withdrawals === null ? [] : readWithdrawals(withdrawals.path), wrong: [] };
  } catch (error) {
    if (!(error instanceof ShelfError) || error.code !== "bad_config") throw error;
    const wrong = error.message.split("\n").map((detail) => ({ pointer: "", detail }));
    return { withdrawals: [], wrong };
  }
}

function badSources(errors: readonly Finding[]): ShelfError {
  return new ShelfError("bad_config", foldAlike(errors.map(({ detail }) => detail)).join("\n"), { errors });
}

/** jsonSchemas returns the schemas by the name of the file that each is for. */
export const jsonSchemas = () => ({
  proofshelf: configJsonSchema(),
  claims: claimsJsonSchema,
  registry: registryJsonSchema,
  withdrawals: withdrawalsJsonSchema,
});

type SchemaOptions = { readonly claims?: boolean; readonly registry?: boolean; readonly withdrawals?: boolean };

/** printConfigSchema prints the JSON Schema of the configuration, or of the file that is named, for editors. */
export function printConfigSchema(options: SchemaOptions): void {
  const named = (["claims", "registry", "withdrawals"] as const).find((name) => options[name] === true) ?? "proofshelf";
  process.stdout.write(`${JSON.stringify(jsonSchemas()[named], null, 2)}\n`);
}
