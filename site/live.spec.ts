/** What browser scripts say and do when an answer is late, refused, broken off or of another question. */
import { createIndex, close } from "pagefind";
import { type BrowserContextOptions, expect, type Page, type Route, test } from "playwright/test";
import { openFixtureSite, watched } from "./page-fixture.ts";

const WIDE: BrowserContextOptions = { viewport: { width: 1280, height: 900 } };
/** A refusal is what is looked at here. */
const REFUSED = [/^(?:503|404|failed) /];

let site: Awaited<ReturnType<typeof openFixtureSite>>;
test.beforeAll(async () => {
  const files = await indexOf("Rockets", "Sorting");
  site = await openFixtureSite((url) => {
    const body = files.get(/\/pagefind\/[^?]*/.exec(url)?.[0] ?? "");
    return body === undefined ? null : { status: 200, type: url.includes(".js") ? "text/javascript" : "application/octet-stream", body };
  });
});
test.afterAll(() => site.close());

async function indexOf(...titles: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
  const { index } = await createIndex({ forceLanguage: "en" });
  for (const title of titles)
    await index?.addCustomRecord({
      url: `object/${title}/`,
      content: `${title} and proofs`,
      language: "en",
      meta: { title, key: title, kind: "text" },
    });
  const files = (await index?.getFiles())?.files ?? [];
  await close();
  return new Map(files.map(({ path, content }) => [`/pagefind/${path}`, content]));
}

/** answerSearch answers searches as a server does, each with one result named after its query. */
async function answerSearch(page: Page, answer?: (route: Route, query: string) => Promise<void> | null): Promise<void> {
  await page.route(/\/search\/\?q=/, (route) => {
    const query = new URL(route.request().url()).searchParams.get("q") ?? "";
    const card = `<li class="card"><a class="card-title" href="/front/object/${query}/">About ${query}</a><p class="card-facts"><span>Text</span></p></li>`;
    const body = `<title>${query}</title><div data-root="/front/" data-answered="yes"><p data-status>1 result</p><ol>${query.length < 5 ? "" : card}</ol></div>`;
    return answer?.(route, query) ?? route.fulfill({ contentType: "text/html", body });
  });
}

async function openLive(page: Page): Promise<ReturnType<Page["locator"]>> {
  await page.goto(`${site.url}/front/`);
  const field = page.locator("form.search input[data-search]").first();
  await field.click();
  return field;
}

// Both ask by the same script: each file that may be missing is missing for one of them, and the server's answer for the other.
for (const [where, files, asks] of [
  [
    "search page",
    [/pagefind-entry\.json/, /pagefind\.js/, /pf_meta/],
    async (page: Page, query: string) => page.getByRole("searchbox").fill(query),
  ],
  [
    "field of any page",
    [/pf_index/, /pf_fragment/, /search\/\?q=/],
    async (page: Page, query: string) => page.locator("input[data-search]").first().fill(query),
  ],
] as const)
  test(`a request that did not come ends no search on the ${where}, and is told as what it is`, async ({ browser }) => {
    const allowed = [...REFUSED, /^console: .*(?:pagefind|Failed to)/i];
    for (const broken of files) {
      await watched(
        browser,
        WIDE,
        async (page) => {
          await page.goto(where === "search page" ? `${site.url}/search-start/search/` : `${site.url}/front/`);
          // A host of files gives the form back, whatever is asked.
          if (where !== "search page") {
            await page.locator("input[data-search]").first().click();
            const form = await (await page.request.get(`${site.url}/search-start/search/`)).text();
            await page.route(/\/front\/search\/\?q=/, (route) => route.fulfill({ contentType: "text/html", body: form }));
            await page.route(/\/front\/pagefind\//, async (route) => {
              const url = route.request().url().replace("/front/", "/search-start/");
              await route.fulfill({ response: await route.fetch({ url }) });
            });
          }
          await page.route(broken, (route) => route.abort());
          await asks(page, "rocket");
          await expect(page.getByText("could not be reached")).toBeVisible();
          await expect(page.getByText("Nothing found")).toHaveCount(0);
          await page.unroute(broken);
          if (where !== "search page" && broken.source.includes("search"))
            await page.route(/\/front\/search\/\?q=/, async (route) =>
              route.fulfill({ response: await route.fetch({ url: `${site.url}/search-start/search/` }) }),
            );
          await asks(page, "sorting");
          await expect(
            page
              .getByRole("link", { name: /Sorting/ })
              .or(page.locator("#found [role=option]", { hasText: /Sorting/ }))
              .first(),
          ).toBeVisible();
        },
        allowed,
      );
    }
  });

test("a refused search is no search that found nothing", async ({ browser }) => {
  await watched(
    browser,
    WIDE,
    async (page) => {
      await answerSearch(page, (route) => route.fulfill({ status: 503, body: "" }));
      const field = await openLive(page);
      await field.fill("sorting");
      await expect(page.locator("#found")).toHaveText("The search did not answer (503). Try again in a while.");
      await page.unroute(/\/search\/\?q=/);
      for (const part of [/search\/\?q=/, /pf_index/, /pagefind-entry/]) {
        await page.route(part, (route) => route.fulfill({ status: 503, body: "" }));
        await page.goto(`${site.url}/search-start/search/`);
        await page.getByRole("searchbox").fill("sorting");
        await expect(page.locator("[data-status]")).toHaveText("The search did not answer (503). Try again in a while.");
        await page.unroute(part);
      }
    },
    [...REFUSED, /^console: .*pagefind/],
  );
});

test("half a word is not said to be nothing, and below three letters nothing is said", async ({ browser }) => {
  await watched(browser, WIDE, async (page) => {
    await answerSearch(page);
    const field = await openLive(page);
    await field.fill("mer");
    await expect(page.locator("#found")).toHaveText("Enter searches everywhere for “mer”.");
    await field.fill("me");
    await expect(page.locator("#found")).toBeHidden();
    await field.fill("merkle");
    await expect(page.locator("#found [role=option]", { hasText: /About merkle/ })).toBeVisible();
  });
});

test("the results hang under their field: as wide as the form, and in no window wider than it", async ({ browser }) => {
  for (const width of [390, 1280])
    await watched(browser, { viewport: { width, height: 900 } }, async (page) => {
      await answerSearch(page);
      const field = await openLive(page);
      await field.fill("merkle");
      await expect(page.locator("#found [role=option]")).toBeVisible();
      const [form, found] = [await page.locator("form.search").first().boundingBox(), await page.locator("#found").boundingBox()];
      expect([found?.x, found?.width]).toEqual([form?.x, form?.width]);
    });
});

test("Enter acts on what is typed and not on results of what was typed before", async ({ browser }) => {
  await watched(browser, WIDE, async (page) => {
    let held: () => void = () => undefined;
    const wait = new Promise<void>((resolve) => (held = resolve));
    await answerSearch(page, (route, query) =>
      query === "rocketword" && route.request().isNavigationRequest() === false ? wait.then(() => route.abort()) : null,
    );
    const field = await openLive(page);
    await field.fill("proofs");
    await expect(page.locator("#found [role=option]")).toBeVisible();
    await page.keyboard.press("ArrowDown");
    await expect(field).toHaveAttribute("aria-activedescendant", "found-0");
    await page.keyboard.press("Control+A");
    await page.keyboard.type("rocketword");
    await expect(field).not.toHaveAttribute("aria-activedescendant", /./);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL(/search\/\?q=rocketword/);
    held();
  });
});

test("an answer that comes late is shown beside no later query, and in no field that was left", async ({ browser }) => {
  await watched(browser, WIDE, async (page) => {
    const held: (() => void)[] = [];
    await answerSearch(page);
    await page.route(/\?q=slowly/, async (route) => {
      await new Promise<void>((resolve) => held.push(resolve));
      await route.fallback();
    });
    const release = async (): Promise<void> => {
      const came = page.waitForResponse(/\?q=slowly/);
      held.splice(0).forEach((go) => go());
      await (await came).finished();
      await page.waitForTimeout(100);
    };
    for (const path of ["search-start/search/", "front/"]) {
      await page.goto(`${site.url}/${path}`);
      const field = page.locator("form.search input[name=q]").first();
      await field.click();
      await field.fill("slowly");
      await expect.poll(() => held.length).toBe(1);
      await field.fill("proofs");
      await expect(page.getByText("About proofs")).toBeVisible();
      await release();
      await expect(page.getByText("About slowly")).toHaveCount(0);
    }
    const field = page.locator("form.search input[name=q]").first();
    await field.fill("slowly");
    await expect.poll(() => held.length).toBe(1);
    // The list stays while the form has the focus, and is not drawn anew for a field that was left.
    await page.locator("form.search button").first().focus();
    await release();
    await expect(page.getByText("About slowly")).toHaveCount(0);
  });
});

test("keys of an input method are left to it, and Escape closes the list once and for all", async ({ browser }) => {
  await watched(browser, WIDE, async (page) => {
    await answerSearch(page);
    const field = await openLive(page);
    await field.fill("proofs");
    await expect(page.locator("#found [role=option]")).toBeVisible();
    const taken = await field.evaluate((input) =>
      ["ArrowDown", "ArrowUp", "Enter", "Escape"].map(
        (key) => !input.dispatchEvent(new KeyboardEvent("keydown", { key, isComposing: true, cancelable: true, bubbles: true })),
      ),
    );
    expect(taken).toEqual([false, false, false, false]);
    await expect(page.locator("#found [role=option]")).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(page.locator("#found")).toBeHidden();
    await expect(field).toHaveValue("proofs");
    await page.keyboard.press("Escape");
    await page.waitForTimeout(400);
    await expect(page.locator("#found")).toBeHidden();
  });
});

const say = (event: string, data: object): string => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
const answerOf = (question: string): string =>
  say("text", { text: `It is ${question}.`, citations: [], counted: [] }) +
  (question.startsWith("broken") ? "" : say("answer", { mode: "search", notice: "", answer: "", citations: [], sources: [] }));

async function openAsk(page: Page): Promise<void> {
  await page.route("**/api/ask", (route) => {
    const { question } = route.request().postDataJSON() as { question: string };
    if (question === "busy")
      return route.fulfill({
        status: 503,
        contentType: "application/json",
        body: JSON.stringify({ detail: "Too many questions at once." }),
      });
    if (question === "silent") return route.fulfill({ status: 502, body: "" });
    if (question === "nobody") return route.fulfill({ status: 404, body: "" });
    return route.fulfill({ contentType: "text/event-stream", body: answerOf(question) });
  });
  await page.goto(`${site.url}/ask-start/ask/`);
}

async function ask(page: Page, question: string): Promise<void> {
  await page.getByLabel("Your question").fill(question);
  await page.getByRole("button", { name: "Ask" }).click();
}

test("a refused question is told as it was refused", async ({ browser }) => {
  await watched(
    browser,
    WIDE,
    async (page) => {
      await openAsk(page);
      for (const [question, says] of [
        ["busy", "Too many questions at once."],
        ["silent", "The service did not answer (502). Try again in a while."],
        ["nobody", "This address serves files and search. It asks no model and gives no answers."],
      ] as const) {
        await ask(page, question);
        await expect(page.getByText(says)).toBeVisible();
      }
    },
    [/^(?:502|503|404) /],
  );
});

test("an answer that was given up stays below as one that broke off, and a whole one without a word", async ({ browser }) => {
  await watched(browser, WIDE, async (page) => {
    await openAsk(page);
    for (const question of ["broken", "whole", "last"]) {
      await ask(page, question);
      await expect(page.locator("[data-answer]")).toHaveText(`It is ${question}.`);
    }
    expect((await page.locator("[data-thread] details p").allTextContents()).map((text) => text.trim())).toEqual([
      "It is whole.",
      "It is broken. (broken off)",
    ]);
  });
});

test("going back shows the answer of the address, and the link to the content keeps what is typed", async ({ browser }) => {
  await watched(browser, WIDE, async (page) => {
    await openAsk(page);
    await ask(page, "first");
    await expect(page.locator("[data-answer]")).toHaveText("It is first.");
    const collection = page.locator("select[name=prefix]");
    await collection.selectOption({ index: 1 });
    await ask(page, "first");
    await page.waitForURL(/prefix=/);
    const loaded = page.waitForEvent("load");
    await page.goBack();
    await loaded;
    await expect(collection).toHaveValue("");
    await page.getByLabel("Your question").fill("half a question");
    await page.evaluate(() => (location.hash = "content"));
    await page.waitForTimeout(300);
    await expect(page.getByLabel("Your question")).toHaveValue("half a question");
  });
});
