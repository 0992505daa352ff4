/** The sessions that somebody has signed out of, one empty file each in a folder beside the views: every sidecar over the same folder knows them,
 *  and so does one that is started again. */
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** openEnded keeps ended sessions in a folder. @param now milliseconds since 1970 */
export function openEnded(folder: string, now: () => number) {
  const fileOf = (id: string): string => join(folder, Buffer.from(id).toString("base64url"));
  return {
    has: (id: string): boolean => existsSync(fileOf(id)),
    /** @param hours after which a session is over anyway
     *  @throws the system's error when the folder cannot be written */
    add(id: string, hours: number): void {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      for (const name of readdirSync(folder)) {
        const ended = statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? now();
        if (ended < now() - hours * 3_600_000) rmSync(join(folder, name), { force: true });
      }
      writeFileSync(fileOf(id), "", { mode: 0o600 });
    },
  };
}
