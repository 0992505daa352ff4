/** A small shelf with both roots, written by plain steps: what the tests of verify, prune and diff break in every way. */
import { apiFiles } from "../page/api-files.ts";
import { type Sha256, sha256 } from "../digest.ts";
import { diffSnapshots } from "../shelf/diff.ts";
import { storedPages } from "../page/stored-pages.ts";
import { createTreeCache, openSnapshot } from "../shelf/read.ts";
import { ClaimsRegistry } from "../schema/claims.ts";
import { CubCode, CubRecord, RegistryMeta } from "../schema/cubs.ts";
import type { Extract } from "../schema/extract.ts";
import type { Rejection } from "../schema/resources.ts";
import type { DirectoryShelf } from "../shelf/shelf-directory.ts";
import type { Changes, SnapshotRecord } from "../shelf/shelf.ts";
import { buildTree, compareNames, type FileEntry } from "../format/tree.ts";
import type { CollectionInfo, ViewData } from "../format/view-data.ts";
import { ROUTES } from "../service/routes.ts";

type TinyObject = { readonly key: string; readonly text: string; readonly title?: string };

/** TinySource are the sources; the second root gets those that are not public too. */
export type TinySource = {
  readonly objects: readonly TinyObject[];
  readonly claims?: readonly unknown[];
  readonly cubs?: readonly unknown[];
  readonly rejected?: readonly Rejection[];
};

const PUBLIC_COLLECTION: CollectionInfo = {
  id: "notes",
  title: "Notes",
  summary: "Working notes",
  visibility: "public",
  prefix: "notes/",
};
export const GATED_COLLECTION: CollectionInfo = {
  id: "drafts",
  title: "Unpublished drafts",
  summary: "",
  visibility: "email-gated",
  prefix: "drafts/",
};

export const GATED_TEXT = "The committee met at dawn behind the old observatory to settle which of the seven lemmas would be withdrawn";

export const TINY: TinySource = {
  objects: [
    { key: "notes/hello.md", text: "# Hello\n\nA first note about sorting lists.\n" },
    { key: "notes/what?.md", text: "A name that no URL carries as it stands.\n", title: "what?.md" },
    { key: "drafts/withdrawal-plan.md", text: `# Plan of the withdrawal\n\n${GATED_TEXT}.\n`, title: "Plan of the withdrawal" },
  ],
  claims: [
    {
      id: "sorting",
      title: "Sorting is correct",
      status: "verified",
      scope: "lists of numbers",
      statement: "Insertion sort sorts.",
      evidence: [
        { artifact: "note", kind: "text", access: "public", path: "notes/hello.md" },
        { artifact: "plan", kind: "text", access: "email-gated", repo: "example/withheld-repository", path: "drafts/withdrawal-plan.md" },
      ],
    },
  ],
  cubs: [
    {
      id: "CUB-0001",
      repo: "example/sort",
      theorem_name: "sort_sorted",
      statement: "forall l, sorted (sort l)",
      verification_state: "VERIFIED",
      file_shas: { "Sort.v": sha256("Sort") },
    },
    { id: "CUB-0002", repo: "example/sort", theorem_name: "sort_perm", statement: "forall l, permutation l (sort l)" },
  ],
};

function extractOf({ key, text, title }: TinyObject): Extract {
  const lines = text.split("\n");
  return {
    title: title ?? /^# (.*)/.exec(text)?.[1] ?? key,
    summary: "",
    kind: "markdown",
    media_type: "text/markdown; charset=utf-8",
    language: null,
    lines: lines.length - 1,
    passages: [{ heading: [], name: null, page: null, start_line: 1, end_line: lines.length, text }],
    html: `<p>${text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")}</p>`,
    notes: [],
  };
}

/** tinyData returns one view's data, as the generator would project it. */
export function tinyData(source: TinySource, view: "public" | "internal"): ViewData {
  const isPublic = (key: string): boolean => view === "internal" || key.startsWith(PUBLIC_COLLECTION.prefix);
  const claims = ClaimsRegistry.parse({ meta: { title: "Claims" }, claims: source.claims ?? [] });
  const cubs = (source.cubs ?? []).map((record) => CubRecord.parse(record));
  const code = cubs.map((record) =>
    CubCode.parse({
      id: record.id,
      repo: record.repo,
      head: "1f".repeat(20),
      files: Object.entries(record.file_shas).map(([path, digest]) => ({
        path,
        role: "proof",
        system: "coq",
        size: null,
        sha256: digest,
        media_type: "text/plain",
        gated: true,
        available: false,
        state: "gone",
        href: `/api/code/${path}`,
      })),
    }),
  );
  return {
    library: {
      title: "Tiny library",
      summary: "",
      view,
      base_url: "http://127.0.0.1:4321",
      registry_url: "",
      registry: "read",
      claims: "read",
      generator: "tiny 1",
      collections: [PUBLIC_COLLECTION, GATED_COLLECTION].filter((collection) => isPublic(collection.prefix)),
      collection_counts: { public: 1, email_gated: 1 },
      notes: [],
    },
    objects: source.objects
      .filter((object) => isPublic(object.key))
      .map((object) => {
        const { title, summary, kind, media_type } = extractOf(object);
        return {
          key: object.key,
          title,
          summary,
          kind,
          media_type,
          size: Buffer.byteLength(object.text),
          sha256: sha256(object.text),
          uploaded: "2026-01-02T03:04:05Z",
        };
      })
      .sort((a, b) => compareNames(a.key, b.key)),
    claims: {
      meta: claims.meta,
      claims: claims.claims.map((claim) => ({
        ...claim,
        evidence: claim.evidence.map((item) =>
          view === "internal" || item.access === "public" ? item : { artifact: item.artifact, kind: item.kind, access: item.access },
        ),
      })),
    },
    cubs,
    meta: RegistryMeta.parse({ service: "tiny registry" }),
    code: new Map(code.map((index) => [index.id, index])),
    rejected: (source.rejected ?? []).filter((item) => isPublic(item.key)),
    withheld: 0,
  };
}

export type TinyOptions = {
  /** Further files, or other bytes for one that is there anyway. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  readonly without?: readonly string[];
  readonly created?: string;
};

const NO_NAMES = { objects: [], claims: [], records: [] };
const NO_CHANGES: Changes = { added: NO_NAMES, changed: NO_NAMES, removed: NO_NAMES };

/** draftTiny returns the blobs and trees of a snapshot that nothing points to. @returns its id */
export async function draftTiny(
  shelf: DirectoryShelf,
  data: ViewData,
  source: TinySource,
  { files: more = {}, without = [] }: TinyOptions = {},
): Promise<Sha256> {
  const files = new Map<string, FileEntry & { readonly bytes: Uint8Array }>();
  const put = (path: string, type: string, content: string | Uint8Array, uploaded?: string | null): void => {
    const bytes = Buffer.from(content);
    files.set(path, { path, type, bytes, sha256: sha256(bytes), size: bytes.length, ...(uploaded === undefined ? {} : { uploaded }) });
  };
  for (const { path, type, bytes } of apiFiles(data, ROUTES)) put(path, type, bytes);
  const extracts = new Map(source.objects.map((object) => [object.key, extractOf(object)]));
  for (const row of data.objects) {
    put(`objects/${row.key}`, row.media_type, source.objects.find((object) => object.key === row.key)?.text ?? "", row.uploaded);
    put(`extracts/${row.key}`, "application/json", JSON.stringify(extracts.get(row.key)));
  }
  if (data.library.view === "public") {
    for (const page of storedPages(data, ROUTES, { digest: () => "", read: async (key) => extracts.get(key) as Extract }))
      put(page.file, "text/html; charset=utf-8", `<!doctype html><title>${page.path.replaceAll("&", "&amp;")}</title>`);
    for (const name of ["llms.txt", "robots.txt"]) put(`pages/${name}`, "text/plain; charset=utf-8", name);
    put("pages/sitemap.xml", "application/xml", "<urlset/>");
    put("assets/page.0123abcd.css", "text/css; charset=utf-8", "body{}");
  }
  for (const [path, content] of Object.entries(more)) {
    const was = files.get(path);
    put(path, was?.type ?? (path.startsWith("images/") ? "image/png" : "application/octet-stream"), content, was?.uploaded);
  }
  for (const path of without) files.delete(path);

  for (const file of files.values()) await shelf.blobs.put(file.sha256, file.bytes);
  const { root, trees } = buildTree([...files.values()].map(({ bytes: _, ...entry }) => entry));
  for (const [digest, bytes] of trees) await shelf.blobs.put(digest, bytes);
  return root.sha256;
}

export async function publishTiny(
  shelf: DirectoryShelf,
  data: ViewData,
  source: TinySource,
  options: TinyOptions = {},
): Promise<SnapshotRecord> {
  const snapshot = await draftTiny(shelf, data, source, options);
  const { created = "2026-02-01T00:00:00Z" } = options;
  const pointer = await shelf.readPointer();
  const sequence = ((await shelf.history.listRecords()).at(-1)?.sequence ?? 0) + 1;
  const base: SnapshotRecord = { sequence, snapshot, created, previous: pointer?.snapshot ?? null, inputs: { store: "1" } };
  // The views are published in step here: each internal snapshot belongs to the public one of the same number.
  const record = data.library.view === "internal" ? { ...base, public: sequence } : base;
  const cache = createTreeCache();
  const before = pointer === null ? null : await openSnapshot(shelf, pointer, cache);
  const changes = await diffSnapshots(before, await openSnapshot(shelf, record, cache)).catch(() => NO_CHANGES); // forged claims may be no JSON
  await shelf.history.putRecord(record, changes);
  await shelf.history.swapPointer(record, pointer);
  return record;
}

export async function publishBoth(
  shelves: { readonly public: DirectoryShelf; readonly internal: DirectoryShelf },
  source: TinySource,
  options: TinyOptions = {},
): Promise<void> {
  const internal = await publishTiny(
    shelves.internal,
    tinyData(source, "internal"),
    source,
    options.created === undefined ? {} : { created: options.created },
  );
  await publishTiny(shelves.public, tinyData(source, "public"), source, options);
  await shelves.internal.history.swapPointer(internal, internal);
}
