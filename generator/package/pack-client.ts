/** The client as a package of its own: one module, types of every operation of the OpenAPI description but HEAD, which a client of types
 *  has no use for, and no native code. */
import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import openapiTypes, { astToString, type OpenAPI3 } from "openapi-typescript";
import { openapi } from "#snapshots/routes";
import { ROUTES } from "#snapshots/service";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const NAME = "@proofshelf/client";

/** Beside `index.js`. */
const ENTRY = `import type { Client, ClientOptions } from "openapi-fetch";
import type { paths } from "./paths.js";
export type { components, paths } from "./paths.js";
/** createClient makes a client of one library. @param options at least \`baseUrl\`: the library's address without a last slash */
export declare function createClient(options: ClientOptions): Client<paths>;
`;

/** @returns texts by file name */
async function makeTypes(): Promise<Readonly<Record<string, string>>> {
  const description = openapi(ROUTES, { title: "", baseUrl: "" }) as OpenAPI3;
  const paths = Object.fromEntries(Object.entries(description.paths ?? {}).map(([path, item]) => [path, { ...item, head: undefined }]));
  const made = await openapiTypes(structuredClone({ ...description, paths }) as OpenAPI3);
  return { "index.d.ts": ENTRY, "paths.d.ts": astToString(made) };
}

/** makeClientPackage writes the package as a folder. @param manifest that of the project, with the version of what is imported */
export async function makeClientPackage(
  folder: string,
  {
    version,
    license,
    dependencies,
    publishConfig,
  }: { readonly version: string; readonly dependencies: Readonly<Record<string, string>> } & Readonly<Record<string, unknown>>,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  await build({
    entryPoints: [join(ROOT, "generator/package/client/index.ts")],
    outfile: join(folder, "index.js"),
    bundle: true,
    format: "esm",
    platform: "neutral",
    target: "es2022",
    // The face that it imports has more in it than is used, and none of that stays.
    external: ["openapi-fetch", "node:*"],
  });
  for (const [name, text] of Object.entries(await makeTypes())) await writeFile(join(folder, name), text);
  await copyFile(join(ROOT, "generator/package/client/README.md"), join(folder, "README.md"));
  await copyFile(join(ROOT, "LICENSE"), join(folder, "LICENSE"));
  const manifest = {
    name: NAME,
    version,
    description: "Reads a library that proofshelf serves, with types of every path, parameter and answer.",
    license,
    type: "module",
    exports: { ".": { types: "./index.d.ts", default: "./index.js" }, "./package.json": "./package.json" },
    sideEffects: false,
    dependencies: { "openapi-fetch": dependencies["openapi-fetch"] },
    publishConfig,
  };
  await writeFile(join(folder, "package.json"), JSON.stringify(manifest, null, 2));
}
