/** Finds evidence that says access: public of something gated. Such an item would name the gated key, or its digest, to everybody. */
import { existsSync, readFileSync } from "node:fs";
import { ShelfError } from "#snapshots/errors";
import { type CollectionInfo, formatKeyPath, isGatedKey } from "#snapshots/format";
import type { Claim, ClaimEvidence } from "#snapshots/schema";
import { type Config, formatPath, listAt, parseLocatedYaml, type Path, valueAt } from "#generator/config";

type Named = { readonly key: string; readonly sha256?: string };
export type ShownEvidence = { readonly claim: string; readonly at: number; readonly key: string };

/** findShownEvidence looks at the path, the address and the digest of each item. What lies in another repository is not this library's.
 *  @param objects of the library, with their digests where they are known
 *  @param shown digests that records show */
export function findShownEvidence(
  claims: readonly Claim[],
  objects: readonly Named[],
  { collections, baseUrl }: { readonly collections: readonly CollectionInfo[]; readonly baseUrl: string },
  shown: ReadonlySet<string> = new Set(),
): readonly ShownEvidence[] {
  const gated = objects.filter(({ key }) => isGatedKey(collections, key));
  if (gated.length === 0) return [];
  const open = new Set(objects.flatMap(({ key, sha256 }) => (sha256 === undefined || isGatedKey(collections, key) ? [] : [sha256])));
  const byDigest = new Map(gated.flatMap(({ key, sha256 = "" }) => (open.has(sha256) || shown.has(sha256) ? [] : [[sha256, key]])));
  const named = ({ path, repo, url, sha256 = "-" }: ClaimEvidence): string | undefined => {
    if (url !== undefined)
      return url.startsWith(baseUrl)
        ? gated.find(({ key }) =>
            url
              .replace(/[?#].*$/, "")
              .replace(/\/$/, "")
              .endsWith(`/${formatKeyPath(key)}`),
          )?.key
        : undefined;
    if (repo !== undefined) return undefined;
    const isFolder = path?.endsWith("/") === true && isGatedKey(collections, path);
    const there = gated.find(({ key }) => key === path || (isFolder && key.startsWith(path)))?.key;
    return there ?? byDigest.get(sha256);
  };
  return claims.flatMap(({ id, evidence }) =>
    evidence.flatMap((item, at) => {
      const key = item.access === "public" ? named(item) : undefined;
      return key === undefined ? [] : [{ claim: id, at, key }];
    }),
  );
}

/** locateShown says where in the file of claims each stands, and what would be right. */
export function locateShown(bytes: Uint8Array, found: readonly ShownEvidence[]): readonly { line: number; path: Path; what: string }[] {
  const yaml = parseLocatedYaml(bytes);
  const ids = listAt(yaml.value, ["claims"]).map((claim) => valueAt(claim, ["id"]));
  return found.map(({ claim, at, key }) => {
    const [index, what] = [ids.indexOf(claim), `says public, and ${JSON.stringify(key)} is gated; write email-gated`];
    // Claims that are kept because all of them went at once stand in no file any more.
    if (index < 0)
      return { line: 1, path: ["claims"], what: `lacks ${JSON.stringify(claim)}, which is kept; its evidence ${at + 1} ${what}` };
    const path: Path = ["claims", index, "evidence", at, "access"];
    return { line: yaml.lineOf(path), path, what };
  });
}

/** refuseShown stops a build whose claims would name what is gated. @throws ShelfError "bad_config" with each line */
export function refuseShown(
  { claims: source, collections, baseUrl }: Config,
  claims: readonly Claim[],
  objects: readonly Named[],
  shown: ReadonlySet<string>,
): void {
  const found = source === null ? [] : findShownEvidence(claims, objects, { collections, baseUrl }, shown);
  if (source === null || found.length === 0) return;
  const bytes = existsSync(source.path) ? readFileSync(source.path) : Buffer.from("");
  const lines = locateShown(bytes, found).map(({ line, path, what }) => `${source.path}:${line}: ${formatPath(path)} ${what}`);
  throw new ShelfError("bad_config", ["Nothing was published, because claims would name what is gated:", ...lines].join("\n"));
}
