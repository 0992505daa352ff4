/** What the annex gives to the core: a build makes the registry of the sources that the configuration names, and holds what records state
 *  against what their files declare. */
import type { RegistryAnnexes, StatementAnnexes } from "#generator/sources";

export const REGISTRY: RegistryAnnexes & StatementAnnexes = {
  async makeRegistry(file) {
    const { openRegistrySources } = await import("./config.ts");
    const { makeRegistry } = await import("./make-registry.ts");
    return makeRegistry(openRegistrySources(file));
  },
  openStatements: async () => (await import("./statements.ts")).openStatements(),
};
