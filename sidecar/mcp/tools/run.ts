/** The function that answers each tool; ask_library and ai_search need a model as well (models.ts). */
import type { Tool } from "./context.ts";
import { getCapabilities, listCollections, listObjects, searchLibrary } from "./library.ts";
import { getObject, lookupDigestTool, verifyObject } from "./objects.ts";
import { getClaim, getCub, getRegistryMeta, listClaims, listCubs, searchCubs } from "./registry.ts";
import type { ToolName } from "#snapshots/tools";

export const SNAPSHOT_TOOLS: Readonly<Record<Exclude<ToolName, "ask_library" | "ai_search">, Tool>> = {
  list_collections: listCollections,
  list_objects: listObjects,
  search_library: searchLibrary,
  get_object: getObject,
  list_claims: listClaims,
  get_claim: getClaim,
  search_cubs: searchCubs,
  list_cubs: listCubs,
  get_cub: getCub,
  get_registry_meta: getRegistryMeta,
  lookup_digest: lookupDigestTool,
  verify_object: verifyObject,
  get_capabilities: getCapabilities,
};
