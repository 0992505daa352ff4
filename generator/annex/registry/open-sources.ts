/** openSources finds the registry.yaml that a command speaks of. */
import { type CommonOptions, findConfigOf } from "#generator/commands";
import { openConfig } from "#generator/config";
import { openRegistrySources, type RegistrySources } from "./config.ts";

export type SourceOptions = CommonOptions & { readonly sources?: string };
export const USUAL = "registry.yaml";

/** openSources opens the file that names the sources: that of the option, of the configuration, or registry.yaml; beside it the file of claims that the
 *  configuration names. */
export async function openSources(options: SourceOptions): Promise<RegistrySources & { readonly claims: string | null }> {
  const config = findConfigOf(options);
  const { sources } = options;
  const configured = config === null ? null : await openConfig(config, { checkSources: false });
  const { registry = null, baseUrl = "" } = configured ?? {};
  const file = sources ?? (registry !== null && "sources" in registry ? registry.sources : USUAL);
  const opened = { ...openRegistrySources(file), claims: configured?.claims?.path ?? null };
  // An address of this machine alone is nobody's.
  const isPublic = baseUrl !== "" && !/^https?:\/\/(?:localhost|127\.|\[::1\])/.test(baseUrl);
  return isPublic && opened.checks.base_url === undefined ? { ...opened, checks: { ...opened.checks, base_url: baseUrl } } : opened;
}
