/** The process behind pool.ts: reads one object after another until its parent goes away. */
import { decodeText, extract, extractPlainly } from "./extract.ts";
import { type Extracted, toExtracted } from "./extract-json.ts";
import { findSecrets } from "./secrets.ts";

export type Request = {
  readonly key: string;
  readonly bytes: Uint8Array;
  /** When it is not null, only the plain text is read, and the extract has this note. */
  readonly note: string | null;
};
export type Reply = "ready" | Extracted;

let queue: Promise<void> = Promise.resolve();

process.on("message", (request: Request) => {
  queue = answer(queue, request);
});
process.on("disconnect", () => process.exit(0));
reply("ready");

async function answer(before: Promise<void>, { key, bytes, note }: Request): Promise<void> {
  await before;
  if (note !== null) return reply(toExtracted(key, await extractPlainly(key, bytes, note)));
  const found = await extract(key, bytes);
  reply(toExtracted(key, found, found.lines === null ? [] : await findSecrets(decodeText(bytes))));
}

function reply(value: Reply): void {
  process.send?.(value);
}
