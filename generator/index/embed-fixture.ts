/** Libraries whose texts become vectors, for tests. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, type TestContext } from "node:test";
import { openEmbeddedEmbedder } from "../../snapshots/embedders/embedder-embedded.ts";
import { type Config, openConfig } from "../config/config.ts";
import { SILENT, writeFiles } from "../testing/library.ts";
import { PLAIN_CLI } from "../testing/serving-process.ts";

export const NOTES = [
  ["library/notes/dog.md", "# Pets\n\nA puppy plays in the garden.\n"],
  ["library/notes/rain.md", "# Weather\n\nIt will rain tomorrow in the north.\n"],
  ["library/notes/bank.md", "# Money\n\nShares fell on the exchange. Banks raised their interest rates.\n"],
] as const;

export const model = openEmbeddedEmbedder({ threads: 1 });

after(() => model.close());

/** makeLibrary makes a library.
 *  @param embeddings as in proofshelf.yaml; null leaves it out */
export async function makeLibrary(
  t: TestContext,
  embeddings: string | null,
  files: readonly (readonly [string, string])[] = NOTES,
): Promise<{ dir: string; file: string; config: Config }> {
  const dir = mkdtempSync(join(tmpdir(), "proofshelf-embed-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  await writeFiles(dir, files);
  const file = join(dir, "proofshelf.yaml");
  return { dir, file, config: await configure(file, embeddings) };
}

export function configure(file: string, embeddings: string | null): Promise<Config> {
  writeFileSync(
    file,
    `store: { kind: directory, root: ./library }
shelf: { kind: directory, root: ./shelf }
collections:
  - { id: notes, prefix: notes/, title: Notes, visibility: public }
  - { id: drafts, prefix: drafts/, title: Drafts, visibility: email-gated }
${embeddings === null ? "" : `embeddings: ${embeddings}\n`}`,
  );
  return openConfig(file);
}

export const quiet = { progress: SILENT };

/** openEndpoint returns an endpoint that counts the texts it embeds; `up` turns it off and on. */
export async function openEndpoint(
  t: TestContext,
): Promise<{ readonly yaml: string; up: boolean; texts: number; hangAfter: number; readonly hanging: Promise<void> }> {
  let reached = (): void => {};
  const endpoint = { yaml: "", up: true, texts: 0, hangAfter: Infinity, hanging: new Promise<void>((resolve) => (reached = resolve)) };
  const server = createServer(async (request, response: ServerResponse) => {
    const parts: Uint8Array[] = [];
    for await (const part of request) parts.push(part as Uint8Array);
    if (!endpoint.up) return void response.writeHead(503).end("CANARY-OF-THE-ENDPOINT");
    const { input } = JSON.parse(Buffer.concat(parts).toString()) as { input: string[] };
    if (endpoint.texts + input.length > endpoint.hangAfter) return reached();
    endpoint.texts += input.length;
    return void response.end(
      JSON.stringify({ data: input.map((text, index) => ({ index, embedding: [1, text.length % 7, text.length % 3] })) }),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  endpoint.yaml = `{ kind: openai, baseUrl: "http://127.0.0.1:${(server.address() as AddressInfo).port}/v1", model: toy, dimensions: 3 }`;
  return endpoint;
}

/** `serve` as a process, until the test ends. */
export async function serve(t: TestContext, ...args: string[]): Promise<{ readonly url: string; readonly child: ChildProcess }> {
  const child = spawn(process.execPath, [PLAIN_CLI, "serve", "--json", "--no-rate-limits", "--port", "0", ...args], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  t.after(async () => {
    child.kill("SIGTERM");
    if (child.exitCode === null) await once(child, "exit");
  });
  for await (const chunk of child.stdout) return { url: (JSON.parse(String(chunk)) as { url: string }).url, child };
  throw new Error("the server did not start");
}

export async function status(url: string): Promise<{ readonly status: string; readonly note: string } | undefined> {
  const { components } = (await (await fetch(`${url}/api/capabilities`)).json()) as {
    components: { name: string; status: string; note: string }[];
  };
  return components.find(({ name }) => name === "semantic search");
}
