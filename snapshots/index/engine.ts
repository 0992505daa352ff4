/** The engine, LanceDB. The rest of the program meets it only through this folder. */
import { createRequire } from "node:module";
import type { Connection } from "@lancedb/lancedb";
import { Manifests } from "./manifest.ts";

const INDEX_CACHE = 128n * 1024n * 1024n; // bytes of decoded index data that one connection keeps
const METADATA_CACHE = 64n * 1024n * 1024n; // and of file metadata

export type Engine = {
  readonly connection: Connection;
  readonly lancedb: typeof import("@lancedb/lancedb");
  readonly arrow: typeof import("apache-arrow");
  readonly manifests: Manifests;
};

/** connectEngine opens the engine. It imports the native library itself, so that a process that does not search does not load it. */
export async function connectEngine(uri: string): Promise<Engine> {
  const lancedb = await import("@lancedb/lancedb");
  // As CommonJS, because LanceDB loads it so and knows tables by its own copy of the classes.
  const arrow = createRequire(import.meta.url)("apache-arrow") as Engine["arrow"];
  const session = new lancedb.Session(INDEX_CACHE, METADATA_CACHE);
  return { connection: await lancedb.connect(uri, {}, session), lancedb, arrow, manifests: new Manifests(uri) };
}
