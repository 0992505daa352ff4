/** The demo's registry with a store of checks of its own, for tests. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { openRegistrySources, type RegistrySources } from "./config.ts";
import { makeRegistry } from "./make-registry.ts";

const DEMO = fileURLToPath(new URL("../../demo/", import.meta.url));

/** DEMO_SOURCES are the sources of the demo's registry. */
export const DEMO_SOURCES = openRegistrySources(join(DEMO, "registry.yaml"));

type Cub = Readonly<Record<string, unknown>>;

/** recordsOf makes the records of a registry. */
export const recordsOf = async (sources: RegistrySources): Promise<readonly Cub[]> =>
  (JSON.parse(Buffer.from(await makeRegistry(sources)).toString()) as { cubs: readonly Cub[] }).cubs;

/** withoutChecks gives the same sources a store of their own. */
export function withoutChecks(t: TestContext): RegistrySources {
  const folder = mkdtempSync(join(tmpdir(), "proofshelf-demo-registry-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  process.env["XDG_CACHE_HOME"] = join(folder, "cache");
  return { ...DEMO_SOURCES, checks: { ...DEMO_SOURCES.checks, store: join(folder, "checks"), trust: [] } };
}
