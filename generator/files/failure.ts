/** Describes to an operator an error that is no refusal of ours. */
import { isShortage, RAISE } from "./open-files.ts";

/** describeFailure puts system errors into words; it gives anything else with its stack, because it is ours to mend. */
export function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = (error as NodeJS.ErrnoException).code;
  // The index is native code and only says it in words.
  if (code === "ENOSPC" || /no space left on device|os error 28/i.test(error.message))
    return "The disk is full. The public snapshot served before is untouched. Free some space and try again.";
  if (isShortage(error) || /too many open files|os error 24/i.test(error.message))
    return `Too many files are open at a time, in this process or on this machine.\n  ${RAISE.join("\n  ")}`;
  if (code === "EIO" || /input\/output error|os error 5\)/i.test(error.message))
    return `The disk failed (${error.message.split("\n", 1)[0]}). The public snapshot served before is untouched. Look after the disk, then try again.`;
  if (code === "EADDRINUSE") {
    const port = /:(\d+)$/.exec(error.message)?.[1];
    return `The port${port === undefined ? "" : ` ${port}`} is in use, perhaps by a server that you started before. Choose another with --port, or 0 for a free one.`;
  }
  if (code === "EACCES" || code === "EPERM" || code === "EROFS") return `Not permitted: ${error.message}`;
  return error.stack ?? error.message;
}

/** withoutPlaces says of an error that nobody has foreseen what it is called, without places of this machine: JSON goes to others.
 *  @param described what is said to who runs the program */
export function withoutPlaces(error: unknown, described: string): string {
  if (!(error instanceof Error) || described !== error.stack) return described;
  return `${error.name}: ${error.message.split("\n", 1)[0]}`
    .replaceAll(/(['"])(?:file:\/\/)?\/[^'"]*\/([^'"/]*)\1/g, "$1$2$1")
    .replaceAll(/(^|[\s(])(?:file:\/\/)?\/[^\s'")]*\/([^\s'")/]*)/g, "$1$2");
}

/** detailOf returns the detail of an error. @returns what an error has to say to who runs the program besides its message, which may be served */
export function detailOf(error: unknown): string {
  return error instanceof Error && "detail" in error && typeof error.detail === "string" ? error.detail : "";
}
