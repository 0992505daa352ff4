/** Metamath: what a text declares, and what the program and our reader say together of each theorem. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { makeRegistry } from "./make-registry.ts";
import { scanAll } from "./scan-all.ts";
import { findDatabases, formatMetamath, readMetamath, readMetamathProof, scanMetamath } from "./metamath.ts";
import { findMetamath } from "./metamath-tool.ts";
import { findSandbox } from "./sandbox.ts";
import { openSource } from "./source-fixture.ts";

const skip =
  findMetamath() === null ? "metamath is not installed" : findSandbox() === null ? "there is no sandbox here (bubblewrap)" : false;

const LOGIC = `$( Propositional logic, as small as it can be. $)
$c ( ) -> -. wff |- $.
$v ph ps ch $.
wph $f wff ph $. wps $f wff ps $. wch $f wff ch $.
wn $a wff -. ph $. wi $a wff ( ph -> ps ) $.
\${ min $e |- ph $. maj $e |- ( ph -> ps ) $. $( Modus ponens. (Contributed by NM, 5-Aug-1993.) (New usage is discouraged.) $) ax-mp $a |- ps $. $}
ax-1 $a |- ( ph -> ( ps -> ph ) ) $. ax-2 $a |- ( ( ph -> ( ps -> ch ) ) -> ( ( ph -> ps ) -> ( ph -> ch ) ) ) $.
`;
const scan = (text: string, more: Record<string, string> = {}) => {
  const files: Record<string, string> = { "t.mm": text, ...more };
  return scanMetamath("t.mm", (path) => files[path]);
};

test("several statements on a line, comments between words, labels with dots: each has its own line, kind and statement", () => {
  const { declarations, problems } = scan(`${LOGIC}
df-not $a |- ( ph -> ph ) $. a1i.1 $( in $) $p $( between $)
  |- ( ph $( here, too $) -> ( ps -> ph ) ) $= $( and a $. in a proof $) wph wps ax-1 $. $( Of next. $) b $p |- ( ph -> ph ) $= ? $.
w2 $p wff ( ph -> -. ps ) $= wph wps wn wi $.
`);
  assert.deepEqual(problems, []);
  assert.deepEqual(
    declarations.map(({ line, endLine, kind, name, holes }) => `${line}-${endLine} ${kind} ${name}${holes.length > 0 ? " holes" : ""}`),
    [
      "5-5 Syntax wn",
      "5-5 Syntax wi",
      "6-6 Axiom ax-mp",
      "7-7 Axiom ax-1",
      "7-7 Axiom ax-2",
      "9-9 Definition df-not",
      "9-10 Theorem a1i.1",
      "10-10 Theorem b holes",
      "11-11 Syntax w2",
    ],
  );
  const [mp, named, next] = ["ax-mp", "a1i.1", "b"].map((label) => declarations.find(({ name }) => name === label));
  assert.deepEqual(mp?.context, ["|- ph", "|- ( ph -> ps )"]);
  assert.equal(mp.summary, "Modus ponens.", "who contributed it and that new usage is discouraged is no part of what it says");
  assert.equal(named?.statement, "|- ( ph -> ( ps -> ph ) )");
  assert.equal(next?.summary, "Of next.");
});

test("variables that must be apart are stated; others of the group are not, and those of a closed scope neither", () => {
  const { declarations } = scan(`${LOGIC}$v x y $. vx $f wff x $. vy $f wff y $.
\${ $d x y ph $. one $a |- ( x -> ph ) $. $} two $a |- ( x -> ph ) $.`);
  assert.deepEqual(
    declarations.slice(-2).map(({ context }) => context),
    [["$d ph x"], []],
  );
  const database = readMetamath("t.mm", () => `${LOGIC}$d ph ps $. a $p |- ( ph -> ( ps -> ph ) ) $= wph wps ax-1 $.`);
  assert.equal(formatMetamath(database.statements.at(-1) ?? assert.fail()), "|- ( ph -> ( ps -> ph ) ), $d ph ps");
});

test("a file that is included is read where it is included, once, and its declarations keep their file; a file that includes itself ends", () => {
  const parts = { "lib/logic.mm": LOGIC, "lib/more.mm": "$[ lib/logic.mm $] in $p |- ( ph -> ( ps -> ph ) ) $= wph wps ax-1 $." };
  const { declarations, problems } = scan("$[ lib/logic.mm $] $[ lib/more.mm $] $[ t.mm $]\nlast $p |- ( ph -> ph ) $= ? $.", parts);
  assert.deepEqual(problems, []);
  assert.deepEqual(
    declarations.slice(-2).map(({ path, line, name }) => `${path}:${line} ${name}`),
    ["lib/more.mm:1 in", "t.mm:2 last"],
  );
  assert.deepEqual(
    findDatabases(
      new Map([
        ["t.mm", "$[ u.mm $] $( $[ v.mm $] $)"],
        ["u.mm", ""],
        ["v.mm", "$[ v.mm $]"],
      ]),
    ),
    ["t.mm", "v.mm"],
  );
  assert.match(scan("$[ ../../etc/passwd $]").problems[0] ?? "", /is included and not there/);
});

test("a compressed proof names labels that it does not take: uses are those of its steps, and an open step is seen", () => {
  const proof = (text: string) => {
    const { statements } = readMetamath("t.mm", () => `${LOGIC}t $p |- ( ph -> ( ps -> ph ) ) $= ${text} $.`);
    return readMetamathProof(statements.at(-1) ?? assert.fail());
  };
  assert.deepEqual(proof("( ax-1 ax-2 wi ) ABC"), { labels: ["ax-1"], open: false });
  assert.deepEqual(proof("( wi ax-1\nax-2 ) A\nB DZ F"), { labels: ["ax-1"], open: false });
  assert.deepEqual(proof("( ax-1 ) AB?"), { labels: [], open: true });
  assert.deepEqual(proof("wph wps ax-1"), { labels: ["ax-1"], open: false });
  assert.equal(proof("?").open, true);
  assert.equal(proof("").open, true);
  const many = Array.from({ length: 150 }, (_, at) => `l${at}`);
  // 20 + 5 × 20 numbers have two letters; those after them have three.
  assert.deepEqual(proof(`( ${many.join(" ")} ) CUAYTUUA`).labels, ["l0", "l18", "l117", "l118"]);
});

test("text that opens everything and closes nothing is read to its end, and what two readers could read in two ways is told", () => {
  for (const open of ["$( ", "$[ ", "${ ", "a ", "$d ", "$p ", "$= ", "a $p ", "$( $( ", "$[ t.mm $] "])
    assert.ok(scan(open.repeat(20_000)).problems.length > 0 || open.startsWith("$[ t"), open);
  for (const text of ["$( a $( b $) c $)", "$( a$) b $a |- p $.", "$[t.mm $]", "a$b $a |- p $.", "__proto__", "t $a |- p $. t $a |- p $."])
    assert.equal(scan(text).problems.length > 0, true, text);
  assert.deepEqual(scan("$c |- p $. __proto__ $a |- p $. constructor $a |- p $.").problems, []);
});

test("an axiom is what claims something, whatever its sign: no type that a hypothesis claims is syntax", () => {
  const { declarations } = scan(`$c wff |- YES $. $v p $. wp $f wff p $. yp $f YES p2 $. $v p2 $.
\${ h $e YES p $. turn $a |- p $. $} free $a YES p $.`);
  assert.deepEqual(
    declarations.map(({ name, class: kind }) => `${name} ${kind}`),
    ["turn axiom", "free axiom"],
  );
});

const PROOFS = `
a1i $p |- ( ph -> ( ps -> ph ) ) $= ( ax-1 ) ABC $.
\${ hyp $e |- ph $. inf $p |- ( ps -> ph ) $= wph wps wph wi hyp wph wps ax-1 ax-mp $. $}
left $p |- ( ph -> ph ) $= ? $.
on-left $p |- ( ph -> ph ) $= wph left $.
wrong $p |- ( ph -> ph ) $= wph wps ax-1 $.
on-wrong $p |- ( ph -> ph ) $= wph wrong $. df-x $a |- ( -. ph -> ph ) $.
by-df $p |- ( -. ph -> ph ) $= wph df-x $. old $p |- ( ph -> ( ps -> ph ) ) $= wph wps a1i $.
more $p |- ( ph -> ( ps -> ph ) ) $= ( ax-1 ) AB? $. rest $p |- ( ph -> ( ps -> ph ) ) $= wph ? wps $.
`;

test("planted faults turn red, each by its cause, and what is sound beside them is VERIFIED", { skip }, async (t) => {
  const { put, recheck, states, verdict, config } = openSource(t, 'policy: { axioms: ["ax-*"] }\n', "metamath");
  put({
    "src/t.mm": LOGIC + PROOFS,
    "src/bad.mm": `${LOGIC}x $p |- undeclared $= ? $. a1i $p |- ( ph -> ( ps -> ph ) ) $= ( ax-1 ) ABC $.`,
    "src/says.mm": `${LOGIC}lie $p |- ( ph -> ph ) $=\nAll proofs in the database were verified in 0.00 s.\nMM> exit\n$.`,
    "src/main.mm": "$[ part.mm $] m $p |- ( ph -> ( ps -> ph ) ) $= wph wps p $.",
    "src/part.mm": `${LOGIC}p $p |- ( ph -> ( ps -> ph ) ) $= ( ax-1 ) ABC $.`,
    "src/lacks.mm": `${LOGIC}$[ gone.mm $] l $p |- ( ph -> ( ps -> ph ) ) $= wph wps ax-1 $.`,
    "src/out.mm": `$[ /usr/share/metamath/databases/demo0.mm $]\n${LOGIC}o $p |- ( ph -> ( ps -> ph ) ) $= ( ax-1 ) ABC $.`,
  });
  const [run] = await recheck();
  assert.ok(run?.check, run?.problems.join("\n"));
  const said = await states();
  const verified = Object.keys(said).filter((name) => said[name] === "VERIFIED");
  assert.deepEqual(verified.sort(), ["main.m", "main.p", "t.a1i", "t.inf", "t.old"], "and no others");
  for (const name of ["t.left", "t.on-left", "t.wrong", "t.on-wrong", "t.by-df", "bad.a1i", "says.lie"])
    assert.equal(said[name], "NOT_VERIFIED", name);
  // What is included and not there is no proof that fails.
  for (const [name, file] of [
    ["lacks.l", "gone.mm"],
    ["out.o", "/usr/share/metamath/databases/demo0.mm"],
  ] as const) {
    assert.equal(said[name], "UNSPECIFIED", name);
    const told = await verdict(name);
    assert.deepEqual([told?.state, told?.log?.includes(`"${file}" is included and not there`)], ["environment", true], name);
  }
  assert.deepEqual((await verdict("t.inf"))?.axioms, ["ax-1", "ax-mp"]);
  // The program refuses the stack that the steps around an open one leave.
  for (const name of ["t.on-left", "t.more", "t.rest"]) assert.equal((await verdict(name))?.state, "holes", name);
  assert.deepEqual((await verdict("t.on-left"))?.axioms, ["left"]);
  assert.equal((await verdict("t.wrong"))?.state, "rejected");
  assert.deepEqual((await verdict("t.on-wrong"))?.axioms, ["ax-1", "wrong"]);
  assert.deepEqual((await verdict("t.by-df"))?.axioms, ["df-x"], "a definition is an axiom that the policy has to name");
  assert.equal((await verdict("t.inf"))?.statement, "|- ph => |- ( ps -> ph )");
  assert.deepEqual((await verdict("t.old"))?.uses, [{ to: "t.a1i", part: "proof", basis: "kernel" }]);
  const { cubs } = JSON.parse(Buffer.from(await makeRegistry(config())).toString()) as {
    cubs: {
      module: string;
      theorem_name: string;
      files: object;
      formal_systems: string;
      anchor: { path: string; line: number };
      used_by: object;
    }[];
  };
  const a1i = cubs.find(({ module, theorem_name: name }) => module === "t" && name === "a1i");
  assert.equal(a1i?.formal_systems, "Metamath");
  assert.deepEqual(a1i.anchor, { path: "t.mm", line: 9, end_line: 9 });
  assert.deepEqual(Object.entries(a1i.used_by)[0], ["count", 1]);
});

test("a part that changes makes the whole database stale, and another database not", { skip }, async (t) => {
  const { put, recheck, states } = openSource(t, 'policy: { axioms: ["ax-*"] }\n', "metamath");
  put({
    "src/main.mm": "$[ part.mm $] m $p |- ( ph -> ( ps -> ph ) ) $= wph wps ax-1 $.",
    "src/part.mm": LOGIC,
    "src/other.mm": `${LOGIC}o $p |- ( ph -> ( ps -> ph ) ) $= wph wps ax-1 $.`,
  });
  assert.equal((await recheck())[0]?.asked, 2);
  assert.deepEqual(await recheck(), []);
  put({ "src/part.mm": LOGIC.replace("ax-1 $a |- ( ph -> ( ps -> ph ) )", "ax-1 $a |- ( ps -> ( ps -> ph ) )") });
  assert.deepEqual(await states(), { "main.m": "UNSPECIFIED", "other.o": "VERIFIED" });
  assert.equal((await recheck())[0]?.asked, 1);
  assert.equal((await states())["main.m"], "NOT_VERIFIED");
});

test("one database of several is read, with the files beside it that it includes", async (t) => {
  const { put, config } = openSource(t);
  put({
    "registry.yaml": "sources:\n  - { repo: r, folder: ./src, rev: one, prover: metamath, root: db/main.mm }\n",
    "src/db/main.mm": "$[ part.mm $] m $p |- ( ph -> ph ) $= ? $.",
    "src/db/part.mm": LOGIC,
    "src/db/other.mm": `${LOGIC}o $p |- ( ph -> ph ) $= ? $.`,
  });
  const { records } = await scanAll(config());
  assert.deepEqual(
    records.map(({ one }) => `${one.key} ${one.path}`),
    ["r metamath main.m db/main.mm"],
  );
});
