/** The commands that records give to repeat what was done run as they are pasted: on trees with blanks, quotes, hyphens, parts and left-out files. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { CubRecord } from "../../../snapshots/schema/index.ts";
import { findAgda } from "./agda-tool.ts";
import { findMetamath } from "./metamath-tool.ts";
import { hashRecipe } from "./recipes.ts";
import { openSource, skip } from "./source-fixture.ts";
import { sha256 } from "../../../snapshots/digest.ts";

type Files = Readonly<Record<string, string>>;

/** A source at a made-up revision, and what its records' commands say where they are pasted. */
async function pasted(t: TestContext, files: Files, source: string, yaml = "") {
  const { put, recheck, records, folder } = openSource(t);
  put({ "registry.yaml": `${yaml}sources:\n  - { repo: r, folder: ./src, rev: one, ${source} }\n` });
  put(Object.fromEntries(Object.entries(files).map(([path, text]) => [`src/${path}`, text])));
  for (const { problems, check } of await recheck()) assert.ok(check, problems.join("\n"));
  const cwd = join(folder, "src");
  const before = readdirSync(cwd, { recursive: true });
  const all = await records();
  const run = (command: string) => spawnSync("sh", ["-c", command], { cwd, encoding: "utf8", timeout: 60_000 });
  const said = Object.fromEntries(
    all.map(({ theorem_name, reproduce }: CubRecord) => {
      const hash = run(reproduce.verify_hash);
      assert.equal(hash.status, 0, `${reproduce.verify_hash}\n${hash.stdout}${hash.stderr}`);
      return [theorem_name, { ...run(reproduce.recheck), command: reproduce.recheck }];
    }),
  );
  assert.deepEqual(readdirSync(cwd, { recursive: true }), before, "nothing is left behind");
  return { said, states: Object.fromEntries(all.map(({ theorem_name, verification_state }) => [theorem_name, verification_state])) };
}

function holds(said: Awaited<ReturnType<typeof pasted>>["said"], names: readonly string[], words: RegExp): void {
  for (const name of names) {
    const ran = said[name];
    assert.equal(ran?.status, 0, `${name}: ${ran?.command}\n${ran?.stdout}${ran?.stderr}`);
    assert.match(ran?.stdout ?? "", words, name);
  }
}

test("Coq: a root of two folders, blanks, quotes and hyphens, inner modules, left-out files, and a hole that fails", {
  skip,
  timeout: 120_000,
}, async (t) => {
  for (const root of ["src/coq", "my pr'oofs", "od-d", 'q"$`*?:[%x\\']) {
    const { said, states } = await pasted(
      t,
      {
        [`${root}/deep er/A.v`]: "Lemma low : 1 = 1. Proof. reflexivity. Qed.\n",
        [`${root}/B.v`]:
          "From L Require Import A.\nModule Inner. Lemma high' : 1 = 1. Proof. exact low. Qed. End Inner.\nLemma gap : 1 = 2. Proof. Admitted.\nLemma on_gap : 1 = 2. Proof. exact gap. Qed.\n",
        [`${root}/Bad.v`]: "This is no Coq.\n",
      },
      `prover: coq, paths: [${JSON.stringify(`-R ${root}/deep er L`)}, ${JSON.stringify(`-Q ${root} L`)}], exclude: ["**/Bad.v"]`,
    );
    assert.deepEqual(states, { low: "VERIFIED", "high'": "VERIFIED", gap: "NOT_VERIFIED", on_gap: "NOT_VERIFIED" }, root);
    holds(said, ["low", "high'"], /^Closed under the global context\n$/);
    for (const name of ["gap", "on_gap"]) assert.notEqual(said[name]?.status, 0, `${name} is left open`);
  }
});

test("Coq: several folders that see each other, what is loaded, options, and an axiom that is told", {
  skip,
  timeout: 120_000,
}, async (t) => {
  const { said } = await pasted(
    t,
    {
      "one/A.v": "Axiom odd : 1 = 2.\nLemma a : 1 = 1. Proof. reflexivity. Qed.\n",
      "two/part.v": "Lemma loaded : 2 = 2. Proof. reflexivity. Qed.\n",
      "two/C.v": 'From One Require Import A.\nLoad "part".\nLemma c : 1 = 2. Proof. exact odd. Qed.\n',
      "three/none.txt": "",
    },
    'prover: coq, paths: ["-R one One", "-Q two Two", "-R three Three"], flags: ["-w", "-all"]',
  );
  holds(said, ["a", "loaded"], /^Closed under the global context\n$/);
  holds(said, ["c"], /^Axioms:\s+A\.odd/m);
});

test("Metamath: a database in a folder with blanks, quotes and hyphens, with dots in its name, and parts; a hole fails", {
  skip: findMetamath() === null ? "metamath is not installed" : skip,
}, async (t) => {
  const head = "$c wff |- ( -> ) $. $v ph ps $.\nwph $f wff ph $. wps $f wff ps $.\n";
  for (const db of ["my db", "it's od-d", 'q"$`*?:[%x']) {
    const { said, states } = await pasted(
      t,
      {
        [`${db}/set.v1.mm`]: `$[ base.mm $]\nt-1 $p |- ( ph -> ( ps -> ph ) ) $= ( ax-1 ) ABC $.\nopen $p |- ( ph -> ( ps -> ph ) ) $= ? $.\non-open $p |- ( ph -> ( ps -> ph ) ) $= wph wps open $.\nwrong $p |- ( ph -> ps ) $= ( ax-1 ) ABC $.\non-wrong $p |- ( ph -> ps ) $= wph wps wrong $.\n`,
        [`${db}/base.mm`]: `${head}wi $a wff ( ph -> ps ) $. ax-1 $a |- ( ph -> ( ps -> ph ) ) $.\nlow $p |- ( ph -> ( ps -> ph ) ) $= ( ax-1 ) ABC $.\n`,
      },
      `prover: metamath, root: ${JSON.stringify(`${db}/set.v1.mm`)}`,
      "policy: { axioms: [ax-1] }\n",
    );
    const broken = ["open", "on-open", "wrong", "on-wrong"];
    assert.deepEqual(states, { low: "VERIFIED", "t-1": "VERIFIED", ...Object.fromEntries(broken.map((name) => [name, "NOT_VERIFIED"])) });
    holds(said, ["low", "t-1"], /assumes the following axioms[^]*ax-1/);
    for (const name of broken) assert.notEqual(said[name]?.status, 0, `${name} is not proved`);
  }
});

test("Agda: blanks, quotes, hyphens, left-out files, letters of other alphabets, imports and postulates", {
  skip: findAgda() === null ? "agda is not installed" : skip,
  timeout: 120_000,
}, async (t) => {
  for (const lib of ["my lib", "it's od-d", 'q"$`*?:[%x']) {
    const { said, states } = await pasted(
      t,
      {
        [`${lib}/Low.agda`]: "module Low where\ndata _≡_ {A : Set} (x : A) : A → Set where refl : x ≡ x\n",
        [`${lib}/Sub/High.agda`]: "module Sub.High where\nopen import Low\nsame : {A : Set} (x : A) → x ≡ x\nsame x = refl\n",
        [`${lib}/Bad.agda`]: "This is no Agda.\n",
        [`${lib}/Post.agda`]:
          "module Post where\nopen import Low\npostulate assumed : {A : Set} (x y : A) → x ≡ y\nrests : {A : Set} (x y : A) → x ≡ y\nrests = assumed\n",
      },
      `prover: agda, root: ${JSON.stringify(lib)}, exclude: ["**/Bad.agda"]`,
    );
    assert.equal(states["same"], "VERIFIED");
    holds(said, ["same", "rests"], /^/);
  }
});

test("digests are compared of names that sha256sum escapes", (t) => {
  const { put, folder } = openSource(t);
  const names = ["a\\b", "line\nbreak", "-c", "it's", "two  blanks"];
  put(Object.fromEntries(names.map((name) => [name, name])));
  const command = hashRecipe(Object.fromEntries(names.map((name) => [name, sha256(name)])));
  const out = execFileSync("sh", ["-c", command], { cwd: folder, encoding: "utf8" });
  assert.equal(out.match(/: OK$/gm)?.length, names.length);
});
