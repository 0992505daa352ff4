/** Exported objects behind a host that goes by names and heeds no `_headers`, in a browser: nothing of a stranger runs there. */
import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { type Browser, expect, test } from "playwright/test";
import { openStaticServer } from "../../../snapshots/contract/static-server.ts";
import { PAGED_CLI } from "../../testing/serving-process.ts";

const SCRIPT = 'document.documentElement.setAttribute("ran", "yes")';
const HTML = `<!DOCTYPE html><title>x</title><script>${SCRIPT}</script>`;
const XHTML = `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title><script>${SCRIPT}</script></head></html>`;
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><script>${SCRIPT}</script><rect width="20" height="20"/></svg>`;

const HOSTILE: Readonly<Record<string, string | Uint8Array>> = {
  "a/page.html": HTML,
  "a/Page.HTML": HTML,
  "a/deep/index.html": HTML,
  "a/page.html.de": HTML,
  "a/bare": `\n ${HTML}`,
  "a/strange.ending": HTML,
  "a/page.xhtml": XHTML,
  "a/data.xml": XHTML,
  "a/picture.svg": SVG,
  "a/read me's.html": HTML,
};

/** What some browsers take for a page, and others for a download. */
const DOUBTFUL: Readonly<Record<string, string | Uint8Array>> = {
  "a/code.rs": XHTML,
  "a/place.kml": XHTML,
  "a/wide.kml": Buffer.from(`\ufeff${XHTML}`, "utf16le"),
  "a/script.js": SCRIPT,
};

let folder = "";
test.beforeAll(async () => {
  test.setTimeout(240_000);
  folder = await mkdtemp(join(tmpdir(), "export-spec-"));
  const files = {
    ...HOSTILE,
    ...DOUBTFUL,
    "a/shows.md": "# Shows\n\n![drawn](picture.svg) and [a page](page.html)\n",
    "a/page.html.txt": "taken\n",
  };
  for (const [key, bytes] of Object.entries(files)) {
    await mkdir(dirname(join(folder, "library", key)), { recursive: true });
    await writeFile(join(folder, "library", key), bytes);
  }
  const config = join(folder, "proofshelf.yaml");
  await writeFile(
    config,
    "store: { kind: directory, root: ./library }\nshelf: { kind: directory, root: ./shelf }\nembeddings: { kind: none }\ncollections: [{ id: a, prefix: a/, title: A, visibility: public }]\n",
  );
  const run = (...args: string[]) => promisify(execFile)(process.execPath, [PAGED_CLI, ...args, "--config", config]);
  await run("build");
  await run("export", join(folder, "export"));
});
test.afterAll(() => rm(folder, { recursive: true, force: true }));

const encoded = (path: string): string => path.split("/").map(encodeURIComponent).join("/");

/** Paths at which a script ran; what is downloaded instead of shown runs nothing. */
async function ranAt(browser: Browser, dir: string, paths: readonly string[]): Promise<string[]> {
  const server = await openStaticServer(dir);
  const context = await browser.newContext();
  const ran: string[] = [];
  try {
    const page = await context.newPage();
    for (const path of paths) {
      await page.goto(`${server.url}${encoded(path)}`).catch((error: Error) => expect(error.message).toMatch(/Download|ERR_ABORTED/));
      const mark = await page.evaluate(() => document.documentElement.getAttribute("ran"));
      if (mark !== null && page.url().endsWith(encoded(path))) ran.push(path);
    }
    return ran;
  } finally {
    await context.close();
    await server.close();
  }
}

test("each of the hostile files runs where it is served as it is", async ({ browser }) => {
  expect((await ranAt(browser, join(folder, "library"), Object.keys(HOSTILE))).sort()).toEqual(Object.keys(HOSTILE).sort());
});

test("none runs in the export, under no name, and every page is as quiet", async ({ browser }) => {
  const all = readdirSync(join(folder, "export"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(folder, "export").length + 1))
    .filter((path) => path.startsWith("objects/") || path.endsWith(".html"));
  expect(all.length).toBeGreaterThan(40);
  expect(await ranAt(browser, join(folder, "export"), all)).toEqual([]);
});

test("all bytes are there, and links and pictures lead to them", async ({ browser }) => {
  const exported = (path: string): Buffer => readFileSync(join(folder, "export", path));
  for (const [key, bytes] of Object.entries({ ...HOSTILE, ...DOUBTFUL })) {
    const lies = key === "a/page.html" ? `${key}.txt.txt` : `${key}.txt`;
    expect(exported(`objects/${lies}`).equals(Buffer.from(bytes))).toBe(true);
    expect(exported(`objects/${key}`).toString()).toContain("a name that nothing runs");
  }
  expect(exported("objects/a/page.html.txt").toString()).toBe("taken\n");
  const catalog = exported("api/catalog.json").toString();
  expect(catalog).toContain('objects/a/page.html.txt.txt"');
  expect(catalog).not.toMatch(/objects\/a\/page\.html"/);
  expect(exported("_headers").toString()).toContain("Content-Security-Policy: default-src 'none'; script-src 'self'");

  const server = await openStaticServer(join(folder, "export"));
  const page = await browser.newPage();
  try {
    for (const path of ["object/a/shows.md/", "object/a/picture.svg/"]) {
      await page.goto(server.url + path);
      const picture = page.locator("main img").first();
      await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(20);
    }
    await page.goto(`${server.url}object/a/page.html/`);
    const links = await page.locator("main a").evaluateAll((found) => found.map((link) => (link as HTMLAnchorElement).href));
    expect(links).toContain(`${server.url}objects/a/page.html.txt.txt`);
    await page.goto(`${server.url}objects/a/page.html`);
    await page.getByRole("link").click();
    await expect(page.locator("body")).toContainText("<!DOCTYPE html><title>x</title>");
  } finally {
    await page.close();
    await server.close();
  }
});
