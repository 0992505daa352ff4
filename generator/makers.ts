/** What makes each kind of work that a build keeps for the next one: when its digest is another, that work is void. */
import type { Sha256 } from "../snapshots/digest.ts";
import { openSources, type Sources } from "./import-closure.ts";
import { siteSources, workerSources } from "./pages/compile-site.ts";

const KEPT = ["extracts", "pages", "bundles", "json", "documents", "leaks"] as const;
export type Kept = (typeof KEPT)[number];

/** The modules that make it; everything that they import counts with them. What is compiled comes on top of these: the pages, and
 *  the process that reads objects. */
const MODULES: Readonly<Record<Kept, readonly string[]>> = {
  extracts: ["generator/extract/pool.ts", "generator/read-objects.ts"],
  pages: ["generator/pages/render.ts", "snapshots/page/stored-pages.ts"],
  bundles: ["generator/pages/pagefind.ts", "generator/pages/pagefind-worker.ts"],
  json: ["generator/publish/api-files.ts"],
  documents: ["generator/index/index-documents.ts", "generator/index/index-worker.ts"],
  leaks: ["generator/publish/leak-check.ts"],
};

export type Makers = Readonly<Record<Kept, Sha256>> & {
  /** Of the file in which it is kept. */
  readonly state: Sha256;
  /** Of all that a build is made of: with another one everything is compared again, and nothing is void by that alone. */
  readonly program: Sha256;
};

export function digestMakers(sources: Sources = openSources()): Makers {
  const digest = (modules: readonly string[]): Sha256 => sources.closure(modules).digest;
  const kept = Object.fromEntries(KEPT.map((kind) => [kind, digest(MODULES[kind])])) as Record<Kept, Sha256>;
  const [site, worker] = [siteSources(sources), workerSources(sources)];
  return {
    ...kept,
    extracts: sources.closure([...worker.files, ...MODULES.extracts]).digest,
    pages: sources.closure([...site.files, ...MODULES.pages], site.packages).digest,
    state: digest(["generator/state.ts"]),
    program: sources.closure(["generator/build.ts", ...site.files, ...worker.files], site.packages).digest,
  };
}
