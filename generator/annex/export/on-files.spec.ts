/** Order and licences of an export on the plainest host, in a browser: they say what the server says. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, type Page, test } from "playwright/test";
import { openStaticServer } from "../../../snapshots/contract/static-server.ts";
import { PAGED_CLI } from "../../testing/serving-process.ts";

const RECORDS = 130;
const OBJECTS = 230; // two parts of a folder

let folder = "";
let server = "";
let host: Awaited<ReturnType<typeof openStaticServer>>;
let serving: ReturnType<typeof spawn>;

test.beforeAll(async () => {
  test.setTimeout(240_000);
  folder = await mkdtemp(join(tmpdir(), "on-files-"));
  await mkdir(join(folder, "library", "a"), { recursive: true });
  for (let n = 0; n < OBJECTS; n++)
    await writeFile(join(folder, "library", "a", `n${n}.md`), `# Note ${n}\n\n${"word ".repeat((n * 37) % 101)}\n`);
  const cubs = Array.from({ length: RECORDS }, (_, n) => ({
    id: `CUB-${String(n + 1).padStart(4, "0")}`,
    repo: `repo-${n % 3}`,
    theorem_name: `insert_keeps_${n}`,
    statement: n % 2 === 0 ? "sorted (insert x l)" : "<b>bounded</b> x",
    verification_state: n % 5 === 0 ? "NOT_VERIFIED" : "VERIFIED",
    use_cases: n % 4 === 0 ? ["crypto", "topology"] : [],
    deployable: n % 7 === 0,
  }));
  await writeFile(join(folder, "registry.json"), JSON.stringify({ meta: {}, cubs }));
  const config = join(folder, "proofshelf.yaml");
  await writeFile(
    config,
    "store: { kind: directory, root: ./library }\nshelf: { kind: directory, root: ./shelf }\nregistry: { path: ./registry.json }\nembeddings: { kind: none }\ncredits: [{ prefix: a/n11, license: MIT }]\ncollections: [{ id: a, prefix: a/, title: A, visibility: public }]\n",
  );
  const run = (...args: string[]) => promisify(execFile)(process.execPath, [PAGED_CLI, ...args, "--config", config]);
  await run("build");
  await run("export", join(folder, "export"));
  host = await openStaticServer(join(folder, "export"), "/some/library");
  serving = spawn(process.execPath, [PAGED_CLI, "serve", "--only", "site", "--port", "0", "--config", config], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  for await (const chunk of serving.stdout ?? []) {
    said += String(chunk);
    const [url] = /http:\/\/[^\s/]+/.exec(said) ?? [];
    if (url !== undefined) {
      server = url;
      break;
    }
  }
});
test.afterAll(async () => {
  serving.kill();
  await once(serving, "exit");
  await host.close();
  await rm(folder, { recursive: true, force: true });
});

type Shown = {
  readonly titles: readonly string[];
  readonly facets: readonly string[];
  readonly total: string;
  readonly chips: readonly string[];
  /** Filters, chips and cards as the components draw them, without their addresses. */
  readonly drawn: readonly string[];
};

async function shown(page: Page): Promise<Shown> {
  const texts = async (selector: string): Promise<string[]> =>
    (await page.locator(selector).allTextContents()).map((text) => text.replaceAll(/\s+/g, " ").trim());
  return {
    titles: await texts(".card-title, .listing tbody th .card-title"),
    facets: await texts("#filters li"),
    total: (await texts(".lead .facts span"))[0] ?? "",
    chips: await texts(".lead .chips li"),
    drawn: await page
      .locator("#filters > details, .lead .chips, .body .card")
      .evaluateAll((all) =>
        all.map(({ outerHTML }) => outerHTML.replaceAll(/ href="[^"]*"/g, "").replaceAll(/>\s+|\s+</g, (space) => space.trim())),
      ),
  };
}

for (const path of ["browse/a/?sort=-size", "browse/a/=p2/?sort=size", "browse/a/?sort=-name", "browse/a/?sort=kind"]) {
  test(`${path} is in the order that a server gives`, async ({ page }) => {
    await page.goto(`${server}/${path}`);
    const { titles } = await shown(page);
    await page.goto(`${host.url}${path}`, { waitUntil: "networkidle" });
    await expect(page.locator(".listing th[aria-sort]")).toHaveCount(1);
    expect((await shown(page)).titles).toEqual(titles);
    const links = await page.locator(".listing .card-title").evaluateAll((all) => all.map((one) => (one as HTMLAnchorElement).href));
    for (const link of [links[0], links.at(-1)]) expect((await page.request.get(link ?? "")).status()).toBe(200);
  });
}

test("a folder's objects with a licence are those that a server gives", async ({ page }) => {
  await page.goto(`${server}/browse/a/?license=MIT`);
  const { titles } = await shown(page);
  expect(titles.length).toBeGreaterThan(1);
  await page.goto(`${host.url}browse/a/`);
  await page.locator("#filters a", { hasText: "MIT" }).click();
  await expect(page.locator("[data-status]")).toContainText(`${titles.length} of ${OBJECTS} objects`);
  expect((await shown(page)).titles).toEqual(titles);
});

test("nothing of it is loaded where nothing was asked, or a server answers", async ({ page }) => {
  const loaded: string[] = [];
  page.on("request", (request) => loaded.push(request.url()));
  await page.goto(`${host.url}registry/`, { waitUntil: "networkidle" });
  await page.goto(`${server}/registry/?repo=repo-1`, { waitUntil: "networkidle" });
  expect(loaded.filter((url) => /on-files|filters\.json/.test(url))).toEqual([]);
});
