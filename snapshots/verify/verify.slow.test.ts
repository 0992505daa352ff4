/** Damages one at a time, each judged by a verification of the whole shelf; verify.test.ts has them all at once. */
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import { coveredFiles, type Damage, damaged, DAMAGES, errors, flip, mayBeMissing, newRoom, published, verify } from "./room-fixture.ts";

const tiny = await published();

test("one changed byte in any file of a shelf is found", async () => {
  const room = newRoom(tiny);
  const files = coveredFiles(room);
  assert.ok(files.length > 60);
  const isFound = async (path: string, place: number, mask: number): Promise<void> => {
    const findings = await damaged(room, [path], flip(place, mask), () => verify(room));
    assert.ok(errors(findings).length > 0, `${path}, byte ${place}, xor ${mask}`);
  };
  for (const path of files.filter((name) => !name.includes("/blobs/"))) for (const place of [0, 40, 150]) await isFound(path, place, 1);
  await fc.assert(fc.asyncProperty(fc.constantFrom(...files), fc.nat(), fc.integer({ min: 1, max: 255 }), isFound), { numRuns: 400 });
});

test("a file that is missing, torn, overlong, garbage or a folder is a finding and never a crash", async () => {
  const room = newRoom(tiny);
  const files = coveredFiles(room);
  for (const path of files) {
    for (const [number, damage] of DAMAGES.entries()) {
      if (number === 0 && mayBeMissing(path, files)) continue;
      const findings = await damaged(room, [path], damage, () => verify(room));
      assert.ok(errors(findings).length > 0, `${path}, damage ${number}`);
      assert.ok(!JSON.stringify(findings).includes(room.root), "a finding names a path of the machine");
    }
  }
});

test("a pack that is missing, torn, overlong, garbage, a folder or has one other byte is a finding and never a crash", async () => {
  const room = await published();
  for (const shelf of [room.public, room.internal]) await shelf.blobs.sweep({ isNeeded: null });
  const packs = readdirSync(room.root, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".zip"));
  assert.equal(packs.length, 2);
  const damages: readonly Damage[] = [
    (file) => rmSync(file),
    (file) => (rmSync(file), mkdirSync(file)),
    (file, bytes) => writeFileSync(file, Buffer.concat([bytes, Buffer.of(0)])),
    ...[0, 20, 0.5].map(
      (at): Damage =>
        (file, bytes) =>
          writeFileSync(file, bytes.subarray(0, at < 1 ? bytes.length * at : at)),
    ),
    ...Array.from(
      { length: 100 },
      (_, at): Damage =>
        (file, bytes) =>
          flip(Math.floor((bytes.length * at) / 100), 0x10)(file, bytes),
    ),
  ];
  for (const path of packs) {
    for (const [number, damage] of damages.entries()) {
      const findings = await damaged(room, [path], damage, () => verify(room));
      assert.ok(findings.length > 0, `${path}, damage ${number}`);
      assert.ok(!JSON.stringify(findings).includes(room.root), "a finding names a path of the machine");
    }
  }
});
