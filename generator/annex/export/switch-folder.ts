/** A folder that is replaced as a whole: who reads it finds the old one or the new one at every moment, whenever the process that
 *  replaces it is killed.
 *
 *  A folder with something in it cannot be renamed over, but a link can. So the folder is a link into `.NAME.versions` beside it;
 *  what a killed process left in there is removed by the next one. */
import { existsSync } from "node:fs";
import { lstat, mkdir, readdir, readlink, realpath, rename, rm, symlink } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { ShelfError } from "#snapshots/errors";
import { nameSome } from "#snapshots/format";
import { withBuildLock } from "#generator/files";

/** Names in an error, at most. */
const NAMED = 3;

/** switchFolder fills a new folder, and puts it in the place of the one that is there.
 *  @param dir where the folder is, or is to be
 *  @param findForeign names, in the folder that is there, what nobody may take away
 *  @param fill writes the new one into an empty folder
 *  @throws ShelfError "build_failed" when the folder is somebody's own, "build_running" when another process fills one for this place */
export async function switchFolder<T>(
  dir: string,
  findForeign: (folder: string) => Promise<readonly string[]>,
  fill: (folder: string) => Promise<T>,
): Promise<T> {
  const target = resolve(dir);
  const leads = await readlink(target).then(
    (to) => resolve(dirname(target), to),
    () => target,
  );
  const isVersion = dirname(leads) === versionsOf(target);
  const there = existsSync(target) ? await realpath(target) : null;
  if (there === null && leads !== target && !isVersion)
    throw new ShelfError("bad_config", `${dir} is a link to ${leads}, which is not there; nothing was written.`);
  // A link that somebody made leads to the place that is meant.
  const place = there === null || isVersion ? target : there;
  const foreign = there === null ? [] : await findForeign(there);
  if (foreign.length > 0)
    throw new ShelfError(
      "build_failed",
      `The target folder holds ${nameSome(foreign, NAMED)}, which no export has written; nothing was written.`,
      {
        fixes: [
          "Choose a new folder, or move that elsewhere: an export takes the place of the whole folder.",
          "A host that reads a git repository gets a copy: cp -a FOLDER/. REPOSITORY/",
        ],
      },
    );
  const versions = versionsOf(place);
  const before = isVersion ? basename(leads) : null;
  const after = before === "v-1" ? "v-2" : "v-1";
  const switched = async (): Promise<T> => {
    await removeVersions(versions, before);
    await mkdir(join(versions, after));
    const result = await fill(join(versions, after));
    const link = join(versions, "v-link");
    await symlink(relative(dirname(place), join(versions, after)), link);
    await replace(place, link, join(versions, "v-plain"));
    return result;
  };
  return withBuildLock(
    versions,
    async () => {
      try {
        return await switched();
      } finally {
        await removeVersions(versions, basename(await realpath(place).catch(() => "")));
      }
    },
    { work: "export to this folder" },
  );
}

/** @param plain where a plain folder goes that is there still: exports of an earlier program, and empty ones */
async function replace(place: string, link: string, plain: string): Promise<void> {
  if ((await lstat(place).catch(() => null))?.isDirectory() !== true) return rename(link, place);
  await rename(place, plain);
  try {
    await rename(link, place);
  } catch (error) {
    await rename(plain, place);
    throw error;
  }
}

function versionsOf(place: string): string {
  return join(dirname(place), `.${basename(place)}.versions`);
}

async function removeVersions(versions: string, but: string | null): Promise<void> {
  for (const name of await readdir(versions))
    if (name.startsWith("v-") && name !== but) await rm(join(versions, name), { recursive: true, force: true });
}
