/** The pages that a snapshot holds: everything that follows from the view's data alone.
 *  Pages under a query (sorting, facets, search results) and pages of the shelf's history are made per request. */
import { CODES } from "../errors.ts";
import { pageFile, pagePath } from "../format/layout.ts";
import type { Extract } from "../schema/extract.ts";
import type { ViewData } from "../format/view-data.ts";
import { agentsPage } from "./agents-page.ts";
import { askForm } from "./ask-page.ts";
import { browsePage, BROWSE_PART, claimPage, claimsPage, frontPage, objectFacts, objectPage, rejectedPage } from "./library-pages.ts";
import type { PageInput, PageModel } from "./model.ts";
import { dashboardPage, recordPage, registryPage, REGISTRY_PART } from "./registry-pages.ts";
import { parentPrefix, relationsOf } from "../format/relations.ts";
import { problemRow, problemsPage, referencePage, searchForm } from "./service-pages.ts";

export type StoredPage = {
  /** Site path, e.g. "/claims/". */
  readonly path: string;
  /** Path in the snapshot's tree. */
  readonly file: string;
  /** Folder whose objects decide the page, with nothing beside them but what all pages share: the library, the claims and
   *  the records. Null when more decides it. */
  readonly folder: string | null;
  /** What decides the page, small enough to be compared in every build. */
  facts(): unknown;
  input(): Promise<PageInput>;
};

/** Every stored page of a view.
 *  @param extractDigest digest of an object's extract, which stands for its content in `facts`
 *  @param extract the extract itself, read only when the page has to be rendered */
export function* storedPages(
  data: ViewData,
  extractDigest: (key: string) => string,
  extract: (key: string) => Promise<Extract>,
): Generator<StoredPage> {
  const { library } = data;
  const chrome = (path: string): PageInput["chrome"] => ({
    library: library.title,
    view: library.view,
    path,
    canonical: library.base_url === "" ? null : library.base_url + path,
  });
  const page = (path: string, model: PageModel): StoredPage => {
    const input: PageInput = { chrome: chrome(path), model };
    return { path, file: `pages/${pageFile(path)}`, folder: null, facts: () => input, input: async () => input };
  };

  yield page(pagePath.front, frontPage(data));
  yield page(pagePath.claims, claimsPage(data));
  for (const { id } of data.claims.claims) yield page(pagePath.claim(id), claimPage(data, id));
  const everyRecord = { q: "", filters: new Map() };
  for (let part = 1; part <= Math.max(1, Math.ceil(data.cubs.length / REGISTRY_PART)); part++) {
    yield page(pagePath.registryPart(part), registryPage(data, everyRecord, part));
  }
  yield page(pagePath.dashboard, dashboardPage(data));
  for (const { id } of data.cubs) {
    const model = recordPage(data, id);
    if (model !== null) yield page(pagePath.record(id), model);
  }
  yield page(pagePath.search, searchForm(data));
  yield page(pagePath.ask, askForm(data));
  yield page(pagePath.reference, referencePage(library.base_url));
  yield page(pagePath.agents, agentsPage(data));
  yield page(pagePath.problems, problemsPage());
  for (const code of CODES) yield page(pagePath.problem(code), { page: "problem", problem: problemRow(code) });
  yield page(pagePath.rejected, rejectedPage(data));
  yield page(pagePath.notFound, { page: "not-found", detail: null });
  for (const [prefix, folder] of relationsOf(data).folders) {
    for (let part = 1; part <= Math.max(1, Math.ceil(folder.objects.length / BROWSE_PART)); part++) {
      const model = browsePage(data, prefix, "name", part);
      if (model !== null) yield page(pagePath.browsePart(prefix, part), model);
    }
  }
  for (const row of data.objects) {
    const path = pagePath.object(row.key);
    let found: ReturnType<typeof objectFacts> | null = null;
    const facts = (): ReturnType<typeof objectFacts> => (found ??= objectFacts(data, row));
    yield {
      path,
      file: `pages/${pageFile(path)}`,
      folder: parentPrefix(row.key),
      facts: () => ({ chrome: chrome(path), facts: facts(), extract: extractDigest(row.key) }),
      input: async () => ({ chrome: chrome(path), model: objectPage(facts(), await extract(row.key)) }),
    };
  }
}
