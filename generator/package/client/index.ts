/** `@proofshelf/client` at run time: openapi-fetch, told how parts of an address are written here. Its types are made from the OpenAPI description
 *  when the package is (../pack-client.ts). */
import createTypedClient, { type Client, type ClientOptions } from "openapi-fetch";
import { formatKeyPath } from "#snapshots/format";

/** A key keeps its slashes. */
const pathSerializer = (path: string, parts: Readonly<Record<string, unknown>>): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => formatKeyPath(String(parts[name])));

/** createClient makes a client of one library. @param options at least `baseUrl`: the library's address without a last slash */
export function createClient<Paths extends object>(options: ClientOptions): Client<Paths> {
  return createTypedClient<Paths>({ pathSerializer, ...options });
}
