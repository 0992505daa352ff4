/** Texts that are long, and texts whose cost must grow no faster than they do. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { unitsOf } from "../../snapshots/blocks/units.ts";
import { extract } from "./extract.ts";
import { testLongTexts } from "./hostile-fixture.ts";

testLongTexts(20);

test("what a text costs grows with its length, whatever its lines end with and whatever they begin with", async () => {
  const endings =
    "md txt rst adoc tex html v lean rs json yaml csv tsv py js c cpp java hs ml thy agda mm fst dfy tla smt2 mlw ec pv go als bpl pvs idr sol xml ipynb sql".split(
      " ",
    );
  const seeds = [
    "a\r",
    "a\r\n",
    "a\u0085",
    "a\u2028",
    "a\u2029",
    "a\f",
    " \t",
    "a::\r",
    "= \r",
    "|a\r",
    "(*\r",
    '"\r',
    "a,\r",
    "\r",
    "a: \r",
    "* \r",
    "[a\r",
    "<\r",
  ];
  const costOf = async (key: string, text: string): Promise<number> => {
    const before = process.cpuUsage();
    const { kind } = await extract(key, Buffer.from(text));
    if (kind !== "image" && kind !== "binary") unitsOf(text, kind);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
  for (const ending of endings)
    for (const seed of seeds) {
      const [one, two] = [
        await costOf(`a.${ending}`, seed.repeat(60_000 / seed.length)),
        await costOf(`a.${ending}`, seed.repeat(120_000 / seed.length)),
      ];
      assert.ok(two < 150 || two <= 2.6 * one, `${ending} ${JSON.stringify(seed)}: ${one} ms, ${two} ms for twice as much`);
    }
});
