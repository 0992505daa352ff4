/** A folder in the machine's temporary one, for as long as some work lasts. */
import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** withTemporaryFolder does work in a new folder, which is gone afterwards: nobody else clears it, so also when a signal ends the process. */
export async function withTemporaryFolder<T>(name: string, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), `proofshelf-${name}-`));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  const handlers = SIGNALS.map((signal) => [signal, () => (remove(), process.kill(process.pid, signal))] as const);
  for (const [signal, handle] of handlers) process.once(signal, handle);
  try {
    return await work(folder);
  } finally {
    for (const [signal, handle] of handlers) process.off(signal, handle);
    remove();
  }
}
