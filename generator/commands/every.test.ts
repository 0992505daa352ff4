/** `schedule` as a process; `serve --every`, which builds and prunes by the same code, is in every-serve.slow.test.ts. */
import { test } from "node:test";
import { buildForEver } from "../testing/build-for-ever.ts";

test("schedule prunes by keep: neither snapshots nor packs nor the index grow with the number of builds, and what is kept is whole", async (t) => {
  await buildForEver(t, ["schedule"]);
});
