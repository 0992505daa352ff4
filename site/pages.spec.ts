/** The fixture pages in a browser: every kind of page, hostile and wide ones too, and what scripts add to them. */
import assert from "node:assert/strict";
import { expect, type Page, test } from "playwright/test";
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

test("no text lies under the narrow column of any kind of page, on a phone and on a desk, however far it is scrolled", async ({
  browser,
}) => {
  await watched(browser, {}, async (page) => {
    for (const name of [...STATES, "record-hostile"]) {
      await page.goto(addressOf(name));
      await expectSpineFree(page, name, [320, 1280]);
    }
  });
});

test("parts of a bar are told apart without colour: no two shapes are filled alike, and each pattern is on the page", async ({
  browser,
}) => {
  await watched(browser, {}, async (page) => {
    await page.goto(addressOf("dashboard"));
    const fills = await page.evaluate(() =>
      ["verified", "partial", "said", "failed", "unverified", "defined", "unspecified"].map((shape) => {
        const part = document.createElementNS("http://www.w3.org/2000/svg", "rect");
        part.setAttribute("class", `part ${shape}`);
        document.querySelector(".stack")?.append(part);
        const { fill, strokeDasharray } = getComputedStyle(part);
        const pattern = /#(h-[a-z]+)/.exec(fill)?.[1];
        if (pattern !== undefined && document.getElementById(pattern) === null) return `${pattern} is not there`;
        return `${pattern ?? (fill === getComputedStyle(document.body).backgroundColor ? "empty" : "full")} ${strokeDasharray}`;
      }),
    );
    expect(new Set(fills).size, fills.join(", ")).toBe(fills.length);
    expect(fills.join()).not.toContain("not there");
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

test("a name in a statement says its type to a hand and to a keyboard, without a script", async ({ browser }) => {
  const noScript = { ...NARROW, javaScriptEnabled: false };
  const look = async (page: Page): Promise<void> => {
    await page.goto(addressOf("record"));
    const name = page.locator("pre.statement a").first();
    const said = () => name.evaluate((link) => getComputedStyle(link, "::after").content);
    expect(await said()).toBe("none");
    await name.focus();
    await page.keyboard.press("Shift");
    expect(await said()).toBe('"list nat -> Prop"');
    await name.blur();
    await name.hover();
    expect(await said()).toBe('"list nat -> Prop"');
  };
  await watched(browser, noScript, look, [/badge\.svg/]); // a fixture has no badge
});

test("pages of a PDF lie beside each other on a desk, and below each other on a phone", async ({ browser }) => {
  await watched(
    browser,
    {},
    async (page) => {
      await page.goto(addressOf("object-pdf"));
      for (const width of [1280, 390]) {
        await page.setViewportSize({ width, height: 800 });
        const [one, two] = await page
          .locator(".strip > *")
          .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().toJSON() as DOMRect));
        expect([(one?.right ?? 0) <= (two?.left ?? 0), (one?.bottom ?? 0) <= (two?.top ?? 0)]).toEqual([width === 1280, width === 390]);
      }
    },
    [/\.png/],
  );
});

test("the text of a page of a PDF that did not come is asked for once more, when it is opened once more", async ({ browser }) => {
  await watched(
    browser,
    {},
    async (page) => {
      await page.route(addressOf("object-pdf"), async (route) => {
        const answer = await route.fetch();
        await route.fulfill({ response: answer, body: (await answer.text()).replace(/data-count="2"/, 'data-count="3"') });
      });
      await page.route("**/index.md", (route) => route.fulfill({ body: "Twin.\n[page 3]\nThe third.\n" }));
      await page.route("**/index.md", (route) => route.fulfill({ status: 503 }), { times: 1 });
      await page.goto(`${addressOf("object-pdf")}#page=3`);
      const text = page.locator("#page-3 details");
      await expect(text).toContainText("Its text did not come");
      await text.locator("summary").click();
      await text.locator("summary").click();
      await expect(text.locator("p")).toHaveText("The third.");
    },
    [/\.png/, /^503 /],
  );
});

test("a slash goes to the search, and a button copies a digest, a citation and a command as they are shown", async ({ browser }) => {
  await watched(browser, { ...NARROW, permissions: ["clipboard-read", "clipboard-write"] }, async (page) => {
    await page.goto(addressOf("record"));
    await page.keyboard.press("/");
    await expect(page.locator("input[name=q]")).toBeFocused();
    await page.keyboard.press("Escape");
    await page.getByText("About this record").click();
    await page.getByText("Details", { exact: true }).click();
    await page.locator(".spine .digest button").first().click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^[0-9a-f]{40}$/);
    await page.getByText("as a sentence").click();
    for (const [name, place] of [
      ["Copy citation", ".spine .command p"],
      ["Copy command", ".after .command pre"],
    ] as const) {
      await page.getByRole("button", { name }).first().click();
      const shown = await page.locator(place).first().textContent();
      await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(shown);
    }
  });
});

test("the search page answers from files alone, with the same card: half a word finds, and what is found is shown as text", async ({
  browser,
}) => {
  await watched(browser, NARROW, async (page) => {
    await page.goto(`${addressOf("search-start")}?q=insert`);
    await page.locator(".card").first().waitFor();
    assert.deepEqual((await page.locator(".card-title").allTextContents()).sort(), [SAID, "First"]);
    const path = await page
      .locator(".card-title")
      .first()
      .evaluate((link) => new URL((link as HTMLAnchorElement).href).pathname);
    assert.ok(path.startsWith("/search-start/object/"), path);
    assert.equal(await page.locator(".card mark").count(), 2);
    // Templates are read when the script loads: what a page has later is none.
    await page.evaluate(() => document.querySelectorAll("template").forEach((one) => one.remove()));
    await page.locator("input[name=q]").fill("insertion");
    await expect(page.locator("[data-status]")).toHaveText("2 results");
    await page.waitForURL(/q=insertion$/);
    assert.equal(await page.locator(".card-title").count(), 2);
    await page.locator("input[name=q]").fill("nowhere");
    await page.getByText("Nothing found").waitFor();
  });
});

/** A title with names of places of a card: each is shown as it stands. */
const SAID = "<b>{link}</b> {facts.text} {line}";

/** buildIndex makes the search of two pages, as an export does. */
async function buildIndex(): Promise<ReadonlyMap<string, Uint8Array>> {
  const { createIndex, close } = await import("pagefind");
  const { index } = await createIndex({ forceLanguage: "en" });
  assert.ok(index !== undefined);
  for (const [number, title] of ["First", SAID].entries()) {
    const content = `about insertion <script>alert(1)</script> number ${number}`;
    const meta = { title, key: `notes/${number}.md`, kind: "markdown" };
    await index.addCustomRecord({ url: `object/${number}/`, content, language: "en", meta, filters: { kind: ["markdown"] } });
  }
  const { files } = await index.getFiles();
  await close();
  return new Map(files.map(({ path, content }) => [`/pagefind/${path}`, content]));
}

const mediaTypeOf = (path: string): string =>
  path.includes(".js") ? "text/javascript" : path.includes(".wasm") ? "application/wasm" : "application/octet-stream";
