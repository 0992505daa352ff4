/** Publishers on machines of their own who know the same state of a bucket and publish at the same moment: each time one of them wins, the
 *  others hear that they have lost and have changed nothing, and what the winner published is what everybody gets. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { BucketConfig } from "../../snapshots/annex/bucket/bucket.ts";
import { ShelfError } from "../../snapshots/errors.ts";
import { readKnown } from "../annex/bucket/known.ts";
import { push } from "../annex/bucket/push.ts";
import { openRemote } from "../annex/bucket/remote.ts";

const PUBLISHERS = 16;

export type RacesReport = { readonly won: number; readonly lost: number; readonly failures: readonly string[] };

/** tortureWithRaces lets commands race.
 *  @param folder for the copies; @param bucket an empty one */
export async function tortureWithRaces(
  folder: string,
  bucket: BucketConfig,
  { rounds, onProgress }: { readonly rounds: number; readonly onProgress?: (done: number) => void },
): Promise<RacesReport> {
  const dir = await mkdtemp(join(folder, "races-"));
  const copies = Array.from({ length: PUBLISHERS }, (_, at) => join(dir, `copy-${at}`));
  const places = copies.map((copy) => openRemote(bucket, copy).places.public);
  const failures: string[] = [];
  let won = 0;
  let lost = 0;
  try {
    for (const { root } of places) await mkdir(join(root, "snapshots"), { recursive: true });
    for (let round = 1; round <= rounds; round++) {
      const said = (at: number): string => `round ${round}, publisher ${at}`;
      for (const [at, { root }] of places.entries()) await writeFile(join(root, "keys.json"), said(at));
      const known = await Promise.all(places.map(({ root, id }) => readKnown(root, id)));
      const ended = await Promise.allSettled(
        places.map((place, at) =>
          push(place, known[at] ?? null, {
            fence: 1,
            holds: async () => true,
            checked: null,
            current: null,
            purge: false,
            anyway: false,
            lost: new Set(),
            now: new Date(),
          }),
        ),
      );
      const winners = ended.flatMap(({ status }, at) => (status === "fulfilled" ? [at] : []));
      won += winners.length;
      if (winners.length !== 1) failures.push(`round ${round}: ${winners.length} publishers have won`);
      for (const [at, one] of ended.entries()) {
        if (one.status === "fulfilled") continue;
        if (one.reason instanceof ShelfError && one.reason.code === "lost_race") lost++;
        else failures.push(`${said(at)}: ${String(one.reason)}`);
      }
      for (const [at, copy] of copies.entries()) {
        if (at !== winners[0]) await openRemote(bucket, copy).pull({ views: ["public"] });
        const there = await readFile(join(copy, "public/keys.json"), "utf8");
        if (there !== said(winners[0] ?? -1)) failures.push(`${said(at)} has ${there}`);
      }
      onProgress?.(round);
    }
    return { won, lost, failures };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
