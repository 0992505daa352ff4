/** A library in a bucket against the same one in a folder, on Ceph's gateway on loopback, which shares the processors. Requests are counted,
 *  and delayed, by a proxy in builds of their own: it would take its share of the times. A list of a million keys comes from a double, which no
 *  one could fill here. */
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { BucketConfig } from "../../snapshots/annex/bucket/bucket.ts";
import { makeBucket, NoCeph, startCeph, useCredentials } from "../../snapshots/annex/bucket/ceph-fixture.ts";
import { openFaultProxy } from "../../snapshots/annex/bucket/fault-proxy-fixture.ts";
import { openBucket } from "../../snapshots/annex/bucket/s3-bucket.ts";
import { listPage, openS3Double } from "../../snapshots/annex/bucket/s3-double-fixture.ts";
import type { Figure, Skipped } from "./figure.ts";
import { measureBuild, runCommand, writeConfig } from "./library.ts";
import { type Cost, cpuOfTree } from "./measure.ts";
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

/** benchBucket measures a store in a bucket.
 *  @param folder a new one */
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
    const near = await writeBucketConfig(plain, "near", made);
    const counted = await writeBucketConfig(plain, "counted", { ...made, endpoint: proxy.endpoint });
    const cold = async (config: string): Promise<Cost & { readonly gateway_s: number }> => {
      await rm(join(folder, "shelf"), { recursive: true, force: true });
      proxy.reset();
      const before = cpuOfTree(process.pid);
      const { cost } = await measureBuild(config);
      return { ...cost, gateway_s: cpuOfTree(process.pid) - before };
    };
    /** From nothing: a bucket and a copy that nothing was written to. */
    const buildBetweenBuckets = async (name: string, endpoint: string): Promise<Cost & { readonly shelfRequests: number }> => {
      const shelf = await makeBucket(ceph);
      const copy = join(folder, shelf.bucket);
      const cost = await cold(await writeBucketConfig(plain, name, { ...made, endpoint }, { ...shelf, endpoint, copy }));
      return { ...cost, shelfRequests: proxy.requests.filter((line) => line.includes(`/${shelf.bucket}/`)).length };
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
    const delayed = await cold(counted);
    const coldRequests = proxy.requests.length;
    proxy.delayMs = 0;
    const inBucket = await cold(near);
    proxy.reset();
    const { summary } = await measureBuild(counted);
    if (summary.published) throw new Error("A build of an unchanged library published a snapshot.");
    const unchangedRequests = proxy.requests.length;
    const bucketChanged = await change(near, () => bucket.put(key, Buffer.from("# Changed\n")));
    await change(counted, () => bucket.put(key, Buffer.from("# Changed again\n")));
    const changedRequests = proxy.requests.length;
    const both = await buildBetweenBuckets("both", ceph.endpoint);
    proxy.delayMs = ADDED_MS;
    const bothFar = await buildBetweenBuckets("both-far", proxy.endpoint);
    proxy.delayMs = 0;

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
        `${seconds(inBucket)}, ${inBucket.gateway_s.toFixed(1)} s of the gateway's processor for ${coldRequests} requests, ${inBucket.peak_mb.toFixed(0)} MB; in a folder ${seconds(inFolder)}, ${inFolder.peak_mb.toFixed(0)} MB`,
      ),
      most(`the same with ${ADDED_MS} ms added to each request`, delayed.wall_s / inFolder.wall_s, "×", MAX_COLD_DELAYED, seconds(delayed)),
      most(
        `cold build of ${size} objects, store and shelf in buckets: times the folder's`,
        both.wall_s / inFolder.wall_s,
        "×",
        MAX_COLD,
        `${seconds(both)}, ${both.peak_mb.toFixed(0)} MB; in a folder ${seconds(inFolder)}, ${inFolder.peak_mb.toFixed(0)} MB`,
      ),
      most("the same: requests for the shelf", bothFar.shelfRequests, "", MAX_SHELF_REQUESTS, ""),
      most(`the same with ${ADDED_MS} ms added to each request`, bothFar.wall_s / inFolder.wall_s, "×", MAX_COLD_DELAYED, seconds(bothFar)),
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

/** @param name of the file
 *  @param shelf in a bucket, too; in the folder else */
async function writeBucketConfig(
  plain: string,
  name: string,
  bucket: BucketConfig,
  shelf?: BucketConfig & { readonly copy: string },
): Promise<string> {
  const file = plain.replace(/\.yaml$/, `-${name}.yaml`);
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
    const cost = await runCommand(["config", "check", "--json", "--config", await writeBucketConfig(plain, "million", double.config)]);
    return { cost, requests: double.requests.length };
  } finally {
    await double.close();
  }
}
