/** Builds that are killed with signal 9 at random moments, and one whose disk fills up. PROOFSHELF_KILLS=2000 kills more often. */
import { test } from "node:test";
import { fillDisk, torment } from "../testing/torment.ts";

const KILLS = Number(process.env["PROOFSHELF_KILLS"] ?? 24);
/** Shelves that are tormented at the same time. */
const LANES = 2;

test(`${KILLS} builds killed at random moments: never half a snapshot, never a mix, and the next build succeeds`, {
  timeout: 60_000 + KILLS * 5000,
}, async (t) => {
  const lanes = await Promise.all(Array.from({ length: LANES }, () => torment(t, Math.ceil(KILLS / LANES))));
  t.diagnostic(`killed ${KILLS}, of which ${lanes.reduce((sum, lane) => sum + lane.published, 0)} after they had published`);
});

test("a disk that fills up at any point of a build: the build says so, and the old snapshot is served", async (t) => {
  await fillDisk(t, [30, 18, 12, 10, 8]);
});
