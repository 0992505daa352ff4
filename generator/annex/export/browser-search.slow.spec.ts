/** The search page in a browser, over the same library on a server and exported to a plain host: what it asks for is counted, typing and
 *  sending the form say the same, and what is shown is read as text. */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { AxeBuilder } from "@axe-core/playwright";
import { type Browser, expect, type Page, test } from "playwright/test";
import { openStaticServer } from "../../../snapshots/contract/static-server.ts";
import { CLI, type ServingProcess, startServing } from "../../testing/serving-process.ts";

/** Enough pages that results are a few of many. */
const NOTES = 700;
/** Requests of a first query, from the first key on. */
const MAX_REQUESTS = 20;
const COQ =
  "(** Keeps a list sorted. *)\n\n(* Weasels are not mentioned. *)\nLemma weasel_keeps :\n  forall x, x = x.\nProof. reflexivity. Qed.\n";
const HERON = "# The **grey** heron\n\nA heron `stands` in [shallow water](https://x.example/), and _waits_.\n";
const LETTERS = "# Letters\n\nSøren of København writes C++ in a کتاب\u200cخانه.\n";
const RECORDS = [
  { id: "CUB-0001", theorem_name: "magpie_swims", kind: "Theorem", repo: "birds", statement: "every magpie swims" },
  { id: "CUB-0002", theorem_name: "magpie_rests", module: "Banks.River", kind: "Lemma", repo: "birds", statement: "some magpie rests" },
];

let folder = "";
let files: Awaited<ReturnType<typeof openStaticServer>>;
let server: ServingProcess;

test.beforeAll(async () => {
  test.setTimeout(300_000);
  folder = await mkdtemp(join(tmpdir(), "browser-search-spec-"));
  const texts: Record<string, string> = {
    "proofs/Weasel.v": COQ,
    "copies/Weasel.v": COQ,
    "notes/heron.md": HERON,
    "notes/letters.md": LETTERS,
    "drafts/gated.md": "# Gated otter\n\nThe otter swims where nobody may see it.\n",
  };
  for (let at = 0; at < NOTES; at++) texts[`notes/n${at}.md`] = `# Note ${at}\n\nA heron was seen on day${at}, beside bird${at % 7}.\n`;
  for (const [key, text] of Object.entries(texts)) {
    await mkdir(dirname(join(folder, "library", key)), { recursive: true });
    await writeFile(join(folder, "library", key), text);
  }
  const config = join(folder, "proofshelf.yaml");
  const collections = ["notes", "proofs", "copies", "drafts"].map((id) => ({
    id,
    prefix: `${id}/`,
    title: `The ${id}`,
    visibility: id === "drafts" ? "email-gated" : "public",
  }));
  const store = { kind: "directory", root: "./library" };
  const shelf = { kind: "directory", root: "./shelf" };
  const registry = { path: "./registry.json" };
  await writeFile(join(folder, "registry.json"), JSON.stringify({ meta: {}, cubs: RECORDS }));
  await writeFile(config, JSON.stringify({ title: "Birds", store, shelf, embeddings: { kind: "none" }, collections, registry }));
  const run = (...args: string[]) => promisify(execFile)(process.execPath, [CLI, ...args, "--config", config]);
  await run("build");
  await run("export", join(folder, "export"));
  files = await openStaticServer(join(folder, "export"), "/some/library");
  server = await startServing(["--only", "site", "--config", config]);
});

test.afterAll(async () => {
  await server.stop();
  await files.close();
  await rm(folder, { recursive: true, force: true });
});

type Host = { readonly name: string; readonly url: () => string };
const STATIC: Host = { name: "a plain host", url: () => files.url };
const SERVER: Host = { name: "a server", url: () => `${server.url}/` };

/** A search page that counts what it asks for, and takes no error. */
async function withPage(browser: Browser, url: string, work: (page: Page, asked: string[]) => Promise<void>): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
  const page = await context.newPage();
  const wrong: string[] = [];
  const asked: string[] = [];
  page.on("console", (message) => message.type() === "error" && wrong.push(message.text()));
  page.on("pageerror", (error) => wrong.push(error.message));
  page.on("request", (request) => !request.url().endsWith(".svg") && asked.push(request.url()));
  try {
    await page.goto(url);
    await work(page, asked);
    expect(wrong).toEqual([]);
  } finally {
    await context.close();
  }
}

const titles = (page: Page): Promise<string[]> => page.locator(".card-title").allTextContents();

async function type(page: Page, query: string): Promise<void> {
  const shown = page.locator("main");
  const before = await shown.textContent();
  await page.getByRole("searchbox").fill(query);
  await expect(shown).not.toHaveText(before ?? "");
}

for (const host of [STATIC, SERVER]) {
  test(`on ${host.name}, typing and sending the form give the same results in the same order`, async ({ browser }) => {
    await withPage(browser, `${host.url()}search/`, async (page) => {
      for (const query of ["heron bird3", "weasel_keeps", "grey heron", "day77"]) {
        await page.goto(`${host.url()}search/`);
        await type(page, query);
        const typed = await titles(page);
        expect(typed.length).toBeGreaterThan(0);
        await page.getByRole("button", { name: "Search" }).click();
        await page.waitForURL(/\?q=/);
        await expect(page.locator(".card").first()).toBeVisible();
        expect((await titles(page)).slice(0, 5), query).toEqual(typed.slice(0, 5));
      }
    });
  });
}

test("on a server, what is found is shown as text, with its declaration and its line, and with all its places", async ({ browser }) => {
  const host = SERVER;
  {
    await withPage(browser, `${host.url()}search/`, async (page) => {
      await type(page, "weasel_keeps");
      const card = page.locator(".card").first();
      await expect(card.locator("pre.code")).toHaveText("Lemma weasel_keeps :\n  forall x, x = x.");
      await expect(card).toContainText("weasel_keeps, line 4");
      await expect(card.locator("a.card-title")).toHaveAttribute("href", /#L4$/);
      const places = [await card.locator("code.shelfmark").textContent(), await card.locator("a.shelfmark").textContent()];
      expect(places.sort()).toEqual(["copies/Weasel.v", "proofs/Weasel.v"]);
      expect((await titles(page)).length).toBe(1);
      await type(page, "grey heron shallow water");
      await expect(page.locator(".card-line").first()).toHaveText("A heron stands in shallow water, and waits.");
      await expect(page.locator(".card mark").first()).toBeVisible();
      const { violations } = await new AxeBuilder({ page }).analyze();
      expect(violations.map(({ id }) => id)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    });
  }
});

test("on a plain host, what is found is shown as text, and leads to where its words stand", async ({ browser }) => {
  await withPage(browser, `${STATIC.url()}search/`, async (page) => {
    await type(page, "weasel_keeps");
    const card = page.locator(".card").first();
    await expect(card.locator(".card-line")).toContainText("Lemma weasel_keeps");
    await expect(card.locator("a.card-title")).toHaveAttribute("href", /Weasel\.v\/#:~:text=/);
    expect((await page.locator(".card code.shelfmark").allTextContents()).sort()).toEqual(["copies/Weasel.v", "proofs/Weasel.v"]);
    await type(page, "shallow wat");
    await expect(page.locator(".card mark").first()).toBeVisible();
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map(({ id }) => id)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
  });
});

test("on a server, a word that stands nowhere is taken for the one that is near it, and that is said", async ({ browser }) => {
  const host = SERVER;
  {
    await withPage(browser, `${host.url()}search/`, async (page) => {
      for (const [query, meant, key] of [
        ["grey hreon", "grey heron", "notes/heron.md"],
        ["weasel_keps", "weasel_keeps", "copies/Weasel.v"],
        ["magpie_swins", "magpie_swims", "CUB-0001"],
      ] as const) {
        await type(page, query);
        await expect(page.locator(".card .shelfmark").first()).toHaveText(key);
        const hint = page.getByText("Nothing here is written so.");
        await expect(hint).toHaveText(`Nothing here is written so. Did you mean ${meant}?`);
        await hint.getByRole("link").click();
        await page.waitForURL((url) => url.searchParams.get("q") === meant);
        await expect(page.locator(".card .shelfmark").first()).toHaveText(key);
        await expect(page.locator("main")).not.toContainText("Did you mean");
      }
      await type(page, "zq9f0b7d614e858a");
      await expect(page.locator("[data-status]")).toContainText("Nothing found");
    });
  }
});

for (const host of [STATIC, SERVER]) {
  test(`on ${host.name}, filters stand on top, folded on a phone, and narrow what is found`, async ({ browser }) => {
    await withPage(browser, `${host.url()}search/?q=heron+weasel`, async (page) => {
      const filters = page.getByRole("complementary", { name: "Filters" });
      await filters.locator("summary").first().click();
      await filters.getByRole("link", { name: "Source code" }).click();
      await expect(page.locator(".card")).toHaveCount(1);
      await expect(page.locator("code.shelfmark")).toHaveText(/Weasel\.v/);
      const [navigation, card] = [await filters.boundingBox(), await page.locator(".card").first().boundingBox()];
      expect((navigation?.y ?? 0) < (card?.y ?? 0)).toBe(true);
    });
    await withPage(browser, `${host.url()}search/?q=heron+weasel&prefix=proofs%2F`, async (page) => {
      await expect(page.locator(".card")).toHaveCount(1);
    });
  });
}

test("what a query names outright or narrows is first on a plain host as on a server", async ({ browser }) => {
  const heron = createHash("sha256").update(HERON).digest("hex");
  const first = async (host: Host, query: string): Promise<string> => {
    let key = "";
    await withPage(browser, `${host.url()}search/?q=${encodeURIComponent(query)}`, async (page) => {
      await expect(page.locator(".card").first()).toBeVisible();
      key = (await page.locator(".card .shelfmark").first().textContent()) ?? "";
    });
    return key;
  };
  for (const [query, key] of [
    [heron, "notes/heron.md"],
    [heron.slice(0, 10), "notes/heron.md"],
    ["notes/n500.md", "notes/n500.md"],
    ["Note 431", "notes/n431.md"],
    ["weasel_keeps", "copies/Weasel.v"],
    ["CUB-0002", "CUB-0002"],
    ["magpie_rests", "CUB-0002"],
    ["River.magpie_rests", "CUB-0002"],
    ['"shallow water"', "notes/heron.md"],
    ["kind:theorem", "CUB-0001"],
    ["kind:lemma", "CUB-0002"],
    ["repo:birds magpie_rests", "CUB-0002"],
    ["kind:code keeps", "copies/Weasel.v"],
    ["in:notes/h heron", "notes/heron.md"],
    ["in:proofs/ weasel", "proofs/Weasel.v"],
  ] as const) {
    for (const host of [SERVER, STATIC]) expect(await first(host, query), `${query} on ${host.name}`).toBe(key);
  }
});

test("on a plain host a query asks for few files, a later one for fewer", async ({ browser }) => {
  await withPage(browser, `${files.url}search/`, async (page, asked) => {
    const before = asked.length;
    await type(page, "heron bird3");
    await page.waitForLoadState("networkidle");
    expect(asked.length - before).toBeLessThanOrEqual(MAX_REQUESTS);
    const first = asked.length;
    await type(page, "day77");
    await page.waitForLoadState("networkidle");
    // Words of the query and its results: Pagefind's program and its filters are there.
    expect(asked.length - first).toBeLessThanOrEqual(2 + 8);
    await type(page, "heron");
    await page.getByRole("button", { name: "More results" }).click();
    await expect(page.locator(".card")).toHaveCount(20);
  });
});

test("on a plain host half a word finds, and the registry's filters lead to records", async ({ browser }) => {
  await withPage(browser, `${files.url}search/`, async (page) => {
    await type(page, "weas");
    await expect(page.locator("code.shelfmark").first()).toHaveText(/Weasel\.v/);
    await page.goto(`${files.url}registry/?repo=birds&kind=Lemma`);
    await page.waitForURL(/search/);
    await expect(page.locator("code.shelfmark")).toHaveText(["CUB-0002"]);
    await page.goto(`${files.url}registry/?q=magpie`);
    await expect(page.locator(".card")).toHaveCount(2);
  });
});

for (const host of [STATIC, SERVER])
  test(`on ${host.name}, letters are found as people type them, and names by their signs`, async ({ browser }) => {
    await withPage(browser, `${host.url()}search/`, async (page) => {
      for (const query of ["soren", "Søren", "kobenhavn", "C++", "كتابخانه"]) {
        await page.goto(`${host.url()}search/`);
        await type(page, query);
        expect((await titles(page))[0], query).toBe("Letters");
      }
    });
  });

test("a server is asked instead of Pagefind", async ({ browser }) => {
  await withPage(browser, `${server.url}/search/`, async (page, asked) => {
    await type(page, "heron bird3");
    await page.waitForLoadState("networkidle");
    expect(asked.filter((url) => url.includes("/pagefind/"))).toEqual([]);
    await type(page, "zq9f0b7d614e858a");
    await expect(page.locator("[data-status]")).toHaveText("Nothing found.");
  });
});

test("what is gated is in no part of an export's search", async ({ browser }) => {
  await withPage(browser, `${files.url}search/?q=otter`, async (page) => {
    await expect(page.locator("[data-status]")).toContainText("Nothing found");
    await expect(page.locator(".card")).toHaveCount(0);
  });
});
