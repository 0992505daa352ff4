/** A file that the configuration names as a source, whole. */
import { constants, open } from "node:fs/promises";
import { ShelfError } from "#snapshots/errors";
import { isShortage } from "#generator/files";

/** readSourceFile reads a source file whole.
 *  @param what the file is, for messages: "claims file" or "registry file"
 *  @throws ShelfError "bad_source" when it cannot be read or has more than `maxBytes`; the message names no path of this machine */
export async function readSourceFile(path: string, what: string, maxBytes: number): Promise<Uint8Array> {
  const fail = (why: string, cause?: unknown) => new ShelfError("bad_source", `The ${what} ${why}.`, { cause });
  // Without waiting: a pipe is opened when somebody writes into it, which may be never.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((cause: NodeJS.ErrnoException) => {
    if (isShortage(cause)) throw cause;
    throw fail(cause.code === "ENOENT" ? "does not exist" : `cannot be opened (${cause.code ?? "unknown error"})`, cause);
  });
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw fail("is not a regular file");
    if (stats.size > maxBytes) throw fail(`is larger than ${maxBytes} bytes`);
    return await file.readFile();
  } catch (cause) {
    throw cause instanceof ShelfError ? cause : fail("cannot be read", cause);
  } finally {
    await file.close();
  }
}
