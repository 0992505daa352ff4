/** A folder in the machine's temporary one, for as long as some work lasts. */
import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** SIGNALS end a process on request: of a person, of a service manager, and of a terminal that is closed. */
export const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** beforeSignals does something before a signal ends the process. @returns takes that back */
export function beforeSignals(handle: () => void): () => void {
  const handlers = SIGNALS.map((signal) => [signal, () => (handle(), process.kill(process.pid, signal))] as const);
  for (const [signal, hear] of handlers) process.once(signal, hear);
  return () => {
    for (const [signal, hear] of handlers) process.off(signal, hear);
  };
}

/** withTemporaryFolder does work in a new folder, which is gone afterwards: nobody else clears it, so also when a signal ends the process. */
export async function withTemporaryFolder<T>(name: string, work: (folder: string) => Promise<T>, parent = tmpdir()): Promise<T> {
  const folder = await mkdtemp(join(parent, `proofshelf-${name}-`));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  const forget = beforeSignals(remove);
  try {
    return await work(folder);
  } finally {
    forget();
    remove();
  }
}
