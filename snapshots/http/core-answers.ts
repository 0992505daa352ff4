/** How the core's rows are answered. */
import { canonicalJson } from "#snapshots/digest";
import { QUERIES } from "#snapshots/query";
import { type CORE_ROWS, PAGE_ROWS } from "#snapshots/routes";
import type { CollectionCatalog } from "#snapshots/schema";
import { capabilities, health } from "./capabilities.ts";
import { liveCache } from "./context.ts";
import { chooseEncoding } from "./encoding.ts";
import { fileAnswer, LONG, longAnswer, MADE, noCollection, textContent } from "./file-answer.ts";
import { keyAnswer } from "./object-answer.ts";
import { assetAnswer, pageAnswer } from "./page-answer.ts";
import { queryAnswer } from "./query-answer.ts";
import { type Answer, type AnswerRequest, type CacheClass, commonHeaders, makeReady, plainAnswer, reply } from "./reply.ts";
import { forEachRow, type Handler, type View, waitForFirst } from "./view.ts";

const file: Handler = { read: (asked) => fileAnswer(asked) };
const page: Handler = { read: pageAnswer };
const asset: Handler = { read: assetAnswer };

export const CORE_HANDLERS = {
  list: { read: (asked) => queryAnswer(asked, QUERIES.list) },
  search: { read: (asked) => queryAnswer(asked, QUERIES.search) },
  cubs: { read: (asked) => queryAnswer(asked, QUERIES.cubs) },
  "cub-graph": { read: (asked) => queryAnswer(asked, QUERIES["cub-graph"]) },
  digest: { read: (asked) => queryAnswer(asked, QUERIES.digest) },
  catalog: {
    read: (asked) => longAnswer(asked, LONG.catalog),
    async before(view, request) {
      const listing = view.options.listing ?? waitForFirst();
      return jsonAnswer(view, request, canonicalJson(await listing()), "none");
    },
  },
  "catalog-collection": {
    read: (asked) => longAnswer(asked, LONG["catalog-collection"]),
    async before(view, request, parts) {
      const listing = view.options.listing ?? waitForFirst();
      const { schema_version, snapshot, source, collections } = await listing();
      const collection = collections.find(({ id }) => id === parts["collection"]) ?? noCollection();
      const body: CollectionCatalog = { schema_version, snapshot, source, collection };
      return jsonAnswer(view, request, canonicalJson(body), "none");
    },
  },
  "cubs-all": { read: (asked) => longAnswer(asked, LONG["cubs-all"]) },
  claims: file,
  "cubs-meta": file,
  cub: file,
  "cub-code": file,
  rejected: file,
  openapi: file,
  robots: file,
  sitemap: file,
  "sitemap-part": file,
  llms: { read: (asked) => fileAnswer(asked, MADE.llms) },
  "mcp-description": { read: (asked) => fileAnswer(asked, MADE["mcp-description"]) },
  "security-txt": { read: (asked) => fileAnswer(asked, MADE["security-txt"]) },
  object: { read: keyAnswer },
  browse: page,
  health: {
    async live(view, request) {
      const body = await health(view);
      return plainAnswer(request, body.status === "fail" ? 503 : 200, JSON.stringify(body), "application/health+json");
    },
  },
  capabilities: {
    async live(view, request) {
      const text = JSON.stringify(await capabilities(view));
      return jsonAnswer(view, request, text, view.peek() === null ? "none" : liveCache(view));
    },
  },
  ...forEachRow(PAGE_ROWS, page),
  asset,
  icon: asset,
} as const satisfies Readonly<Record<keyof typeof CORE_ROWS | keyof typeof PAGE_ROWS, Handler>>;

async function jsonAnswer(view: View, request: AnswerRequest, text: string, cache: CacheClass): Promise<Answer> {
  const common = commonHeaders(view.options.view, view.peek()?.snapshot.id ?? null);
  const content = textContent(text, "application/json", cache);
  return reply(request, await makeReady(content, chooseEncoding(request.header("accept-encoding")), common));
}
