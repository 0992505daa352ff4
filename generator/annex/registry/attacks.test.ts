/** What a repository does to have something false said VERIFIED. attacks.slow.test.ts carries its attacks out against a real Coq. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readAssumptions } from "./coq-ask.ts";
import { openSource } from "./source-fixture.ts";
import { readPolicy } from "./states.ts";

test("a library of the prover's own name is refused, wherever it is named", (t) => {
  const { put, config } = openSource(t);
  for (const row of [
    "logical: Coq",
    "logical: Stdlib.Mine",
    "paths: [-R src Corelib]",
    "paths: [-Q src X, -Q more Init]",
    "flags: [-R, src, Coq.Logic]",
  ]) {
    put({ "registry.yaml": `sources:\n  - { repo: r, folder: ./src, rev: one, prover: coq, ${row} }\n` });
    assert.throws(config, /:2: .*which is of Coq's own library: .*give the library another name/, row);
  }
});

test("an answer counts as closed only when nothing else stands in it, and one that cannot be read whole is none", () => {
  const closed = "asked_0 is defined\nFetching opaque proofs from disk for L.A\nClosed under the global context\n";
  assert.deepEqual(readAssumptions(closed), { names: [], unsafe: [] });
  for (const text of [
    "",
    "asked_0 is defined\n",
    "Closed under the global context\n",
    `${closed}Axioms:\nL.a : False\n`,
    "asked_0 is defined\nAxioms:\n",
    'asked_0 is defined\nAxioms:\nL.a : "\nClosed under the global context\n',
    "asked_0 is defined\nAxioms:\n:: what is this\n",
    "asked_0 is defined\nTheory:\n",
    "asked_0 is defined\nOpaque constants:\nL.a : True\n",
  ])
    assert.equal(readAssumptions(text), null, text);
  assert.deepEqual(
    readAssumptions(
      "asked_0 is defined\nAxioms:\nL.a : True\n  and more\nused in t to prove\n 0 = 1\nL.b relies on definitional UIP.\nL.f is assumed to be guarded.\n",
    ),
    { names: ["L.a"], unsafe: ["L.b relies on definitional UIP", "L.f is assumed to be guarded"] },
  );
  // Rocq 9, too.
  const theory = "Theory:\n  Rewrite rules are allowed (subject reduction might be broken)\n";
  assert.deepEqual(readAssumptions(`asked_0 is defined\nAxioms:\nRaise.raise : forall A : Type, A\n${theory}`), {
    names: ["Raise.raise"],
    unsafe: ["Rewrite rules are allowed (subject reduction might be broken)"],
  });
  assert.deepEqual(readAssumptions("asked_0 is defined\nTheory:\nSet is impredicative\n"), { names: [], unsafe: ["Set is impredicative"] });
  const setting = readAssumptions("asked_0 is defined\nAxioms:\nasked_0 relies on an unsafe hierarchy.\n");
  assert.deepEqual(setting?.unsafe, ["whatever loads these files relies on an unsafe hierarchy"]);
  const policy = readPolicy(["Coq.Logic.Classical_Prop.classic", "Stdlib.Logic.Eqdep.Eq_rect_eq.eq_rect_eq"]);
  for (const name of ["Stdlib.Logic.Classical_Prop.classic", "Coq.Logic.Eqdep.Eq_rect_eq.eq_rect_eq"]) assert.ok(policy.has(name), name);
  assert.equal(policy.has("r: Stdlib.Logic.Classical_Prop.classic"), false);
});
