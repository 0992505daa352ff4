/** Ways that readers take through the demo library, and its pages. */
import { expect, type Page } from "playwright/test";

/** MISSING_IMAGE is the image of the hostile Markdown: it shows one that is not there; what it would have run on the error is gone. */
export const MISSING_IMAGE = /^404 .*\/objects\/notes\/x$/;

/** Follows a link and waits for the page behind it. */
async function follow(page: Page, name: string | RegExp, within = "main"): Promise<void> {
  const before = page.url();
  await page
    .locator(within)
    .getByRole("link", { name, exact: typeof name === "string" })
    .first()
    .click();
  await page.waitForURL((url) => url.href !== before);
}

export async function heading(page: Page): Promise<string> {
  return (await page.locator("h1").first().textContent())?.trim() ?? "";
}

/** walk returns the way of a reader who came to check something: from the front page to a claim, a record, its history, and back. */
export async function walk(page: Page, start: string): Promise<void> {
  await page.goto(start);
  expect(await heading(page)).toBe("The proofshelf demo library");
  // The note, and the claim that pins it.
  await expect(page.getByText("3 changed")).toBeVisible();

  await page.getByRole("navigation", { name: "Sections" }).getByRole("link", { name: "Files" }).click();
  await follow(page, /Notes|notes\//);
  expect(page.url()).toContain("/browse/notes/");
  await follow(page, "Percent signs");
  expect(await heading(page)).toBe("Percent signs");
  await expect(page.getByText("One more sentence, for the second snapshot.")).toBeVisible();
  const spine = page.getByRole("complementary", { name: "About this page" });
  await expect(spine).toContainText("snapshot 1");
  await expect(spine).toContainText("these bytes since");
  await spine.getByText("Check it yourself").click();
  await expect(spine.getByText("sha256sum").first()).toBeVisible();
  await page.getByRole("navigation", { name: "Breadcrumb" }).getByRole("link", { name: "Notes" }).click();
  expect(page.url()).toMatch(/\/browse\/notes\/$/);

  await page.getByRole("navigation", { name: "Sections" }).getByRole("link", { name: "Theorems" }).click();
  expect(await heading(page)).toBe("Theorems");
  await follow(page, /isort_keeps_length/);
  expect(page.url()).toMatch(/\/registry\/CUB-\d{4}\/$/);
  await expect(page.getByLabel("Statement")).toBeVisible();
  await expect(page.locator(".command", { hasText: "coqc" }).first()).toBeVisible();
  const cited = page.getByRole("region", { name: "Claims that rest on it" });
  await cited.getByRole("link").first().click();
  expect(page.url()).toMatch(/\/claims\/[^/]+\/$/);
  await page.getByRole("navigation", { name: "Breadcrumb" }).getByRole("link", { name: "Claims" }).click();
  expect(await heading(page)).toMatch(/laims/);

  await page.goto(new URL("registry/dashboard/", start).href);
  expect(await heading(page)).toBe("Dashboard");
  await expect(page.getByRole("heading", { name: "Reconciliation" })).toBeVisible();

  await page.getByRole("navigation", { name: "Sections" }).getByRole("link", { name: "History" }).click();
  expect(await heading(page)).toBe("History");
  await page.goto(await diffAddress(page));
  await expect(page.locator("main")).toContainText("percent-signs.md");
  await expect(page.locator("main")).not.toContainText("merkle-by-hand");

  await page.goto(new URL("reference/", start).href);
  await expect(page.getByText("/api/cubs/{id}/code").first()).toBeVisible();
  await follow(page, "errors");
  await follow(page, /cursor_expired/);
  expect(page.url()).toMatch(/\/problems\/cursor_expired\/$/);
}

/** diffAddress returns the comparison of the two snapshots, as the history links it. */
export async function diffAddress(page: Page): Promise<string> {
  const hrefs = await page.locator("main a").evaluateAll((links) => links.map((link) => (link as HTMLAnchorElement).href));
  const found = hrefs.find((href) => /\/snapshots\/[0-9a-f]+\.\.[0-9a-f]+\/$/.test(href));
  expect(found).toBeDefined();
  return found ?? "";
}

/** visitNames opens awkward names of the demo by their links, and fails when a page of one is missing or holds what runs.
 *  @param every of how many links one is followed */
export async function visitNames(page: Page, start: string, every = 1): Promise<void> {
  await page.goto(new URL("browse/names/", start).href);
  const links = await page
    .locator('main a[href*="object/names/"]')
    .evaluateAll((found) => [...new Set(found.map((link) => (link as HTMLAnchorElement).href))]);
  expect(links.length).toBeGreaterThanOrEqual(30);
  for (const link of links.filter((_, at) => at % every === 0)) {
    const response = await page.goto(link);
    expect(response?.status(), link).toBe(200);
    expect(await heading(page), link).not.toBe("");
    expect(await page.locator("img[src=x], script:not([src], [type='application/ld+json'])").count(), link).toBe(0);
  }
}
