import { test } from "node:test";
import { flipInTurn } from "./packs-fixture.ts";

test("of a pack with one other byte, anywhere, no more than that entry is lost", async () => {
  await flipInTurn(7);
});
