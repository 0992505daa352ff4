/** Commands that build again and again, as processes. */
import { test } from "node:test";
import { buildForEver } from "../testing/build-for-ever.ts";

for (const command of [["schedule"], ["serve", "--port", "0", "--only", "site"]])
  test(`${command[0]} prunes by keep: neither snapshots nor packs nor the index grow with the number of builds, and what is kept is whole`, async (t) => {
    await buildForEver(t, command);
  });
