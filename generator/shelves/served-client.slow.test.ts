/** The typed client of the package, over the demo, served as `proofshelf serve` does. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { appendFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { copyBuiltDemo } from "../../snapshots/contract/built-demo.ts";
import { PAGED_CLI, startServing } from "../testing/serving-process.ts";
import { makeClient } from "../package/pack.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const run = promisify(execFile);

/** A program of somebody else's: each GET operation once, with the types of its parameters and answers. */
const PROGRAM = `
import { createClient, type components } from "@proofshelf/client";
const client = createClient({ baseUrl: process.argv[2] ?? "" });
const json = async <T>(asked: Promise<{ data?: T; response: Response }>): Promise<T> => {
  const { data, response } = await asked;
  if (data === undefined) throw new Error(response.status + " " + response.url);
  return data;
};
const text = { parseAs: "text" } as const;
const key = "notes/reading-a-digest.md";

const page = await json(client.GET("/api/list", { params: { query: { prefix: "notes/" } } }));
const first: components["schemas"]["LibraryObject"] | undefined = page.objects[0];
const catalog = await json(client.GET("/api/catalog"));
const digest: string = catalog.collections[0]?.objects[0]?.sha256 ?? "";
await json(client.GET("/api/catalog/{collection}", { params: { path: { collection: "notes" } } }));
await json(client.GET("/api/claims"));
await json(client.GET("/api/search", { params: { query: { q: "digest", limit: 2 } } }));
await json(client.GET("/api/ai-search", { params: { query: { q: "digest" } } }));
await json(client.GET("/api/capabilities"));
await json(client.GET("/api/openapi.json"));
const bytes: string = await json(client.GET("/objects/{key}", { params: { path: { key } }, ...text }));
if (!bytes.includes("digest")) throw new Error(bytes);
await json(client.GET("/api/digests/{sha256}", { params: { path: { sha256: digest } } }));
await json(client.GET("/api/proofs/{key}", { params: { path: { key } } }));
const { changes } = await json(client.GET("/api/changes", { params: { query: { limit: 1 } } }));
const snapshot = catalog.snapshot ?? "";
await json(client.GET("/api/diff/{from}/{to}", { params: { path: { from: snapshot, to: snapshot } } }));
const { cubs } = await json(client.GET("/api/cubs", { params: { query: { deployable: ["true"], status: ["VERIFIED_EXACT"], facets: "true", limit: 1 } } }));
const id: string = cubs[0]?.id ?? "";
await json(client.GET("/api/cubs.json"));
await json(client.GET("/api/cubs/meta"));
await json(client.GET("/api/cubs/{id}", { params: { path: { id } } }));
const { files, head, repo } = await json(client.GET("/api/cubs/{id}/code", { params: { path: { id } } }));
await json(client.GET("/api/cubs/{id}/graph", { params: { path: { id } } }));
await json(client.GET("/api/cubs/{id}/meaning", { params: { path: { id }, query: { since: "1" } } }));
await json(client.GET("/api/cubs/{id}/tlog-proof", { params: { path: { id } }, ...text }));
await json(client.GET("/predicates/proof-check/v1"));
await json(client.GET("/api/rejected"));
await json(client.GET("/api/leak-report"));
await json(client.GET("/health"));
await json(client.GET("/.well-known/mcp.json"));
await json(client.GET("/api/archive.tar", { parseAs: "arrayBuffer" }));
const pageOne = { key: "papers/merkle-by-hand.pdf", page: "1" };
const image = await json(client.GET("/images/{key}/{page}.png", { params: { path: pageOne }, parseAs: "arrayBuffer" }));
if (Buffer.from(image).toString("latin1", 1, 4) !== "PNG") throw new Error("no image");
await json(client.GET("/browse/{prefix}", { params: { path: { prefix: "notes/" } }, ...text }));
await json(client.GET("/shelf/{path}", { params: { path: { path: "checkpoint" } }, ...text }));
await json(client.GET("/timegate/{path}", { params: { path: { path: "claims/" } }, ...text }));
for (const path of ["/llms.txt", "/llms-full.txt", "/robots.txt", "/.well-known/security.txt", "/sitemap.xml", "/api/timemap", "/feed.xml", "/claims/feed.xml", "/registry/feed.xml",
  "/api/catalog.ndjson", "/api/catalog.csv", "/api/cubs.ndjson", "/api/cubs.csv",
  "/api/graph.ndjson", "/api/graph.dot"] as const) await json(client.GET(path, text));
for (const path of ["/api/catalog.parquet", "/api/cubs.parquet"] as const) {
  const table = await json(client.GET(path, { parseAs: "arrayBuffer" }));
  if (Buffer.from(table).toString("latin1", 0, 4) !== "PAR1") throw new Error("no table");
}
await json(client.GET("/oai", { params: { query: { verb: "Identify" } }, ...text }));
await json(client.GET("/opensearch.xml", text));
for (const path of ["/feed.json", "/claims/feed.json", "/registry/feed.json", "/api/datacite.json", "/ro-crate-metadata.json", "/server.json"] as const) await json(client.GET(path));
for (const path of ["/browse/{prefix}/feed.xml", "/browse/{prefix}/feed.json"] as const)
  await json(client.GET(path, { params: { path: { prefix: "notes" } }, ...text }));

const gated = await client.GET("/api/code/{repo}/{head}/{path}", { params: { path: { repo, head, path: files[0]?.path ?? "" } }, ...text });
const missing = await client.GET("/sitemap-{part}.xml", { params: { path: { part: "1" } }, ...text });
// A browser would get a page that says the same.
const problem: components["schemas"]["Problem"] | undefined = typeof gated.error === "object" ? gated.error : undefined;
console.log(JSON.stringify([first?.key, changes.length, problem?.status, missing.response.status]));

// @ts-expect-error no filter has this name
void (() => client.GET("/api/cubs", { params: { query: { colour: ["red"] } } }));
// @ts-expect-error a truth value
void (() => client.GET("/api/cubs", { params: { query: { deployable: ["perhaps"] } } }));
// @ts-expect-error q is missing
void (() => client.GET("/api/search", {}));
// @ts-expect-error no operation has this path
void (() => client.GET("/api/nothing"));
`;

test("a program over the typed client compiles, calls each GET operation of the running server, and gets what its types say", async (t) => {
  const folder = await copyBuiltDemo();
  const config = join(folder, "proofshelf.yaml");
  await appendFile(config, '\nsecurity: { contact: security@example.org, expires: "2099-01-01T00:00:00Z" }\n');
  await run(process.execPath, [PAGED_CLI, "build", "--json", "--config", config], { maxBuffer: 1 << 26 });
  const server = await startServing(["--no-rate-limits", "--config", config]);
  t.after(async () => {
    await server.stop();
    await rm(folder, { recursive: true });
  });
  const modules = join(folder, "node_modules");
  await makeClient(join(modules, "@proofshelf/client"));
  for (const name of ["openapi-fetch", "openapi-typescript-helpers", "@types", "undici-types"])
    await symlink(join(ROOT, "node_modules", name), join(modules, name));
  await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  await writeFile(join(folder, "use.ts"), PROGRAM);
  const options = ["--noEmit", "--strict", "--target", "esnext", "--module", "nodenext", "--types", "node"];
  await run(process.execPath, [join(ROOT, "node_modules/@typescript/native/bin/tsc"), ...options, "use.ts"], { cwd: folder }).catch(
    ({ stdout }: { stdout: string }) => assert.fail(stdout.slice(0, 2000)),
  );
  const { stdout } = await run(process.execPath, ["use.ts", server.url], { cwd: folder });
  assert.match(stdout, /^\["notes\/[^"]+",1,(?:401|503),404\]$/m);
  const { paths } = (await (await fetch(`${server.url}/api/openapi.json`)).json()) as { paths: Record<string, { get?: object }> };
  const operations = Object.keys(paths).filter((path) => paths[path]?.get !== undefined && !path.startsWith("/internal/"));
  assert.deepEqual(
    operations.filter((path) => !PROGRAM.includes(`"${path}"`)),
    [],
    "each GET operation is in the program",
  );
});
