/** What a database of Metamath does to have something false said VERIFIED. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readMetamath } from "./metamath.ts";
import { checkDatabase } from "./metamath-check.ts";
import { findMetamath } from "./metamath-tool.ts";
import { findSandbox } from "./sandbox.ts";
import { openSource } from "./source-fixture.ts";

const skip =
  findMetamath() === null ? "metamath is not installed" : findSandbox() === null ? "there is no sandbox here (bubblewrap)" : false;

const SYNTAX = `$c ( ) -> -. <-> T F C wff |- $. $v ph ps ch $.
wph $f wff ph $. wps $f wff ps $. wch $f wff ch $.
wT $a wff T $. wn $a wff -. ph $. wi $a wff ( ph -> ps ) $.
`;
const LOGIC = `${SYNTAX}\${ min $e |- ph $. maj $e |- ( ph -> ps ) $. ax-mp $a |- ps $. $}
ax-1 $a |- ( ph -> ( ps -> ph ) ) $. ax-3 $a |- ( ( -. ph -> -. ps ) -> ( ps -> ph ) ) $.
a1i $p |- ( ph -> ( ps -> ph ) ) $= wph wps ax-1 $.
`;

/** Two words that read alike as strings: `ch -> t` of a theorem t, and so anything. */
const T = "wph wps wph wi wi";
const BARE = `wbare $a wff ph -> ps $.
bare $p |- ch -> ( ph -> ( ps -> ph ) ) $= ${T} wch ${T} wbare wph wps ax-1
  ${T} ${T} wch wbare ${T} wi wph wps ax-1 ${T} ${T} wch wbare ax-1 ax-mp ax-mp $.
`;
const F = `wph ${T} wbare`;
const EVERYTHING = `everything $p |- ch $= ${F} wch wph wps wph bare
  wch wn ${F} wn wi ${F} wch wi
  ${F} wn wch wn ${F} wn wi wph wps wph wn bare ${F} wn wch wn ax-1 ax-mp
  wch ${F} ax-3 ax-mp ax-mp $.
`;
/** As the program has it, which does not compare hypotheses of a rule without variables. */
const BLIND = `\${ bad.1 $e |- -. ( T -> ( T -> T ) ) $. bad $p |- -. ( T -> ( T -> T ) ) $= bad.1 $. $}
yes $p |- ( T -> ( T -> T ) ) $= wT wT ax-1 $.
th $p |- -. ( T -> ( T -> T ) ) $= wT wT ax-1 bad $.
`;

const check = (text: string) => {
  const database = readMetamath("t.mm", () => text);
  assert.deepEqual(database.problems, [], "the text itself is in order");
  const { refused, unread, restsOn } = checkDatabase(database);
  const at = (label: string): number => database.statements.findIndex((one) => one.label === label);
  return { refused: [...refused.keys()], unread, rests: (label: string) => restsOn(at(label)).names };
};

test("a formula and its negation, by a rule without variables: our own verifier refuses what the program accepts", { skip }, async (t) => {
  const { put, recheck, records } = openSource(t, 'policy: { axioms: ["ax-*"] }\n', "metamath");
  put({
    "src/t.mm": LOGIC + BLIND,
    "src/any.mm": LOGIC + BARE + EVERYTHING,
    "src/df.mm": `${LOGIC}df-any $a |- ph $. lie $p |- -. T $= wT wn df-any $.`,
  });
  const [run] = await recheck();
  assert.ok(run?.check, run?.problems.join("\n"));
  assert.match(run.problems.join("\n"), /known to accept wrong proofs/, "Debian's program is a version with a known hole");
  assert.match(run.problems.join("\n"), /any\.mm.*decides not how everything is read: the proof of bare takes one claim for two/);
  const said = new Map((await records()).map((record) => [`${record.module}.${record.theorem_name}`, record]));
  assert.equal(said.get("t.yes")?.verification_state, "VERIFIED");
  assert.equal(said.get("t.th")?.status, "DISPUTED");
  assert.equal(said.get("t.th")?.verification_state, "NOT_VERIFIED");
  assert.match(
    said.get("t.th")?.checks?.[0]?.reason ?? "",
    /our own verifier refuses what it accepts: step 4: bad has another claim than bad\.1/,
  );
  assert.equal(said.get("any.everything")?.verification_state, "NOT_VERIFIED", "one rule of syntax proves everything");
  assert.deepEqual(said.get("any.everything")?.axioms, ["ax-1", "ax-3", "ax-mp", "wbare", "wi", "wn"]);
  assert.equal(said.get("df.lie")?.verification_state, "NOT_VERIFIED", "a label that begins with df- is no definition");
  assert.deepEqual(said.get("df.lie")?.axioms, ["df-any"]);
  for (const module of ["t", "any", "df"]) assert.equal(said.get(`${module}.a1i`)?.verification_state, "VERIFIED", module);
});

test("rules without variables: whatever stands in their hypotheses is compared", () => {
  const rule = (hypotheses: readonly string[], claim: string): string =>
    `\${ ${hypotheses.map((one, at) => `r.${at} $e |- ${one} $.`).join(" ")} r $a |- ${claim} $. $}\n`;
  const yes = "wT wT ax-1";
  for (const [name, text] of Object.entries({
    "the second of two": `${rule(["( T -> ( T -> T ) )", "-. T"], "F")}th $p |- F $= ${yes} ${yes} r $.`,
    "one word too few": `${rule(["( T -> ( T -> T )"], "F")}th $p |- F $= ${yes} r $.`,
    "in a compressed proof": `${rule(["-. T"], "F")}th $p |- F $= ( wT ax-1 r ) AABC $.`,
    "taken again": `${rule(["( T -> ( T -> T ) )", "T"], "F")}th $p |- F $= ( wT ax-1 r ) AABZDC $.`,
    "the other type": `\${ r.0 $e wff -. T $. r $a |- F $. $}\nth $p |- F $= ${yes} r $.`,
    "of nothing": `${rule([""], "F")}th $p |- F $= ${yes} r $.`,
  }))
    assert.deepEqual(check(`${LOGIC}$c not $.\n${text}`).refused, ["th"], name);
});

test("proofs that do not hold: each is refused, and the one beside it is not", () => {
  const apart = `\${ $d ph ps $. ax-d $a |- ( ph -> ps ) $. $}\n`;
  for (const [name, text] of Object.entries({
    "a later statement": "th $p |- ( T -> ( T -> T ) ) $= wT wT later $. later $a |- ( ph -> ( ps -> ph ) ) $.",
    itself: "th $p |- ( ph -> ph ) $= wph th $.",
    "a hypothesis of another scope": "${ h $e |- ph $. i $p |- ph $= h $. $} th $p |- T $= h $.",
    "a variable of another type": "$c set $. $v x $. vx $f set x $. th $p |- ( ph -> ( ph -> ph ) ) $= vx wph ax-1 $.",
    "one claim left": "th $p |- ( ph -> ( ps -> ph ) ) $= wph wph wps ax-1 $.",
    nothing: "th $p |- ( ph -> ( ps -> ph ) ) $= wph $.",
    "too few": "th $p |- ( ph -> ( ps -> ph ) ) $= wps ax-1 $.",
    "something else": "th $p |- ( ph -> ( ph -> ps ) ) $= wph wps ax-1 $.",
    "variables that are not apart": `${apart}th $p |- ( ph -> ph ) $= wph wph ax-d $.`,
    "apart in the proof alone": `${apart}th $p |- ( ph -> ps ) $= wph wps ax-d $.`,
    "apart in parts": `${apart}\${ $d ph ps $. th $p |- ( ph -> ( ps -> ph ) ) $= wph wps wph wi ax-d $. $}`,
    "a step that is not there": "th $p |- ( ph -> ( ps -> ph ) ) $= ( ax-1 ) ABD $.",
    "a list with its own hypothesis": "th $p |- ( ph -> ( ps -> ph ) ) $= ( wph ax-1 ) CBD $.",
    "an unfinished number": "th $p |- ( ph -> ( ps -> ph ) ) $= ( ax-1 ) ABCU $.",
    "a sign of its own": "th $p |- ( ph -> ( ps -> ph ) ) $= ( ax-1 ) ABC! $.",
    "saved before anything": "th $p |- ( ph -> ( ps -> ph ) ) $= ( ax-1 ) ZABC $.",
  }))
    assert.deepEqual(check(LOGIC + text).refused, ["th"], name);
  assert.deepEqual(check(`${LOGIC}${apart}\${ $d ph ps $. th $p |- ( ph -> ps ) $= wph wps ax-d $. $}`).refused, []);
  assert.deepEqual(check(`${LOGIC}th $p |- ( ph -> ( ps -> ph ) ) $= ( ax-1 ) ABC $.`).refused, []);
});

test("grammars that give one string two senses: what is proved by that rests on its rules of syntax, and nothing else does", () => {
  const plain = check(LOGIC);
  assert.equal(plain.unread, null);
  assert.deepEqual(plain.rests("a1i"), ["ax-1"], "rules of syntax that can be read in one way are no axioms");
  for (const [name, text] of Object.entries({
    "without brackets": BARE + EVERYTHING,
    "the rule comes last": `${BARE.replace("wbare $a wff ph -> ps $.", "").replace(/^/, "wbare $a wff ph -> ps $. ")}${EVERYTHING}`,
    "an operator behind": "$c ! $. wbang $a wff ph ! $. everything $p |- ( T -> ( -. T ! -> T ) ) $= wT wT wn wbang ax-1 $.",
    "an operator before, and one behind":
      "$c ! $. wbang $a wff ph ! $. everything $p |- ( T -> ( -. T ! -> T ) ) $= wT wT wbang wn ax-1 $.",
    "one string, two rules": "wi2 $a wff ( ph -> ps ) $. everything $p |- ( T -> ( ( T -> T ) -> T ) ) $= wT wT wT wi2 ax-1 $.",
    "side by side": "wside $a wff ph ps $. everything $p |- ( T -> ( T T T -> T ) ) $= wT wT wT wside wT wside ax-1 $.",
    "nothing at all": "wnone $a wff $. everything $p |- ( T -> ( -. -> T ) ) $= wT wnone wn ax-1 $.",
    "one variable twice": "wtwice $a wff ph ph $. everything $p |- ( T -> ( T T -> T ) ) $= wT wT wtwice ax-1 $.",
    "a term that is itself": "wsame $a wff ph $. everything $p |- ( T -> ( T -> T ) ) $= wT wT wsame ax-1 $.",
  })) {
    const { refused, unread, rests } = check(LOGIC + text);
    assert.deepEqual(refused, [], `${name}: as strings it is a proof`);
    assert.notEqual(unread, null, `${name} is told`);
    assert.ok(
      rests("everything").some((label) => label.startsWith("w")),
      name,
    );
  }
  const beside = check(LOGIC + BARE + EVERYTHING);
  assert.deepEqual(beside.rests("a1i"), ["ax-1"]);
});

const EQUAL = `${LOGIC}wb $a wff ( ph <-> ps ) $. ax-id $a |- ( ph <-> ph ) $.
\${ turn.1 $e |- ( ph <-> ps ) $. ax-turn $a |- ( ps <-> ph ) $. $}
`;
test("a variable of the type of claims, which is a hypothesis that nobody sees: the database is refused", () => {
  const { problems } = readMetamath("t.mm", () => `${LOGIC}$v q $. fq $f |- q $. lie $p |- q $= fq $.`);
  assert.deepEqual(problems, ['lie takes fq, a variable of the type "|-" of what it claims']);
});

test("a definition is a sound one or an axiom, whatever its label", () => {
  const of = (text: string) => check(`${EQUAL}wC $a wff C ph $.\n${text}`);
  const sound = of("df-c $a |- ( C ph <-> -. ph ) $. th $p |- ( C T <-> -. T ) $= wT df-c $.");
  assert.deepEqual(sound.rests("th"), ["ax-id", "ax-turn"], "a sound one rests on what makes it sound");
  for (const [name, made, claim, proof] of [
    ["anything", "df-c $a |- ph $.", "T", "wT df-c"],
    ["a variable of the right side alone", "df-c $a |- ( C ph <-> ps ) $.", "( C T <-> -. T )", "wT wT wn df-c"],
    ["itself", "df-c $a |- ( C ph <-> -. C ph ) $.", "( C T <-> -. C T )", "wT df-c"],
    ["defined twice", "df-c $a |- ( C ph <-> ph ) $. df-d $a |- ( C ph <-> -. ph ) $.", "( C T <-> -. T )", "wT df-d"],
    ["used before", "ax-c $a |- ( C ph -> ph ) $. df-c $a |- ( C ph <-> T ) $.", "( C T <-> T )", "wT df-c"],
    ["no variable on the left", "df-c $a |- ( C ( ph -> ps ) <-> T ) $.", "( C ( T -> T ) <-> T )", "wT wT df-c"],
    ["the sides turned", "df-c $a |- ( -. ph <-> C ph ) $.", "( -. T <-> C T )", "wT df-c"],
    ["one direction", "df-c $a |- ( C ph -> ph ) $.", "( C T -> T )", "wT df-c"],
    ["a condition", "${ c.1 $e |- ( ph -> ( ph -> ph ) ) $. df-c $a |- ( C ph <-> T ) $. $}", "( C T <-> T )", "wT wT wT ax-1 df-c"],
    ["its own rule on the right", "wD $a wff F ph $. df-c $a |- ( F ph <-> C F ph ) $.", "( F T <-> C F T )", "wT df-c"],
  ] as const) {
    const { refused, rests } = of(`${made} th $p |- ${claim} $= ${proof} $.`);
    assert.deepEqual(refused, [], name);
    assert.ok(
      rests("th").some((label) => label.startsWith("df-")),
      name,
    );
  }
});

const BOUND = `${EQUAL}$c set A. = Z D $. $v x y z $. vx $f set x $. vy $f set y $. vz $f set z $.
wal $a wff A. x ph $. weq $a wff x = y $. wz $a wff Z x $. wC $a wff C ph $.
`;
/** An implication with what it does, and steps that put like for like. */
const KIT = `ax-refl $a |- ( ph -> ph ) $.
\${ a.1 $e |- ps $. ax-a1i $a |- ( ph -> ps ) $. $} \${ s.1 $e |- ( ph -> ps ) $. s.2 $e |- ( ps -> ch ) $. ax-syl $a |- ( ph -> ch ) $. $}
$v si $. wsi $f wff si $.
\${ b.1 $e |- ( ph -> ( ps <-> ch ) ) $. b.2 $e |- ( ph -> ( ch <-> si ) ) $. ax-chain $a |- ( ph -> ( ps <-> si ) ) $. $}
\${ i.1 $e |- ( ph -> ( ps <-> ch ) ) $. ax-im1 $a |- ( ph -> ( ( ps -> si ) <-> ( ch -> si ) ) ) $.
ax-im2 $a |- ( ph -> ( ( si -> ps ) <-> ( si -> ch ) ) ) $. \${ $d x ph $. ax-al $a |- ( ph -> ( A. x ps <-> A. x ch ) ) $. $} $}
ax-eq1 $a |- ( x = y -> ( x = z <-> y = z ) ) $. ax-eq2 $a |- ( x = y -> ( z = x <-> z = y ) ) $.
`;
const CBV = `\${ $d x y $. $d y ph $. $d x ps $. cbv.1 $e |- ( x = y -> ( ph <-> ps ) ) $. ax-cbv $a |- ( A. x ph <-> A. y ps ) $. $}
`;
const RENAMES = KIT + CBV;
const df = (groups: string, right: string) => `\${ ${groups} df-c $a |- ( C ph <-> ${right} ) $. $}\n`;
const isSound = (text: string): boolean => {
  const database = readMetamath("t.mm", () => `${BOUND}${text}`);
  assert.deepEqual(database.problems, []);
  const at = database.statements.findIndex(({ label }) => label === "df-c");
  return !checkDatabase(database).restsOn(at).names.includes("df-c");
};
test("a variable of the right side alone has to be bound, and kept apart from all others", () => {
  assert.deepEqual(check(`${BOUND}${RENAMES} th $p |- ( C T <-> C T ) $= wT wC ax-id $.`).refused, []);
  assert.equal(isSound(RENAMES + df("$d x ph $.", "A. x ( x = x -> ph )")), true);
  assert.equal(isSound(KIT + df("$d x ph $.", "A. x ( x = x -> ph )")), false, "nothing says that A. binds");
  assert.equal(isSound(RENAMES + df("", "A. x ( x = x -> ph )")), false, "not apart");
  assert.equal(isSound(RENAMES + df("$d x ph $.", "( A. x x = x -> x = x )")), false, "free beside");
  assert.equal(isSound(RENAMES + df("$d x y ph $.", "A. x x = y")), false, "the other is free");
  assert.equal(isSound(RENAMES + df("$d x y ph $.", "A. x A. y ( x = y -> ph )")), true);
  assert.equal(isSound(RENAMES + df("$d x y $. $d x ph $.", "A. x A. y ( x = y -> ph )")), false, "one of two is not apart");
  assert.equal(isSound(RENAMES + df("$d x ph $.", "A. x ( A. x x = x -> ph )")), true, "bound again within");
});

test("a binder that is renamed by a relation that is no congruence: the definition is an axiom", () => {
  // `A. x ph` as `ph` itself, and `x = y` as what is always so: all of it is true then, and `C <-> A. x Z x` makes Z say the same of everything.
  const like = "ax-z $a |- ( x = y -> ( Z x <-> Z y ) ) $.\n";
  const named = "wd $a wff D x ph $. df-d $a |- ( D x ph <-> A. x ph ) $.\n";
  assert.equal(isSound(RENAMES + like + df("$d x ph $.", "A. x Z x")), true, "like may stand for like");
  assert.equal(isSound(RENAMES + like + named + df("$d x ph $.", "D x ( Z x -> ph )")), true, "also below a definition");
  for (const [name, text, right = "A. x Z x"] of [
    ["nothing says it of Z", RENAMES],
    ["nothing is said of a rule around it", RENAMES.replace(/ax-im1 .*\n/, "") + like, "A. x ( Z x -> ph )"],
    ["only in one direction", `${RENAMES}ax-z $a |- ( x = y -> ( Z x -> Z y ) ) $.\n`],
    ["only where it is apart", `${RENAMES}\${ $d x y $. ax-z $a |- ( x = y -> ( Z x <-> Z y ) ) $. $}\n`],
    ["only of one and itself", `${RENAMES}ax-z $a |- ( x = x -> ( Z x <-> Z x ) ) $.\n`],
    ["by another relation", `$c ~ $. wsim $a wff x ~ y $. ${RENAMES}ax-z $a |- ( x ~ y -> ( Z x <-> Z y ) ) $.\n`],
    ["under a condition", `${RENAMES}\${ z.1 $e |- Z x $. ax-z $a |- ( x = y -> ( Z x <-> Z y ) ) $. $}\n`],
    ["below a definition that binds", RENAMES + named, "D x Z x"],
    [
      "a binder over the other place alone",
      `${RENAMES}${like}wd $a wff D x ph $. ${CBV.replaceAll("A.", "D").replaceAll("cbv", "d")}`,
      "D x A. y Z x",
    ],
    ["a binder of what it is not in", RENAMES.replace("$d x y $. $d y ph $.", "$d x y ph $.") + like],
    ["said after the definition", `${RENAMES}${df("$d x ph $.", "A. x Z x")}${like}`, ""],
    ["an arrow that is none", RENAMES.replace("ax-a1i", "ax-a2i").replace("a.1 $e |- ps", "a.1 $e |- ( ps -> ps )") + like],
  ] as const)
    assert.equal(isSound(text + (right === "" ? "" : df("$d x y ph $.", right))), false, name);
});
