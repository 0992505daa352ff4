/** Files of lean4export in both of their formats, and what is said of a record by one: no Lean runs here, so that the files are written by hand. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { sha256 } from "../../../snapshots/digest.ts";
import { isLeansOwn, leanWords } from "./lean-axioms.ts";
import { openLeanRests, readLeanExport } from "./lean-export.ts";
import { recordStanding } from "../../../snapshots/format/standing.ts";
import { openSource } from "./source-fixture.ts";

type Expression = number;
/** Writes an export line by line, as the format has it. */
function openExport(format: "3.0.0" | "3.1.0") {
  const lines: string[] = [];
  const put = (line: object): number => lines.push(JSON.stringify(line));
  put({
    meta: { exporter: { name: "lean4export", version: format }, format: { version: format }, lean: { githash: "0", version: "4.30.0" } },
  });
  let [names, levels, expressions] = [0, 0, 0];
  const known = new Map<string, number>([["", 0]]);
  const name = (text: string): number => {
    const at = known.get(text);
    if (at !== undefined) return at;
    const cut = text.lastIndexOf(".");
    const pre = name(cut < 0 ? "" : text.slice(0, cut));
    put({ in: ++names, str: { pre, str: text.slice(cut + 1) } });
    known.set(text, names);
    return names;
  };
  const expression = (said: object): Expression => (put({ ie: expressions, ...said }), expressions++);
  const declare = (kind: string, said: object): void => void put({ [kind]: format === "3.0.0" ? [said] : said });
  return {
    param: (text: string): number => (put({ il: ++levels, param: name(text) }), levels),
    succ: (level: number): number => (put({ il: ++levels, succ: level }), levels),
    constant: (text: string, us: readonly number[] = []): Expression => expression({ const: { name: name(text), us } }),
    bound: (at: number): Expression => expression({ bvar: at }),
    sort: (level: number): Expression => expression({ sort: level }),
    apply: (fn: Expression, arg: Expression): Expression => expression({ app: { fn, arg } }),
    all: (text: string, type: Expression, body: Expression): Expression =>
      expression({ forallE: { name: name(text), type, body, binderInfo: "default" } }),
    noted: (expr: Expression): Expression => expression({ mdata: { expr, data: {} } }),
    axiom: (text: string, type: Expression, universes: readonly string[] = []): void =>
      declare("axiom", { name: name(text), levelParams: universes.map(name), type, isUnsafe: false }),
    quot: (text: string, type: Expression, universes: readonly string[]): void =>
      declare("quot", { name: name(text), levelParams: universes.map(name), type, kind: "type" }),
    theorem: (text: string, type: Expression, value: Expression, universes: readonly string[] = []): void =>
      declare("thm", { name: name(text), levelParams: universes.map(name), type, value, all: [name(text)] }),
    definition: (text: string, type: Expression, value: Expression, safety = "safe"): void =>
      declare("def", { name: name(text), levelParams: [], type, value, hints: "abbrev", safety, all: [name(text)] }),
    inductive: (
      text: string,
      type: Expression,
      constructors: readonly (readonly [string, Expression])[],
      universes: readonly string[] = [],
    ): void => {
      const levelParams = universes.map(name);
      const types = [
        { name: name(text), levelParams, type, all: [name(text)], ctors: constructors.map(([one]) => name(one)), isUnsafe: false },
      ];
      const ctors = constructors.map(([one, of]) => ({ name: name(one), levelParams, type: of, induct: name(text), isUnsafe: false }));
      put({
        inductive: format === "3.0.0" ? { inductiveVals: types, constructorVals: ctors, recursorVals: [] } : { types, ctors, recs: [] },
      });
    },
    text: (): string => `${lines.join("\n")}\n`,
  };
}

type File = ReturnType<typeof openExport>;
/** prelude declares the axioms of Lean as Lean does, each with what its statement names. @param instead declarations of the file's own */
function prelude(file: File, instead: Readonly<Record<string, () => void>> = {}): void {
  const prop = file.sort(0);
  const [u, one] = [file.param("u"), file.succ(0)];
  const [sort, x] = [file.sort(u), file.bound];
  const all = (types: readonly Expression[], end: Expression): Expression =>
    types.reduceRight((body, type) => file.all("a", type, body), end);
  const call = (fn: Expression, ...given: readonly Expression[]): Expression => given.reduce((left, arg) => file.apply(left, arg), fn);
  const relation = file.all("a", x(0), file.all("b", x(1), prop));
  const declare: Record<string, () => void> = {
    Eq: () => {
      const type = all([sort, x(0), x(1)], prop);
      file.inductive("Eq", type, [["Eq.refl", all([sort, x(0)], call(file.constant("Eq", [u]), x(1), x(0), x(0)))]], ["u"]);
    },
    Iff: () => {
      const end = call(file.constant("Iff"), x(3), x(2));
      const intro = all([prop, prop, all([x(1)], x(1)), all([x(1)], x(3))], end);
      file.inductive("Iff", all([prop, prop], prop), [["Iff.intro", intro]]);
    },
    Nonempty: () => {
      const intro = all([sort, x(0)], call(file.constant("Nonempty", [u]), x(1)));
      file.inductive("Nonempty", all([sort], prop), [["Nonempty.intro", intro]], ["u"]);
    },
    False: () => file.inductive("False", prop, []),
    True: () => file.inductive("True", prop, [["True.intro", file.constant("True")]]),
    And: () =>
      file.inductive("And", all([prop, prop], prop), [
        ["And.intro", all([prop, prop, x(1), x(1)], call(file.constant("And"), x(3), x(2)))],
      ]),
    Or: () => {
      const side = (from: number): Expression => all([prop, prop, x(from)], call(file.constant("Or"), x(2), x(1)));
      file.inductive("Or", all([prop, prop], prop), [
        ["Or.inl", side(1)],
        ["Or.inr", side(0)],
      ]);
    },
    Exists: () => {
      const of = file.all("a", x(0), prop);
      const intro = all([sort, of, x(1), call(x(1), x(0))], call(file.constant("Exists", [u]), x(3), x(2)));
      file.inductive("Exists", all([sort, of], prop), [["Exists.intro", intro]], ["u"]);
    },
    Nat: () => {
      const nat = file.constant("Nat");
      file.inductive("Nat", file.sort(one), [
        ["Nat.zero", nat],
        ["Nat.succ", all([nat], nat)],
      ]);
    },
    Quot: () => {
      const type = call(file.constant("Quot", [u]), x(2), x(1));
      file.quot("Quot", all([sort, relation], sort), ["u"]);
      file.quot("Quot.mk", all([sort, relation, x(1)], type), ["u"]);
    },
    propext: () =>
      file.axiom("propext", all([prop, prop, call(file.constant("Iff"), x(1), x(0))], call(file.constant("Eq", [one]), prop, x(2), x(1)))),
    "Classical.choice": () => file.axiom("Classical.choice", all([sort, call(file.constant("Nonempty", [u]), x(0))], x(1)), ["u"]),
    "Quot.sound": () => {
      const mk = (of: Expression): Expression => call(file.constant("Quot.mk", [u]), x(4), x(3), of);
      const same = call(file.constant("Eq", [u]), call(file.constant("Quot", [u]), x(4), x(3)), mk(x(2)), mk(x(1)));
      file.axiom("Quot.sound", all([sort, relation, x(1), x(2), call(x(2), x(1), x(0))], same), ["u"]);
    },
  };
  for (const [name, make] of Object.entries(declare)) (instead[name] ?? make)();
}

function example(format: "3.0.0" | "3.1.0", { bound = "x", universe = "u" } = {}): string {
  const file = openExport(format);
  const prop = file.sort(0);
  prelude(file);
  const [yes, intro] = [file.constant("True"), file.constant("True.intro")];
  file.axiom("sorryAx", prop);
  file.theorem("A.sound", yes, intro);
  file.theorem("A.uses", yes, file.apply(file.constant("A.sound"), file.constant("propext")));
  file.theorem("A.open", yes, file.constant("sorryAx"));
  file.theorem("A.about", file.all("h", file.constant("A.open"), yes), intro);
  file.definition("A.trick", yes, intro, "unsafe");
  file.theorem("A.by_trick", yes, file.constant("A.trick"));
  file.theorem("A.cut", yes, file.constant("A.elsewhere"));
  const level = file.param(universe);
  file.theorem("A.general", file.all(bound, file.sort(level), file.noted(file.bound(0))), intro, [universe]);
  file.axiom("hidden", prop);
  file.inductive("Odd", prop, [["Odd.mk", file.all("h", file.constant("hidden"), file.constant("Odd"))]]);
  file.theorem("A.of_type", file.constant("Odd"), intro);
  return file.text();
}

async function read(t: TestContext, text: string) {
  const folder = mkdtempSync(join(tmpdir(), "proofshelf-lean-export-"));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "e.ndjson"), text);
  return readLeanExport(join(folder, "e.ndjson"));
}

test("both formats say the same: axioms, sorry, what is unsafe, what is missing, and what only the statement or a constructor rests on", async (t) => {
  for (const format of ["3.0.0", "3.1.0"] as const) {
    const { constants, meta } = await read(t, example(format));
    assert.equal(meta.format.version, format);
    const rests = openLeanRests(constants, constants.keys());
    assert.deepEqual(rests("A.sound"), { names: [], unsafe: [], missing: [] });
    assert.deepEqual(rests("A.uses").names, ["propext"]);
    assert.deepEqual(rests("A.open").names, ["sorryAx"]);
    assert.deepEqual(rests("A.about").names, ["sorryAx"], "in its statement alone");
    assert.deepEqual(rests("A.by_trick").unsafe, ["A.trick is unsafe or partial"]);
    assert.deepEqual(rests("A.cut").missing, ["A.elsewhere"]);
    assert.deepEqual(rests("A.of_type").names, ["hidden"], "by a constructor that nothing names");
    assert.deepEqual(constants.get("A.uses")?.proof, ["A.sound", "propext"]);
  }
});

test("the digest of a statement is of its structure: not of names of variables and universes, of notes and of the file's numbers", async (t) => {
  const digest = async (text: string, name = "A.general") => (await read(t, text)).constants.get(name)?.type;
  const one = await digest(example("3.0.0"));
  assert.match(one ?? "", /^[0-9a-f]{64}$/);
  assert.equal(await digest(example("3.1.0")), one);
  assert.equal(await digest(example("3.1.0", { bound: "y", universe: "v" })), one);
  const all = (await read(t, example("3.1.0"))).constants;
  assert.equal(all.get("A.sound")?.type, all.get("A.uses")?.type);
  assert.notEqual(all.get("A.sound")?.type, all.get("A.about")?.type);
});

test("a deep and shared expression is walked once; what is damaged, cut or of another format is refused with its line", async (t) => {
  const file = openExport("3.1.0");
  const prop = file.sort(0);
  let deep = prop;
  for (let at = 0; at < 20_000; at++) deep = file.apply(deep, deep);
  file.axiom("deep", deep);
  assert.match((await read(t, file.text())).constants.get("deep")?.type ?? "", /^[0-9a-f]{64}$/);
  const good = example("3.1.0").split("\n");
  for (const [lines, why] of [
    [good.slice(1), /does not begin with what made it/],
    [[good[0]?.replaceAll("3.1.0", "2.0.0") ?? ""], /has format 2\.0\.0; 3\.0 and 3\.1 are read/],
    [[good[0] ?? "", "{"], /line 2 .*cannot be read/],
    [[good[0] ?? "", '{"ie":0,"app":{"fn":7,"arg":7}}'], /line 2 .*names 7, which comes later or never/],
    [[good[0] ?? "", '{"thm":{"name":0,"type":"x"}}'], /line 2 .*none of the format/],
    [[""], /the export is empty/],
  ] as const)
    await assert.rejects(read(t, lines.join("\n")), why);
});

test("an expression is of earlier ones; numbers may leave gaps, and none that nobody could fill", async (t) => {
  const good = example("3.1.0").split("\n")[0] ?? "";
  const read3 = (lines: readonly string[]) => read(t, [good, ...lines].join("\n"));
  await assert.rejects(read3(['{"ie":4000000000,"sort":0}']), /numbers an expression 4000000000/);
  const { constants } = await read3([
    '{"in":1,"str":{"pre":0,"str":"a"}}',
    '{"in":2,"str":{"pre":1,"str":"b"}}',
    '{"ie":5,"sort":0}',
    '{"ie":9,"const":{"name":2,"us":[]}}',
    '{"ie":10,"letE":{"type":5,"value":9,"body":5}}',
    '{"ie":11,"app":{"fn":10,"arg":10}}',
    '{"thm":{"all":[1],"levelParams":[],"name":1,"type":5,"value":11}}',
  ]);
  assert.deepEqual([constants.get("a")?.statement, constants.get("a")?.proof], [[], ["a.b"]]);
});

test("what constants rest on is worked out once for each, also of those that lead to each other, however many ask", () => {
  const one = (proof: readonly string[], kind: "thm" | "axiom" = "thm", unsafe = false) => ({ kind, unsafe, statement: [], proof });
  const asked = new Map<string, number>();
  const constants = new Map([
    ["axiom", one([], "axiom")],
    ["a", one(["b", "free"])],
    ["b", one(["c"])],
    ["c", one(["a", "axiom"])],
    ["free", one([])],
    ["far", one(["c", "nowhere", "odd"])],
    ["odd", one(["free"], "thm", true)],
    ...Array.from({ length: 20_000 }, (_, at) => [`n${at}`, one([at === 0 ? "a" : `n${at - 1}`])] as const),
  ]);
  const get = constants.get.bind(constants);
  constants.get = (name) => {
    asked.set(name, (asked.get(name) ?? 0) + 1);
    return get(name);
  };
  const rests = openLeanRests(constants, constants.keys());
  for (let at = 19_999; at >= 0; at--) assert.deepEqual(rests(`n${at}`).names, ["axiom"]);
  for (const name of ["a", "b", "c"]) assert.deepEqual(rests(name), { names: ["axiom"], unsafe: [], missing: [] });
  assert.deepEqual(rests("far"), { names: ["axiom"], unsafe: ["odd is unsafe or partial"], missing: ["nowhere"] });
  assert.deepEqual(rests("free"), { names: [], unsafe: [], missing: [] });
  assert.ok(Math.max(...asked.values()) <= 4, "no walk is made again");
});

test("an axiom has the name of one of Lean's only where it says that, and where each word in it means that", async (t) => {
  const own = async (instead: (file: File) => Readonly<Record<string, () => void>>, format: "3.0.0" | "3.1.0" = "3.1.0") => {
    const file = openExport(format);
    prelude(file, instead(file));
    const { constants } = await read(t, file.text());
    return ["propext", "Classical.choice", "Quot.sound"].filter((name) => isLeansOwn(name, constants));
  };
  for (const format of ["3.0.0", "3.1.0"] as const) assert.equal((await own(() => ({}), format)).length, 3);
  const all = (file: File, end: Expression) => file.all("a", file.sort(0), file.all("b", file.sort(0), end));
  const lies: readonly [(file: File) => Readonly<Record<string, () => void>>, string][] = [
    [(file) => ({ propext: () => file.axiom("propext", file.sort(0)) }), "propext"],
    [(file) => ({ propext: () => file.axiom("propext", all(file, file.bound(0))) }), "propext"],
    [(file) => ({ Iff: () => file.definition("Iff", all(file, file.sort(0)), all(file, file.sort(0))) }), "propext"],
    [(file) => ({ Iff: () => file.axiom("Iff", all(file, file.sort(0))) }), "propext"],
    [
      (file) => ({
        Iff: () =>
          file.inductive("Iff", all(file, file.sort(0)), [["Iff.intro", all(file, file.apply(file.constant("Iff"), file.bound(0)))]]),
      }),
      "propext",
    ],
    [(file) => ({ Eq: () => file.inductive("Eq", all(file, file.sort(0)), [], ["u"]) }), "propext Quot.sound"],
    [
      (file) => ({ Nonempty: () => file.inductive("Nonempty", file.sort(0), [["Nonempty.intro", file.constant("Nonempty")]]) }),
      "Classical.choice",
    ],
    [
      (file) => ({ "Classical.choice": () => file.axiom("Classical.choice", file.all("a", file.sort(0), file.bound(0))) }),
      "Classical.choice",
    ],
    [(file) => ({ Quot: () => file.quot("Quot", file.sort(0), []) }), "Quot.sound"],
    [(file) => ({ "Quot.sound": () => file.theorem("Quot.sound", file.sort(0), file.sort(0)) }), "Quot.sound"],
  ];
  for (const [lie, of] of lies)
    assert.deepEqual(
      await own(lie),
      ["propext", "Classical.choice", "Quot.sound"].filter((name) => !of.split(" ").includes(name)),
      String(lie),
    );
});

test("a word of Lean's logic that is something else in an export is marked where a statement names it", async (t) => {
  const words = async (instead: (file: File) => Readonly<Record<string, () => void>>) => {
    const file = openExport("3.1.0");
    prelude(file, instead(file));
    const { constants } = await read(t, file.text());
    return leanWords(["False", "True", "And", "Or", "Iff", "Eq", "Exists", "Nat", "Mine"], constants).map(({ word }) => word);
  };
  assert.deepEqual(await words(() => ({})), []);
  const prop = (file: File): Expression => file.sort(0);
  const two = (file: File, end: Expression): Expression => file.all("a", prop(file), file.all("b", prop(file), end));
  const lies: readonly [(file: File) => Readonly<Record<string, () => void>>, string[]][] = [
    [(file) => ({ False: () => file.definition("False", prop(file), file.all("a", prop(file), file.bound(0))) }), ["False"]],
    [(file) => ({ False: () => file.inductive("False", prop(file), [["False.intro", file.constant("False")]]) }), ["False"]],
    [(file) => ({ And: () => file.inductive("And", two(file, prop(file)), [["And.intro", two(file, file.constant("And"))]]) }), ["And"]],
    [(file) => ({ Nat: () => file.inductive("Nat", file.sort(file.succ(0)), [["Nat.zero", file.constant("Nat")]]) }), ["Nat"]],
    [(file) => ({ Eq: () => file.axiom("Eq", two(file, prop(file))), Iff: () => undefined }), ["Iff", "Eq"]],
  ];
  for (const [lie, marked] of lies) assert.deepEqual(await words(lie), marked, String(lie));
  const file = openExport("3.1.0");
  prelude(file);
  const { constants } = await read(t, file.text());
  const declared = new Set(["Not", "My.Ne", "My.Iff", "My.LE", "Nat.prime", "My.Nat.Exists"]);
  const marked = leanWords(["Not", "My.Ne", "My.Iff", "My.LE.le", "Nat.prime", "Nat", "Ne", "Eq", "My.Nat.Exists"], constants, (word) =>
    declared.has(word),
  );
  assert.deepEqual(
    marked.map(({ word, stands_for: is }) => `${word}: ${is}`),
    [
      "Not: Not, not Lean's",
      "Ne: My.Ne, not Lean's",
      "Iff: My.Iff, not Lean's",
      "LE: My.LE.le, not Lean's",
      "Exists: My.Nat.Exists, not Lean's",
    ],
  );
});

test("a statement is printed in full: arguments, universes and binders, cut where it has no end", async (t) => {
  const file = openExport("3.1.0");
  prelude(file);
  const prop = file.sort(0);
  let deep = prop;
  for (let at = 0; at < 60; at++) deep = file.apply(deep, deep);
  file.axiom("deep", deep);
  // Words of Lean's own that are names, and a name as a bound variable has it.
  for (const name of ["x1", "P=NP", "→", "∀ (x1", "Fаlse", "Nat.add_1", "α₁'"])
    file.axiom(`about.${name}`, file.all("a", prop, file.apply(file.apply(file.constant("And"), file.constant(name)), file.bound(0))));
  const { constants } = await read(t, file.text());
  const printed = (name: string): string => constants.get(name)?.printed ?? "";
  assert.equal(printed("propext"), "∀ (x1 : Prop), ∀ (x2 : Prop), (Iff x1 x2) → Eq.{1} Prop x1 x2");
  assert.equal(printed("Classical.choice"), "∀ (x1 : Sort u), (Nonempty.{u} x1) → x1");
  assert.equal(printed("Quot.mk"), "∀ (x1 : Sort u), ∀ (x2 : x1 → x1 → Prop), x1 → Quot.{u} x1 x2");
  const about = [...constants].flatMap(([name, one]) => (name.startsWith("about.") ? [one.printed] : []));
  assert.deepEqual(
    about,
    ["_root_.x1", "«P=NP»", "«→»", "«∀ (x1»", "«Fаlse»", "Nat.add_1", "α₁'"].map((name) => `∀ (x1 : Prop), And ${name} x1`),
  );
  assert.match(printed("deep"), /^Prop[^]*…/);
  assert.ok(printed("deep").length < 100_000);
});

test("through the protocol: what rests on sorry, on what is unsafe or on bytes of another day is not VERIFIED", async (t) => {
  const source = `namespace A
theorem sound : True := .intro
theorem uses : True := sound
theorem open : True := by sorry
theorem about (h : open) : True := .intro
theorem by_trick : True := trick
theorem cut : True := elsewhere
theorem nowhere : True := .intro
end A
`;
  const yaml =
    "policy: { axioms: [propext] }\nsources:\n  - { repo: r, folder: ./src, rev: one, prover: lean, exported: ./export.ndjson }\n";
  const { put, recheck, records, states, verdict } = openSource(t);
  put({
    "registry.yaml": yaml,
    "src/A.lean": source,
    "export.ndjson": example("3.1.0"),
    "export.ndjson.sha256": `${sha256(source)}  ./A.lean\n`,
  });
  const [run] = await recheck({ unsandboxed: true });
  assert.ok(run?.check, run?.problems.join("\n"));
  const said = await states();
  // Whoever wrote the export says that Lean accepted it, and no kernel has looked.
  assert.deepEqual(
    Object.values(said).filter((state) => state === "VERIFIED"),
    [],
  );
  const exported = (await records()).filter((record) => recordStanding(record).state === "exported");
  assert.deepEqual(exported.map(({ theorem_name: name }) => name).sort(), ["A.sound", "A.uses"]);
  assert.match(recordStanding(exported[0]!).says, /^exported, not replayed; lean4export/);
  for (const name of ["A.A.open", "A.A.about", "A.A.by_trick"]) assert.equal(said[name], "NOT_VERIFIED", name);
  for (const name of ["A.A.cut", "A.A.nowhere"]) assert.equal(said[name], "UNSPECIFIED", name);
  assert.equal((await verdict("A.A.about"))?.state, "holes");
  assert.deepEqual((await verdict("A.A.uses"))?.uses, [{ to: "A.sound", part: "proof", basis: "kernel" }]);
  assert.match((await verdict("A.A.sound"))?.check.tool.version ?? "", /Lean 4\.30\.0/);
  assert.deepEqual(await recheck({ unsandboxed: true }), [], "nothing is stale");
  put({ "src/A.lean": `${source}-- later\n` });
  await recheck({ unsandboxed: true });
  assert.equal((await states())["A.A.sound"], "UNSPECIFIED");
  assert.match((await verdict("A.A.sound"))?.log ?? "", /made of other bytes: A\.lean/);
});

test("of an exported statement the definitions below it are read, as far as the sources name them; one that stands for something else moves it", async (t) => {
  const { put, recheck, records } = openSource(t);
  const source = "namespace A\ndef small : Prop := True\ntheorem two (h : small) : True := .intro\nend A\n";
  put({
    "registry.yaml": "sources:\n  - { repo: r, folder: ./src, rev: one, prover: lean, exported: ./export.ndjson }\n",
    "src/A.lean": source,
    "export.ndjson.sha256": `${sha256(source)}  ./A.lean\n`,
  });
  const meaningBy = async (value: string, proof: string) => {
    const file = openExport("3.1.0");
    const prop = file.sort(0);
    file.inductive("True", prop, [["True.intro", file.constant("True")]]);
    file.inductive("False", prop, []);
    file.definition("A.small", prop, file.constant(value));
    file.theorem("A.other", file.constant("True"), file.constant("True.intro"));
    file.theorem("A.two", file.all("h", file.constant("A.small"), file.constant("True")), file.constant(proof));
    put({ "export.ndjson": file.text() });
    await recheck({ unsandboxed: true });
    return (await records()).find(({ theorem_name: name }) => name === "A.two")?.meaning ?? assert.fail();
  };
  const first = await meaningBy("True", "True.intro");
  assert.deepEqual([first.at_least, first.lines, first.parts.map(({ name }) => name)], [true, 1, ["A.small"]]);
  assert.equal((await meaningBy("True", "A.other")).sha256, first.sha256, "how it is proved means nothing");
  assert.notEqual((await meaningBy("False", "True.intro")).sha256, first.sha256);
});
