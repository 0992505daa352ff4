import { test } from "node:test";
import { BUCKET_SUITE } from "./bucket-suite-fixture.ts";
import { MemoryBucket } from "./memory-bucket-fixture.ts";

for (const [name, work] of BUCKET_SUITE) {
  void test(name, () => {
    const objects = new Map();
    return work((prefix) => new MemoryBucket(prefix, objects));
  });
}
