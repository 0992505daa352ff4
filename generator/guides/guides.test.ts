/** The guides are a library that builds and verifies, and name nothing that the program does not have. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { CODES } from "../../snapshots/errors.ts";
import { pagePath } from "../../snapshots/format/layout.ts";
import { matchService } from "../../snapshots/routes/match.ts";
import { TOOLS } from "../../snapshots/tools/table.ts";
import type { View } from "../../snapshots/http/view.ts";
import { build } from "../build.ts";
import { openConfig } from "../config/config.ts";
import { ask, openFixtureView } from "../fixtures/view.ts";
import { SILENT } from "../fixtures/library.ts";
import { verifyLibrary } from "../publish/verify-library.ts";

const HERE = import.meta.dirname;
const FOLDER = join(HERE, "library", "guides");
const CLI = fileURLToPath(new URL("../cli.ts", import.meta.url));
const texts = readdirSync(FOLDER).map((name) => [name, readFileSync(join(FOLDER, name), "utf8")] as const);

const dir = mkdtempSync(join(tmpdir(), "proofshelf-guides-"));
let view: View;
before(async () => {
  cpSync(join(HERE, "library"), join(dir, "library"), { recursive: true });
  const text = readFileSync(join(HERE, "proofshelf.yaml"), "utf8").replace("../../snapshots/data/guides", "./shelf");
  writeFileSync(join(dir, "proofshelf.yaml"), text);
  const config = await openConfig(join(dir, "proofshelf.yaml"));
  const { rejected } = await build(config, { progress: SILENT });
  assert.deepEqual(rejected, []);
  assert.deepEqual(await verifyLibrary(config, { snapshots: "current", since: null }), []);
  view = await openFixtureView(config);
});
after(() => rmSync(dir, { recursive: true, force: true }));

test("the front page leads to every guide, and every error has a page", async () => {
  const front = (await ask(view, "/")).text;
  for (const [name] of texts.filter(([name]) => name !== "front.md"))
    assert.ok(front.includes(`href="object/guides/${name}/"`), `the front page leads to ${name}`);
  for (const code of CODES) assert.equal((await ask(view, pagePath.problem(code))).status, 200, code);
});

test("every command and option in the guides is one of the program's", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [CLI, "completion", "bash"]);
  const offered = new Map(
    [...stdout.matchAll(/^ {4}"(.*)"\) offered="(.*)" ;;$/gm)].map(([, words = "", list = ""]) => [words, list.split(" ")]),
  );
  let seen = 0;
  for (const [name, text] of texts) {
    for (const [, line = ""] of text.matchAll(/(?:^|`)proofshelf ([^`\n]+)/gm)) {
      const parts = line.split(" ");
      const words = offered.has(parts.slice(0, 2).join(" ")) ? parts.slice(0, 2).join(" ") : (parts[0] ?? "");
      assert.ok(words !== "" && offered.has(words), `${name}: proofshelf ${line}`);
      for (const option of parts.filter((part) => part.startsWith("--")))
        assert.ok(offered.get(words)?.includes(option), `${name}: proofshelf ${line}`);
      seen++;
    }
  }
  assert.ok(seen > 10);
});

test("every path, error code and tool in the guides is one of the program's", async () => {
  const codes = new Set<string>(CODES);
  const tools = new Set<string>(TOOLS.map(({ name }) => name));
  const arguments_ = /^(?:start_line|end_line)$/;
  for (const [name, text] of texts) {
    for (const [, path = ""] of text.matchAll(/`(\/[^`\s]*)`/g))
      if (path !== "/at/" && matchService(path.replace(/\?.*/, "")) === null)
        assert.equal((await ask(view, path)).status, 200, `${name}: ${path}`);
    for (const [, word = ""] of text.matchAll(/`([a-z]+(?:_[a-z]+)+)`/g))
      assert.ok(codes.has(word) || tools.has(word) || arguments_.test(word), `${name}: ${word}`);
  }
});
