import assert from "node:assert/strict";
import { test } from "node:test";
import { sitemapFiles } from "./text-files.ts";

const entries = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ path: `/object/${n}/`, changed: n % 2 === 0 ? null : `2026-01-0${(n % 9) + 1}T00:00:00Z` }));

test("50,000 addresses are one sitemap, and one more makes an index of parts that hold all of them, each once", () => {
  const [one, ...none] = sitemapFiles("https://l.example", entries(50_000));
  assert.deepEqual(none, []);
  assert.equal(one?.[0], "sitemap.xml");
  const files = new Map(sitemapFiles("https://l.example", entries(50_001)));
  assert.deepEqual([...files.keys()], ["sitemap.xml", "sitemap-1.xml", "sitemap-2.xml"]);
  assert.match(files.get("sitemap.xml") ?? "", /<sitemap><loc>https:\/\/l\.example\/sitemap-2\.xml<\/loc><\/sitemap>/);
  assert.match(files.get("sitemap.xml") ?? "", /sitemap-1\.xml<\/loc><lastmod>2026-01-09T00:00:00Z<\/lastmod>/);
  const all = [...files.values()].flatMap((text) => [...text.matchAll(/<url><loc>([^<]*)/g)].map(([, path]) => path));
  assert.equal(new Set(all).size, 50_001);
  assert.equal(all.length, 50_001);
});

test("an address tells when its object was changed, where that is known", () => {
  const [file] = sitemapFiles("https://l.example", entries(2));
  assert.match(
    file?.[1] ?? "",
    /object\/0\/<\/loc><\/url>\n<url><loc>[^<]*object\/1\/<\/loc><lastmod>2026-01-02T00:00:00Z<\/lastmod><\/url>/,
  );
});
