import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseStrictJson } from "./json.ts";

const parse = (text: string): unknown => parseStrictJson(new TextEncoder().encode(text));

test("a member that stands twice is an error, however its name is escaped", () => {
  for (const text of [
    '{"a":1,"a":2}',
    '{"a":1,"\\u0061":2}',
    '[{"x":{"b":[],\n"b":{}}}]',
    '{"":1,"":2}',
    '{"__proto__":1,"__proto__":2}',
    '{"a\\"":1 , "a\\"" :2}',
  ]) {
    assert.throws(() => parse(text), /Line [12] has the member .* twice in one object/, text);
  }
});

test("equal names in different objects and equal strings as values are no duplicates", () => {
  for (const text of [
    '[{"a":"a"},{"a":["a","a"]}]',
    '{"a":{"a":{"a":1}},"b":"a","c":"b"}',
    '{"a":["a"],"b":[{"a":1},{"a":2}]}',
    '{"a":",","b":"{\\"a\\":1,\\"a\\":2}"}',
  ]) {
    assert.deepEqual(parse(text), JSON.parse(text));
  }
});

test("a depth bomb is refused as text, whatever it is made of", () => {
  for (const text of ["[".repeat(5_000_000), '{"a":'.repeat(1_000_000), `${"[".repeat(101)}${"]".repeat(101)}`])
    assert.throws(() => parse(text), /nested deeper/);
  assert.doesNotThrow(() => parse(`${"[".repeat(100)}${"]".repeat(100)}`));
});

test("a string of twenty million escapes is read", () => {
  assert.equal((parse(`"${"\\n".repeat(10_000_000)}"`) as string).length, 10_000_000);
});

test("what is no JSON says so with a line where there is one, and never echoes the text", () => {
  assert.throws(() => parse(""), /It is empty/);
  assert.throws(() => parse('{"a": 1\n "b": 2}'), /not valid JSON \(line 2\)/);
  for (const text of ["{'a':1}", "[1,]", "NaN", '"', '{"a"', "// c\n1", '{"a":1}x', '["\\x"]', "<html>secret", "\u0000"]) {
    assert.throws(
      () => parse(text),
      (error: Error) => /It is not valid JSON/.test(error.message) && !error.message.includes("secret"),
    );
  }
  assert.throws(() => parseStrictJson(Uint8Array.of(0x22, 0xff, 0x22)), /not valid UTF-8/);
});

test("any JSON value is read as JSON.parse reads it, with a byte order mark too", () => {
  fc.assert(
    fc.property(fc.json(), fc.boolean(), (text, mark) => assert.deepEqual(parse(`${mark ? "\ufeff" : ""}${text}`), JSON.parse(text))),
    { numRuns: 300 },
  );
});
