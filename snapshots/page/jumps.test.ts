import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { jumpsOf } from "./jumps.ts";

const path = (part: number): string => String(part);

test("a list of one part has no ranges, and a few parts are all linked", () => {
  const nameAt = (place: number): string => `${place}.md`;
  for (const items of [0, 1, 10]) assert.deepEqual(jumpsOf({ items, size: 10, part: 1, path, nameAt }), []);
  assert.deepEqual(jumpsOf({ items: 25, size: 10, part: 2, path, nameAt }), [
    { path: "1", first: "0.md", last: "9.md", here: false },
    { path: "2", first: "10.md", last: "19.md", here: true },
    { path: "3", first: "20.md", last: "24.md", here: false },
  ]);
  assert.deepEqual(
    jumpsOf({ items: 25, size: 10, part: 1, path, nameAt: null }).map(({ first, last }) => [first, last]),
    [
      ["1", "10"],
      ["11", "20"],
      ["21", "25"],
    ],
  );
});

test("long names are told as far as they differ from their neighbours, never in the middle of a sign", () => {
  const names = ["a-first-name-of-all", "a-second-name-of-all", "the-🦉🦉-in-the-tree", "the-🦉🦊-in-the-tree"];
  assert.deepEqual(
    jumpsOf({ items: 4, size: 1, part: 1, path, nameAt: (place) => names[place] ?? "" }).map(({ first, last }) => [first, last]),
    [
      ["a-firs…", "a-firs…"],
      ["a-seco…", "a-seco…"],
      ["the-🦉🦉…", "the-🦉🦉…"],
      ["the-🦉🦊…", "the-🦉🦊…"],
    ],
  );
});

test("however long a list is, a page links few ranges, they cover it once, and any part is at most two steps away", () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 2_000 }), fc.integer({ min: 1, max: 50 }), fc.nat(), (parts, size, turn) => {
      const part = 1 + (turn % parts);
      const options = { items: parts * size, size, path, nameAt: null };
      const jumps = jumpsOf({ ...options, part });
      assert.ok(jumps.length <= 50 + Math.ceil(parts / 50));
      let place = 0;
      for (const { first, last } of jumps) {
        assert.equal(Number(first), place + 1);
        place = Number(last);
      }
      assert.equal(place, parts * size);
      assert.deepEqual(
        jumps.filter(({ here }) => here).map((jump) => jump.path),
        [String(part)],
      );
      const target = 1 + ((turn * 7919) % parts);
      const via = jumps.findLast((jump) => Number(jump.path) <= target);
      assert.ok(jumpsOf({ ...options, part: Number(via?.path) }).some((jump) => jump.path === String(target)));
    }),
  );
});
