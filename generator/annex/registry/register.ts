/** What the annex gives to the core: a build makes the registry of the sources that the configuration names. */
import type { RegistryAnnexes } from "../../sources/registry-pull.ts";

export const REGISTRY: RegistryAnnexes = {
  async makeRegistry(file) {
    const { openRegistrySources } = await import("./config.ts");
    const { makeRegistry } = await import("./records.ts");
    return makeRegistry(openRegistrySources(file));
  },
};
