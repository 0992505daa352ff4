import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readJsonList } from "./json-list.ts";

const read = (text: string) => {
  const list = readJsonList(new TextEncoder().encode(text), "cubs");
  return list === null ? null : { members: list.members, entries: list.entries === null ? null : [...list.entries] };
};

test("what two readers could read differently is an error at its line, in the list and beside it", () => {
  for (const [text, message] of [
    ['{"cubs":[\n{"a":1,"a":2}]}', /Line 2 has the member "a" twice in one object/],
    ['{"meta":1,\n"m\\u0065ta":2}', /Line 2 has the member "meta" twice/],
    ['{"cubs":[],\n\n"cubs":[]}', /Line 3 has the member "cubs" twice/],
    [`{"cubs":[\n${"[".repeat(2_000_000)}`, /Line 2 is nested deeper than 100 levels/],
    [`{"cubs":[${"[".repeat(99)}${"]".repeat(99)}]}`, /nested deeper than 100 levels/],
    ["", /It is empty/],
    ["  \n ", /It is empty/],
  ] as const)
    assert.throws(() => read(text), message, text.slice(0, 80));
  assert.doesNotThrow(() => read(`{"cubs":[${"[".repeat(98)}${"]".repeat(98)}]}`));
});

test("what is no JSON says so with its line, wherever it breaks", () => {
  for (const [text, line] of [
    ['{"cubs":[{"a":1}\n{"b":2}]}', 2],
    ['{"cubs":[{"a":1},\n]}', 2],
    ['{"cubs":[\n\n{"a":[}]}', 3],
    ['{"cubs":[{"a":tru}\n]}', 1],
    ['{"cubs":[{"a"\n:"\\x"}]}', 2],
    ['{"cubs":[]}\nx', 2],
    ['{"cubs":[]\n', 2],
    ['{"cubs":[\n"open', 2],
    ['{"meta"\n}', 2],
    ["{\n'meta':1}", 2],
    ['{"a":1,\n}', 2],
    ['{"a":\n,"b":1}', 2],
    ['{"cubs":[1,\n\ufeff2]}', 2],
    ["\n<html>", 2],
  ] as const)
    assert.throws(() => read(text), new RegExp(`It is not valid JSON \\(line ${line}\\)`), text);
  const broken = Uint8Array.from([...Buffer.from('{"cubs":["'), 0xff, ...Buffer.from('"]}')]);
  assert.throws(() => [...(readJsonList(broken, "cubs")?.entries ?? [])], /not valid UTF-8/);
});

test("any object with a list is read as JSON.parse reads it, with a byte order mark too", () => {
  const spaced = fc.tuple(
    fc.dictionary(fc.string(), fc.jsonValue()),
    fc.array(fc.jsonValue()),
    fc.constantFrom(undefined, 1, "\t"),
    fc.boolean(),
  );
  fc.assert(
    fc.property(spaced, ([members, cubs, indent, mark]) => {
      const text = JSON.stringify({ ...members, cubs }, null, indent);
      const { cubs: entries, ...rest } = JSON.parse(text) as Record<string, unknown>;
      assert.deepEqual(read(`${mark ? "\ufeff" : ""}${text}`), { members: rest, entries });
    }),
    { numRuns: 300 },
  );
  assert.equal(read("[1]"), null);
  assert.deepEqual(read('{"cubs":{}}'), { members: { cubs: {} }, entries: null });
});

test("entries are taken out of the bytes, and everything else of them stays", () => {
  const bytes = new TextEncoder().encode('{"a": 1, "cubs": [ {"id":1} , {"id":2},{"id":3} ], "b":[] }');
  const without = (...ids: readonly number[]): string | null => {
    const left = readJsonList(bytes, "cubs")?.without((entry) => ids.includes((entry as { id: number }).id)) ?? null;
    return left === null ? null : Buffer.from(left).toString();
  };
  assert.equal(without(9), null);
  assert.equal(without(1), '{"a": 1, "cubs": [ {"id":2},{"id":3} ], "b":[] }');
  assert.equal(without(1, 2, 3), '{"a": 1, "cubs": [  ], "b":[] }');
});
