import assert from "node:assert/strict";
import { test } from "node:test";
import { extractAsking } from "./extract.ts";
import { parseExtract, toExtracted } from "./extract-json.ts";
import type { DrawnPage } from "./pdf-images.ts";
import { ObjectReading } from "./reading.ts";
import type { Unread } from "./unread.ts";

const imageOf = (page: number, bytes = 1): DrawnPage => ({
  page,
  width: 1,
  height: 1,
  sha256: "",
  size: bytes,
  png: new Uint8Array(bytes),
});
const begun = (page: number | "end") => ({ page, image: null });
const drawn = (page: number, image = imageOf(page)) => ({ page, image });

const givenUp: Unread[] = [];

function open(pageImages: number, unread: Unread | null = null): ObjectReading {
  const reading = new ObjectReading(
    { key: "a.pdf", bytes: new Uint8Array(), told: undefined },
    pageImages,
    unread,
    (given) => void givenUp.push(given),
  );
  reading.begin();
  return reading;
}

test("what a process of ours would not say of a drawing is not believed", () => {
  const steps = [begun(0), begun(1), drawn(1), begun(2), drawn(2), begun("end")];
  const ours = open(2);
  for (const step of steps) assert.ok(ours.takeDrawing(step), JSON.stringify(step));
  for (const [said, why] of [
    [[begun(0), begun(0)], "a document is opened once"],
    [[begun(0), begun("end"), begun(0)], "and not after its end"],
    [[begun(0), begun(2), begun(1)], "pages go up"],
    [[begun(0), begun(3)], "a page beyond the limit"],
    [[begun(0), begun(1.5)], "no page at all"],
    [[begun(0), begun(1), drawn(1), drawn(1)], "a page twice"],
    [[begun(0), begun(1), drawn(2)], "another page than was begun"],
    [[begun(0), begun(1), drawn(1, imageOf(2))], "an image of another page"],
    [[begun(0), begun(1), drawn(1, imageOf(1, 2e6))], "more bytes than a page has"],
    [[drawn(1)], "a page that was not begun"],
  ] as const) {
    const reading = open(2);
    assert.deepEqual(
      said.map((step) => reading.takeDrawing(step)),
      said.map((_, at) => at < said.length - 1),
      why,
    );
  }
  assert.equal(open(0).takeDrawing(begun(0)), false, "nothing is drawn where no image is asked for");
});

test("images that an object holds are taken in their order and no longer than may be, and nothing else of what a process says of them", async () => {
  const said = toExtracted("a.ipynb", await extractAsking("a.ipynb", Buffer.from("{}"), null));
  const taken = async (images: unknown): Promise<number> => {
    const reading = open(0);
    reading.finish({ ...said, images: images as readonly DrawnPage[] });
    return (await reading.done).images.length;
  };
  assert.equal(await taken([imageOf(1), imageOf(2)]), 2);
  for (const images of [undefined, null, {}, [null], [imageOf(2)], [imageOf(1), imageOf(1)], [imageOf(1, 2e6)], [{ page: 1, png: "x" }]])
    assert.equal(await taken(images), 0, JSON.stringify(images)?.slice(0, 60));
});

test("a page that ends two processes is skipped, and after three such pages all the rest", () => {
  const reading = open(6);
  for (const skip of [[1], [1, 2], [1, 2, 3, 4, 5, 6]]) {
    for (let time = 0; time < 2; time++) {
      const { draw } = reading.begin();
      assert.ok(reading.takeDrawing(begun(draw.skip.length + 1)));
      assert.ok(reading.blame("failed"), "it is tried again");
    }
    assert.deepEqual(reading.begin().draw.skip, skip);
  }
});

test("an object that ends one process is read again, after two as plain text, and after three not at all", async () => {
  const reading = open(0);
  assert.deepEqual([reading.blame("stalled"), reading.note], [true, null]);
  assert.deepEqual(
    [reading.blame("stalled"), reading.begin().note],
    [true, "Reading this file took too long, so only its plain text is used."],
  );
  assert.equal(reading.blame("failed"), false);
  const { json, notes } = await reading.done;
  assert.deepEqual(notes, ["Reading this file failed, so it is listed but not searched."]);
  assert.deepEqual([parseExtract(json).kind, parseExtract(json).html], ["binary", null]);
});

test("an object whose time is over gets no second try: pages first, then its form, then all of it, and each is told once", async () => {
  givenUp.length = 0;
  const reading = open(3);
  assert.ok(reading.takeDrawing(begun(0)) && reading.takeDrawing(begun(2)));
  assert.ok(reading.timeFor(10_000) < 10_000);
  assert.ok(reading.blame("over"));
  assert.deepEqual(reading.begin().draw.skip, [2, 3]);
  assert.ok(reading.blame("over"));
  assert.equal(reading.timeFor(10_000), 10_000);
  assert.equal(reading.blame("over"), false);
  assert.deepEqual(
    givenUp.map(({ what }) => what),
    ["pages", "text", "all"],
  );
  const again = givenUp.map((unread) => open(3, unread));
  assert.deepEqual(
    again.map((one) => [one.isDone(), one.note]),
    [
      [false, null],
      [false, "Reading this file took too long, so only its plain text is used."],
      [true, null],
    ],
  );
  assert.deepEqual(again[0]?.begin().draw.skip, [1, 2, 3]);
  assert.deepEqual(await again[2]?.done, await reading.done);
});
