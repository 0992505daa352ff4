/** Root may read everything: tests of what may not be read do it as a user who has no rights of his own. */
import { chmodSync } from "node:fs";

/** Id that Linux keeps for nobody. */
const NOBODY = 65_534;

/** Runs `work` with the file rights of nobody where the process is root's, else with its own.
 *  @param folders that root made for itself alone and nobody has to pass through */
export async function withoutPrivileges<T>(folders: readonly string[], work: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0) return work();
  for (const folder of folders) chmodSync(folder, 0o755);
  process.seteuid?.(NOBODY);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}
