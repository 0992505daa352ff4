/** The part that the annex gives to the core: a build makes the registry of the sources that the configuration names, and holds what records state
 *  against what their files declare. */
import { lazily } from "#generator/files";
import type { RegistryAnnexes, StatementAnnexes } from "#generator/sources";

export { KEYS as REGISTRY_KEYS } from "./keys.ts";

export const REGISTRY: RegistryAnnexes & StatementAnnexes = {
  async makeRegistry(file, tell) {
    const { openRegistrySources } = await import("./config.ts");
    const { makeRegistry } = await import("./make-registry.ts");
    return makeRegistry(openRegistrySources(file), tell);
  },
  openStatements: async () => (await import("./statements.ts")).openStatements(),
};

export const runRegistryDiff = lazily(async () => (await import("./diff-command.ts")).runRegistryDiff);
export const runRegistryImport = lazily(async () => (await import("./import-command.ts")).runRegistryImport);
export const runRegistryInit = lazily(async () => (await import("./init-command.ts")).runRegistryInit);
export const runAdvisories = lazily(async () => (await import("./look-command.ts")).runAdvisories);
export const runAxioms = lazily(async () => (await import("./look-command.ts")).runAxioms);
export const runExplain = lazily(async () => (await import("./look-command.ts")).runExplain);
export const runGraph = lazily(async () => (await import("./look-command.ts")).runGraph);
export const printSchema = lazily(async () => (await import("./recheck-command.ts")).printSchema);
export const runAdapters = lazily(async () => (await import("./recheck-command.ts")).runAdapters);
export const runRecheck = lazily(async () => (await import("./recheck-command.ts")).runRecheck);
export const runSourcesCheck = lazily(async () => (await import("./recheck-command.ts")).runSourcesCheck);
export const runRegistrySign = lazily(async () => (await import("./sign-command.ts")).runRegistrySign);
export const runRegistryScan = lazily(async () => (await import("./scan-command.ts")).runRegistryScan);
