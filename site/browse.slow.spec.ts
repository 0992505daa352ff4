/** Browsing the demo library, whole: every way with and without JavaScript on both hosts, and every page in every theme and width. */
import { expect } from "playwright/test";
import { START_MS, test } from "./demo-fixture.ts";
import { ALL_LOOKS, expectFine, watched } from "./page-fixture.ts";
import { diffAddress, MISSING_IMAGE, visitNames, walk } from "./walk-fixture.ts";

const PAGES = [
  "",
  "browse/",
  "browse/names/",
  "browse/notes/?sort=-size",
  "object/notes/percent-signs.md/",
  "object/notes/hostile-markdown.md/",
  "object/proofs/sorted-lists/coq/Sorting.v/",
  "object/papers/merkle-by-hand.pdf/",
  "object/data/sums.csv/",
  "object/figures/odd-squares.png/",
  "claims/",
  "claims/every-theorem-has-a-lean-counterpart/",
  "registry/",
  "registry/CUB-0007/",
  "registry/dashboard/",
  "snapshots/",
  "snapshots/1..2/",
  "snapshots/object/notes/percent-signs.md/",
  "search/",
  "search/?q=merkle",
  "search/?q=xyzzyqqq",
  "reference/",
  "reference/library/",
  "problems/",
  "problems/cursor_expired/",
  "rejected/",
  "agents/",
  "ask/",
] as const;

for (const script of [true, false]) {
  for (const host of ["site", "files"] as const) {
    const how = `${script ? "with" : "without"} JavaScript on ${host === "site" ? "a server" : "a plain static host"}`;

    test(`${how}: from the front page to an object, a record, a claim, the registry's counts, history and reference`, async ({
      browser,
      demo,
    }) => {
      await watched(browser, { javaScriptEnabled: script }, (page) => walk(page, demo[host]));
    });

    test(`${how}: every awkward name of the demo has a page that is reached by its link, and harms nobody`, async ({ browser, demo }) => {
      await watched(browser, { javaScriptEnabled: script }, (page) => visitNames(page, demo[host]));
    });
  }
}

test("axe finds nothing on any page, and nothing is wider than the window, in any theme and width", async ({ browser, demo }) => {
  test.setTimeout(2 * START_MS);
  await watched(
    browser,
    {},
    async (page) => {
      await page.goto(new URL("snapshots/", demo.site).href);
      const compared = await diffAddress(page);
      expect(PAGES.length).toBeGreaterThan(20);
      for (const url of [...PAGES.map((path) => new URL(path, demo.site).href), compared]) {
        for (const look of ALL_LOOKS) {
          await page.goto(url);
          await expectFine(page, url, [look]);
        }
      }
    },
    [MISSING_IMAGE],
  );
});
