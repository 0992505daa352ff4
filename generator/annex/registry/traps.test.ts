/** What makes a prover, or a reader of its files, say more than it has seen: traps.slow.test.ts asks a real Coq. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { scanAll } from "./scan-all.ts";
import { openSource } from "./source-fixture.ts";

test("what is no Coq, has another end of lines, is too large or is called like a member of every object is read, or told by name", async (t) => {
  const { put, config, folder } = openSource(t);
  const many = Array.from({ length: 100_000 }, (_, at) => `Lemma l${at} : ${at} = ${at}. Proof. trivial. Qed.`).join("\n");
  put({
    "src/Circuit.v": "`timescale 1ns/1ps\nmodule top(input a);\nendmodule\n",
    "src/Large.v": `Lemma large : True. Proof. trivial. Qed.\n(*${"x".repeat(8 * 1024 * 1024)}*)\n`,
    "src/Many.v": many,
    "src/Cr.v": "Lemma unix : True.\r\nProof. trivial. Qed.\r\nLemma below : True.\r\nProof. trivial. Qed.\r\n",
    "src/Names.v": "Lemma __proto__ : True. Proof. trivial. Qed.\nLemma constructor : True. Proof. trivial. Qed.\n",
    "src/Unclosed.v": "Lemma before : True. Proof. trivial. Qed.\n(* (* Lemma within : True. *)\nLemma after : True.\n",
  });
  const { records, notes } = await scanAll(config());
  assert.ok(
    notes.some((note) => /Circuit\.v" is Verilog, not Coq/.test(note)),
    notes.join("\n"),
  );
  assert.ok(
    notes.some((note) => /Large\.v" has more than 8388608 bytes/.test(note)),
    notes.join("\n"),
  );
  const found = (path: string): string[] => records.filter(({ one }) => one.path === path).map(({ one }) => `${one.line} ${one.theorem}`);
  assert.equal(found("Many.v").length, 100_000);
  assert.deepEqual(found("Cr.v"), ["1 unix", "3 below"]);
  assert.deepEqual(found("Names.v"), ["1 __proto__", "2 constructor"]);
  assert.deepEqual(found("Unclosed.v"), ["1 before"]);
  const [source] = records.map((record) => record.source);
  assert.deepEqual(Buffer.from(source?.files.get("Cr.v") ?? []), readFileSync(join(folder, "src/Cr.v")), "its bytes are those of the file");
});
