/** Real buckets for tests: on Ceph's gateway, one for a whole run of tests where the run has started it, else one for this process. */
import { rmSync } from "node:fs";
import { after, test, type TestContext } from "node:test";
import { type CephServer, type RunningCeph, startCeph, useCredentials } from "./ceph-fixture.ts";
import { type Found, findShared, makeFolder, problemOf } from "./shared-ceph-fixture.ts";

export { makeBucket } from "./ceph-fixture.ts";

let own: RunningCeph | null = null;
let ownFolder: string | null = null;
let finding: Promise<Found> | null = null;

after(async () => {
  await own?.stop();
  if (ownFolder !== null) rmSync(ownFolder, { recursive: true, force: true });
});

/** bucketTest returns a test that needs buckets; where there is no server it is skipped and says why. */
export function bucketTest(name: string, work: (t: TestContext, server: CephServer) => Promise<void>): void {
  void test(name, async (t) => {
    const found = await (finding ??= find());
    if ("problem" in found) return t.skip(`no real object storage here: ${found.problem}`);
    useCredentials(found.server.owner);
    await work(t, found.server);
  });
}

async function find(): Promise<Found> {
  const shared = findShared();
  if (shared !== null) return shared;
  ownFolder = makeFolder();
  try {
    own = await startCeph(ownFolder);
    return { server: own.server };
  } catch (error) {
    return { problem: problemOf(error) };
  }
}
