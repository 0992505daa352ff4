/** The model that writes answers: any server with an OpenAI-compatible `POST …/chat/completions`.
 *
 *  What it sends is a stranger's text: bounded in bytes and time, parsed by a schema, never trusted (grounding.ts checks
 *  each sentence). A failure is a ModelError with a reason fit for a notice; the server's own words go no further. */
import { text } from "node:stream/consumers";
import { createParser } from "eventsource-parser";
import { fetch as undiciFetch, type RequestInit, type Response } from "undici";
import { z } from "zod";
import { limitBytes } from "#snapshots/limit-bytes";
import { GATEWAY_HEADER } from "#snapshots/embed";

/** MODEL_DEADLINE is the milliseconds for a whole answer; after them the reader gets the best passages instead. */
export const MODEL_DEADLINE = 12_000;
/** Bytes of a response; a stream of 1,000 tokens in its JSON wrapping has about 250,000. */
const MAX_RESPONSE_BYTES = 1024 * 1024;
const MAX_MODEL_TEXT = 16 * 1024;
const MAX_TOKENS = 800;
export type ChatMessage = { readonly role: "system" | "user"; readonly content: string };

export interface AnswerModel {
  readonly name: string;
  /** The text as it is written, piece by piece, at most MAX_MODEL_TEXT characters.
   *  @throws ModelError, also between pieces */
  write(messages: readonly ChatMessage[], signal: AbortSignal): AsyncIterable<string>;
}

export type ModelFailure = "unreachable" | "refused" | "too_slow" | "malformed" | "too_long" | "busy" | "empty";

export class ModelError extends Error {
  readonly failure: ModelFailure;
  constructor(failure: ModelFailure, options: ErrorOptions = {}) {
    super(`the answer model failed: ${failure}`, options);
    this.name = "ModelError";
    this.failure = failure;
  }
}

type AnswerModelSettings = {
  readonly baseUrl: string;
  readonly model: string;
  readonly apiKey: string | null;
  /** Set when AI_GATEWAY_ID is: requests go there instead, with the id in a header. */
  readonly gateway: { readonly baseUrl: string; readonly id: string } | null;
};

const content = z.union([
  z.string(),
  z.null(),
  z.array(z.looseObject({ text: z.string().optional() })).transform((parts) => parts.map(({ text }) => text ?? "").join("")),
]);
const turn = z.looseObject({ content: content.optional() });
const chatResponse = z.looseObject({
  choices: z.array(z.looseObject({ delta: turn.nullish(), message: turn.nullish() })),
});

export function openAnswerModel(settings: AnswerModelSettings): AnswerModel {
  const address = `${(settings.gateway?.baseUrl ?? settings.baseUrl).replace(/\/+$/, "")}/chat/completions`;
  const headers = {
    "content-type": "application/json",
    accept: "text/event-stream, application/json",
    ...(settings.apiKey === null ? {} : { authorization: `Bearer ${settings.apiKey}` }),
    ...(settings.gateway === null ? {} : { [GATEWAY_HEADER]: settings.gateway.id }),
  };
  return {
    name: settings.model,
    async *write(messages, signal) {
      const body = { model: settings.model, messages, stream: true, temperature: 0, max_tokens: MAX_TOKENS };
      // A redirect would carry the key and the excerpts to a host that nobody configured.
      const init: RequestInit = { method: "POST", headers, body: JSON.stringify(body), redirect: "error", signal };
      let length = 0;
      try {
        const response = await undiciFetch(address, init);
        if (response.status !== 200) {
          await response.body?.cancel();
          throw new ModelError("refused");
        }
        for await (const piece of readText(response)) {
          yield piece.slice(0, MAX_MODEL_TEXT - length);
          length += piece.length;
          if (length >= MAX_MODEL_TEXT) throw new ModelError("too_long");
        }
      } catch (error) {
        if (error instanceof ModelError) throw error;
        throw new ModelError(signal.aborted ? "too_slow" : "unreachable", { cause: error });
      }
      if (length === 0) throw new ModelError("empty");
    },
  };
}

/** Content of a response in either form: server-sent events, or one JSON body from servers that do not stream. */
async function* readText(response: Response): AsyncGenerator<string> {
  const bytes = limitBytes(response.body, MAX_RESPONSE_BYTES, () => new ModelError("too_long"));
  const type = response.headers.get("content-type") ?? "";
  if (!/^text\/event-stream\b/i.test(type)) return yield readContent(await text(bytes));
  const decoder = new TextDecoder();
  const events: string[] = [];
  const parser = createParser({ onEvent: ({ data }) => events.push(data) });
  for await (const chunk of bytes) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    for (const data of events.splice(0)) {
      if (data.trim() === "[DONE]") return;
      const content = readContent(data);
      if (content !== "") yield content;
    }
  }
}

/** Tool calls, reasoning and whatever else a server adds are not read at all. */
function readContent(json: string): string {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    throw new ModelError("malformed", { cause });
  }
  const parsed = chatResponse.safeParse(value);
  if (!parsed.success) throw new ModelError("malformed", { cause: parsed.error });
  const choice = parsed.data.choices[0];
  return choice?.delta?.content ?? choice?.message?.content ?? "";
}

/** limitModel lets a model write at most `limit` answers at once; who comes later is told "busy" at once, because waiting would use up
 *  the deadline. A place is free when the writing ends, or its time: a reader who takes no more keeps none.
 *  @param count hears how a call ended; one that was not made, or that the caller gave up, counts as nothing */
export function limitModel(model: AnswerModel, limit: number, count: (outcome: string) => void = () => {}): AnswerModel {
  const running = new Set<symbol>();
  return {
    name: model.name,
    async *write(messages, signal) {
      if (running.size >= limit) throw new ModelError("busy");
      const place = Symbol("writing");
      const free = (): boolean => running.delete(place);
      running.add(place);
      signal.addEventListener("abort", free, { once: true });
      try {
        yield* model.write(messages, signal);
        count("written");
      } catch (error) {
        if (error instanceof ModelError) count(error.failure);
        throw error;
      } finally {
        signal.removeEventListener("abort", free);
        free();
      }
    },
  };
}
