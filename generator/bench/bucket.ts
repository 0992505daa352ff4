/** A library in a bucket against the same one in a folder, on Ceph's gateway on loopback; requests are counted by a proxy, on both
 *  sides of which the processors are shared. A list of a million keys comes from a double, which no one could fill here. */
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { BucketConfig } from "../../snapshots/bucket/bucket.ts";
import { makeBucket, NoCeph, startCeph, useCredentials } from "../../snapshots/bucket/ceph.ts";
import { openFaultProxy } from "../../snapshots/bucket/fault-proxy-fixture.ts";
import { openBucket } from "../../snapshots/bucket/s3-bucket.ts";
import { listPage, openS3Double } from "../../snapshots/bucket/s3-double-fixture.ts";
import type { Figure, Skipped } from "./figure.ts";
import { measureBuild, runCommand, writeConfig } from "./library.ts";
import type { Cost } from "./measure.ts";
import { writeNotes } from "./notes.ts";

const FULL = 10_000;
const LISTED = 1_000_000;
const PAGE = 1_000;
const ADDED_MS = 30;
const UPLOADS_AT_ONCE = 16;
const MAX_COLD = 1.6;
const MAX_COLD_DELAYED = 2;
const MAX_SHELF_REQUESTS = 1_500;
/** Beside the listing's pages. */
const MAX_UNCHANGED_REQUESTS = 10;
const MAX_CHANGED_REQUESTS = 60;
const MAX_CHANGED = 1.5;
const MAX_LIST_REQUESTS = 1_010;
const MAX_LIST_MB = 1_000;

/** @param folder a new one */
export async function benchBucket(folder: string, objects = FULL): Promise<readonly Figure[] | Skipped> {
  const server = await mkdir(join(folder, "ceph"))
    .then(() => startCeph(join(folder, "ceph")))
    .catch((error: unknown) => error);
  if (server instanceof NoCeph) return { skipped: server.message };
  if (server instanceof Error) throw server;
  const { server: ceph, stop } = server as Awaited<ReturnType<typeof startCeph>>;
  useCredentials(ceph.owner);
  const proxy = await openFaultProxy(ceph.endpoint);
  try {
    const keys = await writeNotes(folder, objects);
    const made = await makeBucket(ceph);
    const bucket = openBucket(made);
    const waiting = keys.values();
    const upload = async (): Promise<void> => {
      for (const key of waiting) await bucket.put(key, await readFile(join(folder, "library", key)));
    };
    await Promise.all(Array.from({ length: UPLOADS_AT_ONCE }, upload));

    const plain = await writeConfig(folder, "Notes", ["notes"]);
    const stored = await writeBucketConfig(plain, { ...made, endpoint: proxy.endpoint });
    const cold = async (config: string): Promise<Cost> => {
      await rm(join(folder, "shelf"), { recursive: true, force: true });
      proxy.reset();
      return (await measureBuild(config)).cost;
    };
    /** From nothing: a bucket and a copy that nothing was written to. */
    const buildBetweenBuckets = async (delayMs = 0): Promise<{ readonly cost: Cost; readonly shelfRequests: number }> => {
      const shelf = await makeBucket(ceph);
      const copy = join(folder, shelf.bucket);
      const config = await writeBucketConfig(plain, { ...made, endpoint: proxy.endpoint }, { ...shelf, endpoint: proxy.endpoint, copy });
      proxy.delayMs = delayMs;
      const cost = await cold(config);
      proxy.delayMs = 0;
      return { cost, shelfRequests: proxy.requests.filter((line) => line.includes(`/${shelf.bucket}/`)).length };
    };
    const inFolder = await cold(plain);
    const change = async (config: string, write: () => Promise<unknown>): Promise<Cost> => {
      await write();
      proxy.reset();
      const { cost, summary } = await measureBuild(config);
      if (!summary.published) throw new Error("A build of a changed library published nothing.");
      return cost;
    };
    const key = keys[Math.floor(objects / 2)] ?? "";
    const folderChanged = await change(plain, () => writeFile(join(folder, "library", key), "# Changed\n"));

    proxy.delayMs = ADDED_MS;
    const delayed = await cold(stored);
    proxy.delayMs = 0;
    const inBucket = await cold(stored);
    const coldRequests = proxy.requests.length;
    proxy.reset();
    const { summary } = await measureBuild(stored);
    if (summary.published) throw new Error("A build of an unchanged library published a snapshot.");
    const unchangedRequests = proxy.requests.length;
    const bucketChanged = await change(stored, () => bucket.put(key, Buffer.from("# Changed\n")));
    const changedRequests = proxy.requests.length;
    const both = await buildBetweenBuckets();
    const bothFar = await buildBetweenBuckets(ADDED_MS);

    const listing = await listMillion(plain);
    const pages = Math.ceil(objects / PAGE);
    const size = objects.toLocaleString("en");
    const at = `${size} objects, store in a bucket`;
    const most = (figure: string, value: number, unit: string, target: number, note: string): Figure => ({
      figure,
      value,
      unit,
      target: { at: "most", value: target },
      note,
    });
    const seconds = (cost: Cost): string => `${cost.wall_s.toFixed(1)} s`;
    return [
      most(
        `cold build, ${at}: times the folder's`,
        inBucket.wall_s / inFolder.wall_s,
        "×",
        MAX_COLD,
        `${seconds(inBucket)}, ${coldRequests} requests, ${inBucket.peak_mb.toFixed(0)} MB; in a folder ${seconds(inFolder)}, ${inFolder.peak_mb.toFixed(0)} MB`,
      ),
      most(`the same with ${ADDED_MS} ms added to each request`, delayed.wall_s / inFolder.wall_s, "×", MAX_COLD_DELAYED, seconds(delayed)),
      most(
        `cold build of ${size} objects, store and shelf in buckets: times the folder's`,
        both.cost.wall_s / inFolder.wall_s,
        "×",
        MAX_COLD,
        `${seconds(both.cost)}, ${both.cost.peak_mb.toFixed(0)} MB; in a folder ${seconds(inFolder)}, ${inFolder.peak_mb.toFixed(0)} MB`,
      ),
      most("the same: requests for the shelf", both.shelfRequests, "", MAX_SHELF_REQUESTS, ""),
      most(
        `the same with ${ADDED_MS} ms added to each request`,
        bothFar.cost.wall_s / inFolder.wall_s,
        "×",
        MAX_COLD_DELAYED,
        seconds(bothFar.cost),
      ),
      most(
        `nothing changed, ${at}: requests beside the pages of the list`,
        unchangedRequests - pages,
        "",
        MAX_UNCHANGED_REQUESTS,
        `${pages} pages`,
      ),
      most(`one changed, ${at}: requests`, changedRequests, "", MAX_CHANGED_REQUESTS, `${pages} of them pages of the list`),
      most(
        `one changed, ${at}: times the folder's`,
        bucketChanged.wall_s / folderChanged.wall_s,
        "×",
        MAX_CHANGED,
        `${seconds(bucketChanged)}; in a folder ${seconds(folderChanged)}`,
      ),
      most(
        `${LISTED.toLocaleString("en")} keys listed: requests`,
        listing.requests,
        "",
        MAX_LIST_REQUESTS,
        `${seconds(listing.cost)} in all, the double's work included`,
      ),
      most(
        `${LISTED.toLocaleString("en")} keys listed: peak memory`,
        listing.cost.peak_mb,
        "MB",
        MAX_LIST_MB,
        "config check, which holds each row as a build does",
      ),
    ];
  } finally {
    await proxy.close();
    await stop();
  }
}

/** @param shelf in a bucket, too; in the folder else */
async function writeBucketConfig(plain: string, bucket: BucketConfig, shelf?: BucketConfig & { readonly copy: string }): Promise<string> {
  const file = plain.replace(/\.yaml$/, `-${shelf?.bucket ?? bucket.bucket}.yaml`);
  const config = JSON.parse(await readFile(plain, "utf8")) as object;
  const there = shelf === undefined ? {} : { shelf: { kind: "s3", ...shelf } };
  await writeFile(file, JSON.stringify({ ...config, store: { kind: "s3", ...bucket }, ...there }));
  return file;
}

async function listMillion(plain: string): Promise<{ readonly cost: Cost; readonly requests: number }> {
  const double = await openS3Double(({ query }) => {
    const from = Number(query.get("continuation-token") ?? 0);
    const rows = Array.from({ length: PAGE }, (_, at) => ({
      key: `notes/${String(from + at).padStart(7, "0")}/a-name-of-common-length.md`,
      etag: String(from + at).padStart(32, "0"),
    }));
    return { status: 200, body: listPage(rows, from + PAGE < LISTED ? String(from + PAGE) : null) };
  });
  try {
    const cost = await runCommand(["config", "check", "--json", "--config", await writeBucketConfig(plain, double.config)]);
    return { cost, requests: double.requests.length };
  } finally {
    await double.close();
  }
}
