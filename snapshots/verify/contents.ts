/** The check of a snapshot's data files: that each has its shape, and that none contradicts another or the objects. */
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { sha256 } from "#snapshots/digest";
import { type BlobEntry, claimStandings, type ObjectRow, partsPath, recordStanding, type ViewData } from "#snapshots/format";
import { apiFiles, type DerivedFile } from "#snapshots/page";
import { CatalogObject, ClaimsRegistry, CubCode, CubRecord, Library, Rejected } from "#snapshots/schema";
import type { Snapshot } from "#snapshots/shelf";
import { type Audit, checksOf } from "./check.ts";
import { reasonOf, type RootName } from "./finding.ts";
import { extrasIn, openTell, readShaped, type TellFinding } from "./view-files.ts";

const SHAPES: Readonly<Record<string, z.ZodType>> = {
  "api/library.json": Library,
  "api/claims.json": ClaimsRegistry,
  "api/rejected.json": Rejected,
};

/** By the folder that they begin with. */
const PART_SHAPES: readonly (readonly [folder: string, shape: z.ZodType])[] = [
  [partsPath.objects(""), z.array(CatalogObject)],
  [`${partsPath.records}/`, z.array(CubRecord)],
  [`${partsPath.code}/`, z.array(CubCode)],
];

/** Every file that data is read from, with its shape; the first ones have to be there. */
function* shapesOf(files: ReadonlyMap<string, BlobEntry>): Generator<readonly [path: string, shape: z.ZodType]> {
  yield* Object.entries(SHAPES);
  for (const path of files.keys()) for (const [folder, shape] of PART_SHAPES) if (path.startsWith(folder)) yield [path, shape];
}

/** checkContents checks the shapes and the data, and runs the data checks.
 *  @param files every file of the snapshot, each with its digest checked
 *  @returns the view's data, or null when it cannot be trusted to have its shape */
export async function checkContents(audit: Audit, snapshot: Snapshot, files: ReadonlyMap<string, BlobEntry>): Promise<ViewData | null> {
  const { root } = audit;
  const tell = openTell(audit, snapshot);
  let shaped = true;
  for (const [path, shape] of shapesOf(files)) {
    const entry = files.get(path);
    if (entry === undefined) {
      tell("api_missing", path, "Every snapshot has it.");
      shaped = false;
      continue;
    }
    const { problem } = await readShaped(snapshot, entry, shape);
    if (problem === null) continue;
    tell("api_malformed", path, problem);
    shaped = false;
  }
  if (!shaped) return null;
  try {
    const data = await snapshot.data();
    const sound = checkData(tell, root, data);
    checkObjects(tell, data.objects, files);
    checkApiFiles(tell, apiFiles(data, audit.routes), files);
    for (const check of checksOf(audit.checks, "data")) await check.run(audit, { snapshot, files, data }, sound);
    return data;
  } catch (error) {
    // The shapes are right, so this is a contradiction that no check above names.
    tell("api_mismatch", "api", reasonOf(error));
    return null;
  }
}

/** Ids that occur twice, lists out of order, and what a public view must not hold. @returns whether the data is sound */
function checkData(tell: TellFinding, root: RootName, data: ViewData): boolean {
  let sound = true;
  const add = (code: "api_mismatch" | "gated_in_public", path: string, detail: string): void => {
    sound = false;
    tell(code, path, detail);
  };
  const keys = data.objects.map((row) => row.key);
  const ids = data.cubs.map((record) => record.id);
  const claims = data.claims.claims.map((claim) => claim.id);
  for (const [path, list] of [
    ["parts/objects", keys],
    ["parts/records", ids],
    ["api/claims.json", claims],
  ] as const) {
    if (new Set(list).size !== list.length) add("api_mismatch", path, "An id or key occurs twice.");
  }
  if (ids.some((id, at) => at > 0 && (ids[at - 1] ?? "") >= id))
    add("api_mismatch", "parts/records", "The records are not in the order of their ids.");
  if (data.library.view !== root) add("api_mismatch", "api/library.json", `It says that it is the ${data.library.view} view.`);
  const declaredBy = new Map(data.cubs.map((record) => [record.id, record.file_shas]));
  for (const [id, { files }] of data.code) {
    const digests = declaredBy.get(id) ?? {};
    if (!declaredBy.has(id)) add("api_mismatch", "parts/code", `${id} is no record.`);
    for (const file of files) {
      const declared = Object.hasOwn(digests, file.path) ? digests[file.path] : undefined;
      if (declared !== undefined && declared !== file.sha256)
        add("api_mismatch", "parts/code", `${id}: a file has another digest than its record says.`);
    }
  }
  const standingOf = claimStandings(data);
  for (const { id, standing, ...record } of data.cubs)
    if (standing !== undefined && !isDeepStrictEqual(standing, recordStanding(record)))
      add("api_mismatch", "parts/records", `${id} has another standing than follows.`);
  for (const claim of data.claims.claims)
    if (claim.standing !== undefined && !isDeepStrictEqual(claim.standing, standingOf(claim)))
      add("api_mismatch", "api/claims.json", `Claim ${JSON.stringify(claim.id)} has another standing than follows.`);
  if (root === "internal") return sound;
  if (data.library.collections.some((collection) => collection.visibility !== "public")) {
    add("gated_in_public", "api/library.json", "A collection of the public view is not public.");
  }
  for (const { evidence } of data.claims.claims) {
    const withheld = evidence.filter((item) => item.access !== "public");
    // Its name, kind and access are part of the claim, and that it names no digest; where it lies is not.
    const isTold = ([name, value]: [string, unknown]): boolean =>
      ["artifact", "kind", "access"].includes(name) || (name === "state" && value === "unpinned");
    if (withheld.some((item) => !Object.entries(item).every(isTold))) {
      add("gated_in_public", "api/claims.json", "Evidence that is not public says where it lies.");
    }
  }
  return sound;
}

function checkObjects(tell: TellFinding, rows: readonly ObjectRow[], files: ReadonlyMap<string, BlobEntry>): void {
  const listed = new Set<string>();
  for (const row of rows) {
    const path = `objects/${row.key}`;
    listed.add(path);
    const entry = files.get(path);
    if (entry === undefined) {
      tell("api_mismatch", path, "The catalog lists an object that is not there.");
      continue;
    }
    const same =
      entry.sha256 === row.sha256 && entry.size === row.size && entry.type === row.media_type && (entry.uploaded ?? null) === row.uploaded;
    if (!same) tell("api_mismatch", path, "The catalog gives another digest, size, media type or time than the tree.");
  }
  for (const path of extrasIn(files, "objects/", listed)) tell("api_mismatch", path, "The catalog does not list this object.");
}

/** Every file under api/ and parts/ follows from the few that the data was read from. */
function checkApiFiles(tell: TellFinding, derived: Iterable<DerivedFile>, files: ReadonlyMap<string, BlobEntry>): void {
  const expected = new Set<string>();
  for (const { path, bytes } of derived) {
    expected.add(path);
    const entry = files.get(path);
    if (entry === undefined) tell("derived_missing", path, "It follows from the other data files.");
    else if (entry.sha256 !== sha256(bytes)) tell("derived_differs", path, "It is not what follows from the other data files.");
  }
  for (const folder of ["api/", "parts/"])
    for (const path of extrasIn(files, folder, expected)) tell("derived_extra", path, "No route serves it.");
}
