/** Browsing the demo library as people do: on the site server, with and without JavaScript, and in an exported folder behind
 *  a plain static host. Whatever a page does on the way (errors, refusals of the policy, dialogs, missing files) fails the test. */
import { hash } from "node:crypto";
import { expect, type Page } from "playwright/test";
import { test } from "./demo-fixture.ts";
import { expectFine, LOOKS, watched } from "./page-fixture.ts";
import { heading, MISSING_IMAGE, visitNames, walk } from "./walk-fixture.ts";

/** Bytes of the front page with everything that it loads; the issue's own figure. */
const MAX_FRONT_BYTES = 60_000;

let site = "";
let files = "";
let service = "";

test.beforeAll(({ demo }) => {
  ({ site, files, service } = demo);
});

for (const script of [true, false]) {
  const how = script ? "with JavaScript" : "without JavaScript";

  const host = script ? "a server" : "a plain static host of exported files";

  test(`${how}, on ${host}: from the front page to an object, a record, a claim, the registry's counts, history and reference`, async ({
    browser,
  }) => {
    await watched(browser, { javaScriptEnabled: script }, (page) => walk(page, script ? site : files));
  });

  test(`${how}: the server's search finds, and a facet of the registry narrows`, async ({ browser }) => {
    await watched(browser, { javaScriptEnabled: script }, async (page) => {
      await page.goto(site);
      const field = page.getByLabel("Search the library");
      await field.fill("percent signs");
      await field.press("Enter");
      await page.waitForURL(/\/search\/\?q=percent/);
      await expect(page.locator("main").getByRole("link", { name: "Percent signs" }).first()).toBeVisible();
      await page.locator("main").getByRole("link", { name: "Percent signs" }).first().click();
      await page.waitForURL(/\/object\/notes\/percent-signs\.md\//);
      await page.goto(new URL("registry/", site).href);
      const all = await page.locator("main .card").count();
      await page
        .getByRole("navigation", { name: "Filters" })
        .getByRole("link", { name: /not verified/i })
        .first()
        .click();
      await page.waitForURL(/standing=/);
      expect(await page.locator("main .card").count()).toBeLessThan(all);
      await expect(page.locator("main .card").first()).toBeVisible();
    });
  });

  test(`${how}: a page that is not there says so and leads on`, async ({ browser }) => {
    await watched(
      browser,
      { javaScriptEnabled: script },
      async (page) => {
        for (const path of ["nothing/at/all/", "object/notes/none.md/", "claims/none/"]) {
          const response = await page.goto(new URL(path, site).href);
          expect(response?.status()).toBe(404);
          await expect(page.locator("main")).toContainText(/not|nothing|no /i);
          await page.getByRole("navigation", { name: "Sections" }).getByRole("link", { name: "Files" }).click();
          await page.waitForURL(new URL("browse/", site).href);
        }
      },
      [/^404 .*\/(nothing\/at\/all|object\/notes\/none\.md|claims\/none)\/$/],
    );
  });
}

test("who is let in reads a gated proof file on the record's page, from the declaration on; nobody else asks for it", async ({
  browser,
  demo,
}) => {
  await watched(browser, {}, async (page) => {
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await page.goto(new URL("registry/CUB-0040/", service).href);
    await expect(page.getByText(/Who is let in reads it in the internal view/)).toBeVisible();
    expect(asked.filter((path) => path.startsWith("/api/code/"))).toEqual([]);
    await expect.poll(() => demo.link).toMatch(/token=/);
    await page.goto(demo.link);
    await page.goto(new URL("internal/registry/CUB-0040/", service).href);
    await expect(page.locator(".sides pre", { hasText: /^\s*(?:pub )?fn / }).first()).toBeVisible();
    await page.getByRole("link", { name: "open the whole file" }).first().waitFor();
  });
});

test("in exported files the browser searches by itself, and says when nothing is found", async ({ browser }) => {
  await watched(browser, {}, async (page) => {
    await page.goto(files);
    const field = page.getByLabel("Search the library");
    await field.fill("percent signs");
    await field.press("Enter");
    await page.waitForURL(/\/search\//);
    await expect(page.locator("main").getByRole("link", { name: "Percent signs" }).first()).toBeVisible();
    await page.locator("main").getByRole("link", { name: "Percent signs" }).first().click();
    await page.waitForURL(/\/object\/notes\/percent-signs\.md\//);
    await page.goto(new URL("search/?q=xyzzyqqq", files).href);
    await expect(page.locator("main")).toContainText(/nothing|no /i);
    await page.goto(new URL("search/?q=<img src=x onerror=alert(1)>", files).href);
    await expect(page.getByLabel("Search the library")).toHaveValue("<img src=x onerror=alert(1)>");
  });
});

test("typing and sending the form find the same, on a server and among exported files", async ({ browser }) => {
  for (const start of [site, files]) {
    await watched(browser, {}, async (page) => {
      const titles = (): Promise<string[]> => page.locator(".card-title").allTextContents();
      await page.goto(new URL("search/", start).href);
      await page.getByLabel("Search the library").fill("insertion sort");
      await expect(page.locator(".card").first()).toBeVisible();
      const typed = (await titles()).slice(0, 3);
      await page.getByRole("button", { name: "Search" }).click();
      await page.waitForURL(/\?q=/);
      await expect(page.locator(".card").first()).toBeVisible();
      expect((await titles()).slice(0, 3)).toEqual(typed);
    });
  }
});

test("an awkward name of the demo has a page that is reached by its link, and harms nobody", async ({ browser }) => {
  await watched(browser, {}, (page) => visitNames(page, files, 5));
});

test("what strangers wrote runs nowhere: Markdown, HTML, SVG, keys, queries", async ({ browser }) => {
  await watched(
    browser,
    {},
    async (page) => {
      for (const path of [
        "object/notes/hostile-markdown.md/",
        "object/figures/hostile.html/",
        "object/figures/hostile.svg/",
        "object/names/=69ndex.html/",
        "search/?q=%3Cscript%3Ealert(1)%3C/script%3E",
        "registry/?q=%22%3E%3Cimg%20src=x%20onerror=alert(1)%3E",
      ]) {
        await page.goto(new URL(path, site).href, { waitUntil: "load" });
        expect(
          await page
            .locator(
              "main script, main iframe, main object, main embed, main [onerror], main [onload], main [onclick], main form[action^='http']",
            )
            .count(),
          path,
        ).toBe(0);
        expect(
          await page
            .locator("a[href]")
            .evaluateAll((links) =>
              links
                .map((link) => (link as HTMLAnchorElement).protocol)
                .filter((protocol) => !["http:", "https:", "mailto:"].includes(protocol)),
            ),
        ).toEqual([]);
      }
    },
    [MISSING_IMAGE],
  );
});

test("bytes of strangers opened in a tab of their own are shown or saved, never run", async ({ browser }) => {
  const context = await browser.newContext();
  const page = await context.newPage();
  let ran = false;
  page.on("dialog", (dialog) => {
    ran = true;
    void dialog.dismiss();
  });
  for (const key of ["figures/hostile.html", "figures/hostile.svg"]) {
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.goto(new URL(`objects/${key}`, site).href).catch(() => null),
    ]);
    expect(download.suggestedFilename()).toBe(key.split("/").at(-1));
  }
  await page.goto(new URL("objects/notes/hostile-markdown.md", site).href);
  expect(await page.evaluate(() => document.contentType)).toMatch(/^text\/(plain|markdown)$/);
  expect(ran).toBe(false);
  await context.close();
});

test("a PDF is read one page at a time: the numbers in its bar and arrow keys lead to pages, a phone has their text, without a script too", async ({
  browser,
}) => {
  for (const [width, script] of [
    [1280, true],
    [320, false],
  ] as const) {
    const context = await browser.newContext({ javaScriptEnabled: script, viewport: { width, height: 700 }, colorScheme: "dark" });
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    await page.goto(new URL("object/papers/merkle-by-hand.pdf/", site).href);
    const images = page.locator(".strip img");
    await expect(images).toHaveCount(3);
    expect(await images.evaluateAll((all) => all.map((image) => image.getAttribute("loading")))).toEqual(["lazy", "lazy", "lazy"]);
    const strip = await page.locator(".strip").boundingBox();
    // A page's width need not be a whole number of pixels.
    const isShown = async (number: number): Promise<boolean> => {
      const box = await page.locator(`#page-${number}`).boundingBox();
      if (!script) return box !== null && box.y < 700 && box.y + box.height > 0;
      return Math.abs((box?.x ?? Number.NaN) - (strip?.x ?? Number.NaN)) < 1;
    };
    await page.locator(".pages summary").click();
    await page.getByRole("navigation", { name: "Pages by number" }).getByRole("link", { name: "3" }).click();
    await expect.poll(() => isShown(3)).toBe(true);
    if (script) {
      expect((await images.first().boundingBox())?.width, "as wide as there is room").toBe(strip?.width);
      await expect.poll(() => images.nth(2).evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(628);
      expect(new URL(page.url()).hash).toBe("#page-3");
      await page.keyboard.press("ArrowLeft");
      await expect.poll(() => isShown(2)).toBe(true);
      await page.goto("about:blank");
      await page.goto(new URL("object/papers/merkle-by-hand.pdf/#page=3", site).href);
      await expect.poll(() => isShown(3)).toBe(true);
    } else await expect(page.locator("#P3L1"), "a phone shows the text without zoom").toBeVisible();
    const size = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.scrollHeight]);
    expect(size[0], "nothing is wider than the window").toBe(width);
    expect(size[1]).toBeLessThan(script ? 4000 : 8000);
    await context.close();
  }
});

test("axe finds nothing on a note with formulas, and nothing is wider than the window, narrow and dark and wide and light", async ({
  browser,
}) => {
  await watched(browser, {}, async (page) => {
    await page.goto(new URL("object/notes/percent-signs.md/", site).href);
    for (const look of LOOKS) await expectFine(page, "formulas", [look]);
  });
});

test("a formula that is wider than a phone is reached by the keyboard, which scrolls it", async ({ browser }) => {
  await watched(browser, { viewport: { width: 320, height: 740 } }, async (page) => {
    await page.goto(new URL("object/notes/percent-signs.md/", site).href);
    const formula = page.locator(".formula").first();
    expect(await formula.evaluate((math) => math.scrollWidth > math.clientWidth)).toBe(true);
    const isFocused = (): Promise<boolean> => formula.evaluate((math) => math === document.activeElement);
    for (let stops = 0; stops < 60 && !(await isFocused()); stops++) await page.keyboard.press("Tab");
    expect(await isFocused()).toBe(true);
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => formula.evaluate((math) => math.scrollLeft)).toBeGreaterThan(0);
  });
});

test("the front page is small, loads only from its own host, and does not move while it loads", async ({ browser }) => {
  await watched(browser, { viewport: { width: 1280, height: 900 } }, async (page) => {
    const session = await page.context().newCDPSession(page);
    await session.send("Network.enable");
    let bytes = 0;
    const hosts = new Set<string>();
    session.on("Network.loadingFinished", ({ encodedDataLength }) => (bytes += encodedDataLength));
    session.on("Network.requestWillBeSent", ({ request }) => void hosts.add(new URL(request.url).origin));
    await page.addInitScript(() => {
      Object.assign(globalThis, { shifts: 0 });
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries())
          (globalThis as unknown as { shifts: number }).shifts += (entry as PerformanceEntry & { value: number }).value;
      }).observe({ type: "layout-shift", buffered: true });
    });
    await page.goto(site, { waitUntil: "networkidle" });
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    expect(bytes).toBeGreaterThan(1000);
    expect(bytes).toBeLessThan(MAX_FRONT_BYTES);
    expect([...hosts]).toEqual([site.slice(0, -1)]);
    expect(await page.evaluate(() => (globalThis as unknown as { shifts: number }).shifts)).toBe(0);
  });
});

test("the keyboard alone reaches search and content: slash, skip link, visible focus", async ({ browser }) => {
  await watched(browser, {}, async (page) => {
    await page.goto(new URL("claims/", site).href);
    await page.keyboard.press("Tab");
    await expect(page.getByRole("link", { name: "Skip to content" })).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(page.locator("#content")).toBeFocused();
    await page.keyboard.press("/");
    await expect(page.getByLabel("Search the library")).toBeFocused();
  });
});

test("a digest is shortened for the eye and copied whole", async ({ browser }) => {
  await watched(browser, { permissions: ["clipboard-read", "clipboard-write"] }, async (page) => {
    await page.goto(new URL("object/notes/percent-signs.md/", site).href);
    const bytes = await (await page.request.get(new URL("objects/notes/percent-signs.md", site).href)).body();
    const about = page.getByRole("complementary", { name: "About this page" });
    await about.getByText("Details").click();
    await about.getByRole("button", { name: "Copy SHA-256" }).click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(hash("sha256", bytes));
  });
});

const SORTING = "object/proofs/sorted-lists/coq/Sorting.v/";

test("a proof is read side by side, complete without a script, and the lines of each side are a link away", async ({ browser }) => {
  for (const start of [site, files]) {
    await watched(browser, { javaScriptEnabled: false }, async (page) => {
      await page.goto(new URL("registry/CUB-0006/", start).href);
      for (const name of ["Coq: isort_keeps_counts", "Lean: isort_keeps_counts", "Rust: insertion_sort"]) {
        const side = page.getByRole("region", { name });
        await expect(side.locator("pre code").first()).toContainText(/xs/);
        await expect(side.getByText("SHA-256")).toBeVisible();
      }
      const boxes = await page.locator(".sides > section").evaluateAll((sides) => sides.map((side) => side.getBoundingClientRect().top));
      expect(new Set(boxes).size).toBe(1);
      await page.getByRole("region", { name: /^Coq/ }).locator("dl a").first().click();
      expect(new URL(page.url()).hash).toBe("#L62-L67");
    });
  }
});

test("two clicks choose lines, a keyboard types them, and the permanent link has them on a page that is there", async ({ browser }) => {
  await watched(browser, { permissions: ["clipboard-read", "clipboard-write"] }, async (page) => {
    await page.goto(new URL(SORTING, site).href);
    const picked = (): Promise<number> => page.locator("[data-picked]").count();
    await page.locator("#L20 > a").click();
    await page.locator("#L10 > a").click();
    expect(new URL(page.url()).hash).toBe("#L10-L20");
    expect(await picked()).toBe(11);
    await page.locator("#L30 > a").click();
    await page.locator("#L33 > a").click({ modifiers: ["Shift"] });
    await page.locator("#L35 > a").click({ modifiers: ["Shift"] });
    expect(new URL(page.url()).hash).toBe("#L30-L35");
    await page.getByRole("button", { name: "copy permanent link" }).click();
    await expect(page.getByRole("button", { name: "copy permanent link" })).toHaveText("copied");
    const link = await page.evaluate(() => navigator.clipboard.readText());
    expect(new URL(link).pathname).toMatch(new RegExp(`^/at/[0-9a-f]{64}/${SORTING}$`));
    await page.goto(link);
    expect(await picked()).toBe(6);
    await expect(page.getByLabel("Which snapshot this is")).toHaveText(/^This page is of snapshot 2 of \d{4}-\d\d-\d\d, the newest\./);
    await page.getByLabel("Lines", { exact: true }).fill("12");
    await page.keyboard.press("Enter");
    expect(new URL(page.url()).hash).toBe("#L12");
    expect(await picked()).toBe(1);
    await page.getByLabel("Lines", { exact: true }).fill("12-100000");
    await page.keyboard.press("Enter");
    expect(new URL(page.url()).hash).toBe("#L12");
  });
  await watched(browser, { permissions: ["clipboard-read", "clipboard-write"] }, async (page) => {
    await page.goto(`${files}${SORTING}`);
    await page.getByRole("button", { name: "copy permanent link" }).click();
    await expect(page.getByRole("button", { name: "copy permanent link" })).toHaveText("not on this host");
  });
});

test("a page of an earlier snapshot says which it is, and leads to what is there now and to what changed", async ({ browser }) => {
  const visit = async (page: Page): Promise<void> => {
    await page.goto(new URL("snapshots/", site).href);
    await page.getByRole("link", { name: "snapshot 1" }).click();
    await page.goto(new URL("object/notes/percent-signs.md/", page.url()).href);
    const told = page.getByLabel("Which snapshot this is");
    await expect(told).toHaveText(
      /^This page is of snapshot 1 of [-\d]+\. Now: snapshot 2 of [-\d]+\. What changed here · The current page$/,
    );
    await page.route("**/object/**", (route) => (route.request().method() === "HEAD" ? route.fulfill({ status: 503 }) : route.continue()));
    await page.reload();
    await expect(told).toContainText("What is there now could not be asked.");
    await page.unroute("**/object/**");
    await page.reload();
    await told.getByRole("link", { name: "The current page" }).click();
    await page.waitForURL(new URL("object/notes/percent-signs.md/", site).href);
    await expect(told).toBeHidden();
  };
  await watched(browser, {}, visit, [/^503 /]);
});

test("everything is one click from the front page: as an archive on a server, and on a host of files as words on how to get it", async ({
  browser,
}) => {
  await watched(
    browser,
    {},
    async (page) => {
      await page.goto(site);
      const download = page.waitForEvent("download");
      await page.getByRole("link", { name: "Download everything" }).click();
      expect((await download).suggestedFilename()).toMatch(/\.tar$/);
      await page.goto(files);
      await page.getByRole("link", { name: "Download everything" }).click();
      await expect(page).toHaveURL(/reference\/library\/#get-head-api-archive-tar$/);
    },
    [/404 .*archive\.tar/],
  );
});

test("what a file was is listed by snapshot, and two of its revisions are compared word by word, on a host of files too", async ({
  browser,
}) => {
  for (const start of [site, files]) {
    await watched(browser, { javaScriptEnabled: false }, async (page) => {
      await page.goto(new URL("object/notes/percent-signs.md/", start).href);
      await page.getByRole("link", { name: "2 revisions" }).click();
      expect(await heading(page)).toBe("notes/percent-signs.md");
      expect(await page.locator("tbody tr").count()).toBe(2);
      await expect(page.locator(".difference .added").last()).toContainText("One more sentence, for the second snapshot.");
      await expect(page.locator(".difference .same").first()).toBeVisible();
    });
  }
});
