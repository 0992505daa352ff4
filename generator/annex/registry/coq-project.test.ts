/** What projects of Coq say of themselves, and what becomes of it: each form as people write it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readAgdaLib } from "./agda-lib.ts";
import { expandLoads, findLoaded, namedByLoad } from "./coq-load.ts";
import { coqModuleOf, readCoqPath } from "./coq-paths.ts";
import { readCoqProject } from "./coq-project.ts";

const read = (files: Readonly<Record<string, string>>) => readCoqProject(new Map(Object.entries(files)));

test("-R stays -R, two folders on one line are two, and comments and quotes are read", () => {
  const project = read({ _CoqProject: '# all of it\n-R theories T -Q "./ex amples/" TEx # more\ntheories/A.v\n-Q . ""\n' });
  assert.deepEqual(project?.paths, ["-R theories T", "-Q ex amples TEx", '-Q . ""']);
  assert.deepEqual(project?.files, ["theories/A.v"]);
  assert.deepEqual(readCoqPath(project?.paths[1] ?? ""), { how: "-Q", folder: "ex amples", name: "TEx" });
  assert.deepEqual(readCoqPath(project?.paths[2] ?? ""), { how: "-Q", folder: "", name: "" });
});

test("options that are harmless stay, those that say only what is printed go, and those that weaken the logic are told", () => {
  const project = read({
    _CoqProject: `-R . X\n-arg -w -arg -all\n-arg "-w +x"\n-arg -set -arg "'Default Goal Selector=!'"\n-arg -noinit -arg -type-in-type\n-arg -unset -arg "Guard Checking"\n`,
  });
  assert.deepEqual(project?.flags, ["-set", "Default Goal Selector=!", "-noinit"]);
  assert.deepEqual(project?.dropped, ["-type-in-type", "-unset Guard Checking"]);
  const quoted = read({
    _CoqProject: String.raw`-R . X
-arg "-set \"Default Goal Selector=!\" -noinit" -arg "-unset \"Guard Checking\""`,
  });
  assert.deepEqual([quoted?.flags, quoted?.dropped], [["-set", "Default Goal Selector=!", "-noinit"], ["-unset Guard Checking"]]);
});

test("projects below the root, of dune and of a Makefile are read", () => {
  assert.deepEqual(read({ "a/_CoqProject": "-R th A", "b/_CoqProject": "-Q . B" })?.paths, ["-R a/th A", "-Q b B"]);
  assert.deepEqual(read({ "theories/dune": "; x\n(coq.theory\n (name Foo.Bar)\n (package p))" })?.paths, ["-R theories Foo.Bar"]);
  assert.deepEqual(read({ Makefile: "COQ = coqc -R src Lib $(FLAGS) -Q $(DIR) Other\n" })?.paths, ["-R src Lib"]);
  assert.deepEqual(read({ Make: "-R . ZFC\nAxioms.v\n", Makefile: "-Q other X" })?.paths, ["-R . ZFC"]);
  assert.equal(read({ "a.v": "" }), null);
});

test("the deepest folder names a module, and no folder no module", () => {
  const paths = ["-R . X", "-Q sub/dir Y.Z"].map((line) => readCoqPath(line)).filter((one) => one !== null);
  assert.equal(coqModuleOf(paths, "a/B.v"), "X.a.B");
  assert.equal(coqModuleOf(paths, "sub/dir/C.v"), "Y.Z.C");
  assert.equal(coqModuleOf(paths.slice(1), "a/B.v"), null);
});

test("Load is found as Coq writes it and nowhere else, and a declaration stands where its line stands", () => {
  const text = '(* Load no. *)\nLoad one.\nLoad Verbose "sub/two". Definition Load := 1.\nDefinition s := "Load three.".\n';
  assert.deepEqual(namedByLoad(text), ["one", "sub/two"]);
  assert.equal(findLoaded("one", "a/X.v", ["a/one.v", "b/one.v"]), "a/one.v");
  assert.equal(findLoaded("one", "c/X.v", ["a/one.v", "b/one.v"]), null, "nobody knows which");
  const whole = expandLoads("X.v", "A.\nLoad p. B.\nC.\n", () => ["p.v", "P1.\nP2.\n"]);
  const at = whole.text.split("\n").findIndex((line) => line === "P2.");
  assert.deepEqual(whole.places[at], { path: "p.v", line: 2 });
  assert.deepEqual(whole.places[whole.text.split("\n").indexOf("C.")], { path: "X.v", line: 3 });
  assert.ok(expandLoads("X.v", "Load X.\n", () => ["X.v", "Load X.\n"]).text.length < 1000, "what loads itself has an end");
});

test("an .agda-lib says where modules begin, on one line or on several", () => {
  assert.deepEqual(readAgdaLib("name: x\ninclude: src -- here\n  test\ndepend:\n  standard-library-1.7, prelude\nflags: --safe\n"), {
    include: ["src", "test"],
    depend: ["standard-library-1.7", "prelude"],
    flags: ["--safe"],
  });
});
