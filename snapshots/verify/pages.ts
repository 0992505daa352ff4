/** The pages of a view. */
import { countSitemaps, isInSitemap, storedPages } from "#snapshots/page";
import type { Audit, Check, CheckedView } from "./check.ts";
import { openTell, type TellFinding } from "./view-files.ts";

const TEXT_FILES: ReadonlySet<string> = new Set(["pages/llms.txt", "pages/robots.txt", "pages/sitemap.xml"]);

export const pagesCheck: Check = {
  name: "pages",
  needs: "data",
  run(audit, view, sound) {
    if (sound) checkPages(openTell(audit, view.snapshot), audit, view);
  },
};

/** The public view has exactly the pages that its data calls for; their bytes are for the renderer to compare. */
function checkPages(tell: TellFinding, { root, routes }: Audit, { data, files }: CheckedView): void {
  const found = [...files.keys()].filter((path) => path.startsWith("pages/"));
  if (root === "internal" && found.length === 0) return;
  const unread = (): never => {
    throw new Error("no page is rendered here");
  };
  const expected = new Set(TEXT_FILES);
  let addresses = 0;
  for (const { file, path } of storedPages(data, routes, { digest: unread, read: unread })) {
    expected.add(file);
    if (isInSitemap(path)) addresses++;
  }
  for (let part = 1; part <= countSitemaps(addresses); part++) expected.add(`pages/sitemap-${part}.xml`);
  for (const path of expected) if (!files.has(path)) tell("page_missing", path, "It follows from the data.");
  for (const path of found) if (!expected.has(path)) tell("page_extra", path, "Nothing in the data calls for it.");
}
