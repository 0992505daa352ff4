/** What the files of a snapshot say: that each has its shape, and that none contradicts another or the objects. */
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { pageImageFile } from "../format/layout.ts";
import { apiFiles, wholeApiFiles } from "../page/api-files.ts";
import { sha256 } from "../digest.ts";
import { countSitemaps, isInSitemap } from "../page/text-files.ts";
import { storedPages } from "../page/stored-pages.ts";
import { type Snapshot, WHOLE_CATALOG } from "../shelf/read.ts";
import { ClaimsRegistry } from "../schema/claims.ts";
import { CubCode, CubRecord, RegistryMeta } from "../schema/cubs.ts";
import { type Extract, MAX_PASSAGE, OBJECT_KINDS } from "../schema/extract.ts";
import { Catalog, CatalogObject, CollectionCounts, Rejected, VIEWS, VISIBILITIES } from "../schema/resources.ts";
import { partsPath } from "../format/parts.ts";
import type { BlobEntry } from "../format/tree.ts";
import { type ObjectRow, REGISTRY_STATES, type ViewData } from "../format/view-data.ts";
import { reasonOf, type Report, type RootName } from "./finding.ts";
import type { Audit } from "./walk.ts";

const library = z.strictObject({
  title: z.string(),
  summary: z.string(),
  view: z.enum(VIEWS),
  base_url: z.string(),
  registry_url: z.string(),
  registry: z.enum(REGISTRY_STATES),
  claims: z.enum(REGISTRY_STATES).optional(),
  collection_counts: CollectionCounts.optional(),
  generator: z.string(),
  front: z.string().optional(),
  page_images: z.int().min(1).optional(),
  security: z.strictObject({ contact: z.string(), expires: z.iso.datetime({ offset: true }) }).optional(),
  collections: z.array(
    z.strictObject({ id: z.string(), title: z.string(), summary: z.string(), visibility: z.enum(VISIBILITIES), prefix: z.string() }),
  ),
  notes: z.array(z.string()),
});
const cubs = z.strictObject({ meta: RegistryMeta.nullable(), count: z.int(), returned: z.int(), cubs: z.array(CubRecord) });

const SHAPES: Readonly<Record<string, z.ZodType>> = {
  "api/library.json": library,
  "api/claims.json": ClaimsRegistry,
  "api/rejected.json": Rejected,
};

/** By the folder that they begin with. */
const PART_SHAPES: readonly (readonly [folder: string, shape: z.ZodType])[] = [
  [partsPath.objects(""), z.array(CatalogObject)],
  [`${partsPath.records}/`, z.array(CubRecord)],
  [`${partsPath.code}/`, z.array(CubCode)],
];

/** In snapshots of earlier versions, in place of parts. */
const WHOLE_SHAPES: Readonly<Record<string, z.ZodType>> = {
  [WHOLE_CATALOG]: Catalog.omit({ snapshot: true }),
  "api/cubs.json": cubs,
  "api/code.json": z.array(CubCode),
};

/** Every file that data is read from, with its shape; the first ones have to be there. */
function* shapesOf(files: ReadonlyMap<string, BlobEntry>): Generator<readonly [path: string, shape: z.ZodType]> {
  yield* Object.entries(SHAPES);
  if (files.has(WHOLE_CATALOG)) yield* Object.entries(WHOLE_SHAPES);
  for (const path of files.keys()) for (const [folder, shape] of PART_SHAPES) if (path.startsWith(folder)) yield [path, shape];
}

const passage = z.strictObject({
  heading: z.array(z.string()),
  name: z.string().nullable(),
  page: z.int().nullable(),
  start_line: z.int().min(1),
  end_line: z.int().min(1),
  text: z.string(),
});
const pageImage = z.strictObject({
  page: z.int().min(1),
  width: z.int().min(1),
  height: z.int().min(1),
  sha256: z.string(),
  size: z.int().min(1),
});
const extractSchema = z.strictObject({
  images: z.array(pageImage).min(1).optional(),
  about: z.strictObject({ authors: z.array(z.string()), date: z.string().nullable(), license: z.string().nullable() }).optional(),
  title: z.string().min(1),
  summary: z.string(),
  kind: z.enum(OBJECT_KINDS),
  media_type: z.string(),
  language: z.string().nullable(),
  lines: z.int().nonnegative().nullable(),
  passages: z.array(passage),
  html: z.string().nullable(),
  notes: z.array(z.string()),
});

const LINE_KINDS: ReadonlySet<Extract["kind"]> = new Set(["markdown", "text", "code", "latex", "json", "yaml", "csv"]);
/** Objects above this are not compared line by line, bytes: the extractor does not read them either. */
const MAX_COMPARED = 64 * 1024 * 1024;

/** Reports a finding at a path of the snapshot. */
type Tell = (code: Parameters<Report["add"]>[0], path: string, detail: string) => void;

/** @param files every file of the snapshot, each with its digest checked
 *  @returns the view's data, or null when it cannot be trusted to have its shape */
export async function checkContents(audit: Audit, snapshot: Snapshot, files: ReadonlyMap<string, BlobEntry>): Promise<ViewData | null> {
  const { report, root } = audit;
  const tell: Tell = (code, path, detail) => report.add(code, root, { snapshot: snapshot.id, path }, detail);
  let shaped = true;
  for (const [path, shape] of shapesOf(files)) {
    const entry = files.get(path);
    if (entry === undefined) {
      tell("api_missing", path, "Every snapshot has it.");
      shaped = false;
      continue;
    }
    const problem = await findShapeProblem(snapshot, entry, shape);
    if (problem === null) continue;
    tell("api_malformed", path, problem);
    shaped = false;
  }
  if (!shaped) return null;
  try {
    const data = await snapshot.data();
    const rows = checkData(tell, root, data);
    checkObjects(tell, data.objects, files);
    checkApiFiles(tell, data, files);
    if (rows) checkPages(tell, root, data, files);
    await checkExtracts(tell, snapshot, data.objects, files);
    return data;
  } catch (error) {
    // The shapes are right, so this is a contradiction that no check above names.
    tell("api_mismatch", "api", reasonOf(error));
    return null;
  }
}

/** Paths in a folder that nothing calls for. */
function extrasIn(files: ReadonlyMap<string, BlobEntry>, folder: string, expected: ReadonlySet<string>): string[] {
  return [...files.keys()].filter((path) => path.startsWith(folder) && !expected.has(path));
}

async function findShapeProblem(snapshot: Snapshot, entry: BlobEntry, shape: z.ZodType): Promise<string | null> {
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(await snapshot.read(entry)));
    const parsed = shape.safeParse(value);
    if (!parsed.success) {
      const issue = parsed.error.issues[0];
      return `/${(issue?.path ?? []).map(String).join("/")}: ${issue?.message ?? "wrong shape"}`;
    }
    // A schema drops what it does not name: such a field would be one that never should have come here.
    return isDeepStrictEqual(parsed.data, value)
      ? null
      : "It holds a field that the interface does not name, or lacks one that has a default.";
  } catch (error) {
    return error instanceof SyntaxError || error instanceof TypeError ? "It is not JSON in UTF-8." : reasonOf(error);
  }
}

/** Ids that occur twice, lists out of order, and what a public view must not hold. @returns whether the data is sound */
function checkData(tell: Tell, root: RootName, data: ViewData): boolean {
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
  if (root === "internal") return sound;
  if (data.library.collections.some((collection) => collection.visibility !== "public")) {
    add("gated_in_public", "api/library.json", "A collection of the public view is not public.");
  }
  for (const { evidence } of data.claims.claims) {
    const withheld = evidence.filter((item) => item.access !== "public");
    // Its name, kind and access are part of the claim; where it lies is not.
    if (withheld.some((item) => Object.keys(item).some((name) => !["artifact", "kind", "access"].includes(name)))) {
      add("gated_in_public", "api/claims.json", "Evidence that is not public says where it lies.");
    }
  }
  return sound;
}

function checkObjects(tell: Tell, rows: readonly ObjectRow[], files: ReadonlyMap<string, BlobEntry>): void {
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
function checkApiFiles(tell: Tell, data: ViewData, files: ReadonlyMap<string, BlobEntry>): void {
  const expected = new Set<string>();
  for (const { path, bytes } of files.has(WHOLE_CATALOG) ? wholeApiFiles(data) : apiFiles(data)) {
    expected.add(path);
    const entry = files.get(path);
    if (entry === undefined) tell("derived_missing", path, "It follows from the other data files.");
    else if (entry.sha256 !== sha256(bytes)) tell("derived_differs", path, "It is not what follows from the other data files.");
  }
  for (const folder of ["api/", "parts/"])
    for (const path of extrasIn(files, folder, expected)) tell("derived_extra", path, "No route serves it.");
}

const TEXT_FILES: ReadonlySet<string> = new Set(["pages/llms.txt", "pages/robots.txt", "pages/sitemap.xml"]);

/** The public view has exactly the pages that its data calls for; their bytes are for the renderer to compare. */
function checkPages(tell: Tell, root: RootName, data: ViewData, files: ReadonlyMap<string, BlobEntry>): void {
  const found = [...files.keys()].filter((path) => path.startsWith("pages/"));
  if (root === "internal" && found.length === 0) return;
  const unread = (): never => {
    throw new Error("no page is rendered here");
  };
  const expected = new Set(TEXT_FILES);
  let addresses = 0;
  for (const { file, path } of storedPages(data, { digest: unread, read: unread })) {
    expected.add(file);
    if (isInSitemap(path)) addresses++;
  }
  for (let part = 1; part <= countSitemaps(addresses); part++) expected.add(`pages/sitemap-${part}.xml`);
  for (const path of expected) if (!files.has(path)) tell("page_missing", path, "It follows from the data.");
  for (const path of found) if (!expected.has(path)) tell("page_extra", path, "Nothing in the data calls for it.");
}

async function checkExtracts(
  tell: Tell,
  snapshot: Snapshot,
  rows: readonly ObjectRow[],
  files: ReadonlyMap<string, BlobEntry>,
): Promise<void> {
  const expected = new Set<string>();
  const images = new Set<string>();
  for (const row of rows) {
    const path = `extracts/${row.key}`;
    expected.add(path);
    const entry = files.get(path);
    const object = files.get(`objects/${row.key}`);
    if (entry === undefined) tell("extract_missing", path, "Every object has one.");
    if (entry === undefined || object === undefined) continue;
    const extract = await readExtract(snapshot, entry);
    const problem = typeof extract === "string" ? extract : await findExtractProblem(snapshot, extract, row, object);
    if (problem !== null) tell("extract_mismatch", path, problem);
    if (typeof extract === "string") continue;
    for (const { page, sha256: digest, size } of extract.images ?? []) {
      const file = pageImageFile(row.key, page);
      images.add(file);
      const image = files.get(file);
      if (image === undefined) tell("extract_missing", file, "The extract of the object names this image.");
      else if (image.sha256 !== digest || image.size !== size)
        tell("extract_mismatch", file, "The extract of the object names another image.");
    }
  }
  for (const path of extrasIn(files, "images/", images)) tell("extract_mismatch", path, "No extract names this image.");
  for (const path of extrasIn(files, "extracts/", expected)) tell("extract_missing", path, "There is no such object.");
}

/** What is wrong with its shape, in place of one that has another. */
async function readExtract(snapshot: Snapshot, entry: BlobEntry): Promise<Extract | string> {
  const shape = await findShapeProblem(snapshot, entry, extractSchema);
  return shape ?? (JSON.parse(new TextDecoder().decode(await snapshot.read(entry))) as Extract);
}

async function findExtractProblem(snapshot: Snapshot, extract: Extract, row: ObjectRow, object: BlobEntry): Promise<string | null> {
  if (
    extract.title !== row.title ||
    extract.summary !== row.summary ||
    extract.kind !== row.kind ||
    extract.media_type !== row.media_type
  ) {
    return "The catalog gives another title, summary, kind or media type.";
  }
  if (!LINE_KINDS.has(extract.kind) || extract.passages.length === 0 || object.size > MAX_COMPARED) return null;
  const lines = new TextDecoder("utf-8", { ignoreBOM: true }).decode(await snapshot.read(object)).split("\n");
  // A line that is longer than any passage may be is cut into several.
  const holds = (from: number, to: number, text: string): boolean =>
    lines.slice(from - 1, to).join("\n") === text ||
    (from === to && (lines[from - 1]?.length ?? 0) > MAX_PASSAGE && lines[from - 1]?.includes(text) === true);
  const torn = extract.passages.findIndex(({ start_line: from, end_line: to, text }) => !holds(from, to, text));
  return torn < 0
    ? null
    : `Passage ${torn} is not lines ${extract.passages[torn]?.start_line} to ${extract.passages[torn]?.end_line} of the object.`;
}
