/** A judged collection as a library: written as files, built and served by the program as everybody runs it, asked over HTTP. */
import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { Pool } from "undici";
import { z } from "zod";
import { ShelfError } from "../../snapshots/errors.ts";
import { MAX_QUERY } from "../../snapshots/query/params.ts";
import { MAX_QUESTION } from "../../snapshots/schema/resources.ts";
import { PLAIN_CLI, startServing } from "../testing/serving-process.ts";
import type { Collection, CollectionDocument, Declarations } from "./collection.ts";
import { writeManuals } from "./manuals.ts";
import { DEPTH, type System } from "./systems.ts";

const run = promisify(execFile);

const FOLDER = "documents";
/** Characters of what a build said that are shown when it fails. */
const MAX_SAID = 2_000;
/** The text of a document that is nothing but a declaration in Python. */
const PYTHON = /^(?:@[^\n]*\n)*(?:async )?(?:def|class) [^\n]*[:(\\,]\s*\n/;

const Found = z.object({
  mode: z.string().optional(),
  notice: z.string().optional(),
  results: z.array(z.object({ key: z.string(), line: z.int().optional(), snippet: z.string().default("") })),
});
type Result = z.infer<typeof Found>["results"][number];

const Answered = z.object({
  answer: z.string(),
  citations: z.array(z.object({ key: z.string(), quote: z.string(), start_line: z.int(), end_line: z.int() })),
  finding: z.enum(["answer", "nearest", "none"]).optional(),
});
export type AnsweredQuestion = z.infer<typeof Answered>;

/** cutQuery cuts a query. One over the limit would be refused; a person would shorten it. */
export function cutQuery(query: string): string {
  return [...query.normalize("NFC")].slice(0, MAX_QUERY).join("");
}

/** Served is a served library. */
export type Served = {
  search(path: string, query: string): Promise<readonly Result[]>;
  /** POST /api/ask, as it answers without a model; with keys of objects. */
  ask(question: string): Promise<z.infer<typeof Answered>>;
};

/** A served collection. */
type Library = Served & {
  /** The systems that find its documents. */
  readonly systems: readonly System[];
  /** Where the library is built. */
  readonly folder: string;
  /** The object that a document is, by its id. */
  keyOf(id: string): string;
};

/** A document as an object of a library: source as source, everything else as Markdown with its title as the heading. By number, because an id
 *  may be no name of a file. */
function objectOf({ title, text }: CollectionDocument, at: number): { readonly key: string; readonly text: string } {
  if (title === "" && PYTHON.test(text)) return { key: `${FOLDER}/${at}.py`, text: `${text}\n` };
  return { key: `${FOLDER}/${at}.md`, text: `${title === "" ? text : `# ${title.replaceAll(/\s+/g, " ")}\n\n${text}`}\n` };
}

/** withLibrary serves a collection to `work`.
 *  @param semantic whether passages get vectors, for ai-search: more than a hundred a second on two cores
 *  @throws ShelfError "build_failed" with what the build said */
export function withLibrary<T>({ documents, name }: Collection, semantic: boolean, work: (library: Library) => Promise<T>): Promise<T> {
  const objects = documents.map((document, at) => ({ id: document.id, ...objectOf(document, at) }));
  const ids = new Map(objects.map(({ id, key }) => [key, id]));
  const keys = new Map(objects.map(({ id, key }) => [id, key]));
  const write = async (library: string): Promise<void> => {
    await mkdir(join(library, FOLDER), { recursive: true });
    for (const { key, text } of objects) await writeFile(join(library, key), text);
  };
  return withServer(name, semantic, write, ({ search, ask }, folder) =>
    work({
      search,
      ask,
      folder,
      keyOf: (id) => keys.get(id) ?? "",
      systems: ["/api/search", ...(semantic ? ["/api/ai-search"] : [])].map((path) => ({
        name: path,
        rank: async (query) => (await search(path, cutQuery(query))).flatMap(({ key }) => ids.get(key) ?? []),
      })),
    }),
  );
}

export type NameFigures = {
  readonly names: number;
  /** Shares of the names whose first result is the declaration, and whose file is among the first ten. */
  readonly declaration_first: number;
  readonly file_in_ten: number;
  /** How many of as many names that stand nowhere find something. */
  readonly unknown: number;
  readonly unknown_found: number;
};

/** judgeNames asks for each name as it stands, and for names that stand nowhere. */
export function judgeNames({ folder, names }: Declarations, unknown: readonly string[]): Promise<NameFigures> {
  const write = async (library: string): Promise<void> => {
    for (const path of new Set([...names.values()].flat().map((place) => place.path))) {
      await mkdir(dirname(join(library, FOLDER, path)), { recursive: true });
      await copyFile(join(folder, path), join(library, FOLDER, path));
    }
  };
  return withServer("Declarations", false, write, async ({ search }) => {
    let [first, file, found] = [0, 0, 0];
    for (const [name, places] of names) {
      const results = await search("/api/search", name);
      const key = (path: string): string => `${FOLDER}/${path}`;
      if (places.some(({ path, line }) => results[0]?.key === key(path) && results[0].line === line)) first++;
      if (places.some(({ path }) => results.slice(0, 10).some((result) => result.key === key(path)))) file++;
    }
    for (const name of unknown) if ((await search("/api/search", name)).length > 0) found++;
    return {
      names: names.size,
      declaration_first: first / names.size,
      file_in_ten: file / names.size,
      unknown: unknown.length,
      unknown_found: found,
    };
  });
}

/** withManuals serves manuals out of packages to `work`.
 *  @param keep folder of packages; the library that was built of them stays there, and is built no second time
 *  @param folders of the library; each is a collection */
export function withManuals<T>(
  keep: string | null,
  semantic: boolean,
  folders: readonly string[],
  work: (served: Served, folder: string) => Promise<T>,
): Promise<T> {
  const packages = keep ?? join(tmpdir(), "eval-packages");
  const folder = keep === null ? null : join(keep, folders.length === 1 ? `built-${folders[0]}` : "built");
  const write = (library: string): Promise<void> => writeManuals(packages, library, folders);
  return withServer("Manuals", semantic, write, work, folders, folder);
}

/** @param collections folders of the library
 *  @param kept where the library is built, and stays; null for a folder that goes with the work */
async function withServer<T>(
  title: string,
  semantic: boolean,
  write: (library: string) => Promise<void>,
  work: (served: Served, folder: string) => Promise<T>,
  collections: readonly string[] = [FOLDER],
  kept: string | null = null,
): Promise<T> {
  const folder = kept ?? (await mkdtemp(join(tmpdir(), "eval-")));
  try {
    await mkdir(join(folder, "library"), { recursive: true });
    await write(join(folder, "library"));
    const config = join(folder, "proofshelf.yaml");
    await writeFile(
      config,
      [
        `title: ${JSON.stringify(title)}`,
        "store: { kind: directory, root: ./library }",
        "shelf: { kind: directory, root: ./shelf }",
        `embeddings: { kind: ${semantic ? "embedded" : "none"} }`,
        `collections: [${collections.map((name) => `{ id: ${name}, prefix: ${name}/, title: ${name}, visibility: public }`).join(", ")}]`,
        "",
      ].join("\n"),
    );
    await run(process.execPath, [PLAIN_CLI, "build", "--json", "--config", config], { maxBuffer: 256 * 1024 * 1024 }).catch(
      (cause: Error & { stderr?: string }) => {
        const said = (cause.stderr ?? cause.message).trim().slice(-MAX_SAID);
        throw new ShelfError("build_failed", `${title} could not be built as a library. The build said:\n${said}`, { cause });
      },
    );
    const server = await startServing(["--no-rate-limits", "--config", config]);
    const pool = new Pool(server.url, { connections: 1 });
    try {
      const read = async (path: string, options: { readonly method: "GET" | "POST"; readonly body?: string }): Promise<unknown> => {
        const { statusCode, body } = await pool.request({ path, headers: { "content-type": "application/json" }, ...options });
        const text = await body.text();
        if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}: ${text}`);
        return JSON.parse(text);
      };
      return await work(
        {
          async search(path, query) {
            const found = await read(`${path}?q=${encodeURIComponent(query)}&limit=${DEPTH}`, { method: "GET" });
            const { mode, notice, results } = Found.parse(found);
            if (mode === "unavailable") throw new ShelfError("not_configured", notice ?? "");
            return results;
          },
          async ask(question) {
            const body = JSON.stringify({ question: [...question.normalize("NFC")].slice(0, MAX_QUESTION).join("") });
            return Answered.parse(await read("/api/ask", { method: "POST", body }));
          },
        },
        folder,
      );
    } finally {
      await pool.close();
      await server.stop();
    }
  } finally {
    if (kept === null) await rm(folder, { recursive: true, force: true });
  }
}
