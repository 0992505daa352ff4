/** Texts that are long, and lines that are: of two megabytes in every run, of twenty in the slow one. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { extract } from "./extract.ts";

const LINE = "The quick brown fox jumps over the lazy dog.\n";
const NESTED = '{"x": (*';

export function testLongTexts(megabytes: number): void {
  test(`${megabytes} megabytes of text are searched to the end and shown at the start`, async () => {
    const count = Math.floor((megabytes * 1e6) / LINE.length);
    const { html, passages, lines } = await extract("d/a.txt", Buffer.from(LINE.repeat(count)));
    assert.equal(lines, count);
    assert.equal(passages.at(-1)?.end_line, count);
    assert.ok(html !== null && html.length < 500_000);
    const [, rest = ""] = html.split('<p class="cut">');
    assert.match(
      rest,
      new RegExp(String.raw`^Shown up to line \d+ of ${count}; <a href="\.\./\.\./\.\./objects/d/a\.txt">the whole file</a>\.</p>$`),
    );
  });

  test(`a single line of ${megabytes} megabytes is cut, in every type`, async () => {
    const line = Buffer.from(NESTED.repeat((megabytes * 1e6) / NESTED.length));
    for (const key of ["a.txt", "a.md", "a.html", "a.v", "a.rs", "a.lean", "a.json", "a.csv", "a.yaml", "a.tex"]) {
      const { html, passages } = await extract(key, line);
      assert.ok(passages.length > megabytes * 450 && passages.every((part) => part.start_line === 1 && part.end_line === 1), key);
      assert.ok(html !== null && html.length < 1_500_000, key);
    }
  });
}
