/** The driver before Ceph's gateway. */
import { BUCKET_SUITE } from "./bucket-suite-fixture.ts";
import { DRIVER_SUITE } from "./driver-suite-fixture.ts";
import { bucketTest, makeBucket } from "./server-fixture.ts";
import { openBucket } from "./s3-bucket.ts";

for (const [name, work] of BUCKET_SUITE) {
  bucketTest(name, async (_, server) => {
    const config = await makeBucket(server);
    await work((prefix = "") => openBucket({ ...config, prefix }));
  });
}
for (const [name, work] of DRIVER_SUITE) bucketTest(name, work);
