import { test } from "node:test";
import { buildForEver } from "../testing/build-for-ever.ts";

test("serve prunes by keep: neither snapshots nor packs nor the index grow with the number of builds, and what is kept is whole", async (t) => {
  await buildForEver(t, ["serve", "--port", "0", "--only", "site"]);
});
