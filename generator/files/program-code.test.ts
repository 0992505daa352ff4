import assert from "node:assert/strict";
import { test } from "node:test";
import { SITE_CODE } from "../pages/compile-site.ts";
import { openSources } from "../testing/import-closure.ts";
import { ships } from "../testing/house.ts";
import { codeDigest, isPackage, listCode } from "./program-code.ts";

const code = listCode();

test("all that a program of this repository is made of counts, and no test, document, library or built file does", () => {
  const { files } = openSources().closure(["generator/cli.ts", "site/main.ts", "sidecar/main.ts", "site/entry.ts"]);
  const needed = files.filter((path) => ships(path) && !path.startsWith("generator/demo/"));
  assert.ok(needed.length > 600);
  assert.deepEqual(
    needed.filter((path) => !code.includes(path)),
    [],
  );
  for (const path of ["site/style/page.css", "site/components/card.astro", "generator/annex/recall/advisories.yaml", "package-lock.json"])
    assert.ok(code.includes(path), path);
  assert.deepEqual(
    code.filter((path) => /\.(?:test|spec)\.ts$|\.md$|\/dist\/|^snapshots\/data\/|^generator\/(?:demo|bench|testing)\//.test(path)),
    [],
  );
});

test("compiled again is whatever pages and the process that reads objects are made of", () => {
  const entries = ["site/entry.ts", "generator/extract/worker.ts", "generator/extract/compile-worker.ts"];
  const pages = code.filter((path) => /^site\/(?:browser|components|pages|annex)\//.test(path));
  const needed = openSources()
    .closure([...entries, ...pages])
    .files.filter((path) => /^(?:generator|site|sidecar|snapshots)\//.test(path));
  assert.ok(needed.length > 300);
  assert.deepEqual(
    needed.filter((path) => !SITE_CODE.test(path) || !code.includes(path)),
    [],
  );
  assert.ok(!SITE_CODE.test("sidecar/main.ts") && !SITE_CODE.test("snapshots/http/listen.ts") && !SITE_CODE.test("generator/cli.ts"));
});

test("other files have another digest", () => {
  assert.equal(isPackage, false);
  assert.match(codeDigest(), /^[0-9a-f]{64}$/);
  assert.equal(codeDigest(), codeDigest(/^/));
  assert.notEqual(codeDigest(), codeDigest(SITE_CODE));
});
