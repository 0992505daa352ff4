/** How many files this process may have open. A build that runs out of them must say so: a folder or an object that could not
 *  be opened for that reason is neither empty nor unreadable. */
import { ShelfError } from "#snapshots/errors";

/** A build needs about ninety; a server one for each connection besides. */
const MIN_OPEN_FILES = 256;

const SHORT_OF_FILES = new Set(["EMFILE", "ENFILE"]);

/** isShortage tells whether a system error says that there are too many open files, and nothing of the file itself. */
export function isShortage(error: unknown): boolean {
  return error instanceof Error && SHORT_OF_FILES.has((error as NodeJS.ErrnoException).code ?? "");
}

/** checkOpenFiles checks how many files this process may open. @throws ShelfError "build_failed" when the system grants it fewer than
 *  MIN_OPEN_FILES */
export function checkOpenFiles(): void {
  // Else it asks the network for the names of whoever is connected.
  Object.assign(process.report, { excludeNetwork: true });
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft: number | string } } };
  const granted = Number(userLimits?.open_files?.soft);
  if (!(granted < MIN_OPEN_FILES)) return; // unlimited, or not told
  throw new ShelfError("build_failed", `This process may have ${granted} files open at a time, and needs ${MIN_OPEN_FILES}.`, {
    fixes: [...RAISE],
  });
}

export const RAISE: readonly string[] = ["Raise the limit (ulimit -n 1024, or LimitNOFILE=1024 in a systemd unit), and try again."];
