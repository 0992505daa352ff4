/** The configuration: proofshelf.yaml read, checked as a whole, and made absolute.
 *
 *  A bad file gives every problem at once, each as `file:line: key what; what would be right`. Secrets are not in it: the
 *  parts that need one read it from the environment themselves. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { sha256 } from "#snapshots/digest";
import { ShelfError } from "#snapshots/errors";
import { AccessConfig } from "#snapshots/schema";
import { isPackage } from "#generator/files";
import { checkAccess, checkConfig } from "./check.ts";
import { badConfig, explainIssues } from "./problems.ts";
import { addedKeys } from "./keys.ts";
import { accessSchema, configSchema, type ParsedConfig } from "./schema.ts";
import { type ConfigProblem, MAX_CONFIG_BYTES, type Path, parseLocatedYaml } from "./yaml.ts";

export { configJsonSchema } from "./problems.ts";
export { configSchema } from "./schema.ts";

export type StoreConfig = Omitting<ParsedConfig["store"], "include" | "exclude" | "fullListingEvery">;
/** Omit of each member of a union. */
type Omitting<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
export type RegistryConfig = { readonly path: string } | { readonly url: string } | { readonly sources: string };

/** Config is the configuration with defaults applied, paths absolute, addresses without a final slash, absence as null. */
export type Config = Readonly<Omit<ParsedConfig, "registry" | "access" | "extract">> & {
  /** Absolute path of the file. */
  readonly file: string;
  /** Digest of its bytes. */
  readonly sha256: string;
  /** Processor time that a build may spend on files that take long to read. */
  readonly extract: { readonly budgetMs: number };
  readonly registry: (RegistryConfig & { readonly internalFields: readonly string[]; readonly license: string | null }) | null;
  readonly access: AccessConfig | null;
};

export type OpenConfigOptions = {
  /** Look whether the folders and files that a build reads are there. Default true; readers of a shelf pass false. */
  readonly checkSources?: boolean;
};

export const DEMO_CONFIG = fileURLToPath(new URL("../demo/proofshelf.yaml", import.meta.url));
/** In a checkout beside the sources; who installed a package may not write into it, and may have no home. */
const DEMO_SHELF = isPackage
  ? join(process.env["XDG_CACHE_HOME"] || (existsSync(homedir()) ? join(homedir(), ".cache") : tmpdir()), "proofshelf", "demo")
  : fileURLToPath(new URL("../../snapshots/data", import.meta.url));

/** openConfig reads a configuration.
 *  @param path of the file as the user wrote it (it is shown in problems)
 *  @throws ShelfError "bad_config": `message` has one line per problem, `errors` the same lines with their pointers */
export async function openConfig(path: string, options: OpenConfigOptions = {}): Promise<Config> {
  return parseConfig(readConfigFile(path), path, options);
}

/** parseConfig does the same with bytes in hand. @param path where they came from; relative paths start from its folder */
export function parseConfig(bytes: Uint8Array, path: string, options: OpenConfigOptions = {}): Config {
  const file = resolve(path);
  const folder = dirname(file);
  const yaml = parseLocatedYaml(bytes);
  const problems: ConfigProblem[] = [];
  const lines = yaml.problems.map(({ line, what }) => ({ line, path: [] as Path, what }));
  let parsed: ParsedConfig | null = null;
  if (yaml.value !== null) {
    const result = configSchema().safeParse(yaml.value);
    if (result.success) parsed = result.data as unknown as ParsedConfig;
    else problems.push(...explainIssues(result.error.issues, yaml.value));
    problems.push(...checkConfig(yaml.value, folder, options.checkSources ?? true));
  } else if (lines.length === 0) lines.push({ line: 1, path: [], what: "the file is empty; it needs at least store and collections" });
  for (const problem of problems) lines.push({ line: yaml.lineOf(problem.path), ...problem });
  if (lines.length > 0 || parsed === null) throw badConfig(path, lines);
  return { ...resolveConfig(parsed, file, folder), sha256: sha256(bytes) };
}

/** readAccess reads the access section alone, of a file that is wrong elsewhere: who is let in must not wait for the rest.
 *  @returns null when the file has none, and undefined when that cannot be told or the section itself is wrong */
export function readAccess(path: string): AccessConfig | null | undefined {
  try {
    const bytes = readConfigFile(path);
    const whole = parseLocatedYaml(bytes);
    const yaml = whole.problems.length === 0 ? whole : parseLocatedYaml(findSection("access", bytes));
    if (yaml.problems.length > 0) return undefined;
    const { data } = accessSchema().safeParse(yaml.value);
    if (data === undefined || checkAccess(yaml.value).length > 0) return undefined;
    return resolveAccess(data.access, dirname(resolve(path)));
  } catch (error) {
    if (error instanceof ShelfError) return undefined;
    throw error;
  }
}

/** The lines of a top-level key in a file that is no YAML as a whole; nothing when it stands there twice or not at all. */
function findSection(key: string, bytes: Uint8Array): Uint8Array {
  const found =
    Buffer.from(bytes)
      .toString("utf8")
      .match(new RegExp(`^${key}:.*(?:\\r?\\n(?:[ \\t#-].*)?)*`, "gm")) ?? [];
  return Buffer.from(found.length === 1 ? (found[0] ?? "") : "");
}

/** readConfigFile reads the bytes of a file. @throws ShelfError "bad_config" */
export function readConfigFile(path: string, what = "a proofshelf.yaml"): Uint8Array {
  try {
    const stats = statSync(path);
    if (stats.isDirectory()) throw new ShelfError("bad_config", `${path}: is a folder; write the path of ${what}`);
    if (!stats.isFile()) throw new ShelfError("bad_config", `${path}: is not a regular file`);
    if (stats.size > 16 * MAX_CONFIG_BYTES)
      throw new ShelfError("bad_config", `${path}:1: the file has ${stats.size} bytes; at most ${MAX_CONFIG_BYTES} are read`);
    return readFileSync(path);
  } catch (cause) {
    if (cause instanceof ShelfError) throw cause;
    const code = (cause as NodeJS.ErrnoException).code;
    const why = code === "ENOENT" || code === "ENOTDIR" ? "does not exist" : code === "EACCES" ? "may not be read" : "cannot be read";
    throw new ShelfError("bad_config", `${path}: ${why}; write the path of ${what}`, { cause });
  }
}

function resolveShelf(shelf: ParsedConfig["shelf"], folder: string): ParsedConfig["shelf"] {
  if (shelf.kind === "directory") return inFolder(shelf, folder);
  const kind = addedKeys().find(({ place }) => place?.kind === shelf.kind);
  return kind?.place?.resolveShelf(shelf, folder) ?? shelf;
}

/** inFolder makes the path absolute of what lies in a folder of this machine. */
function inFolder<T extends { readonly kind: string }>(part: T, folder: string): T {
  const place = part as T & { readonly root?: string };
  return place.root === undefined ? part : { ...part, root: resolve(folder, place.root) };
}

function resolveConfig(parsed: ParsedConfig, file: string, folder: string): Omit<Config, "sha256"> {
  const { claims, withdrawals, code } = parsed;
  const atPath = <T extends { readonly path: string }>(part: T): T => ({ ...part, path: resolve(folder, part.path) });
  return {
    ...parsed,
    file,
    store: inFolder(parsed.store, folder),
    shelf: file === DEMO_CONFIG ? { kind: "directory", root: DEMO_SHELF } : resolveShelf(parsed.shelf, folder),
    claims: claims && atPath(claims),
    withdrawals: withdrawals && atPath(withdrawals),
    registry: resolveRegistry(parsed.registry, folder),
    code: code && inFolder(code, folder),
    access: resolveAccess(parsed.access, folder),
    extract: { budgetMs: parseDuration(parsed.extract.budget) },
  };
}

/** @param text as the schema lets it through */
function parseDuration(text: string): number {
  const units: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };
  return Number(text.slice(0, -1)) * (units[text.slice(-1)] ?? 0);
}

function resolveRegistry(registry: ParsedConfig["registry"], folder: string): Config["registry"] {
  if (registry === null) return null;
  const { path, url, sources, ...rest } = registry;
  if (sources !== undefined) return { ...rest, sources: resolve(folder, sources) };
  if (path !== undefined) return { ...rest, path: resolve(folder, path) };
  return url === undefined ? null : { ...rest, url };
}

function resolveAccess(access: ParsedConfig["access"], folder: string): AccessConfig | null {
  if (access === null) return null;
  const { jwks } = access;
  const own = addedKeys().find((keys) => keys.signIn?.kind === access.kind)?.signIn;
  return AccessConfig.parse({
    ...access,
    ...own?.resolve(access),
    jwks: jwks === null || /^https?:/i.test(jwks) ? jwks : resolve(folder, jwks),
  });
}
