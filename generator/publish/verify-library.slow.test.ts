import { test } from "node:test";
import { verifyBeside } from "../testing/verify-beside.ts";

test("verify many times beside builds and prunes raises no false alarm, and still finds what is damaged", async (t) => {
  await verifyBeside(t, 8);
});
