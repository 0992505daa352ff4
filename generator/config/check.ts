/** Rules between parts of the configuration. They look at the raw data and skip what has the wrong type, so that they can
 *  speak in the same breath as the schema: every problem at once. */
import { existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, resolve, sep } from "node:path";
import ipaddr from "ipaddr.js";
import { listAt, nearest, valueAt } from "./problems.ts";
import { addedKeys } from "./keys.ts";
import { hasScheme } from "./values.ts";
import type { ConfigProblem, Path } from "./yaml.ts";

/** checkConfig finds problems that the schema cannot see.
 *  @param folder that relative paths of the file start from
 *  @param checkSources also look whether the folders and files that a build reads are there */
export function checkConfig(raw: unknown, folder: string, checkSources: boolean): ConfigProblem[] {
  return [
    ...checkTexts(raw),
    ...checkCollections(raw),
    ...checkAccess(raw),
    ...checkRegistry(raw),
    ...checkProxies(raw),
    ...(checkSources ? checkPaths(raw, folder) : []),
    ...checkShelf(raw, folder),
    ...addedKeys().flatMap((keys) => keys.check?.(raw, folder) ?? []),
  ];
}

/** YAML can write half of a surrogate pair, and no file of a snapshot can hold it. */
function checkTexts(value: unknown, path: Path = []): ConfigProblem[] {
  if (typeof value === "string")
    return value.isWellFormed() ? [] : [{ path, what: "holds half of a surrogate pair; write whole characters" }];
  if (Array.isArray(value)) return value.flatMap((item, index) => checkTexts(item, [...path, index]));
  if (value === null || typeof value !== "object") return [];
  return Object.entries(value).flatMap(([name, member]) => checkTexts(member, [...path, name]));
}

/** Values of a member that an earlier entry has as well. */
function findRepeats(list: readonly unknown[], field: string): { index: number; earlier: number; value: string }[] {
  const first = new Map<string, number>();
  return list.flatMap((entry, index) => {
    const value = valueAt(entry, [field]);
    if (typeof value !== "string") return [];
    const earlier = first.get(value);
    if (earlier === undefined) first.set(value, index);
    return earlier === undefined ? [] : [{ index, earlier, value }];
  });
}

function checkCollections(raw: unknown): ConfigProblem[] {
  return ["id", "prefix"].flatMap((field) =>
    findRepeats(listAt(raw, ["collections"]), field).map(({ index, earlier, value }) => ({
      path: ["collections", index, field],
      what: `${JSON.stringify(value)} is taken by collections[${earlier}]; give each collection its own ${field}`,
    })),
  );
}

export function checkAccess(raw: unknown): ConfigProblem[] {
  const access = valueAt(raw, ["access"]);
  if (access === undefined) return [];
  const tokens = listAt(access, ["serviceTokens"]);
  const problems: ConfigProblem[] = ["name", "id"].flatMap((field) =>
    findRepeats(tokens, field).map(({ index }) => ({
      path: ["access", "serviceTokens", index, field],
      what: `stands twice; give each token its own ${field}`,
    })),
  );
  const named = new Set(tokens.map((token) => valueAt(token, ["name"])).filter((name) => typeof name === "string"));
  listAt(access, ["policy", "serviceTokens"]).forEach((name, index) => {
    if (typeof name !== "string" || named.has(name)) return;
    const known = [...named].map((other) => JSON.stringify(other)).join(", ") || "none";
    problems.push({
      path: ["access", "policy", "serviceTokens", index],
      what: `names no entry of access.serviceTokens; known: ${known}`,
    });
  });
  problems.push(...checkSignIn(access));
  const kind = valueAt(access, ["kind"]);
  if (addedKeys().some(({ signIn }) => signIn !== undefined && signIn.kind === kind)) return problems;
  const jwks = valueAt(access, ["jwks"]);
  if (jwks !== undefined) {
    const audience = valueAt(access, ["audience"]);
    const what = "is missing; tokens checked with jwks need it";
    if (valueAt(access, ["issuer"]) === undefined) problems.push({ path: ["access", "issuer"], what });
    if (audience === undefined || (Array.isArray(audience) && audience.length === 0)) problems.push({ path: ["access", "audience"], what });
  } else if (tokens.length === 0) {
    problems.push({
      path: ["access"],
      what: "lets nobody in; give jwks with issuer and audience, or serviceTokens, or leave access out",
    });
  }
  return problems;
}

/** checkSignIn tells keys of one kind of sign-in that stand beside another kind, and what the kind itself finds. */
function checkSignIn(access: unknown): ConfigProblem[] {
  const chosen = valueAt(access, ["kind"]);
  return addedKeys().flatMap(({ signIn }) => {
    if (signIn === undefined) return [];
    if (signIn.kind === chosen) return [...signIn.check(access)];
    return Object.keys(signIn.keys)
      .filter((key) => valueAt(access, [key]) !== undefined)
      .map((key) => ({ path: ["access", key], what: `is heard only with kind: ${signIn.kind}; take one of the two away` }));
  });
}

function checkRegistry(raw: unknown): ConfigProblem[] {
  const registry = valueAt(raw, ["registry"]);
  if (registry === null || typeof registry !== "object") return [];
  const given = ["path", "url", "sources"].filter((key) => valueAt(registry, [key]) !== undefined);
  if (given.length === 1) return [];
  return [
    {
      path: ["registry"],
      what: given.length === 0 ? "names no source; write path, url or sources" : `has both ${given.slice(0, 2).join(" and ")}; keep one`,
    },
  ];
}

function checkProxies(raw: unknown): ConfigProblem[] {
  const proxies = valueAt(raw, ["trustProxy"]);
  if (!Array.isArray(proxies)) return [];
  if (proxies.length === 0) return [{ path: ["trustProxy"], what: "is empty; leave it out to believe nobody" }];
  return proxies.flatMap((entry: unknown, index) => {
    const what = typeof entry === "string" ? findNetworkProblem(entry) : null;
    return what === null ? [] : [{ path: ["trustProxy", index], what }];
  });
}

function findNetworkProblem(text: string): string | null {
  const { IPv4, IPv6 } = ipaddr;
  const good = text.includes("/")
    ? IPv4.isValidCIDRFourPartDecimal(text) || IPv6.isValidCIDR(text)
    : IPv4.isValidFourPartDecimal(text) || IPv6.isValid(text);
  if (!good) return "is not an address or a network; write one like 192.0.2.7 or 2001:db8::/32";
  return text.endsWith("/0") ? "takes everybody for a proxy; name the proxies' own networks" : null;
}

function checkPaths(raw: unknown, folder: string): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const expect = (path: readonly string[], kind: "folder" | "file"): void => {
    const value = valueAt(raw, path);
    if (typeof value !== "string" || value.trim() === "" || value.includes("\0")) return;
    const found = findKind(resolve(folder, value));
    if (found === kind) return;
    problems.push({
      path,
      what:
        found === null
          ? `does not exist; ${likeIt(resolve(folder, value))}rite the path of a ${kind}`
          : `is a ${found}; write the path of a ${kind}`,
    });
  };
  // A scan of sources makes the folder of their code.
  const read = valueAt(raw, ["registry", "sources"]) === undefined ? (["store", "code"] as const) : (["store"] as const);
  for (const part of read) if (valueAt(raw, [part, "kind"]) === "directory") expect([part, "root"], "folder");
  expect(["claims", "path"], "file");
  expect(["withdrawals", "path"], "file");
  const jwks = valueAt(raw, ["access", "jwks"]);
  if (typeof jwks === "string" && !hasScheme(jwks)) expect(["access", "jwks"], "file");
  return problems;
}

/** Names what is called nearly so in the same folder, and begins the sentence that goes on. */
function likeIt(path: string): string {
  const beside = existsSync(dirname(path)) ? readdirSync(dirname(path)) : [];
  const near = nearest(basename(path), beside);
  return near === null ? "w" : `did you mean ${JSON.stringify(near)}? W`;
}

/** A shelf inside the store would be published by the next build, and grow with each. */
function checkShelf(raw: unknown, folder: string): ConfigProblem[] {
  const store = valueAt(raw, ["store", "root"]);
  const where = valueAt(raw, ["shelf", "kind"]) === "s3" ? "copy" : "root";
  const shelf =
    valueAt(raw, ["shelf", where]) ?? (where === "copy" || valueAt(raw, ["shelf"]) === undefined ? "snapshots/data" : undefined);
  if (typeof store !== "string" || typeof shelf !== "string" || `${store}${shelf}`.includes("\0")) return [];
  if (!isWithin(resolve(folder, shelf), resolve(folder, store))) return [];
  return [
    {
      path: ["shelf", where],
      what: "lies inside the store, so that snapshots would become objects; choose a folder outside store.root",
    },
  ];
}

/** Tells whether a path lies in a folder, links followed. */
function isWithin(path: string, folder: string): boolean {
  const [inner, outer] = [real(path), real(folder)];
  return inner === outer || inner.startsWith(outer.endsWith(sep) ? outer : outer + sep);
}

function real(path: string): string {
  let existing = path;
  while (!existsSync(existing)) {
    const parent = resolve(existing, "..");
    if (parent === existing) return path;
    existing = parent;
  }
  try {
    return realpathSync(existing) + path.slice(existing.length);
  } catch {
    return path;
  }
}

function findKind(path: string): "folder" | "file" | "special file" | null {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return null;
  if (stats.isDirectory()) return "folder";
  return stats.isFile() ? "file" : "special file";
}
