/** A machine that serves: its copy follows the bucket, by one conditional request a second however many processes read the folder. They
 *  need no credentials and no network; what is missing is fetched and compared before they see any of it, and what nobody needs any
 *  more goes some time later, when nobody reads it. While the bucket is away they serve what there is. */
import { closeSync, existsSync, openSync } from "node:fs";
import { stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { absent, FOLLOWED, modesUnder } from "#snapshots/shelf";
import type { Reader, Remote, RemoteView } from "./remote.ts";

/** How often somebody on this machine looks; milliseconds. */
const LOOK_MS = 1_000;
/** How long a server may still read what its snapshot needed; milliseconds. Those that are pruned or withdrawn go at once, by their
 *  records. */
const LINGER_MS = 5 * 60_000;
/** Files that servers read by their names long after they have opened what names them. */
const LINGERS = /^(packs|blobs|index)\//;

export type FollowOptions = {
  /** The internal root only where it is served: credentials of a site server need not be good for it. */
  readonly views: readonly RemoteView[];
  readonly signal: AbortSignal;
  /** Told when the bucket is away, and when it is back. */
  readonly tell: (line: string) => void;
};

/** follow keeps the copy up to date with the bucket until the signal. */
export async function follow(remote: Remote, options: FollowOptions): Promise<void> {
  const { signal, tell } = options;
  const step = openSteps(remote, options);
  let away = false;
  while (!signal.aborted) {
    try {
      await step();
      if (away) tell(`The bucket answers again: ${remote.bucket.address}\n`);
      away = false;
    } catch (error) {
      if (!away) tell(`${error instanceof Error ? error.message : String(error)} What was read before is served on.\n`);
      away = true;
    }
    await wait(LOOK_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** @returns one look, and what follows from it */
function openSteps(remote: Remote, { views }: FollowOptions): () => Promise<void> {
  const { places } = remote;
  /** Path → since when no snapshot needs it. */
  const unneeded: Readonly<Record<RemoteView, Map<string, number>>> = { public: new Map(), internal: new Map() };

  const spare: Reader["spare"] = (view, paths) => {
    const since = unneeded[view];
    const lingering = paths.filter((path) => LINGERS.test(path));
    for (const path of since.keys()) if (!lingering.includes(path)) since.delete(path);
    for (const path of lingering) since.set(path, since.get(path) ?? performance.now());
    return paths.filter((path) => !LINGERS.test(path));
  };
  const clear = async (view: RemoteView): Promise<void> => {
    const due = [...unneeded[view]].filter(([, since]) => performance.now() - since > LINGER_MS).map(([path]) => path);
    if (due.length > 0) await remote.forget(view, due);
    for (const path of due) unneeded[view].delete(path);
  };

  return async () => {
    if (await wasSeen(remote, views)) return;
    if (await remote.hasMoved(views)) await remote.pull({ views, reader: { spare } });
    for (const view of views) {
      await clear(view);
      const { root } = places[view];
      if (existsSync(root)) await stamp(join(root, FOLLOWED), modesUnder(root).file);
    }
  };
}

/** wasSeen tells whether somebody on this machine has looked just now. */
async function wasSeen({ places }: Remote, views: readonly RemoteView[]): Promise<boolean> {
  for (const view of views) {
    const found = await stat(join(places[view].root, FOLLOWED)).catch(absent);
    if (found === null || Math.abs(Date.now() - found.mtimeMs) >= LOOK_MS) return false;
  }
  return true;
}

/** The time of the file is the time of the look. */
async function stamp(path: string, mode: number): Promise<void> {
  const now = new Date();
  await utimes(path, now, now).catch((error: NodeJS.ErrnoException) => {
    absent(error);
    closeSync(openSync(path, "a", mode));
  });
}
