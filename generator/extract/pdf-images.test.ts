import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { inflateSync } from "node:zlib";
import { sha256 } from "../../snapshots/digest.ts";
import { makePdf } from "../testing/pdf.ts";
import { compileWorker, WORKER } from "./compile-worker.ts";
import { type Extracted, parseExtract } from "./extract-json.ts";
import { type ExtractPool, openExtractPool } from "./pool.ts";

const base = mkdtempSync(join(tmpdir(), "pdf-images-"));
const worker = join(base, "compiled", WORKER);
let pool: ExtractPool;
before(async () => {
  await compileWorker(join(base, "compiled"));
  pool = openExtractPool({ worker, threads: 1 });
});
after(async () => {
  await pool.close();
  rmSync(base, { recursive: true, force: true });
});

const DEMO = readFileSync(fileURLToPath(new URL("../demo/library/papers/merkle-by-hand.pdf", import.meta.url)));

/** Grey values of a PNG as this program writes it, line after line. */
function pixelsOf(png: Uint8Array): { readonly width: number; readonly height: number; readonly grey: Uint8Array } {
  const bytes = Buffer.from(png);
  assert.equal(bytes.toString("latin1", 0, 8), "\x89PNG\r\n\x1a\n");
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  assert.deepEqual([...bytes.subarray(24, 29)], [8, 0, 0, 0, 0], "8 bits of grey");
  const length = bytes.readUInt32BE(33);
  assert.equal(bytes.toString("latin1", 37, 41), "IDAT");
  const lines = inflateSync(bytes.subarray(41, 41 + length));
  const grey = Buffer.concat(Array.from({ length: height }, (_, y) => lines.subarray(y * (width + 1) + 1, (y + 1) * (width + 1))));
  return { width, height, grey };
}

function assertWhole({ images, json }: Extracted): void {
  const named = parseExtract(json).images ?? [];
  const sent = images.map(({ png, ...facts }) => {
    assert.deepEqual([sha256(png), png.length], [facts.sha256, facts.size], "the bytes are those that are named");
    return facts;
  });
  assert.deepEqual(sent, named);
}

test("a PDF that is damaged, encrypted or none has no images, and its page goes on without", async () => {
  const key = "00".repeat(32);
  const locked = makePdf(["secret"], `/Encrypt << /Filter /Standard /V 1 /R 2 /O <${key}> /U <${key}> /P -4 >> /ID [<00> <00>]`);
  for (const [bytes, note] of [
    [Buffer.from("%PDF-1.7\n\xff\xff garbage", "latin1"), /damaged/],
    [locked, /encrypted/],
    [DEMO.subarray(0, 700), /damaged/],
  ] as const) {
    const found = await pool.extract("a.pdf", Uint8Array.from(bytes), 20);
    assertWhole(found);
    assert.deepEqual([found.images, found.notes.length], [[], 1]);
    assert.match(found.notes.join(), note);
  }
});

test("a page of any size becomes an image of a bounded number of pixels", async () => {
  for (const [box, width, height] of [
    ["0 0 600 800", 648, 864],
    ["0 0 14400 14400", 748, 748],
    ["0 0 1000000 1000000", 748, 748],
    ["0 0 14400 2", 2000, 1],
    ["0 0 10 10", 20, 20],
  ] as const) {
    const found = await pool.extract("a.pdf", makePdf(["Large."], "", "", box), 20);
    assertWhole(found);
    assert.deepEqual(
      found.images.map((image) => [image.width, image.height]),
      [[width, height]],
      box,
    );
    const [image] = found.images;
    assert.deepEqual([pixelsOf(image?.png ?? Buffer.alloc(0)).width, image?.width], [width, width]);
  }
});

test("the same bytes give the same images, whatever was drawn before them, and they show what stands on the page", async () => {
  const first = await pool.extract("papers/a.pdf", Uint8Array.from(DEMO), 20);
  await pool.extract("b.pdf", makePdf(["Something else."]), 20);
  const other = openExtractPool({ worker, threads: 1 });
  const again = [
    await pool.extract("papers/a.pdf", Uint8Array.from(DEMO), 20),
    await other.extract("papers/a.pdf", Uint8Array.from(DEMO), 20),
  ];
  await other.close();
  assertWhole(first);
  assert.equal(first.images.length, 3);
  for (const one of again) assert.deepEqual(one, first);
  const { grey } = pixelsOf(first.images[0]?.png ?? Buffer.alloc(0));
  const dark = grey.filter((value) => value < 64).length;
  assert.ok(dark > grey.length / 100 && dark < grey.length / 3, `${dark} of ${grey.length} are ink`);
  const blank = pixelsOf((await pool.extract("b.pdf", makePdf([""]), 20)).images[0]?.png ?? Buffer.alloc(0));
  assert.ok(
    blank.grey.every((value) => value === 255),
    "an empty page is white",
  );
});

test("each page's text stands beside its image; pages beyond the limit, and all of them without one, are text alone", async () => {
  const pages = ["First page.", "", "Third page.", "Fourth page."];
  const { json } = await pool.extract('p/ä "b".pdf', makePdf(pages, "", '<< /Title (On <b> "signs") >>'), 3);
  const { html, images } = parseExtract(json);
  const src = "../../../images/p/%C3%A4%20%22b%22.pdf/1.png";
  assert.match(
    html ?? "",
    new RegExp(
      `<h2 id="page-1" class="quiet">Page 1</h2>\\n<div class="leaf">\\n<a href="${src}"><img src="${src}" ` +
        `alt="Page 1 of On &lt;b[^"]*signs&quot;" width="648" height="864" loading="lazy" decoding="async"></a>\\n<div>\\n<p><span id="P1L1">First page.`,
    ),
  );
  assert.equal(html?.match(/<img /g)?.length, 3, "a page without text has an image");
  assert.match(
    html ?? "",
    /<\/div>\n<p class="cut">From here on the pages are shown as text alone\.<\/p>\n<h2 id="page-4" class="quiet">Page 4<\/h2>\n<p><span id="P4L1">Fourth page\.<\/span><\/p>\n$/,
  );
  assert.deepEqual(
    images?.map(({ page }) => page),
    [1, 2, 3],
  );
  const bare = await pool.extract("p/a.pdf", makePdf(pages), 0);
  assert.deepEqual([bare.images, parseExtract(bare.json).images], [[], undefined]);
  assert.doesNotMatch(parseExtract(bare.json).html ?? "", /<img|leaf/);
});

/** What a process says that is broken, or no longer ours, in the place of the real one. */
async function withWorker(program: string, work: (pool: ExtractPool) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(base, "worker-"));
  const file = join(folder, "worker.mjs");
  writeFileSync(file, `process.on("disconnect", () => process.exit(0));\nprocess.send("ready");\n${program}`);
  const odd = openExtractPool({ worker: file, threads: 1, timeLimit: 300 });
  await work(odd).finally(() => odd.close());
}

const SAY = `
const say = (message) => new Promise((resolve) => process.send(message, resolve));
const draw = async (page) => {
  await say({ page, image: null });
  await say({ page, image: { page, width: 1, height: 1, sha256: "", size: 1, png: new Uint8Array([page]) } });
};
const end = (key, said) => say({ title: key, summary: "", kind: "pdf", media_type: "", notes: [said], links: [], secrets: [], images: [], json: new Uint8Array() });
`;

test("a page that ends two processes is left out, and what was drawn before it is kept", async () => {
  await withWorker(
    `${SAY}process.on("message", async ({ key, draw: { limit, done, skip } }) => {
      await say({ page: 0, image: null });
      for (let page = 1; page <= limit; page++) {
        if (done.some((image) => image.page === page) || skip.includes(page)) continue;
        if (page === 2) { await say({ page, image: null }); process.exit(7); }
        if (page === 4) { await say({ page, image: null }); process.abort(); }
        await draw(page);
      }
      await say({ page: "end", image: null });
      await end(key, done.map(({ page }) => page) + " without " + skip);
    });`,
    async (odd) => {
      const { images, notes } = await odd.extract("a.pdf", new Uint8Array(), 5);
      assert.deepEqual(
        images.map(({ page }) => page),
        [1, 3, 5],
      );
      assert.deepEqual(notes, ["1,3 without 2,4"]);
    },
  );
});

test("a page that never ends takes what time its document has, and what was drawn before it is kept", async () => {
  await withWorker(
    `${SAY}process.on("message", async ({ key, draw: { limit, done, skip } }) => {
      await say({ page: 0, image: null });
      for (let page = 1; page <= limit; page++) {
        if (done.some((image) => image.page === page) || skip.includes(page)) continue;
        if (page === 3) { await say({ page, image: null }); while (true); }
        await draw(page);
      }
      await say({ page: "end", image: null });
      await end(key, done.map(({ page }) => page) + " without " + skip);
    });`,
    async (odd) => {
      const { images, notes } = await odd.extract("a.pdf", new Uint8Array(), 5);
      assert.deepEqual(
        images.map(({ page }) => page),
        [1, 2],
      );
      assert.deepEqual(notes, ["1,2 without 3,4,5"]);
    },
  );
});

test("a document in which nothing can be drawn costs a few processes and not one for each page", async () => {
  await withWorker(
    `${SAY}process.on("message", async ({ key, draw: { limit, skip } }) => {
      for (let page = 1; page <= limit; page++) if (!skip.includes(page)) { await say({ page, image: null }); process.exit(7); }
      await end(key, String(skip));
    });`,
    async (odd) => {
      const { images, notes } = await odd.extract("a.pdf", new Uint8Array(), 6);
      assert.deepEqual([images, notes], [[], ["1,2,3,4,5,6"]]);
    },
  );
});

// reading.test.ts has what else is not believed.
test("a process that says what none of ours would say is ended", async () => {
  const told = `for (;;) { await say({ page: 0, image: null }); await say({ page: "end", image: null }); }`;
  await withWorker(`${SAY}process.on("message", async () => { ${told} });`, async (odd) => {
    const { notes } = await odd.extract("a.pdf", new Uint8Array(), 2);
    assert.match(notes.join(), /failed/);
  });
});
