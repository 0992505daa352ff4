/** A judged collection as a library: written as files, built and served by the program as everybody runs it, asked over HTTP. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Pool } from "undici";
import { z } from "zod";
import { ShelfError } from "../../snapshots/errors.ts";
import { MAX_QUERY } from "../../snapshots/query/params.ts";
import { MAX_QUESTION } from "../../snapshots/schema/resources.ts";
import { CLI, startServing } from "../fixtures/serving-process.ts";
import type { Collection, CollectionDocument } from "./collection.ts";
import { DEPTH, type System } from "./systems.ts";

const run = promisify(execFile);

const FOLDER = "documents";
const Found = z.object({ mode: z.string().optional(), notice: z.string().optional(), results: z.array(z.object({ key: z.string() })) });

const Answered = z.object({ answer: z.string(), citations: z.array(z.object({ key: z.string(), quote: z.string() })) });

export type Answer = { readonly text: string; readonly citations: readonly { readonly id: string; readonly quote: string }[] };

export type Library = {
  readonly systems: readonly System[];
  /** POST /api/ask, as it answers without a model. */
  ask(question: string): Promise<Answer>;
  close(): Promise<void>;
};

/** A collection's document as an object of a library: its title as the heading. */
function objectOf({ title, text }: CollectionDocument): string {
  return `${title === "" ? text : `# ${title.replaceAll(/\s+/g, " ")}\n\n${text}`}\n`;
}

/** @param semantic whether passages get vectors, for ai-search: more than a hundred a second on two cores
 *  @throws ShelfError "build_failed" with what the build said */
export async function openLibrary({ documents, name }: Collection, semantic: boolean): Promise<Library> {
  const folder = await mkdtemp(join(tmpdir(), "eval-"));
  try {
    const ids = new Map<string, string>();
    await mkdir(join(folder, "library", FOLDER), { recursive: true });
    // By number, because an id may be no name of a file.
    for (const [at, document] of documents.entries()) {
      const key = `${FOLDER}/${at}.md`;
      ids.set(key, document.id);
      await writeFile(join(folder, "library", key), objectOf(document));
    }
    const config = join(folder, "proofshelf.yaml");
    await writeFile(
      config,
      [
        `title: ${JSON.stringify(name)}`,
        "store: { kind: directory, root: ./library }",
        "shelf: { kind: directory, root: ./shelf }",
        `embeddings: { kind: ${semantic ? "embedded" : "none"} }`,
        `collections: [{ id: documents, prefix: ${FOLDER}/, title: Documents, visibility: public }]`,
        "",
      ].join("\n"),
    );
    await run(process.execPath, [CLI, "build", "--json", "--config", config], { maxBuffer: 256 * 1024 * 1024 }).catch((cause: unknown) => {
      throw new ShelfError("build_failed", "The collection could not be built as a library.", { cause });
    });
    const server = await startServing(["--no-rate-limits", "--config", config]);
    const pool = new Pool(server.url, { connections: 1 });
    const system = (path: string): System => ({
      name: path,
      async rank(query) {
        // A query over the limit would be refused; a person would shorten it.
        const q = [...query.normalize("NFC")].slice(0, MAX_QUERY).join("");
        const { statusCode, body } = await pool.request({
          method: "GET",
          path: `${path}?q=${encodeURIComponent(q)}&limit=${DEPTH}`,
        });
        const text = await body.text();
        if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}: ${text}`);
        const { mode, notice, results } = Found.parse(JSON.parse(text));
        if (mode === "unavailable") throw new ShelfError("not_configured", notice ?? "");
        return results.flatMap(({ key }) => ids.get(key) ?? []);
      },
    });
    return {
      systems: ["/api/search", ...(semantic ? ["/api/ai-search"] : [])].map(system),
      async ask(question) {
        const body = JSON.stringify({ question: [...question.normalize("NFC")].slice(0, MAX_QUESTION).join("") });
        const answered = await pool.request({ method: "POST", path: "/api/ask", headers: { "content-type": "application/json" }, body });
        const text = await answered.body.text();
        if (answered.statusCode !== 200) throw new Error(`/api/ask answered ${answered.statusCode}: ${text}`);
        const { answer, citations } = Answered.parse(JSON.parse(text));
        return { text: answer, citations: citations.map(({ key, quote }) => ({ id: ids.get(key) ?? "", quote })) };
      },
      async close() {
        await pool.close();
        await server.stop();
        await rm(folder, { recursive: true, force: true });
      },
    };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}
