/** Every fixture page in every theme and width, and its narrow column at every width. */
import { test } from "playwright/test";
import { fixtures } from "./fixtures.ts";
import { ALL_LOOKS, expectFine, expectSpineFree, openFixtureSite, watched } from "./page-fixture.ts";

let site: Awaited<ReturnType<typeof openFixtureSite>>;

test.beforeAll(async () => {
  site = await openFixtureSite();
});
test.afterAll(() => site.close());

for (const { name, input } of fixtures) {
  test(`${name}: no finding of axe, no error, nothing wider than the window, in any theme and width`, async ({ browser }) => {
    await watched(browser, {}, async (page) => {
      for (const look of ALL_LOOKS) {
        await page.goto(`${site.url}/${name}${input.chrome.path}`);
        await expectFine(page, name, [look]);
      }
    });
  });

  test(`${name}: no part of a row of text lies under the narrow column, at any width`, async ({ browser }) => {
    await watched(browser, { viewport: { width: 1280, height: 4000 } }, async (page) => {
      await page.goto(`${site.url}/${name}${input.chrome.path}`);
      await expectSpineFree(page, name, [320, 1024, 1280, 1440, 1920, ...(/^record|hostile/.test(name) ? [600, 900, 2560] : [])]);
    });
  });
}
