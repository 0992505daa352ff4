/** Asking, quoting and searching on the demo library, served by the real command, with and without JavaScript. */
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { type Browser, expect, type Page } from "playwright/test";
import { type Demo, test } from "./demo-fixture.ts";
import { expectFine } from "./page-fixture.ts";

/** One that a sentence of the library answers. */
const QUOTABLE = "What does a Merkle proof prove?";
const QUESTION = "Why does a digest need a canonical form?";

let demo: Demo;
let service = "";
let files = "";

test.describe.configure({ mode: "serial" });

test.beforeAll(({ demo: opened }) => {
  demo = opened;
  [service, files] = [demo.service.slice(0, -1), demo.site.slice(0, -1)];
});

test.beforeEach(() => {
  demo.behaviour = async (user, response) => say(response, sentencesOf(user).join("\n"));
});

function say(response: ServerResponse, text: string): void {
  for (let at = 0; at < text.length; at += 9)
    response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: text.slice(at, at + 9) } }] })}\n\n`);
}

/** One sentence of each of the first two excerpts, cited as the prompt asks for it. */
function sentencesOf(user: string): readonly string[] {
  const excerpts = [...user.matchAll(/<<(\S+) excerpt (\d+): [^\n]*>>\n([^]*?)\n<<\1 end/g)];
  return excerpts
    .flatMap(([, , n, text = ""]) => {
      const sentence = text.split("\n").find((line) => /^[A-Za-z][\w ,;:.*()-]{30,200}$/.test(line));
      return sentence === undefined ? [] : [`${sentence.replace(/[,:;.]?$/, ".")} [${n} "${sentence}"]`];
    })
    .slice(0, 2);
}

async function ask(page: Page, question = QUESTION): Promise<void> {
  await page.goto(`${service}/ask/`);
  await page.getByLabel("Your question").fill(question);
  await page.getByRole("button", { name: "Ask" }).click();
}

async function withoutScript(browser: Browser, use: (page: Page) => Promise<void>): Promise<void> {
  const context = await browser.newContext({ javaScriptEnabled: false });
  try {
    await use(await context.newPage());
  } finally {
    await context.close();
  }
}

/** The marked text of a page's quoted lines, and the bytes of those lines in the snapshot that the address names. */
async function readQuote(page: Page): Promise<{ readonly marked: string; readonly lines: string }> {
  const marked = (
    await page
      .locator("#quote li")
      .evaluateAll((items) => items.map((item) => [...item.querySelectorAll("mark")].map((mark) => mark.textContent).join("")))
  )
    .filter((text) => text !== "")
    .join("\n");
  const { pathname, searchParams } = new URL(page.url());
  const [, start, end] = /^(\d+)(?:-(\d+))?$/.exec(searchParams.get("lines") ?? "") ?? [];
  const bytes = await (await page.request.get(service + pathname.replace("/object/", "/objects/").replace(/\/$/, ""))).text();
  return {
    marked,
    lines: bytes
      .split("\n")
      .slice(Number(start) - 1, Number(end ?? start))
      .join("\n"),
  };
}

test("without JavaScript: a form, an answer, and quotes that open at their lines in the snapshot with the quote marked", async ({
  browser,
}) => {
  await withoutScript(browser, async (page) => {
    await ask(page);
    await expect(page).toHaveURL(/\/ask\/\?question=Why\+does/);
    await expect(page.locator("[data-status]")).toHaveText("Answered. Written by a-model; each sentence is checked against a quote.");
    await expect(page.getByLabel("Your question")).toHaveValue(QUESTION);
    await page.locator("a.cite").first().click();
    await expect(page).toHaveURL(/#c1$/);
    const quote = page.locator("#c1 blockquote");
    const said = await quote.textContent();
    await page.locator("#c1 a").click();
    await expect(page).toHaveURL(/\/at\/[0-9a-f]{64}\/object\/.*\?lines=\d+.*#quote$/);
    const { marked, lines } = await readQuote(page);
    expect(marked).toBe(said);
    expect(lines).toContain(marked);
    await expect(page.locator("[data-cited]").first()).toBeVisible();
    await page.getByRole("link", { name: "See it in the text" }).click();
    expect(
      await page
        .locator("[data-cited]")
        .first()
        .evaluate((place) => place.getBoundingClientRect().top < innerHeight),
    ).toBe(true);
  });
});

test("without JavaScript: lines are quoted for every kind of text, and what does not stand there is said not to", async ({ browser }) => {
  await withoutScript(browser, async (page) => {
    const catalog = (await (await page.request.get(`${service}/api/catalog`)).json()) as {
      readonly collections: readonly { readonly objects: readonly { readonly key: string; readonly kind: string }[] }[];
    };
    const objects = catalog.collections.flatMap(({ objects }) => objects).filter(({ key }) => /^[\w/.-]+$/.test(key));
    for (const kind of ["markdown", "code", "text", "html", "latex", "json", "yaml", "csv"]) {
      const key = objects.find((object) => object.kind === kind)?.key;
      expect(key, kind).toBeDefined();
      await page.goto(`${service}/object/${key}/?lines=2-3`);
      const { marked } = await readQuote(page);
      const bytes = await (await page.request.get(`${service}/objects/${key}`)).text();
      expect(marked.trim(), kind).toBe(
        bytes
          .split("\n")
          .slice(1, 3)
          .map((line) => line.replace(/\r$/, ""))
          .join("\n")
          .trim(),
      );
    }
    await page.goto(`${service}/object/notes/canonical-json.md/?lines=1&quote=not%20there`);
    await expect(page.getByRole("alert")).toContainText("does not stand at line 1");
    await page.goto(`${service}/object/notes/canonical-json.md/?lines=9999`);
    await expect(page.getByRole("alert")).toContainText("no text at line 9999");
    expect((await page.request.get(`${service}/object/notes/canonical-json.md/?lines=x`)).status()).toBe(400);
  });
});

test("the answer comes sentence by sentence, and a number opens its lines beside it", async ({ page }) => {
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  demo.behaviour = async (user, response) => {
    const [first, second] = sentencesOf(user);
    say(response, `${first}\n`);
    await held;
    say(response, `${second}\n`);
  };
  await ask(page);
  const answer = page.locator("[data-answer]");
  await expect(answer.locator("a.cite")).toHaveCount(1);
  // The sentence says the quote itself: its card has the source alone.
  await expect(page.locator("#c1")).toBeVisible();
  await expect(page.locator("[data-status]")).toHaveText("Reading the sources…");
  release();
  await expect(answer.locator("a.cite")).toHaveCount(2);
  await expect(page.locator("[data-status]")).toHaveText(/Written by a-model/);
  await expect(page.locator("[data-sources] .card").first()).toBeHidden();
  await page.getByText("All that was found for it").click();
  await expect(page.locator("[data-sources] .card").first()).toBeVisible();
  await expect(page).toHaveURL(/\/ask\/\?question=Why\+does/);
  // The server's page of the same address says the same.
  const streamed = (await answer.textContent())?.trim();
  const said = await page.locator("#c1 blockquote").textContent();

  // Lines that did not come are asked for once more by the next click.
  await page.route("**/at/**", (route) => route.abort());
  const refused = page.waitForEvent("requestfailed");
  await answer.locator("a.cite").first().click();
  await refused;
  await expect(page.locator("#c1[aria-current]")).toBeVisible();
  await page.unroute("**/at/**");
  errors.length = 0;
  await answer.locator("a.cite").first().click();
  await expect(page.locator("#c1[aria-current] .quoted mark").first()).toBeVisible();
  expect(
    (
      await page
        .locator("#c1 .quoted li")
        .evaluateAll((items) => items.map((item) => [...item.querySelectorAll("mark")].map((mark) => mark.textContent).join("")))
    )
      .filter((text) => text !== "")
      .join("\n"),
  ).toBe(said);
  await expect(page.locator("#c1 .quoted li.quiet").first()).toBeVisible();
  await expect(page).toHaveURL(/\/ask\/\?question=[^#]*$/);
  await page.reload();
  expect((await answer.textContent())?.trim()).toBe(streamed);
  await page.goBack();
  await expect(page.getByLabel("Your question")).toHaveValue("");
  expect(errors).toEqual([]);
});

test("a copied answer has its citations, and what was asked before stays in the page and nowhere else", async ({ browser }) => {
  const context = await browser.newContext({ permissions: ["clipboard-read", "clipboard-write"] });
  try {
    const page = await context.newPage();
    await ask(page);
    const answer = page.locator("[data-answer]");
    await expect(page.locator("[data-status]")).toHaveText(/Written by a-model/);
    await answer.selectText();
    await page.keyboard.press("Control+c");
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    const said = await answer.innerText();
    expect(copied.startsWith(said.trim().slice(0, 60))).toBe(true);
    const place = page.locator("#c1 a").first();
    expect(copied).toContain(`[1] ${await place.innerText()} ${new URL((await place.getAttribute("href")) ?? "", page.url()).href}`);

    await page.getByLabel("Your question").fill(QUOTABLE);
    await page.getByRole("button", { name: "Ask" }).click();
    const before = page.locator("[data-thread] details");
    await expect(before).toHaveCount(1);
    await expect(before.locator("summary")).toHaveText(QUESTION);
    await before.locator("summary").click();
    await expect(before.locator("p")).toContainText(said.trim().slice(0, 60));
    await expect(page.locator("[data-status]")).toHaveText(/Written by a-model/);
    expect(await page.evaluate(() => JSON.stringify([localStorage, sessionStorage, document.cookie]))).not.toContain("canonical");
    await page.reload();
    await expect(before).toHaveCount(0);
  } finally {
    await context.close();
  }
});

test("a model that sends markup, links and commands adds none of it to the page", async ({ page }) => {
  demo.behaviour = async (user, response) => {
    say(
      response,
      `<img src=x onerror="document.title='owned'"> ![x](https://evil.example/x.png) [link](javascript:alert(1)) [1 "canonical"]\n${sentencesOf(user)[0]}\n`,
    );
  };
  const requests: string[] = [];
  page.on("request", (request) => requests.push(new URL(request.url()).host));
  await ask(page);
  await expect(page.locator("[data-status]")).toHaveText(/Written by a-model/);
  await expect(page.locator("[data-notice]")).toContainText("left out");
  await expect(page.locator("main img, main script, main a[href^='javascript']")).toHaveCount(0);
  expect(await page.title()).not.toContain("owned");
  expect([...new Set(requests)]).toEqual([new URL(service).host]);
});

test("a model that is down leaves quoted passages, with and without JavaScript", async ({ page, browser }) => {
  demo.behaviour = async (_, response) => void response.destroy();
  await ask(page, QUOTABLE);
  await expect(page.locator("[data-status]")).toHaveText(/Quoted from the library; no model wrote this\.$/);
  await expect(page.locator("[data-answer] a.cite").first()).toBeVisible();
  await withoutScript(browser, async (plain) => {
    await ask(plain, QUOTABLE);
    await expect(plain.locator("[data-status]")).toHaveText(/Quoted from the library; no model wrote this\.$/);
    await expect(plain.locator("[data-notice]")).toContainText("answer model");
  });
});

test("the receipt that the page offers holds when it is checked offline", async ({ page }) => {
  await ask(page);
  await expect(page.locator("[data-receipt]")).toBeVisible();
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "Receipt" }).click()]);
  expect(download.suggestedFilename()).toMatch(/^receipt-[0-9a-f]{12}\.json$/);
  const file = join(demo.folder, "receipt.json");
  await download.saveAs(file);
  expect(JSON.parse(await demo.run("verify", "--receipt", file, "--json"))).toEqual({ findings: [] });
});

test("where nothing answers, the page says so and leads to the search", async ({ page, browser }) => {
  await page.goto(`${files}/ask/`);
  await page.getByLabel("Your question").fill(QUESTION);
  await page.getByRole("button", { name: "Ask" }).click();
  await expect(page.getByRole("alert")).toContainText("serves files and search");
  await page.getByRole("link", { name: "Search for the same words" }).click();
  await expect(page.locator(".card").first()).toBeVisible();
  await withoutScript(browser, async (plain) => {
    await plain.goto(`${files}/ask/?question=${encodeURIComponent(QUESTION)}`);
    await expect(plain.getByRole("alert")).toContainText("serves files and search");
    await expect(plain.getByLabel("Your question")).toHaveValue(QUESTION);
    await plain.getByRole("link", { name: "Search for the same words" }).click();
    await expect(plain.locator(".card").first()).toBeVisible();
  });
});

test("search without JavaScript: words are marked, filters are links, an exact match says why it is first", async ({ browser }) => {
  await withoutScript(browser, async (page) => {
    await page.goto(`${service}/search/?q=canonical+digest`);
    await expect(page.locator(".card mark").first()).toHaveText(/canonical|digest/i);
    const filters = page.getByRole("navigation", { name: "Filters" });
    const others = page.locator(".card-facts").filter({ hasNotText: "Source code" });
    const before = await others.count();
    expect(before).toBeGreaterThan(0);
    await filters.getByRole("link", { name: "Source code" }).click();
    await expect(page).toHaveURL(/[?&]kind=code/);
    await expect(filters.getByRole("link", { name: "Source code" })).toHaveAttribute("aria-current", "true");
    const some = await page.locator(".card").count();
    expect(some).toBeGreaterThan(0);
    await expect(others).toHaveCount(0);
    expect(
      Number(
        await filters
          .locator("li", { has: page.locator("[aria-current]") })
          .locator(".number")
          .first()
          .textContent(),
      ),
    ).toBeGreaterThanOrEqual(some);
    await filters.getByRole("link", { name: "Source code" }).click();
    await expect(others).toHaveCount(before);
    await page.goto(`${service}/search/?q=CUB-0001`);
    await expect(page.locator(".card").first()).toContainText("first, because your words are exactly its id");
    await page.goto(`${service}/search/?q=canonical&kind=%3Cscript%3E&collection=nowhere`);
    await expect(page.getByText("Nothing found.")).toBeVisible();
    expect((await page.request.get(`${service}/api/search?q=canonical&kind=code`)).status()).toBe(400);
  });
});

test("light and dark, narrow and wide: nothing is cut off, and axe finds nothing", async ({ page }) => {
  await ask(page);
  await expect(page.locator("[data-receipt]")).toBeVisible();
  await page.locator("a.cite").first().click();
  await expect(page.locator("#c1 .quoted mark").first()).toBeVisible();
  await expectFine(page, "ask");
  await page.locator("#c1 a").click();
  await expect(page.locator("#quote mark").first()).toBeVisible();
  await expectFine(page, "quote");
  await page.goto(`${service}/search/?q=canonical+digest&kind=markdown`);
  await expectFine(page, "search");
});
