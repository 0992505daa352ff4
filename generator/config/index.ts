/** The config room reads proofshelf.yaml into a `Config`, and reports every problem at once with its line and remedy.
 *  It takes a path, or text; it gives values that the schema has checked.
 *  No secret stands in a configuration: those come from the environment. */
export {
  type Config,
  DEMO_CONFIG,
  openConfig,
  parseConfig,
  readAccess,
  readConfigFile,
  type RegistryConfig,
  type StoreConfig,
} from "./config.ts";
export { CONFIG_NAME, findConfig } from "./find-config.ts";
export { addKeys, type AnnexKeys, type OwnPaths } from "./keys.ts";
export { findOwnKeys, type OwnFiles } from "./own-files.ts";
export { readLocated } from "./located.ts";
export { IGNORED, NO_NEWS, openLeavingOut, type StorePatterns } from "./left-out.ts";
export {
  configJsonSchema,
  explainIssues,
  foldAlike,
  formatPath,
  listAt,
  nearest,
  valueAt,
} from "./problems.ts";
export { domains, emails, findRegistryProblem, gate, isSafeAddress, maybe, names, refuse, some, webAddress } from "./values.ts";
export { type ConfigProblem, type LocatedYaml, MAX_CONFIG_BYTES, parseLocatedYaml, type Path } from "./yaml.ts";
