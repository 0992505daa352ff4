/** A folder in the machine's temporary one, for as long as some work lasts. */
import { accessSync, constants, rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ShelfError } from "#snapshots/errors";

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

/** checkTemporaryFolder refuses to begin where nothing can be written for a while: the index is native code, which would end the process there.
 *  @throws ShelfError "bad_config" */
export function checkTemporaryFolder(): void {
  try {
    accessSync(`${tmpdir()}/.`, constants.W_OK);
  } catch (cause) {
    throw new ShelfError("bad_config", `The temporary folder ${tmpdir()} cannot be written (${(cause as NodeJS.ErrnoException).code}).`, {
      cause,
      fixes: ["Set TMPDIR to a folder that is there and can be written, as /tmp or /var/tmp."],
    });
  }
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
