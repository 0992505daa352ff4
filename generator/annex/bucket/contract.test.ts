/** What a reader has of a shelf that came through a bucket answers as a folder does: the same scripts. */
import { dirname } from "node:path";
import { bucketTest, makeBucket } from "../../../snapshots/annex/bucket/memory-server-fixture.ts";
import { makeFixture } from "../../../snapshots/contract/fixture.ts";
import { bareExchange, httpCases, PUBLIC_SCRIPTS, SHARED_SCRIPTS } from "../../../snapshots/contract/suite.ts";
import { openConfig } from "../../config/config.ts";
import { shelveInBucket } from "../../testing/bucket-library.ts";
import { openFixtureView } from "../../testing/view.ts";
import { refresh } from "../../shelves/shelves.ts";
import { copyIntoBucket } from "./copy-shelf.ts";
import { openShelves } from "../../testing/whole.ts";

bucketTest("the scripts of the contract hold on a copy that came through a bucket", async (t, server) => {
  const fixture = await makeFixture();
  t.after(() => fixture.remove());
  const dir = dirname(fixture.config);
  const bucket = await makeBucket(server);
  await copyIntoBucket(dirname(fixture.publicDir), bucket);
  const reader = await openConfig(await shelveInBucket(dir, bucket, "reader"));
  await refresh(openShelves(reader));
  for (const mount of ["", "/internal"] as const) {
    const view = await openFixtureView(reader, mount === "" ? "public" : "internal");
    const scripts = mount === "" ? [...PUBLIC_SCRIPTS, ...SHARED_SCRIPTS] : SHARED_SCRIPTS;
    const exchange = bareExchange(() => view, mount);
    for (const { name, run } of httpCases({ scripts, mount, fixture: () => fixture, exchange })) await t.test(`${mount} ${name}`, run);
  }
});
