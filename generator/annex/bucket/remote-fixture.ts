/** A library in a bucket, as several machines have it. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext } from "node:test";
import type { BucketConfig } from "../../../snapshots/annex/bucket/bucket.ts";
import { type Config, openConfig } from "../../config/config.ts";
import { shelveInBucket } from "../../testing/bucket-library.ts";
import { useParts } from "../../publish/parts.ts";
import { PLAIN_PARTS } from "../../testing/plain-parts.ts";
import { verifyLibrary } from "../../testing/whole.ts";

useParts(PLAIN_PARTS);

export const SILENT = { step() {}, end() {} };

export async function makeDir(t: TestContext): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "proofshelf-remote-"));
  t.after(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

export async function configure(dir: string, bucket: BucketConfig, copy: string): Promise<Config> {
  return openConfig(await shelveInBucket(dir, bucket, copy));
}

export async function hasErrors(config: Config): Promise<readonly string[]> {
  const findings = await verifyLibrary(config, { snapshots: "all" });
  return findings.filter(({ severity }) => severity === "error").map(({ code, root, path, detail }) => `${code} ${root} ${path} ${detail}`);
}
