/** Vectors of what is served, for the semantic search. They are no part of a snapshot: a build publishes first, and the vectors
 *  follow, because a large library takes minutes to embed and is of use before. Whatever stops them leaves the snapshot served;
 *  the next run goes on where this one was. */
import { join } from "node:path";
import { openEmbedder } from "#snapshots/embedders";
import { ShelfError } from "#snapshots/errors";
import type { Embedder } from "#snapshots/embed";
import { findShared, hasVectors, openIndex } from "#snapshots/index";
import { closeIndex, openShelves, type ShelfAnnexes, type Shelves, vectorsDir, withShelves } from "#generator/shelves";
import type { Config } from "#generator/config";
import { openProgress, type Progress, withBuildLock } from "#generator/files";

/** The public view first: an internal one begins with the same texts, whose vectors then lie in the cache. */
const VIEWS = ["public", "internal"] as const;

export type Embedding = {
  /** "none", "embedded", or the name of the endpoint's model. */
  readonly model: string;
  /** Passages that got their vector now, of both views. */
  readonly written: number;
  /** Texts that the model was run for; the other vectors were in the cache. */
  readonly embedded: number;
  /** Passages of a view that get none, because there are too many. */
  readonly left: number;
  /** True when both served snapshots have all their vectors. */
  readonly complete: boolean;
  /** Empty, or why not. */
  readonly notice: string;
  readonly duration_ms: number;
};

export type EmbedViewsOptions = {
  readonly progress?: Progress;
  /** Ends it early; what was done so far is kept. */
  readonly signal?: AbortSignal;
};

/** embedViews makes the vectors that the served snapshots lack. It costs two looks at the file system when none is missing. It never fails: an
 *  endpoint that is down must not turn a published build into a failed one. */
export async function embedViews(config: Config, annexes: ShelfAnnexes, options: EmbedViewsOptions = {}): Promise<Embedding> {
  const { signal } = options;
  const { embeddings, gateway } = config;
  const began = performance.now();
  const model = embeddings.kind === "openai" ? embeddings.model : embeddings.kind;
  const work = { written: 0, embedded: 0, left: 0 };
  const end = (complete: boolean, notice = ""): Embedding => ({
    model,
    ...work,
    complete,
    notice,
    duration_ms: Math.round(performance.now() - began),
  });
  const { embedder, notice } = await openEmbedder(embeddings, { env: process.env, gateway });
  if (embedder === null) return end(false, embeddings.kind === "none" ? "" : notice);
  try {
    const shelves = openShelves(config, annexes);
    if ((await findMissing(shelves, embedder, new Set())) === null) return end(true);
    const progress = options.progress ?? openProgress();
    // The engine writes a warning to stderr for each cluster that it finds uneven.
    process.env["LANCEDB_LOG"] ??= "error";
    // A lock of its own: builds go on and publish while vectors are made.
    const make = (): Promise<void> => withBuildLock(vectorsDir(shelves), () => makeAll(shelves, embedder, progress, work, signal));
    // To a bucket nothing goes beside another builder.
    await (shelves.remote === null ? make() : withShelves(shelves, make, { work: "making of vectors" }));
    return end(true);
  } catch (error) {
    return end(
      false,
      `Semantic search has to wait, the rest is served: ${explain(error)} What was made is kept. The next build makes the vectors that are missing.`,
    );
  } finally {
    await embedder.close();
  }
}

type Missing = { readonly view: (typeof VIEWS)[number]; readonly tag: string };

/** @param done tags that were given their vectors a moment ago */
async function findMissing(shelves: Shelves, embedder: Embedder, done: ReadonlySet<string>): Promise<Missing | null> {
  for (const view of VIEWS) {
    const tag = (await shelves[view].readPointer())?.snapshot;
    // Rows that the public index has get their vectors there.
    if (tag === undefined || done.has(`${view} ${tag}`) || findShared(shelves[view].indexUri, tag) !== null) continue;
    if (!(await hasVectors(shelves[view].indexUri, tag, embedder.id))) return { view, tag };
  }
  return null;
}

async function makeAll(
  shelves: Shelves,
  embedder: Embedder,
  progress: Progress,
  work: { written: number; embedded: number; left: number },
  signal: AbortSignal | undefined,
): Promise<void> {
  const done = new Set<string>();
  try {
    // Looked for again each time: a build may have published meanwhile.
    for (let missing = await findMissing(shelves, embedder, done); missing !== null; missing = await findMissing(shelves, embedder, done)) {
      const { view, tag } = missing;
      done.add(`${view} ${tag}`);
      progress.step(`vectors of the ${view} view`);
      const index = await openIndex(shelves[view].indexUri);
      try {
        const before = { ...work };
        const { left } = await index.embed({
          tag,
          embedder,
          cacheUri: join(vectorsDir(shelves), "cache"),
          onProgress: ({ written, embedded }, total) => {
            work.written = before.written + written;
            work.embedded = before.embedded + embedded;
            progress.step(`vectors of the ${view} view`, written, total);
          },
          ...(signal === undefined ? {} : { signal }),
        });
        work.left = Math.max(work.left, left);
      } finally {
        index.close();
      }
    }
  } finally {
    await closeIndex(shelves);
    progress.end();
  }
}

function explain(error: unknown): string {
  if (error instanceof ShelfError) return error.code === "build_running" ? "another process is making vectors." : error.message;
  return error instanceof Error && error.name === "AbortError" ? "it was stopped." : "the vectors could not be made.";
}
