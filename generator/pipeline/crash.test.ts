/** A few killed builds and one full disk; many of both are in crash.slow.test.ts. */
import { test } from "node:test";
import { fillDisk, torment } from "../testing/torment.ts";

test("builds killed at random moments: never half a snapshot, never a mix, and the next build succeeds", async (t) => {
  await torment(t, 3);
});

test("a disk that fills up: the build says so, the old snapshot is served, and the next build succeeds when there is room", async (t) => {
  await fillDisk(t, [30, 10]);
});
