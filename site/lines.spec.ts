/** Lines of a text that is shown in parts: each is found from any part, by its address or by its number. */
import { expect, test } from "playwright/test";
import { openFixtureSite, watched } from "./page-fixture.ts";

let site: Awaited<ReturnType<typeof openFixtureSite>>;
test.beforeAll(async () => {
  site = await openFixtureSite();
});
test.afterAll(() => site.close());

test("a line of another part is gone to, a range over two parts is marked as far as it is here, and no address is a fault", async ({
  browser,
}) => {
  const start = `${site.url}/object-long/object/proofs/Long.v/`;
  await watched(browser, {}, async (page) => {
    await page.goto(start);
    const cut = await page.locator(".line[id]").count();
    const picked = page.locator("[data-picked]");
    await page.goto(`${start}#L${cut - 3}-L${cut + 5}`);
    await expect(picked).toHaveCount(4);
    await page.goto(`${start}#100%`);
    await expect(picked).toHaveCount(0);
    const field = page.getByLabel("Lines", { exact: true });
    await field.fill("99999999");
    await field.press("Enter");
    expect(await field.evaluate((input: HTMLInputElement) => input.validationMessage)).toContain("Lines of this file are 1 to 5000");
    await field.fill(`${cut + 5}-${cut + 7}`);
    await field.press("Enter");
    await expect(page).toHaveURL(new RegExp(`#L${cut + 5}-L${cut + 7}$`));
    await expect(picked).toHaveCount(3);
    expect(new URL(page.url()).pathname).not.toBe(new URL(start).pathname);
    await page.goto(`${page.url().replace(/#.*/, "")}#L5`);
    await expect(page).toHaveURL(`${start}#L5`);
    await expect(picked).toHaveCount(1);
    await expect(page.locator("#L5")).toBeVisible();
  });
});
