/** Any server with an OpenAI-compatible `POST …/embeddings`. What it answers is a stranger's: bounded and checked. */
import { text } from "node:stream/consumers";
import { fetch } from "undici";
import { z } from "zod";
import { ShelfError } from "#snapshots/errors";
import { type Embedder, normalize } from "#snapshots/embed";
import { limitBytes } from "#snapshots/limit-bytes";

const TIMEOUT_MS = 20_000;
const BATCH = 64;
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024; // 64 vectors of 8,192 numbers, generously written
const MAX_DIMENSIONS = 8192;

export type HttpEmbedderSettings = {
  readonly baseUrl: string;
  /** A gateway's address that requests go to instead; the vectors are the same model's. */
  readonly through?: string;
  readonly model: string;
  readonly dimensions: number;
  readonly apiKey: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
};

const answer = z.object({
  data: z.array(z.object({ index: z.int().min(0).exactOptional(), embedding: z.array(z.number()).min(1).max(MAX_DIMENSIONS) })).max(BATCH),
});

export function openHttpEmbedder(settings: HttpEmbedderSettings): Embedder {
  const { model, dimensions, apiKey, timeoutMs = TIMEOUT_MS } = settings;
  const address = (base: string): string => `${base.replace(/\/+$/, "")}/embeddings`;
  const url = address(settings.through ?? settings.baseUrl);

  function failure(reason: string, cause?: unknown): ShelfError {
    return new ShelfError("not_configured", `The embedding model ${model} ${reason}.`, { cause });
  }

  async function request(texts: readonly string[], signal: AbortSignal | undefined): Promise<Float32Array[]> {
    const limit = AbortSignal.timeout(timeoutMs);
    let body: unknown;
    try {
      const response = await fetch(url, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
          ...settings.headers,
        },
        body: JSON.stringify({ model, input: texts, encoding_format: "float" }),
        redirect: "error",
        signal: signal === undefined ? limit : AbortSignal.any([limit, signal]),
      });
      if (!response.ok) {
        await response.body?.cancel();
        throw failure(`answered with status ${response.status}`);
      }
      body = JSON.parse(await text(limitBytes(response.body, MAX_RESPONSE_BYTES, () => failure("sent more than a response may have"))));
    } catch (cause) {
      signal?.throwIfAborted();
      if (cause instanceof ShelfError) throw cause;
      throw failure(limit.aborted ? "did not answer in time" : "could not be reached or sent no JSON", cause);
    }
    const parsed = answer.safeParse(body);
    if (!parsed.success || parsed.data.data.length !== texts.length) throw failure("sent an answer of another form");
    const ordered: (Float32Array | undefined)[] = texts.map(() => undefined);
    parsed.data.data.forEach(({ index, embedding }, at) => {
      if (embedding.length !== dimensions) throw failure(`sent ${embedding.length} dimensions where ${dimensions} are configured`);
      const vector = normalize(embedding);
      if (vector === null) throw failure("sent a vector that is all zero or not finite");
      ordered[index ?? at] = vector;
    });
    return ordered.map((vector) => {
      if (vector === undefined) throw failure("left out a text");
      return vector;
    });
  }

  return {
    // The address is part of it: two servers may call different models by one name.
    id: `${address(settings.baseUrl)} ${model} ${dimensions}`,
    dimensions,
    async embed(texts, signal) {
      const out: Float32Array[] = [];
      for (let at = 0; at < texts.length; at += BATCH) out.push(...(await request(texts.slice(at, at + BATCH), signal)));
      return out;
    },
    close: async () => {},
  };
}
