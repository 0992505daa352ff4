/** Prints print/*.html to the PDF files of the library with Chromium; needed only after a text there changed.
 *
 *      node generator/demo/print.ts
 *
 *  Chromium stamps the time into each file. The stamp is overwritten with a fixed one of the same length, so that the
 *  offsets inside the file stay right and an unchanged text gives unchanged bytes on the same browser. */
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright";

const FIXED_DATE = "D:20261121000000+00'00'";
/** Text → object key; the last one is email-gated. */
const PRINTS = {
  "merkle-by-hand.html": "papers/merkle-by-hand.pdf",
  "rules-of-the-reading-room.html": "papers/rules-of-the-reading-room.pdf",
  "sorting-from-scratch.html": "papers/sorting-from-scratch.pdf",
  "numbers-that-stay-inside.html": "papers/numbers-that-stay-inside.pdf",
  "a-fourth-status.html": "drafts/a-fourth-status.pdf",
} as const;

const demo = dirname(fileURLToPath(import.meta.url));
const browser = await chromium.launch({ executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium" });
const page = await browser.newPage();
for (const [text, key] of Object.entries(PRINTS)) {
  await page.goto(pathToFileURL(join(demo, "print", text)).href);
  const pdf = Buffer.from(await page.pdf({ preferCSSPageSize: true, tagged: false }));
  const fixed = pdf.toString("latin1").replace(/D:\d{14}\+00'00'/g, FIXED_DATE);
  writeFileSync(join(demo, "library", key), Buffer.from(fixed, "latin1"));
}
await browser.close();
