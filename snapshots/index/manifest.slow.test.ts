import { test } from "node:test";
import { damageInTurn, makeIndex } from "./manifest-fixture.ts";

test("a damage to a file of any folder of an index is found, nothing is searched there, and the next update makes it anew", async () => {
  await damageInTurn(await makeIndex("any"), Infinity);
});
