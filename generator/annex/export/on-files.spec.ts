/** Queries to an export on the plainest host, in a browser: what it does not answer it says. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "playwright/test";
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

for (const path of ["browse/a/?sort=-size", "browse/a/=p2/?sort=size", "browse/a/?license=MIT", "registry/?sort=name"])
  test(`${path} shows the whole list and says so`, async ({ page }) => {
    await page.goto(`${host.url}${path.split("?")[0]}`);
    const titles = await page.locator(".card-title").allTextContents();
    await page.goto(`${host.url}${path}`, { waitUntil: "networkidle" });
    await expect(page.locator("[data-status]")).toHaveText("Plain files have this list whole and in one order.");
    expect(await page.locator(".card-title").allTextContents()).toEqual(titles);
  });

test("nothing of it is loaded where nothing was asked, or a server answers", async ({ page }) => {
  const loaded: string[] = [];
  page.on("request", (request) => loaded.push(request.url()));
  await page.goto(`${host.url}registry/`, { waitUntil: "networkidle" });
  await page.goto(`${server}/registry/?repo=repo-1`, { waitUntil: "networkidle" });
  expect(loaded.filter((url) => /on-files|filters\.json/.test(url))).toEqual([]);
});
