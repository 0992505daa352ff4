/** The types of `proofshelf/client`: every operation of the OpenAPI description but HEAD, which a client of types has no use for. */
import openapiTypes, { astToString, type OpenAPI3 } from "openapi-typescript";
import { openapi } from "../../snapshots/routes/index.ts";

/** Beside `client.js`. */
const ENTRY = `import type { Client, ClientOptions } from "openapi-fetch";
import type { paths } from "./paths.js";
export type { components, paths } from "./paths.js";
/** @param options at least \`baseUrl\`: the library's address without a last slash */
export declare function createClient(options: ClientOptions): Client<paths>;
`;

/** @returns texts by file name */
export async function makeClientTypes(): Promise<Readonly<Record<string, string>>> {
  const description = openapi({ title: "", baseUrl: "" }) as OpenAPI3;
  const paths = Object.fromEntries(Object.entries(description.paths ?? {}).map(([path, item]) => [path, { ...item, head: undefined }]));
  const made = await openapiTypes(structuredClone({ ...description, paths }) as OpenAPI3);
  return { "client.d.ts": ENTRY, "paths.d.ts": astToString(made) };
}
