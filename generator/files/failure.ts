/** Describes to an operator an error that is no refusal of ours. */
import { userInfo } from "node:os";
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
  const listening = /^listen [A-Z]+: .*?(?:address not available|permission denied) (\S+?)(?::(\d+))?$/.exec(error.message);
  if (code === "EADDRNOTAVAIL")
    return `This machine has no address ${listening?.[1] ?? "like that"}. Take 127.0.0.1 for this machine alone, or 0.0.0.0 for all its addresses.`;
  if (code === "ENOTFOUND" || code === "EAI_AGAIN")
    return `No machine of this name is known (${error.message.split(" ").at(-1)}). Is it spelt right?`;
  if (code === "EACCES" && listening !== null)
    return `Port ${listening[2] ?? ""} may be taken by root alone. Take one from 1024 on, and put a web server in front.`;
  if (code === "EACCES" || code === "EPERM" || code === "EROFS") return describeRefusal(error);
  const { path, syscall } = error as NodeJS.ErrnoException;
  if (syscall === "mkdir") return `The folder ${path} cannot be made (${code}). Name another, or make it yourself.`;
  return error.stack ?? error.message;
}

function describeRefusal(error: NodeJS.ErrnoException): string {
  const { path, code } = error;
  if (path === undefined) return `Not permitted: ${error.message}`;
  if (code === "EROFS") return `${path} lies on a file system that is read-only. Choose another folder, or mount it for writing.`;
  return `The user ${userInfo().username} may not do this with ${path}: ${error.syscall ?? "access"} is not permitted. Run it as the owner, or give the user the right to it.`;
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
