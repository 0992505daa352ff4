import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { bucketTest, makeBucket } from "../../snapshots/annex/bucket/memory-server-fixture.ts";
import { tortureBuilders } from "./builders.ts";

bucketTest(
  "builders that are killed at random requests leave one whole state in the bucket, and the next goes on from it",
  async (_, server) => {
    const { killed, failures } = await tortureBuilders(tmpdir(), await makeBucket(server), { seed: 7, count: 5 });
    assert.deepEqual(failures, []);
    assert.ok(killed > 0);
  },
);
