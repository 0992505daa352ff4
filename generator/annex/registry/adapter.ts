/** The part that all our adapters share. An adapter is a program that is told `run`, reads one request, and answers in lines of JSON. */
import { writeSync } from "node:fs";
import { text as readText } from "node:stream/consumers";
import { SIGNALS } from "#generator/files";
import { type AdapterRequest, LOOKED } from "./request.ts";
import { findSandbox, type Sandbox, UNSANDBOXED } from "./sandbox.ts";

const BATCH = 1 << 16; // UTF-16 units that are written at once: a database of proofs has a million uses
let waiting: string[] = [];
let size = 0;

export function say(line: object): void {
  const text = `${JSON.stringify(line)}\n`;
  waiting.push(text);
  size += text.length;
  if (size >= BATCH) flush();
}

/** sayLooked tells at once that a file has been looked at. */
export function sayLooked(path: string): void {
  waiting.push(`${LOOKED}${JSON.stringify(path)}}\n`);
  flush();
}

function flush(): void {
  const bytes = Buffer.from(waiting.join(""));
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(1, bytes, at);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error; // whoever reads is slower
    }
  }
  waiting = [];
  size = 0;
}

/** sandboxOf gives the sandbox that a request asks for. @throws Error where it asks for one and there is none */
export function sandboxOf({ sandbox }: AdapterRequest): Sandbox {
  const found = sandbox ? findSandbox() : UNSANDBOXED;
  if (found === null) throw new Error("there is no sandbox");
  return found;
}

/** serveAdapter runs an adapter's program: it answers the request on standard input. */
export async function serveAdapter(run: (request: AdapterRequest) => Promise<void>): Promise<void> {
  // A signal exits properly, so that the programs that it has started end with it, and so does the end of whoever asks: nobody reads on.
  const end = (): never => process.exit(1);
  for (const signal of SIGNALS) process.once(signal, end);
  const { ppid } = process;
  setInterval(() => process.ppid !== ppid && end(), 1000).unref();
  const request = JSON.parse(await readText(process.stdin)) as AdapterRequest;
  await run(request);
  say({ t: "end", answered: request.ask.length });
  flush();
}
