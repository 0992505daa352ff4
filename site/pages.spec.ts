/** The fixture pages in a browser: every kind of page, hostile and wide ones too, and what scripts add to them. */
import assert from "node:assert/strict";
import { expect, test } from "playwright/test";
import {
  type BrowserCard,
  type BundleList,
  cardPath,
  countNearShards,
  countShards,
  formatPosting,
  formatWords,
  groupOf,
  nearPath,
  wordsPath,
} from "../snapshots/page/browser-index.ts";
import { shardOf } from "../snapshots/query/words.ts";
import { fixtures } from "./fixtures.ts";
import { expectFine, expectSpineFree, openFixtureSite, watched } from "./page-fixture.ts";

/** One page of each kind, and those whose text strains its component; all fixtures in every look are looked at by pages.slow.spec.ts. */
const STATES = (
  "front browse object-markdown object-code object-pdf-quoted object-wide claims claim registry-hostile record dashboard snapshots diff search " +
  "ask-hostile reference-group agents problems problem rejected-withdrawn not-found-withdrawn revisions gated"
).split(" ");
const NARROW = { viewport: { width: 390, height: 844 } };

let site: Awaited<ReturnType<typeof openFixtureSite>>;

test.beforeAll(async () => {
  const bundles = await buildIndex();
  site = await openFixtureSite((url) => {
    const body = bundles.get(/\/pagefind\/[^?]*/.exec(url)?.[0] ?? "");
    return body === undefined ? null : { status: 200, type: mediaTypeOf(url), body };
  });
});
test.afterAll(() => site.close());

/** The address of a fixture's page. */
function addressOf(name: string): string {
  const fixture = fixtures.find((one) => one.name === name);
  assert.ok(fixture !== undefined, name);
  return `${site.url}/${name}${fixture.input.chrome.path}`;
}

test("the states that are looked at here are of every kind of page", () => {
  const kinds = (names: readonly string[]): readonly string[] =>
    [...new Set(fixtures.filter(({ name }) => names.includes(name)).map(({ input }) => input.model.page))].sort();
  expect(kinds(STATES)).toEqual(kinds(fixtures.map(({ name }) => name)));
});

for (const name of STATES) {
  test(`${name}: no finding of axe, no error, nothing wider than the window, narrow and dark or wide and light`, async ({ browser }) => {
    await watched(browser, {}, async (page) => {
      await page.goto(addressOf(name));
      await expectFine(page, name);
    });
  });
}

test("what a row of text holds is cut where its column ends: no part of it lies under the narrow column, at any width", async ({
  browser,
}) => {
  await watched(browser, { viewport: { width: 1280, height: 4000 } }, async (page) => {
    for (const name of ["record", "record-hostile"]) {
      await page.goto(addressOf(name));
      await expectSpineFree(page, name, [320, 900, 1024, 1280]);
    }
  });
});

test("each paragraph begins on the side of its own script, code on the left; what is wide scrolls in itself", async ({ browser }) => {
  await watched(browser, { viewport: { width: 2560, height: 4000 } }, async (page) => {
    await page.goto(addressOf("object-rtl"));
    const sides = await page.evaluate(() =>
      Object.fromEntries(
        ["arabic", "english", "quote", "code"].map((id) => {
          const element = document.getElementById(id) as HTMLElement;
          const range = document.createRange();
          range.selectNodeContents(element);
          const [text, box] = [range.getClientRects()[0] as DOMRect, element.getBoundingClientRect()];
          return [id, text.left - box.left < box.right - text.right ? "left" : "right"];
        }),
      ),
    );
    assert.deepEqual(sides, { arabic: "right", english: "left", quote: "right", code: "left" });
    const bullets = await page.evaluate(() =>
      ["list", "items"].map((id) => {
        const list = document.getElementById(id) as HTMLElement;
        const { paddingLeft, paddingRight } = getComputedStyle(list);
        return Number.parseFloat(paddingLeft) > Number.parseFloat(paddingRight) ? "left" : "right";
      }),
    );
    assert.deepEqual(bullets, ["right", "left"]);
    for (const id of ["code", "table"])
      assert.ok(await page.locator(`#${id}`).evaluate((element) => element.scrollWidth > element.clientWidth), `${id} scrolls`);
  });
});

test("nothing shifts while a page loads", async ({ browser }) => {
  await watched(browser, NARROW, async (page) => {
    for (const name of ["front", "record", "object-code"]) {
      await page.goto(addressOf(name));
      const shift = await page.evaluate(
        () =>
          new Promise<number>((resolve) => {
            new PerformanceObserver((list) =>
              resolve(list.getEntries().reduce((sum, entry) => sum + (entry as PerformanceEntry & { value: number }).value, 0)),
            ).observe({ type: "layout-shift", buffered: true });
            setTimeout(() => resolve(0), 200);
          }),
      );
      expect(shift, name).toBe(0);
    }
  });
});

test("a slash goes to the search, and a button copies a digest whole", async ({ browser }) => {
  await watched(browser, { ...NARROW, permissions: ["clipboard-read", "clipboard-write"] }, async (page) => {
    await page.goto(addressOf("record"));
    await page.keyboard.press("/");
    await expect(page.locator("input[name=q]")).toBeFocused();
    await page.keyboard.press("Escape");
    await page.getByText("About this record").click();
    await page.locator(".spine .digest button").first().click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^[0-9a-f]{40}$/);
  });
});

test("the search page answers from files alone, with the same card; and from Pagefind's two bundles when that is asked for", async ({
  browser,
}) => {
  await watched(browser, NARROW, async (page) => {
    await page.goto(`${addressOf("search-start")}?q=insertion`);
    for (const answered of ["by words", "from every text"]) {
      await page.locator(".card").first().waitFor();
      assert.deepEqual((await page.locator(".card-title").allTextContents()).sort(), ["<b>{link}</b>", "First"], answered);
      const path = await page
        .locator(".card-title")
        .first()
        .evaluate((link) => new URL((link as HTMLAnchorElement).href).pathname);
      assert.ok(path.startsWith("/search-start/object/"), answered);
      assert.equal(await page.locator(".card mark").count(), 2, answered);
      if (answered !== "by words") continue;
      assert.deepEqual(await page.locator("a.shelfmark").allTextContents(), ["notes/copy.md"]);
      await page.getByRole("button", { name: "Look through every text" }).click();
      await page.getByText("Loading").waitFor({ state: "hidden" });
    }
    await page.locator("input[name=q]").fill("nowhere");
    await page.getByText("Nothing found").waitFor();
  });
});

/** The browser's index of two pages, each in a bundle of its own: what pagefind.ts in the generator would make of them. */
async function buildIndex(): Promise<ReadonlyMap<string, Uint8Array>> {
  const { createIndex, close } = await import("pagefind");
  const list: BundleList = { bundles: ["pagefind/0/", "pagefind/1/"], pages: 2, languages: ["en"], texts: true };
  const files = new Map<string, Uint8Array>([["/pagefind/bundles.json", Buffer.from(JSON.stringify(list))]]);
  for (let shard = 0; shard < countShards(2); shard++) files.set(`/${wordsPath(shard)}`, Buffer.alloc(0));
  for (let shard = 0; shard < countNearShards(2); shard++) files.set(`/${nearPath(shard)}`, Buffer.alloc(0));
  const postings = Buffer.concat([0, 1].map((page) => formatPosting({ weight: page, page, group: groupOf("markdown", -1) })));
  files.set(`/${wordsPath(shardOf("insert", countShards(2)))}`, Buffer.concat(formatWords([{ word: "insert", pages: 2, postings }])));
  for (const [number, title] of ["First", "<b>{link}</b>"].entries()) {
    const text = `about insertion <script>alert(1)</script> number ${number}`;
    const key = `notes/${number}.md`;
    const card: BrowserCard = {
      page: number,
      path: `/object/${number}/`,
      title,
      key,
      kind: "text",
      copies: number === 0 ? [{ key: "notes/copy.md", path: "/object/copy/" }] : [],
      passages: [{ name: "", line: 1, anchor: "", text }],
    };
    files.set(`/${cardPath(number, number)}`, Buffer.from(JSON.stringify([card])));
    const { index } = await createIndex({});
    assert.ok(index !== undefined);
    await index.addCustomRecord({ url: card.path, content: text, language: "en", meta: { title, key, kind: "Markdown" } });
    for (const { path, content } of (await index.getFiles()).files) files.set(`/pagefind/${number}/${path}`, content);
  }
  await close();
  return files;
}

const mediaTypeOf = (path: string): string =>
  path.includes(".js") ? "text/javascript" : path.includes(".wasm") ? "application/wasm" : "application/octet-stream";
