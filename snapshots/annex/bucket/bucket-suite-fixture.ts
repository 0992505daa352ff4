/** The behaviour of every bucket: the suite that each implementation has to pass. */
import assert from "node:assert/strict";
import type { Bucket, ListedObject } from "./bucket.ts";

async function listAll(bucket: Bucket, prefix?: string): Promise<ListedObject[]> {
  const objects: ListedObject[] = [];
  for await (const object of bucket.list(prefix)) objects.push(object);
  return objects;
}

const text = (bytes: string): Buffer => Buffer.from(bytes);

const ODD = [
  " ",
  "trailing ",
  "a+b",
  "100%",
  "%41",
  "#",
  "?",
  "&",
  "=",
  "a//b",
  "../x",
  "x/../y",
  "./x",
  "/leading",
  "back\\slash",
  "\"quotes'",
  "new\nline",
  "tab\t",
  "\u0001",
  "e\u0301",
  "é",
  "\u{1F989}",
  "\uFF5E",
  "\u202E",
  "<script>",
  "k".repeat(1024),
];

/** Open opens a bucket at a prefix: all of one test are of the same store, which is empty at first. */
export type Open = (prefix?: string) => Bucket;

/** BUCKET_SUITE is name → test. */
export const BUCKET_SUITE: readonly (readonly [name: string, work: (open: Open) => Promise<void>])[] = [
  [
    "any key that the store takes is written, read, listed in the order of its bytes and removed",
    async (open) => {
      const bucket = open();
      for (const key of ODD) await bucket.put(key, text(`content of ${key}`));
      const sorted = ODD.toSorted((a, b) => Buffer.compare(text(a), text(b)));
      assert.deepEqual(
        (await listAll(bucket)).map(({ key }) => key),
        sorted,
      );
      for (const key of ODD) {
        const got = await bucket.get(key);
        assert.ok(got.state === "found");
        assert.equal(got.bytes.toString(), `content of ${key}`);
        await bucket.delete(key);
        assert.deepEqual(await bucket.get(key), { state: "absent" });
        await bucket.delete(key);
      }
      assert.deepEqual(await listAll(bucket), []);
    },
  ],

  [
    "below a prefix nothing else is seen",
    async (open) => {
      const whole = open();
      const part = open("a b/");
      await whole.put("a b/x", text("1"));
      await whole.put("a bx", text("2"));
      await part.put("sub/y", text("3"));
      assert.deepEqual(
        (await listAll(part)).map(({ key, size }) => [key, size]),
        [
          ["sub/y", 1],
          ["x", 1],
        ],
      );
      assert.deepEqual(
        (await listAll(part, "sub/")).map(({ key }) => key),
        ["sub/y"],
      );
      assert.equal(part.address, `${whole.address}a b/`);
    },
  ],

  [
    "a list goes on over pages, and may be left early",
    async (open) => {
      const bucket = open();
      const keys = Array.from({ length: 1234 }, (_none, at) => `k${String(at).padStart(5, "0")}`);
      for (let from = 0; from < keys.length; from += 50)
        await Promise.all(keys.slice(from, from + 50).map((key) => bucket.put(key, text(key))));
      assert.deepEqual(
        (await listAll(bucket)).map(({ key }) => key),
        keys,
      );
      for await (const { key } of bucket.list()) {
        assert.equal(key, "k00000");
        break;
      }
    },
  ],

  [
    "what was listed is what is read: ETag, size and time, and a range of it",
    async (open) => {
      const bucket = open();
      const etag = await bucket.put("a", text("0123456789"), { contentType: "text/plain", metadata: { taken: "2020" } });
      const [listed] = await listAll(bucket);
      assert.deepEqual([listed?.etag, listed?.size, listed?.unreadable], [etag, 10, false]);
      const head = await bucket.head("a");
      assert.deepEqual([head?.etag, head?.size, head?.metadata], [etag, 10, { taken: "2020" }]);
      assert.ok(Math.abs(Date.parse(listed?.modified ?? "") - Date.now()) < 600_000);
      for (const [start, end, expected] of [
        [0, 3, "0123"],
        [8, 8, "8"],
        [8, 100, "89"],
        [10, 20, ""],
      ] as const) {
        const got = await bucket.get("a", { range: { start, end }, ifMatch: etag });
        assert.ok(got.state === "found");
        assert.deepEqual([got.bytes.toString(), got.size, got.etag], [expected, 10, etag]);
      }
      assert.deepEqual(await bucket.get("a", { ifNoneMatch: etag }), { state: "unchanged" });
      await bucket.put("a", text("other"));
      assert.deepEqual(await bucket.get("a", { ifMatch: etag }), { state: "changed" });
      assert.equal((await bucket.get("a", { ifNoneMatch: etag })).state, "found");
      assert.equal(await bucket.head("none"), null);
      await bucket.put("empty", text(""));
      const empty = await bucket.get("empty", { range: { start: 0, end: 5 } });
      assert.ok(empty.state === "found" && empty.bytes.length === 0);
      const longer = await bucket.get("a", { maxBytes: 4 });
      assert.ok(longer.state === "longer" && longer.size === 5);
    },
  ],

  [
    "of many who put what is not there one wins, and each knows whether it was he",
    async (open) => {
      const buckets = Array.from({ length: 8 }, () => open());
      for (let round = 0; round < 5; round++) {
        const outcomes = await Promise.all(buckets.map((bucket, at) => bucket.putIfAbsent(`r${round}`, text(`writer ${at}`))));
        assert.deepEqual(outcomes.toSorted(), ["other", "other", "other", "other", "other", "other", "other", "written"]);
        const got = await open().get(`r${round}`);
        assert.equal(got.state === "found" && got.bytes.toString(), `writer ${outcomes.indexOf("written")}`);
      }
      const [bucket] = buckets;
      assert.equal(await bucket?.putIfAbsent("same", text("x")), "written");
      assert.equal(await bucket?.putIfAbsent("same", text("x")), "same");
      assert.equal(await bucket?.putIfAbsent("same", text("much longer than what is there")), "other");
      assert.equal(await bucket?.putIfAbsent("same", text("")), "other");
    },
  ],

  [
    "compare-and-swap: of many one wins each time, none is lost",
    async (open) => {
      await open().put("pointer", text("0 start"));
      const wins: number[] = [];
      await Promise.all(
        Array.from({ length: 8 }, async (_none, writer) => {
          const bucket = open();
          for (let done = 0; done < 5; ) {
            const got = await bucket.get("pointer");
            assert.ok(got.state === "found");
            const number = Number(got.bytes.toString().split(" ")[0]) + 1;
            const etag = await bucket.putIfMatch("pointer", text(`${number} by ${writer}`), got.etag);
            if (etag === null) continue;
            wins.push(number);
            done++;
          }
        }),
      );
      assert.deepEqual(
        wins.toSorted((a, b) => a - b),
        Array.from({ length: 40 }, (_none, at) => at + 1),
      );
      const bucket = open();
      assert.equal(await bucket.putIfMatch("none", text("x"), "0123456789abcdef0123456789abcdef"), null);
      assert.equal(await bucket.putIfMatch("pointer", text("y".repeat(1000)), "0123456789abcdef0123456789abcdef"), null);
    },
  ],
];
