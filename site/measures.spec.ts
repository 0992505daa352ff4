/** What can be measured of the pages of the demo library: heights, widths, weights, keys, order, and what links to them are shown with.
 *  What axe says of each of them is in browse.slow.spec.ts, and of each kind of page in pages.spec.ts. */
import { gzipSync } from "node:zlib";
import { AxeBuilder } from "@axe-core/playwright";
import { expect, type Page } from "playwright/test";
import { test } from "./demo-fixture.ts";
import { watched } from "./page-fixture.ts";

/** Pixels at most, at 1280 by 900: one page of each kind. */
const HEIGHTS: Readonly<Record<string, number>> = {
  "": 2_200,
  "browse/notes/": 1_600,
  "object/notes/percent-signs.md/": 2_000,
  "object/proofs/sorted-lists/coq/Sorting.v/": 3_500,
  "object/papers/merkle-by-hand.pdf/": 2_300,
  "claims/": 2_200,
  "claims/every-theorem-has-a-lean-counterpart/": 20_000,
  "registry/": 3_400,
  "registry/CUB-0007/": 3_300,
  "registry/dashboard/": 2_900,
  "search/?q=merkle": 2_000,
  "ask/": 20_000,
  "snapshots/": 1_400,
  "snapshots/1..2/": 20_000,
  "snapshots/object/notes/percent-signs.md/": 20_000,
  "reference/": 8_000,
  "reference/library/": 20_000,
  "agents/": 20_000,
  "problems/": 20_000,
  "rejected/": 20_000,
};
/** Bytes at most, of a page without its images: of those that readers meet first, and of any. */
const BYTES: Readonly<Record<string, number>> = { "": 20_480 };
const HEAVIEST_RECORD = 30_000;
const HEAVIEST = 100_000;
const LONGEST = 20_000; // pixels, however narrow the window is

/** Prints a row for each kind of page: its height at three widths, its bytes. */
test("no page is longer, wider or heavier than it may be", async ({ page, demo }) => {
  const lines = ["page | 1280 px | 390 px | 320 px | bytes | gzip"];
  for (const [path, most] of Object.entries(HEIGHTS)) {
    const response = await page.goto(new URL(path, demo.site).href, { waitUntil: "load" });
    const body = (await response?.body()) ?? Buffer.alloc(0);
    expect(body.length, path).toBeLessThan(BYTES[path] ?? HEAVIEST);
    const heights: number[] = [];
    for (const [width, limit] of [
      [390, LONGEST],
      [320, LONGEST],
      [1280, most],
    ] as const) {
      await page.setViewportSize({ width, height: 900 });
      const [high, over] = await page.evaluate(
        () => [document.documentElement.scrollHeight, document.documentElement.scrollWidth - innerWidth] as const,
      );
      expect(over, `${path} at ${width}`).toBeLessThanOrEqual(0);
      expect(high, `${path} at ${width}`).toBeLessThanOrEqual(limit);
      heights.push(high);
    }
    const [phone, narrow, wide] = heights;
    lines.push(`/${path} | ${wide} | ${phone} | ${narrow} | ${body.length} | ${gzipSync(body).length}`);
  }
  process.stdout.write(`${lines.join("\n")}\n`);
});

test("no record is heavier than it may be", async ({ request, demo }) => {
  const { cubs } = (await (await request.get(new URL("api/cubs.json", demo.files).href)).json()) as {
    readonly cubs: readonly { readonly id: string }[];
  };
  const sizes = await Promise.all(
    cubs.map(async ({ id }) => [id, (await (await request.get(new URL(`registry/${id}/`, demo.files).href)).body()).length] as const),
  );
  expect(sizes.length).toBeGreaterThan(40);
  expect(sizes.filter(([, size]) => size > HEAVIEST_RECORD)).toEqual([]);
});

test("a finger meets every target of a table of contents, a filter and the reference", async ({ page, demo }) => {
  await page.setViewportSize({ width: 390, height: 900 });
  for (const path of ["object/proofs/sorted-lists/coq/Sorting.v/", "registry/", "reference/library/", "search/?q=merkle"]) {
    await page.goto(new URL(path, demo.site).href);
    await page.locator("details").evaluateAll((all) => all.forEach((one) => one.setAttribute("open", "")));
    const { violations } = await new AxeBuilder({ page }).setLegacyMode().withRules(["target-size"]).analyze();
    expect(
      violations.flatMap(({ nodes }) => nodes.map(({ html }) => html.slice(0, 200))),
      path,
    ).toEqual([]);
  }
});

test("the keyboard goes through a page in the order of its text", async ({ page, demo }) => {
  await page.goto(new URL("registry/", demo.site).href);
  const names: string[] = [];
  for (let at = 0; at < 16; at++) {
    await page.keyboard.press("Tab");
    names.push(
      await page.evaluate(() => (document.activeElement?.textContent || document.activeElement?.getAttribute("aria-label")) ?? ""),
    );
  }
  const places = ["Skip to content", "Files", "Search the library", "Search the records", "name", "dashboard"].map((name) =>
    names.indexOf(name),
  );
  expect(
    places.every((place, at) => place > (places[at - 1] ?? -1)),
    names.join(" | "),
  ).toBe(true);
});

const titles = (page: Page): Promise<readonly string[]> => page.locator(".card-title").allTextContents();

test("the registry is put in order by name, state and age without a script", async ({ browser, demo }) => {
  await watched(browser, { javaScriptEnabled: false }, async (page) => {
    const start = new URL("registry/", demo.site).href;
    await page.goto(start);
    const order = page.locator("[data-sorts]");
    await order.getByRole("link", { name: "name", exact: true }).click();
    await expect(order.locator("[aria-current=true]")).toHaveText("name");
    const named = await titles(page);
    expect(named).toEqual(named.toSorted((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)));
    await order.getByRole("link", { name: "newest first" }).click();
    await expect(page.locator(".card .shelfmark").first()).toHaveText("CUB-0051");
    await order.getByRole("link", { name: "state" }).click();
    await expect(order.locator("[aria-current=true]")).toHaveText("state");
    await expect(page.locator(".card .state").first()).toHaveText(/^verified/);
    await page.goto(`${start}?sort=state&part=2`);
    await expect(page.locator(".card .state").last()).not.toHaveText(/^verified/);
  });
});

test("a host of files says that it has one order of records, to who asks for another, and leads filters to the search", async ({
  browser,
  demo,
}) => {
  await watched(browser, {}, async (page) => {
    const start = new URL("registry/", demo.files).href;
    await page.goto(start);
    await page.locator("[data-sorts]").getByRole("link", { name: "name", exact: true }).click();
    await expect(page.locator("[data-sorts]")).toHaveCount(0);
    await expect(page.locator("[data-status]")).toHaveText("Plain files have this list whole and in one order.");
    await page.goto(`${start}?verification_state=VERIFIED`);
    await page.waitForURL(/\/search\/\?.*verification_state=VERIFIED.*kind=record/);
  });
});

test("where a server answers, nobody is told of hosts of plain files; there, who has no script is", async ({ browser, demo }) => {
  for (const [start, count] of [
    [demo.site, 0],
    [demo.files, 1],
  ] as const)
    await watched(browser, { javaScriptEnabled: false }, async (page) => {
      for (const path of ["registry/", "browse/notes/"]) {
        await page.goto(new URL(path, start).href);
        await expect(page.locator("main noscript p")).toHaveCount(count);
      }
    });
});

test("results come while one types, arrow keys choose among them, and what was searched is offered again in this browser", async ({
  browser,
  demo,
}) => {
  for (const start of [demo.site, demo.files])
    await watched(browser, {}, async (page) => {
      await page.goto(new URL("claims/", start).href);
      await page.keyboard.press("Control+k");
      await page.keyboard.type("merkle");
      await expect(page.getByRole("option").nth(1)).toBeVisible();
      // Results of half the word are replaced by those of all of it.
      await page.waitForLoadState("networkidle");
      const second = await page.getByRole("option").nth(1).getAttribute("href");
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("ArrowDown");
      await expect(page.getByRole("option").nth(1)).toHaveAttribute("aria-selected", "true");
      await page.keyboard.press("Enter");
      await expect.poll(() => page.url()).toBe(new URL(second ?? "", page.url()).href);
      await page.waitForLoadState("networkidle");
      await page.keyboard.press("/");
      await expect(page.getByRole("option", { name: "merkle" })).toBeVisible();
    });
});

test("ten results are shown, then more, each with its collection", async ({ browser, demo }) => {
  await watched(browser, { javaScriptEnabled: false }, async (page) => {
    await page.goto(new URL("search/?q=merkle", demo.site).href);
    await expect(page.locator(".card")).toHaveCount(10);
    await expect(page.locator(".card", { hasText: "papers/merkle-by-hand.pdf" })).toContainText("Papers");
    await page.getByRole("link", { name: "More results" }).click();
    expect(await page.locator(".card").count()).toBeGreaterThan(10);
  });
});

test("a list that is filtered to nothing says how much was looked at, and leads to the search of the folder", async ({ page, demo }) => {
  await page.goto(new URL("browse/notes/", demo.site).href);
  const rows = page.locator(".dir tbody tr:visible");
  const all = await rows.count();
  expect(all).toBeGreaterThan(10);
  await page.getByLabel("Filter this list").fill("zqx nowhere");
  await expect(rows).toHaveCount(0);
  await expect(page.locator("[data-filter] [role=status]")).toContainText(`None of the ${all} shown here.`);
  await expect(page.getByRole("link", { name: "Search all of this folder" })).toHaveAttribute(
    "href",
    /search\/\?q=in%3Anotes%2F%20zqx%20nowhere$/,
  );
  await page.getByLabel("Filter this list").fill("");
  await expect(rows).toHaveCount(all);
});

test("theme and width are chosen, and stay chosen on the next page", async ({ page, demo }) => {
  await page.emulateMedia({ colorScheme: "light" });
  const paper = (): Promise<string> => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await page.goto(new URL("object/notes/percent-signs.md/", demo.site).href);
  const [light, narrow] = [
    await paper(),
    await page
      .locator(".text p")
      .first()
      .evaluate(({ clientWidth }) => clientWidth),
  ];
  await page.getByText("Theme and width").click();
  await page.getByLabel("Theme").selectOption("dark");
  await page.getByLabel("Text").selectOption("wide");
  await page.goto(new URL("object/notes/midpoint.md/", demo.site).href);
  expect(await paper()).not.toBe(light);
  expect(
    await page
      .locator(".text p")
      .first()
      .evaluate(({ clientWidth }) => clientWidth),
  ).toBeGreaterThan(narrow);
});

test("keys turn the pages of a PDF, and an address leads to one", async ({ page, demo }) => {
  await page.goto(new URL("object/papers/sorting-from-scratch.pdf/#page=2", demo.site).href);
  await expect(page.locator(".pages [aria-current]")).toHaveText("2");
  await page.keyboard.press("ArrowLeft");
  await expect(page.locator(".pages [aria-current]")).toHaveText("1");
  await expect(page).toHaveURL(/#page-1$/);
  // On paper all pages stand below each other: none of them is turned to.
  await page.emulateMedia({ media: "print" });
  await expect.poll(() => page.locator(".strip").evaluate((strip) => getComputedStyle(strip).display)).toBe("block");
  await page.emulateMedia({ media: "screen" });
  await page.keyboard.press("ArrowRight");
  await expect(page).toHaveURL(/#page-2$/);
  // A phone has the text, and the way to the page as it is set.
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 800 });
    await expect(page.locator("#page-2 img")).toBeVisible({ visible: width === 1280 });
    await expect(page.locator("#page-2 p").first()).toBeVisible({ visible: width === 390 });
    await expect(page.getByRole("link", { name: "as it is set" })).toHaveCount(width === 1280 ? 0 : 3);
  }
});

test("a mark of the front page has the name of its theorem and leads to it, once somebody points at the shelf", async ({
  browser,
  demo,
}) => {
  for (const start of [demo.site, demo.files])
    await watched(
      browser,
      {},
      async (page) => {
        await page.goto(start);
        const marks = page.locator("tr", { hasText: "Search" }).locator("svg");
        // A list that did not come is asked for once more.
        await page.route("**/registry/**", (route) => route.fulfill({ status: 503 }), { times: 1 });
        const refused = page.waitForResponse("**/registry/**");
        await marks.hover();
        await refused;
        await page.mouse.move(0, 0);
        await marks.hover();
        await expect(marks.locator("title").first()).toHaveText("member_sound: verified");
        await marks.locator("a").first().click();
        await page.waitForURL(/registry\/CUB-\d+\/$/);
      },
      [/^503 /],
    );
});

test("on paper a page says its address, the digest of its thing, its snapshot and the day", async ({ page, demo }) => {
  await page.goto(new URL("registry/CUB-0007/", demo.site).href);
  await page.emulateMedia({ media: "print" });
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  await expect(page.locator("[data-paper]")).toHaveText(
    /^http:\S+\/registry\/CUB-0007\/ · SHA-256 [0-9a-f]{64} · snapshot [0-9a-f]{64} · printed \d{4}-\d\d-\d\d$/,
  );
  await page.goto(new URL("snapshots/?from=1&to=2", demo.site).href);
  await page.emulateMedia({ media: "print" });
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  await expect(page.locator("[data-paper]")).toHaveText(/^http:\S+\/snapshots\/\?from=1&to=2 · /);
});
