/** The process that drives Pagefind: it is given the pages of one bundle after another and answers with files. The package waits for
 *  ever for a program that is gone; nothing else keeps this process alive meanwhile, so it ends, and its parent hears that. */
import { createIndex } from "pagefind";

/** `kind` is as a reader reads it. */
export type PageRecord = {
  readonly url: string;
  readonly content: string;
  readonly language: "en";
  readonly meta: { readonly title: string; readonly key: string; readonly kind: string };
};

export type Request = { readonly records: readonly PageRecord[] };
export type Reply = { readonly files: readonly { readonly path: string; readonly content: Uint8Array }[] } | { readonly message: string };

const open = (): ReturnType<typeof createIndex> => createIndex({ forceLanguage: "en" });

let next: ReturnType<typeof createIndex> | null = open();

async function makeBundle(records: readonly PageRecord[]): Promise<Reply> {
  const { index, errors } = await (next ?? open());
  next = null;
  if (index === undefined) return { message: `Pagefind did not start: ${errors.join("; ")}` };
  // In order: the numbers that Pagefind gives its pages follow it.
  const [answers, { files, errors: failures }] = await Promise.all([
    Promise.all(records.map((record) => index.addCustomRecord(record))),
    index.getFiles(),
  ]);
  const wrong = [...answers.flatMap((answer) => answer.errors), ...failures];
  if (wrong.length > 0) return { message: `Pagefind: ${wrong.join("; ")}` };
  await index.deleteIndex();
  return { files };
}

process.on("message", async ({ records }: Request) => {
  process.channel?.unref();
  let reply: Reply;
  try {
    reply = await makeBundle(records);
  } catch (error) {
    reply = { message: `Pagefind: ${error instanceof Error ? error.message : String(error)}` };
  }
  process.channel?.ref();
  process.send?.(reply);
});
// Whoever started this is gone, or done: Pagefind's program, which is in this process's group, goes too, whatever it does.
process.on("disconnect", () => {
  try {
    process.kill(-process.pid, "SIGKILL");
  } catch {
    process.exit();
  }
});
