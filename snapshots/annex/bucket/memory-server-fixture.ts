/** Buckets in memory for tests, behind a server of the test's own process. */
import { after, test, type TestContext } from "node:test";
import { type CephServer, useCredentials } from "./ceph-fixture.ts";
import { type MemoryServer, openMemoryServer } from "./s3-face-fixture.ts";

export { makeBucket, useCredentials } from "./ceph-fixture.ts";

let opening: Promise<MemoryServer> | null = null;
after(async () => (await opening)?.close());

/** bucketTest returns a test that needs buckets: in memory, behind a server of this process. */
export function bucketTest(name: string, work: (t: TestContext, server: CephServer) => Promise<void>): void {
  void test(name, async (t) => {
    const server = await (opening ??= openMemoryServer());
    useCredentials(server.owner);
    await work(t, server);
  });
}
