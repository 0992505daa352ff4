/** The process behind pool.ts: reads one object after another until its parent goes away. */
import { extract } from "./extract.ts";
import { type Extracted, toExtracted } from "./extract-json.ts";

export type Request = { readonly key: string; readonly bytes: Uint8Array };
export type Reply = Extracted;

let queue: Promise<void> = Promise.resolve();

process.on("message", ({ key, bytes }: Request) => {
  queue = answer(queue, key, bytes);
});
async function answer(before: Promise<void>, key: string, bytes: Uint8Array): Promise<void> {
  await before;
  const reply: Reply = toExtracted(await extract(key, bytes));
  process.send?.(reply);
}

process.on("disconnect", () => process.exit(0));
