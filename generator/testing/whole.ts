/** The calls of tests, benchmarks and attacks: the functions of the core with the annexes of this program. */
import { ANNEXES } from "../annexes.ts";
import * as repairing from "../annex/repair/repair.ts";
import * as building from "../pipeline/build.ts";
import type { BuildSummary } from "../pipeline/summary.ts";
import type { Config, StoreConfig } from "../config/config.ts";
import type { Progress } from "../files/progress.ts";
import * as embedding from "../index/embed.ts";
import type { Parts } from "../publish/parts.ts";
import * as verifying from "../publish/verify-library.ts";
import * as shelving from "../shelves/shelves.ts";
import type { ObjectStore } from "../sources/object-store.ts";
import * as storing from "../sources/open-object-store.ts";

export const build = (config: Config, options: building.BuildOptions = {}, parts?: Parts): Promise<BuildSummary> =>
  building.build(config, ANNEXES, options, parts);

export const verifyLibrary = (
  config: Config,
  options: Parameters<typeof verifying.verifyLibrary>[2],
  parts?: Parts,
): ReturnType<typeof verifying.verifyLibrary> => verifying.verifyLibrary(config, ANNEXES, options, parts);

export const openShelves = (config: Pick<Config, "shelf">): shelving.Shelves => shelving.openShelves(config, ANNEXES);

export const openObjectStore = (store: StoreConfig): ObjectStore => storing.openObjectStore(store, ANNEXES);

export const embedViews = (config: Config, options?: embedding.EmbedViewsOptions): Promise<embedding.Embedding> =>
  embedding.embedViews(config, ANNEXES, options);

export const repair = (config: Config, progress?: Progress): Promise<repairing.Repaired> => repairing.repair(config, ANNEXES, progress);
