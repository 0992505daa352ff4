/** The answer of ask as HTTP: one JSON body, or server-sent events for who asks for them. */
import type { AskEvent } from "./ask.ts";
import { wholeAnswer } from "./library.ts";
import { jsonResponse } from "#sidecar/http";

/** askResponse sends events: `sources` {sources}, then `text` {text, citations} as each sentence is checked, last `answer` with the whole
 *  AskResponse. The texts joined are the answer. */
export async function askResponse(events: AsyncGenerator<AskEvent, void>, accept: string | null, onCancel: () => void): Promise<Response> {
  if (!wantsEvents(accept)) return jsonResponse(await wholeAnswer(events));
  const encoder = new TextEncoder();
  const send = (controller: ReadableStreamDefaultController, step: IteratorResult<AskEvent, void>): void =>
    step.done === true ? controller.close() : controller.enqueue(encoder.encode(formatEvent(step.value)));
  // The first event is waited for: what fails before anything was found out is an ordinary problem.
  const first = await events.next();
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: (controller) => send(controller, first),
    pull: async (controller) => send(controller, await events.next()),
    async cancel() {
      onCancel();
      await events.return();
    },
  });
  return new Response(stream, {
    headers: {
      "Content-Type": "text/event-stream; charset=utf-8",
      "Cache-Control": "no-store",
      "X-Accel-Buffering": "no",
    },
  });
}

function formatEvent(event: AskEvent): string {
  const { type, ...data } = event;
  return `event: ${type}\ndata: ${JSON.stringify(event.type === "answer" ? event.answer : data)}\n\n`;
}

function wantsEvents(accept: string | null): boolean {
  return (accept ?? "").split(",").some((item) => /^\s*text\/event-stream\s*(;|$)/i.test(item) && !/;\s*q=0(\.0*)?\s*$/.test(item));
}
