/** Digests the modules that make each kind of work that a build keeps for the next one: when a digest is another, that work is void. */
import type { Sha256 } from "#snapshots/digest";
import { openSources, type Sources } from "#generator/files";
import { type DependencyDigests, KEPT, type Kept } from "#generator/kept";
import { siteSources, workerSources } from "#generator/pages";

/** The modules that make it; everything that they import counts with them. What is compiled comes on top of these: the pages, and
 *  the process that reads objects. */
const MODULES: Readonly<Record<Kept, readonly string[]>> = {
  extracts: ["generator/extract/pool.ts", "generator/pipeline/read-objects.ts"],
  pages: ["generator/pages/render.ts", "snapshots/page/stored-pages.ts", "snapshots/service/routes.ts"],
  json: ["generator/publish/api-files.ts"],
  documents: ["generator/index/index-documents.ts", "generator/index/index-worker.ts"],
  leaks: ["generator/pages/software-files.ts", "generator/extract/pool.ts"],
};

/** AnnexModules are the modules that annexes add. */
export type AnnexModules = Readonly<Record<"leaks" | "program", readonly string[]>>;

export function digestDependencies(annexes: AnnexModules, sources: Sources = openSources()): DependencyDigests {
  const digest = (modules: readonly string[]): Sha256 => sources.closure(modules).digest;
  const kept = Object.fromEntries(KEPT.map((kind) => [kind, digest(MODULES[kind])])) as Record<Kept, Sha256>;
  const [site, worker] = [siteSources(sources), workerSources(sources)];
  return {
    ...kept,
    extracts: sources.closure([...worker.files, ...MODULES.extracts]).digest,
    leaks: digest([...MODULES.leaks, ...annexes.leaks]),
    pages: sources.closure([...site.files, ...MODULES.pages], site.packages).digest,
    state: digest(["generator/kept/state.ts"]),
    program: sources.closure(["generator/pipeline/build.ts", ...annexes.program, ...site.files, ...worker.files], site.packages).digest,
  };
}
