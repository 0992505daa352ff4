/** The process behind pool.ts: reads one object after another until its parent goes away. */
import { decodeText } from "./decode-text.ts";
import { extractAsking, extractPlainly } from "./extract.ts";
import { type Extracted, toExtracted } from "./extract-json.ts";
import { type Drawing, type DrawRequest, openDrawing } from "./pdf-images.ts";
import type { Told } from "./others.ts";
import { findSecrets } from "./secrets.ts";

export type ExtractRequest = {
  readonly key: string;
  readonly bytes: Uint8Array;
  /** When it is not null, only the plain text is read, and the extract has this note. */
  readonly note: string | null;
  /** Images of its pages that are wanted, if it is a PDF. */
  readonly draw: DrawRequest;
  /** Other texts that its own needs. */
  readonly told?: Told;
};
/** ExtractReply is what the process sends: "ready" when it begins, each step of a drawing, then the extract. */
export type ExtractReply = "ready" | Drawing | Extracted;

let queue: Promise<void> = Promise.resolve();

process.on("message", (request: ExtractRequest) => {
  queue = answer(queue, request);
});
process.on("disconnect", () => process.exit(0));
void reply("ready");

async function answer(before: Promise<void>, { key, bytes, note, draw, told }: ExtractRequest): Promise<void> {
  await before;
  if (note !== null) return reply(toExtracted(key, { extract: await extractPlainly(key, bytes, note), asked: null }));
  const found = await extractAsking(key, bytes, draw.limit === 0 ? null : openDrawing(draw, reply), told);
  return reply(toExtracted(key, found, found.extract.lines === null ? [] : await findSecrets(decodeText(bytes))));
}

/** @returns when it is said: who is killed has not said what still waits */
function reply(value: ExtractReply): Promise<void> {
  return new Promise((resolve) => process.send?.(value, () => resolve()));
}
