/** How a build came by its records and claims, as it is told to readers, programs and operators. */
import type { RegistryState, ViewData } from "./view-data.ts";

export const REGISTRY_WORDS: Readonly<Record<RegistryState, string>> = {
  none: "This library has no registry of proof records.",
  read: "The registry was read when this snapshot was built.",
  kept: "The registry could not be used when this snapshot was built; its records are those of the last good copy.",
  failed: "The registry could not be read when this snapshot was built.",
};

export const CLAIMS_WORDS: Readonly<Record<RegistryState, string>> = {
  none: "This library has no claims file.",
  read: "The claims were read when this snapshot was built.",
  kept: "The claims could not be used when this snapshot was built; they are those of the last good copy.",
  failed: "The claims could not be used when this snapshot was built.",
};

/** registryUnavailable tells why a view has no registry; it returns null when the view has one. */
export function registryUnavailable({ library, meta }: Pick<ViewData, "library" | "meta">): string | null {
  return meta === null ? REGISTRY_WORDS[library.registry] : null;
}
