/** Semantic search in a running server: the configured model, asked about queries only. What is missing (no model, an endpoint
 *  that is down, vectors not made yet) is a notice and never an error, and is told by /api/capabilities too. */
import { correct, type OpenSnapshot, type SearchQuery, semantic, toSource } from "#snapshots/query";
import type { Embedder } from "#snapshots/embed";
import { ShelfError } from "#snapshots/errors";
import type { AiSearchResponse, AskRequest, AskResponse, Component } from "#snapshots/schema";

const REST_MS = 10_000; // for which a model that failed is left alone: readers must not wait for it one by one
export const QUERY_EMBEDDING_MS = 3_000; // in which a model has to embed a query; words answer after them

/** AskTool and SemanticTool answer questions and search by meaning, as the routes and the tools of agents call them. */
export type AskTool = (request: AskRequest, open: OpenSnapshot, signal: AbortSignal) => Promise<AskResponse>;
export type SemanticTool = (
  query: SearchQuery,
  open: OpenSnapshot,
  signal?: AbortSignal,
) => Promise<Pick<AiSearchResponse, "mode" | "notice" | "results" | "did_you_mean">>;

export type Semantic = {
  readonly tool: SemanticTool;
  /** The model, left alone for a while after a failure; null when none is configured. */
  readonly embedder: Embedder | null;
  component(open: OpenSnapshot | null): Promise<Component>;
  close(): Promise<void>;
};

type SemanticOptions = {
  readonly embedder: Embedder | null;
  readonly notice: string;
  readonly model: string;
  readonly limitMs?: number;
  /** Milliseconds of a clock that only goes forward; tests pass their own. */
  readonly now?: () => number;
};

export function openSemantic(options: SemanticOptions): Semantic {
  const resting = options.embedder === null ? null : restAfterFailure(options.embedder, options);
  const embedder = resting?.embedder ?? null;

  // The signal is for the model alone: who has gone reads no answer, and needs no error that somebody else would log.
  const answer = async (query: SearchQuery, open: OpenSnapshot, signal: AbortSignal | undefined) =>
    embedder === null
      ? { mode: "unavailable" as const, notice: options.notice, results: [], meant: [] }
      : semantic(await open.reader(), { ...embedder, embed: (texts) => embedder.embed(texts, signal) }, query);

  return {
    async tool(query, open, signal) {
      const [{ mode, notice, results, meant }, data] = await Promise.all([answer(query, open, signal), open.snapshot.data()]);
      return {
        mode,
        notice,
        results: results.map((result) => ({ ...toSource(data, result), sha256: result.row.sha256, chunks: [...result.chunks] })),
        ...(meant.length > 0 ? { did_you_mean: correct(query.q, meant) } : {}),
      };
    },
    embedder,
    async component(open) {
      const name = "semantic search";
      if (embedder === null || resting === null) return { name, status: "wired (opt-in)", note: options.notice };
      const trouble = resting.trouble();
      if (trouble !== null) return { name, status: "unavailable", note: trouble };
      const made =
        open === null
          ? null
          : await open
              .reader()
              .then((reader) => reader.vectors(embedder.id))
              .catch(() => null);
      if (made === null) return { name, status: "unavailable", note: `the vectors of this snapshot by ${options.model} are not made yet` };
      return { name, status: "live", note: `hybrid with full text, vectors by ${options.model}` };
    },
    close: async () => embedder?.close(),
  };
}

/** @returns the embedder with a time for each query, failing at once for a while after a failure, and what that failure was */
function restAfterFailure(
  embedder: Embedder,
  { model, limitMs = QUERY_EMBEDDING_MS, now = () => performance.now() }: SemanticOptions,
): { readonly embedder: Embedder; trouble(): string | null } {
  let failure: { readonly error: ShelfError; readonly at: number } | null = null;
  const current = (): ShelfError | null => (failure !== null && now() - failure.at < REST_MS ? failure.error : null);
  return {
    embedder: {
      ...embedder,
      async embed(texts, signal) {
        const known = current();
        if (known !== null) throw known;
        try {
          const vectors = await within(limitMs, signal, (ended) => embedder.embed(texts, ended));
          failure = null;
          return vectors;
        } catch (cause) {
          // A caller's patience says nothing of the model.
          signal?.throwIfAborted();
          const late = cause instanceof DOMException && cause.name === "TimeoutError";
          const error =
            cause instanceof ShelfError
              ? cause
              : new ShelfError("not_configured", late ? `The query was not embedded in time by ${model}.` : "The embedding model failed.", {
                  cause,
                });
          failure = { error, at: now() };
          throw error;
        }
      },
    },
    // Told until it has answered again, not only while it rests.
    trouble: () => failure?.error.message ?? null,
  };
}

/** within ends with the work, the time or the caller's patience, whichever comes first, even when the work heeds no signal.
 *  @throws DOMException "TimeoutError" after `ms`, the signal's reason when the caller gave up */
async function within<T>(ms: number, signal: AbortSignal | undefined, work: (ended: AbortSignal) => Promise<T>): Promise<T> {
  const ended = AbortSignal.any([AbortSignal.timeout(ms), ...(signal === undefined ? [] : [signal])]);
  ended.throwIfAborted();
  const cut = Promise.withResolvers<never>();
  ended.addEventListener("abort", () => cut.reject(ended.reason), { once: true });
  return Promise.race([work(ended), cut.promise]);
}
