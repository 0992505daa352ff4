/** The pages that a snapshot holds: everything that follows from the view's data alone.
 *  Pages under a query (sorting, facets, search results) and pages of the shelf's history are made per request. */
import { CODES, type ErrorCode } from "#snapshots/errors";
import {
  type Folder,
  lazily,
  type ObjectRow,
  pageFile,
  pagePath,
  parentPrefix,
  parsePart,
  parseSlug,
  relationsOf,
  type ViewData,
} from "#snapshots/format";
import type { CubRecord, Extract } from "#snapshots/schema";
import { agentsPage } from "./agents-page.ts";
import { askForm } from "./ask-page.ts";
import { ledLinks } from "./dead-links.ts";
import {
  browsePage,
  browseParts,
  claimPage,
  claimsPage,
  folderPage,
  frontFacts,
  frontPage,
  objectFacts,
  objectPage,
  openObject,
  readmeOf,
  rejectedPage,
} from "./library-pages.ts";
import { REGISTRY_PART } from "./facets.ts";
import { countParts } from "./object-parts.ts";
import type { PageInput, PageModel } from "./model.ts";
import { dashboardPage, recordFacts, recordPage, registryPage } from "./registry-pages.ts";
import { isOf, type RouteMatch, type PageId, type Route } from "#snapshots/routes";
import { problemRow, problemsPage, REFERENCE_GROUPS, referencePage, searchForm } from "./service-pages.ts";

export type StoredPage = {
  /** Site path, e.g. "/claims/". */
  readonly path: string;
  /** Path in the snapshot's tree. */
  readonly file: string;
  /** Folder whose objects decide the page, beside the library, the claims and the records; null when more decides it. */
  readonly folder: string | null;
  /** The facts that decide the page, small enough to be compared in every build. */
  facts(): unknown;
  input(): Promise<PageInput>;
};

/** Extracts give a page what objects' extracts say. */
export type Extracts = {
  /** Digest of an object's extract, which stands for its content in `facts`. */
  digest(key: string): string;
  /** Where the links of an object lead within the library; only where `facts` are compared. */
  links?(key: string): readonly string[];
  read(key: string): Promise<Extract>;
};

/** storedPages yields every stored page of a view. @param routes that its reference describes */
export function* storedPages(data: ViewData, routes: readonly Route[], extracts: Extracts): Generator<StoredPage> {
  yield pageOfFront(data, extracts);
  for (const [path, model] of Object.entries(SINGLE)) yield modelPage(data, path, () => model(data, routes));
  for (const { id } of data.claims.claims) yield modelPage(data, pagePath.claim(id), () => claimPage(data, id));
  for (let part = 1; part <= registryParts(data); part++) {
    yield modelPage(data, pagePath.registryPart(part), () => wholeRegistry(data, part));
  }
  for (const record of data.cubs) yield pageOfRecord(data, record, extracts);
  for (const group of REFERENCE_GROUPS) yield pageOfReference(data, routes, group);
  for (const code of CODES) yield modelPage(data, pagePath.problem(code), () => problemPage(code));
  for (const folder of relationsOf(data).folders.values()) {
    for (let part = 1; part <= browseParts(folder); part++) {
      yield pageOfFolder(data, folder, part, extracts);
    }
  }
  for (const row of data.objects) {
    const pageOf = pagesOfObject(data, row, extracts);
    for (let part = 1; part <= countParts(row); part++) yield pageOf(part);
  }
}

/** A PageAt is a path with the row of the route table that it matches. */
export type PageAt = { readonly path: string; readonly match: RouteMatch | null };

/** findStoredPage finds the one stored page at a path and makes no others; another spelling of the path is no page. */
export function findStoredPage(data: ViewData, routes: readonly Route[], { path, match }: PageAt, extracts: Extracts): StoredPage | null {
  const single = Object.hasOwn(SINGLE, path) ? SINGLE[path] : undefined;
  if (single !== undefined) return modelPage(data, path, () => single(data, routes));
  const found = isOf(match, FAMILIES) ? (FAMILIES[match.route.id] as Family)(data, match.parts, { extracts, path, routes }) : null;
  return found?.path === path ? found : null;
}

/** @param parts of the path, decoded */
type Family = (
  data: ViewData,
  parts: RouteMatch["parts"],
  of: { readonly extracts: Extracts; readonly path: string; readonly routes: readonly Route[] },
) => StoredPage | null;

const SINGLE: Readonly<Record<string, (data: ViewData, routes: readonly Route[]) => PageModel>> = {
  [pagePath.claims]: (data) => claimsPage(data),
  [pagePath.dashboard]: dashboardPage,
  [pagePath.search]: searchForm,
  [pagePath.ask]: askForm,
  [pagePath.reference]: ({ library }, routes) => referencePage(routes, library.base_url),
  [pagePath.agents]: agentsPage,
  [pagePath.problems]: problemsPage,
  [pagePath.rejected]: rejectedPage,
  [pagePath.notFound]: () => ({ page: "not-found", detail: null }),
};

/** Pages that there are any number of: row → the page that the parts of a path may be of. */
const FAMILIES = {
  front: (data, _, { extracts }) => pageOfFront(data, extracts),
  "claim-page"(data, _, { path }) {
    const found = relationsOf(data).claimByPath.get(path);
    return found === undefined ? null : modelPage(data, pagePath.claim(found), () => claimPage(data, found));
  },
  "registry-page": (data) => registryPartPage(data, 1),
  "registry-part": (data, { part }) => registryPartPage(data, Number(part)),
  "record-page"(data, { id = "" }, { extracts }) {
    const record = relationsOf(data).recordById.get(id);
    return record === undefined ? null : pageOfRecord(data, record, extracts);
  },
  "reference-group"(data, { group: name }, { routes }) {
    const group = REFERENCE_GROUPS.find((candidate) => candidate === name);
    return group === undefined ? null : pageOfReference(data, routes, group);
  },
  "problem-page"(data, { code: name }) {
    const code = CODES.find((candidate) => candidate === name);
    return code === undefined ? null : modelPage(data, pagePath.problem(code), () => problemPage(code));
  },
  browse(data, { prefix: rest = "" }, { extracts }) {
    const { prefix, part } = parseBrowse(rest);
    const folder = prefix === null ? undefined : relationsOf(data).folders.get(prefix);
    if (folder === undefined || part > browseParts(folder)) return null;
    return pageOfFolder(data, folder, part, extracts);
  },
  "object-page"(data, { key: spelled = "" }, { extracts }) {
    const { slug, part } = parsePart(spelled);
    const key = parseSlug(slug);
    const row = key === null ? undefined : relationsOf(data).objectByKey.get(key);
    return row === undefined || part > countParts(row) ? null : pagesOfObject(data, row, extracts)(part);
  },
} as const satisfies Readonly<Partial<Record<PageId | "browse", Family>>>;

function registryPartPage(data: ViewData, part: number): StoredPage | null {
  if (!Number.isInteger(part) || part < 1 || part > registryParts(data)) return null;
  return modelPage(data, pagePath.registryPart(part), () => wholeRegistry(data, part));
}

/** parseBrowse reads a folder's prefix and part out of a path. @param rest of the path, decoded; the prefix is null when no prefix is spelled so */
export function parseBrowse(rest: string): { readonly prefix: string | null; readonly part: number } {
  const { slug, part } = parsePart(rest);
  const folder = slug.replace(/\/$/, "");
  return { prefix: parseSlug(folder === "" ? "" : `${folder}/`), part };
}

function registryParts(data: ViewData): number {
  return Math.max(1, Math.ceil(data.cubs.length / REGISTRY_PART));
}

function pageOfReference(data: ViewData, routes: readonly Route[], group: Route["group"]): StoredPage {
  return modelPage(data, pagePath.referenceGroup(group), () => referencePage(routes, data.library.base_url, group));
}

function problemPage(code: ErrorCode): PageModel {
  return { page: "problem", problem: problemRow(code) };
}

function wholeRegistry(data: ViewData, part: number): PageModel {
  return registryPage(data, { q: "", filters: new Map() }, part);
}

export function chromeOf({ library, cubs, claims }: ViewData, path: string): PageInput["chrome"] {
  return {
    library: library.title,
    view: library.view,
    path,
    has: { records: cubs.length > 0, claims: claims.claims.length > 0 },
    report: library.report ?? null,
    canonical: library.base_url === "" ? null : library.base_url + path,
  };
}

function modelPage(data: ViewData, path: string, model: () => PageModel): StoredPage {
  let made: PageInput | null = null;
  const input = (): PageInput => (made ??= { chrome: chromeOf(data, path), model: model() });
  return { path, file: `pages/${pageFile(path)}`, folder: null, facts: input, input: async () => input() };
}

function pageOfFront(data: ViewData, extracts: Extracts): StoredPage {
  const path = pagePath.front;
  const chrome = chromeOf(data, path);
  let found: ReturnType<typeof frontFacts> | null = null;
  const facts = (): ReturnType<typeof frontFacts> => (found ??= frontFacts(data));
  return {
    path,
    file: `pages/${pageFile(path)}`,
    folder: null,
    facts: () => ({ chrome, model: facts(), text: textFacts(data, facts().front?.key ?? null, extracts) }),
    input: async () => ({ chrome, model: await frontPage(data, facts(), extracts.read) }),
  };
}

/** The facts that decide how the text of an object is shown on another's page. */
function textFacts(data: ViewData, key: string | null, extracts: Extracts): unknown {
  return key === null ? null : { extract: extracts.digest(key), led: ledLinks(data, key, extracts.links?.(key) ?? []) };
}

function pageOfFolder(data: ViewData, folder: Folder, part: number, extracts: Extracts): StoredPage {
  const path = pagePath.browsePart(folder.prefix, part);
  const chrome = chromeOf(data, path);
  const readme = readmeOf(folder, part);
  let found: ReturnType<typeof browsePage> | null = null;
  const model = (): ReturnType<typeof browsePage> => (found ??= browsePage(data, folder, "name", part));
  return {
    path,
    file: `pages/${pageFile(path)}`,
    folder: null,
    facts: () => ({ chrome, model: model(), text: textFacts(data, readme, extracts) }),
    input: async () => ({ chrome, model: await folderPage(data, model(), readme, extracts.read) }),
  };
}

function pageOfRecord(data: ViewData, record: CubRecord, extracts: Extracts): StoredPage {
  const path = pagePath.record(record.id);
  const chrome = chromeOf(data, path);
  let found: ReturnType<typeof recordFacts> | null = null;
  const facts = (): ReturnType<typeof recordFacts> => (found ??= recordFacts(data, record));
  return {
    path,
    file: `pages/${pageFile(path)}`,
    folder: null,
    facts: () => ({
      chrome,
      model: facts(),
      extracts: [...facts().sides.map(({ file }) => file.object), ...facts().meaning.map(({ lines }) => lines?.object ?? null)].map(
        (object) => (object === null ? null : extracts.digest(object)),
      ),
    }),
    input: async () => ({ chrome, model: await recordPage(facts(), extracts.read) }),
  };
}

/** pagesOfObject gives the pages of an object by their numbers: what they share is made once, however long its text is. */
function pagesOfObject(data: ViewData, row: ObjectRow, extracts: Extracts): (part: number) => StoredPage {
  const links = extracts.links?.(row.key) ?? null;
  const shared = lazily({
    facts: () => objectFacts(data, row),
    led: () => ledLinks(data, row.key, links ?? []),
    show: async () => openObject(data, row, await extracts.read(row.key), links),
  });
  return (part) => {
    const path = pagePath.objectPart(row.key, part);
    return {
      path,
      file: `pages/${pageFile(path)}`,
      folder: parentPrefix(row.key),
      facts: () => ({ chrome: chromeOf(data, path), facts: shared.facts, extract: extracts.digest(row.key), led: shared.led }),
      input: async () => ({ chrome: chromeOf(data, path), model: objectPage(shared.facts, await shared.show, part) }),
    };
  };
}
