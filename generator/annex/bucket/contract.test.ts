/** What a reader has of a shelf that came through a bucket answers as a folder does: the same scripts. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { bucketTest, makeBucket } from "../../../snapshots/annex/bucket/memory-server-fixture.ts";
import { bareExchange, httpCases, PUBLIC_SCRIPTS, SHARED_SCRIPTS } from "../../../snapshots/contract/suite.ts";
import { openConfig } from "../../config/config.ts";
import { shelveInBucket } from "../../testing/bucket-library.ts";
import { publishFixture } from "../../testing/library.ts";
import { openFixtureView } from "../../testing/view.ts";
import { refresh } from "../../shelves/shelves.ts";
import { copyIntoBucket } from "./copy-shelf.ts";
import { openShelves } from "../../testing/whole.ts";

bucketTest("the scripts of the contract hold on a copy that came through a bucket", async (t, server) => {
  const dir = await mkdtemp(join(tmpdir(), "proofshelf-remote-contract-"));
  t.after(() => rm(dir, { recursive: true, force: true }));
  const fixture = await publishFixture(dir);
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
