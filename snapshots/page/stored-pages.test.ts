import assert from "node:assert/strict";
import { test } from "node:test";
import { CubRecord } from "../schema/cubs.ts";
import { TINY, tinyData } from "../verify/tiny-shelf-fixture.ts";
import { ROUTER, ROUTES } from "../service/routes.ts";
import { findStoredPage, type PageAt, storedPages } from "./stored-pages.ts";

function pageAt(path: string): PageAt {
  return { path, match: ROUTER.matchPath(path) };
}

const extracts = { digest: () => "", read: () => Promise.reject(new Error("no page is rendered here")) };

function wideData() {
  const names = [
    "deep/er/x.md",
    "a=b.md",
    "=p2/x.md",
    "100%.md",
    "what?.md",
    "index.html/y.md",
    "étude.md",
    "..x/z.md",
    `${"long".repeat(80)}.md`,
  ];
  const many = Array.from({ length: 1100 }, (_, n) => `many/${String(n).padStart(5, "0")}.txt`);
  const objects = [...names, ...many].map((name) => ({ key: `notes/${name}`, text: name }));
  const long = { key: "notes/long=/one.txt", text: "a line\n".repeat(9_000) };
  const data = tinyData({ ...TINY, objects: [...objects, long] }, "public");
  const cubs = Array.from({ length: 250 }, (_, n) =>
    CubRecord.parse({ id: `CUB-${String(n + 1).padStart(4, "0")}`, repo: "r", theorem_name: "t", statement: "s" }),
  );
  const claims = { ...data.claims, claims: ["a//b", "../x", "=p2", "x y"].map((id) => ({ ...data.claims.claims[0]!, id })) };
  return { ...data, cubs, claims };
}

test("every stored page is found by its path, alone, and is the page that the list gives", () => {
  const data = wideData();
  let count = 0;
  for (const page of storedPages(data, ROUTES, extracts)) {
    const found = findStoredPage(data, ROUTES, pageAt(page.path), extracts);
    assert.ok(found !== null, page.path);
    assert.deepEqual([found.path, found.file, found.folder], [page.path, page.file, page.folder]);
    assert.deepEqual(found.facts(), page.facts(), page.path);
    count++;
  }
  assert.ok(count > 1400);
  const long = [...storedPages(data, ROUTES, extracts)].filter(({ path }) => path.includes("/one.txt/"));
  assert.deepEqual(
    long.map(({ path }) => path),
    ["", "=p2/", "=p3/"].map((part) => `/object/notes/long=3D/one.txt/${part}`),
  );
});

test("another spelling of a page's path, and what only looks like one, is no page", () => {
  const data = wideData();
  const paths = [...storedPages(data, ROUTES, extracts)].map(({ path }) => path);
  const known = new Set(paths);
  for (const path of paths) {
    for (const other of [
      path.slice(0, -1),
      `${path}/`,
      `${path}x/`,
      path.replace("/", "//"),
      path.toUpperCase(),
      path.replaceAll("=", "%3D"),
    ]) {
      if (!known.has(other)) assert.equal(findStoredPage(data, ROUTES, pageAt(other), extracts), null, other);
    }
  }
  for (const path of [
    "/constructor/x/",
    "/__proto__/",
    "/browse/=p9/",
    "/registry/=p1/",
    "/registry/=p6/",
    "/browse/notes/many/=p23/",
    "/object/notes/",
    "/object/notes/long=3D/one.txt/=p1/",
    "/object/notes/long=3D/one.txt/=p4/",
    "/object/notes/deep/er/x.md/=p2/",
    "/claims/nothing/",
    "/problems/nothing/",
    "/toString/",
  ]) {
    assert.equal(findStoredPage(data, ROUTES, pageAt(path), extracts), null, path);
  }
});

test("a page at one path is found without making the model of any other", () => {
  const data = wideData();
  const touched = new Set<string>();
  const watched = {
    ...data,
    objects: data.objects.map(
      (row) => new Proxy(row, { get: (target, name) => (name === "summary" && touched.add(target.key), Reflect.get(target, name)) }),
    ),
  };
  findStoredPage(watched, ROUTES, pageAt("/object/notes/deep/er/x.md/"), extracts)?.facts();
  assert.deepEqual([...touched], ["notes/deep/er/x.md"]);
});
