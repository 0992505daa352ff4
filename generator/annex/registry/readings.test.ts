/** What has to be read to believe a statement of each prover besides Coq, with the real ones: which definitions, in which order, and that an approval
 *  falls when one of them moves, and not with a comment. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { findAgda } from "./agda-tool.ts";
import { findMetamath } from "./metamath-tool.ts";
import { findSandbox } from "./sandbox.ts";
import { openSource } from "./source-fixture.ts";

const lacks = (name: string, tool: unknown): string | false =>
  tool === null ? `${name} is not installed` : findSandbox() === null ? "there is no sandbox here (bubblewrap)" : false;

const LOGIC = `$c ( ) T. # -> -. \\/ <-> /\\ wff |- $. $v ph ps ch $.
wph $f wff ph $. wps $f wff ps $. wch $f wff ch $.
wn $a wff -. ph $. wi $a wff ( ph -> ps ) $.
\${ min $e |- ph $. maj $e |- ( ph -> ps ) $. ax-mp $a |- ps $. $}
ax-1 $a |- ( ph -> ( ps -> ph ) ) $.
wb $a wff ( ph <-> ps ) $.
df-bi $a |- -. ( ( ph <-> ps ) -> -. ( ( ph -> ps ) -> -. ( ps -> ph ) ) ) $.
wo $a wff ( ph \\/ ps ) $.
$( Or. $)
df-or $a |- ( ( ph \\/ ps ) <-> ( -. ph -> ps ) ) $.
wa $a wff ( ph /\\ ps ) $.
df-an $a |- ( ( ph /\\ ps ) <-> -. ( ph -> -. ps ) ) $.
wt $a wff T. $. wz $a wff # $. ax-t $a |- T. $. df-z $a |- ( T. -> ( # -> ( ph -> ph ) ) ) $.
true $p |- ( T. -> ( ph -> T. ) ) $= wt wph ax-1 $. odd $p |- ( # -> ( ph -> # ) ) $= wz wph ax-1 $.
plain $p |- ( ph -> ( ps -> ph ) ) $= wph wps ax-1 $.
ored $p |- ( ph -> ( ( ph \\/ ps ) -> ph ) ) $= wph wph wps wo ax-1 $.
again $p |- ( ph -> ( ( ph \\/ ps ) -> ph ) ) $= wph wps ored $.
\${ h $e |- ( ph /\\ ps ) $. under $p |- ( ch -> ( ph /\\ ps ) ) $= wph wps wa wch wph wps wa wi h wph wps wa wch ax-1 ax-mp $. $}
`;

/** openReading asks of one record what has to be read, and whether an approval of what it says now holds when its sources are others. */
function openReading(t: TestContext, yaml: string, prover: string, file: string, wanted: string) {
  const { put, recheck, records, accept, ...source } = openSource(t, `${yaml}reviews: [./reviews.yaml]\n`, prover);
  put({ "reviews.yaml": "reviews: []\n" });
  const of = async (name = wanted) => (await records()).find(({ theorem_name: other }) => other === name) ?? assert.fail(name);
  return {
    ...source,
    of,
    check: async (text: string): Promise<string> => {
      put({ [file]: text });
      return (await recheck()).flatMap(({ problems }) => problems).join("\n");
    },
    read: async (name?: string): Promise<readonly unknown[]> => {
      const { meaning } = await of(name);
      return [meaning?.at_least, meaning?.lines, meaning?.parts.map((part) => part.name.replace(/^.*\./, ""))];
    },
    holds: async (texts: readonly string[]): Promise<readonly unknown[]> => {
      const { id, meaning } = await of();
      put({ "reviews.yaml": `reviews: [{ record: ${id}, meaning: ${meaning?.sha256}, by: Ada, says: faithful, on: 2025-11-28 }]\n` });
      const told: unknown[] = [];
      for (const text of texts) {
        put({ [file]: text });
        await recheck();
        await accept();
        await recheck();
        const { verification_state: state, reviews } = await of();
        told.push(state === "VERIFIED" && reviews?.[0]?.holds);
      }
      return told;
    },
  };
}

test("of Metamath the rules of syntax and what defines them are read; an approval falls when one of them moves", {
  skip: lacks("metamath", findMetamath()),
}, async (t) => {
  const { check, read, of, holds } = openReading(t, 'policy: { axioms: ["ax-*", "df-*"] }\n', "metamath", "src/t.mm", "ored");
  assert.doesNotMatch(await check(LOGIC), /grammar/, "each claim is one tree");
  assert.deepEqual(await read("plain"), [false, 1, ["wi"]], "what nothing defines is what the axioms say of it");
  assert.deepEqual(await read(), [false, 5, ["wi", "wn", "df-bi", "wb", "df-or", "wo"]]);
  assert.deepEqual((await read("under"))[2], ["wn", "wi", "df-bi", "wb", "df-an", "wa"], "also what it assumes");
  assert.deepEqual(
    [(await read("true"))[2], (await read("odd"))[2]],
    [
      ["wi", "wt"],
      ["wi", "wt", "df-z", "wz"],
    ],
  );
  assert.deepEqual((await of()).meaning?.same, [(await of("again")).id], "two proofs of one statement");
  assert.deepEqual(
    await holds([
      LOGIC,
      LOGIC.replace("$( Or. $)", "$( Either, or both. $)"),
      LOGIC.replace("-. ( ph -> -. ps )", "-. ( ps -> -. ph )"),
      LOGIC.replace("( -. ph -> ps )", "( -. ps -> ph )"),
    ]),
    [true, true, true, false],
    "a comment, a definition that is not below it, and one that is",
  );
});

const TREES = `module T where
open import Agda.Builtin.Nat
open import Agda.Builtin.Equality
-- Trees.
data Tree : Set where
  leaf : Tree
  node : Tree → Tree → Tree
-- How many.
size : Tree → Nat
size leaf = 1
size (node one other) = size one + size other
other : Nat
other = 7
two : size (node leaf leaf) ≡ 2
two = refl
`;

test("of Agda what its words name is read, which may not be all; an approval falls with a clause, and not with a comment or a place", {
  skip: lacks("agda", findAgda()),
}, async (t) => {
  const { check, read, holds } = openReading(t, "", "agda", "src/T.agda", "two");
  await check(TREES);
  assert.deepEqual(await read(), [true, 6, ["Tree", "size"]]);
  assert.deepEqual(
    await holds([
      TREES.replace("-- Trees.", "-- Binary trees.\n-- And more."),
      TREES.replace("other = 7", "other = 8"),
      TREES.replace("size leaf = 1", "size leaf = 0 + 1"),
    ]),
    [true, true, false],
  );
});
