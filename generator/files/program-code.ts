/** Digests the code that this process runs: what a build keeps for the next one is void when it is that of another program. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Sha256, sha256 } from "#snapshots/digest";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const TOPS = ["generator", "snapshots", "site", "sidecar"];
/** A package has its own list of packages; a checkout also the versions of what those need. */
const LOCK = "package-lock.json";
const BESIDE = ["astro.config.mjs", "package.json", LOCK];
/** Sources of a checkout, and what a package has in their place. */
const CODE = /\.(?:ts|mjs|js|astro|css|svg|ico|yaml)$/;
/** Nothing of a library is made by tests. */
const TEST = /\.(?:test|spec)\.ts$|fixture[\w-]*\.ts$/;
/** Tools, what is made of the sources, and what is no program. */
const OTHER = /\/(?:dist|\.cache|data|contract|demo|testing|bench|eval|torture|guides)$/;

/** isPackage tells whether this is a published package, which has no sources that could be edited. */
export const isPackage = !existsSync(join(ROOT, LOCK));

let code: readonly (readonly [path: string, digest: Sha256])[] | null = null;

/** codeDigest digests the code at the paths that match, and the versions of the packages. It is read once: a process goes on running what it has
 *  loaded. @param paths of files, from the root */
export function codeDigest(paths: RegExp = /^/): Sha256 {
  code ??= listCode().map((path) => [path, sha256(readFileSync(join(ROOT, path)))]);
  const isMeant = (path: string): boolean => BESIDE.includes(path) || paths.test(path);
  return sha256(code.flatMap(([path, digest]) => (isMeant(path) ? [`${digest}  ${path}\n`] : [])).join(""));
}

/** listCode lists the paths of all code, from the root. */
export function listCode(): readonly string[] {
  return [...BESIDE.filter((path) => existsSync(join(ROOT, path))), ...TOPS.flatMap(codeIn).sort()];
}

function codeIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return OTHER.test(path) ? [] : codeIn(path);
    return CODE.test(path) && !TEST.test(path) ? [path] : [];
  });
}
