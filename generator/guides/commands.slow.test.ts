/** Every command of every guide and of the README is run as it stands, here or in a test that is named. */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ROUTER } from "../../snapshots/service/routes.ts";
import { useParts } from "../publish/parts.ts";
import { writeFiles } from "../testing/library.ts";
import { PLAIN_PARTS } from "../testing/plain-parts.ts";
import { runIn } from "../testing/run-program.ts";

const ROOT = join(import.meta.dirname, "../..");
const FOLDER = join(import.meta.dirname, "library/guides");
useParts(PLAIN_PARTS);

/** Commands that need another machine, a network or a prover, with the test that runs them. */
const ELSEWHERE: readonly (readonly [command: RegExp, test: string])[] = [
  [/^npm (?:start|test|run (?:test:slow|bench|torture))/, "generator/setup.test.ts"],
  [/^npm (?:run package|install|--prefix)/, "generator/package/pack.test.ts"],
  [/^(?:git |cd |cp |curl |export [A-Z]|lake )/, "generator/package/recipes.test.ts"],
  [/^sh generator\/package\/recipes\/check\.sh/, "generator/annex/trust/proof-recipe.test.ts"],
  [/^proofshelf verify --receipt/, "generator/annex/trust/record-proof.test.ts"],
  [/^proofshelf serve/, "generator/commands/first-hour.test.ts"],
  [/^proofshelf mirror/, "generator/annex/trust/mirror.test.ts"],
  [/^proofshelf audit/, "generator/annex/trust/audit.test.ts"],
  [/^proofshelf export s3:/, "generator/annex/export/export-bucket.test.ts"],
  [/^proofshelf registry (?:init|scan|recheck|advisories)/, "generator/annex/registry/recheck-command.test.ts"],
  [/^proofshelf registry sign/, "generator/annex/reviews/signed.test.ts"],
  [/^proofshelf registry (?:explain|graph|axioms)/, "generator/annex/registry/kernel.slow.test.ts"],
];

const guides = readdirSync(FOLDER).map((name) => [name, readFileSync(join(FOLDER, name), "utf8")] as const);
const commands = [["README.md", readFileSync(join(ROOT, "README.md"), "utf8")] as const, ...guides].flatMap(([guide, text]) =>
  [...text.matchAll(/```sh\n([^]*?)```/g)].flatMap(([, block = ""]) =>
    block.split("\n").flatMap((line) => (line.trim() === "" ? [] : [{ guide, line: line.replace(/\s+#.*$/, "").trim() }])),
  ),
);

test("each command of the guides is run, and does what it is said to do", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "guide-commands-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const papers = join(dir, "papers");
  await writeFiles(papers, [
    ["README.md", "# Papers\n"],
    ["notes/one.md", "# One\n"],
    ["works/first.md", "# First\n"],
    ["drafts/two.md", "# Two\n"],
    ["papers.bib", "@book{ada, title = {Notes}, author = {Lovelace, Ada}, year = 1843}\n"],
    ["registry.json", '{ "cubs": [{ "id": "CUB-0007", "repo": "r", "theorem_name": "t", "statement": "s" }] }\n'],
  ]);
  const file = join(papers, "proofshelf.yaml");
  let ran = 0;
  for (const { guide, line } of commands) {
    const elsewhere = ELSEWHERE.find(([pattern]) => pattern.test(line));
    if (elsewhere !== undefined) {
      const there = readFileSync(join(ROOT, elsewhere[1]), "utf8");
      const [, leaf = ""] = /^proofshelf (?:registry )?(\w+)/.exec(line) ?? [];
      const runs = there.includes(`"${leaf}"`) || there.toLowerCase().includes(`runregistry${leaf}(`);
      assert.ok(leaf === "" || runs, `${elsewhere[1]} does not run ${leaf}`);
      const [, path = "/"] = /^curl .*example\.org(\/\S*)/.exec(line) ?? [];
      assert.ok(ROUTER.matchPath(path) !== null, `${guide}: ${line}`);
      continue;
    }
    const [program, ...words] = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word = ""]) => quoted ?? word);
    assert.equal(program, "proofshelf", `${guide}: ${line}`);
    if (words[0] === "init") rmSync(file, { force: true });
    // The guide's number is one of a library that is older than this.
    const given = words[1] === "rollback" ? [...words.slice(0, 2), "1"] : words;
    const { status, stderr } = await runIn(papers, given);
    assert.equal(status, 0, `${guide}: ${line}\n${stderr}`);
    if (words[0] === "init") writeFileSync(file, readFileSync(file, "utf8").replace("kind: embedded", "kind: none"));
    if (words[0] === "init") assert.equal((await runIn(papers, ["build"])).status, 0);
    ran++;
  }
  assert.ok(ran > 15, `${ran} were run here`);
});
