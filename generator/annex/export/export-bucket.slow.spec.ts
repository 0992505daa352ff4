/** An export that lies in a bucket, in a browser: no server of ours is there. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "playwright/test";
import { makeBucket, useCredentials } from "../../../snapshots/annex/bucket/ceph-fixture.ts";
import { type MemoryServer, openMemoryServer } from "../../../snapshots/annex/bucket/s3-face-fixture.ts";
import { openWebsite, type Website } from "../bucket/bucket-website-fixture.ts";

const CLI = join(import.meta.dirname, "../..", "cli.ts");
const NOTES = 40;

let folder = "";
let server: MemoryServer | null = null;
let website: Website | null = null;

test.beforeAll(async () => {
  test.setTimeout(120_000);
  folder = await mkdtemp(join(tmpdir(), "export-bucket-spec-"));
  server = await openMemoryServer();
  useCredentials(server.owner);
  await mkdir(join(folder, "library/notes"), { recursive: true });
  for (let n = 0; n < NOTES; n++)
    await writeFile(join(folder, `library/notes/n${n}.md`), `# Note ${n}\n\nOn ${n === 7 ? "zebras" : "digests"}. ${"word ".repeat(n)}\n`);
  const cubs = Array.from({ length: 130 }, (_, n) => ({
    id: `CUB-${String(n + 1).padStart(4, "0")}`,
    repo: `repo-${n % 3}`,
    theorem_name: `insert_keeps_${n}`,
    statement: "sorted (insert x l)",
    verification_state: n % 5 === 0 ? "NOT_VERIFIED" : "VERIFIED",
    deployable: n % 7 === 0,
  }));
  await writeFile(join(folder, "registry.json"), JSON.stringify({ meta: {}, cubs }));
  await writeFile(
    join(folder, "proofshelf.yaml"),
    "store: { kind: directory, root: ./library }\nshelf: { kind: directory, root: ./shelf }\nregistry: { path: ./registry.json }\nembeddings: { kind: none }\ncollections: [{ id: notes, prefix: notes/, title: Notes, visibility: public }]\n",
  );
  const run = (...args: string[]) => promisify(execFile)(process.execPath, [CLI, ...args, "--config", join(folder, "proofshelf.yaml")]);
  const bucket = await makeBucket(server);
  await run("build");
  await run("export", `s3://${bucket.bucket}/`, "--endpoint", bucket.endpoint ?? "", "--gzip");
  website = await openWebsite(bucket);
});
test.afterAll(async () => {
  website?.close();
  await server?.close();
  await rm(folder, { recursive: true, force: true });
});

test("the front page leads to an object and its bytes; searching and filtering work", async ({ page }) => {
  const url = website?.url ?? "";
  const failures: string[] = [];
  page.on("pageerror", ({ message }) => failures.push(message));
  page.on("response", (answer) => {
    if (answer.status() >= 400) failures.push(`${answer.status()} ${answer.url()}`);
  });

  await page.goto(`${url}/`);
  await page.locator("main a[href$='browse/notes/']").first().click();
  await page.locator(".listing a.card-title", { hasText: /^\s*Note 7\s*$/ }).click();
  await expect(page.locator("h1")).toContainText("Note 7");
  await expect(page.locator("main")).toContainText("On zebras.");
  const source = await page.request.get(`${url}/objects/notes/n7.md`);
  expect(await source.text()).toContain("# Note 7");

  await page.goto(`${url}/search/?q=zebras`);
  await expect(page.locator("main a", { hasText: "Note 7" }).first()).toBeVisible();

  await page.goto(`${url}/registry/`);
  await page.locator("#filters a", { hasText: "repo-2" }).click();
  await page.waitForURL(/\/search\/\?.*kind=record/);
  await page.goto(`${url}/browse/notes/?sort=-size`);
  await expect(page.locator("[data-status]")).toHaveText("Plain files have this list whole and in one order.");
  expect(failures).toEqual([]);
});
