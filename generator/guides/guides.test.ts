/** The guides are a library that builds and verifies, and name nothing that the program does not have. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { CODES } from "../../snapshots/errors.ts";
import { generateKey } from "../../snapshots/log/note.ts";
import { CHECKED_FIELDS } from "../../snapshots/schema/checked.ts";
import { CUB_FIELDS, CubFiles, CubReproduce } from "../../snapshots/schema/cubs.ts";
import { readWithdrawals } from "../sources/withdrawals.ts";
import { readReviews } from "../annex/reviews/index.ts";
import { openRegistrySources } from "../annex/registry/config.ts";
import { checkClaims, checkRecords } from "../sources/check-sources.ts";
import { parseClaims } from "../sources/claims.ts";
import { parseRegistry } from "../sources/registry.ts";
import { referenceGuides } from "../testing/reference-guides.ts";
import { pagePath } from "../../snapshots/format/layout.ts";
import { ROUTER } from "../../snapshots/service/routes.ts";
import { TOOLS } from "../../snapshots/tools/table.ts";
import type { View } from "../../snapshots/http/view.ts";
import { openConfig, parseConfig } from "../config/config.ts";
import "../annexes.ts";
import { ask, openFixtureView } from "../testing/view.ts";
import { SILENT } from "../testing/library.ts";
import { PAGED_PARTS } from "../testing/plain-parts.ts";
import { build, verifyLibrary } from "../testing/whole.ts";

const HERE = import.meta.dirname;
const FOLDER = join(HERE, "library", "guides");
const CLI = fileURLToPath(new URL("../cli.ts", import.meta.url));
const ROOT = join(HERE, "../..");
const README = readFileSync(join(ROOT, "README.md"), "utf8");
/** Fields of the files of claims and records. */
const FIELDS = new Set([
  ...CUB_FIELDS,
  ...CHECKED_FIELDS,
  ...Object.keys(CubFiles.shape),
  ...Object.keys(CubReproduce.shape),
] as readonly string[]);
const texts = readdirSync(FOLDER).map((name) => [name, readFileSync(join(FOLDER, name), "utf8")] as const);

const dir = mkdtempSync(join(tmpdir(), "proofshelf-guides-"));
let view: View;
before(async () => {
  cpSync(join(HERE, "library"), join(dir, "library"), { recursive: true });
  const text = readFileSync(join(HERE, "proofshelf.yaml"), "utf8").replace("../../snapshots/data/guides", "./shelf");
  writeFileSync(join(dir, "proofshelf.yaml"), text);
  const config = await openConfig(join(dir, "proofshelf.yaml"));
  const { rejected } = await build(config, { progress: SILENT }, PAGED_PARTS);
  assert.deepEqual(rejected, []);
  assert.deepEqual(await verifyLibrary(config, { snapshots: "current", since: null }, PAGED_PARTS), []);
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
  for (const [name, text] of [...texts, ["README.md", README] as const]) {
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

test("the guides to the configuration and the command line are what the program says", () => {
  for (const [name, text] of referenceGuides()) assert.equal(readFileSync(join(FOLDER, name), "utf8"), text, `${name}: npm run guides`);
});

test("the README is short and leads to what is there", () => {
  const lines = README.split("\n");
  assert.ok(lines.length <= 121, `${lines.length - 1} lines`);
  for (const [at, line] of lines.entries()) assert.ok([...line].length <= 120, `line ${at + 1}`);
  const links = [...README.matchAll(/(?:\]\(|src(?:set)?=")([\w./-]+)/g)].map(([, path = ""]) => path);
  assert.ok(links.length > 20);
  for (const path of links) assert.ok(existsSync(join(ROOT, path)), path);
});

test("every example of records, claims and configuration in the guides is one that is taken", () => {
  const blocks = [...texts].flatMap(([name, text]) =>
    [...text.matchAll(/```(yaml|json)\n([^]*?)```/g)].map(([, kind = "", block = ""]) => ({ name, kind, block })),
  );
  let seen = 0;
  for (const { name, kind, block } of blocks) {
    if (kind === "json") {
      const wrong = checkRecords(Buffer.from(block.replaceAll("64 hex digits of sha256sum", "0".repeat(64))), [], parseRegistry);
      assert.deepEqual(wrong, { wrong: [], notes: [] }, name);
    } else if (/^claims:$/m.test(block)) {
      const wrong = checkClaims(Buffer.from(block.replaceAll("64 hex digits of sha256sum", "0".repeat(64))), (bytes) =>
        parseClaims(bytes, "yaml"),
      );
      assert.deepEqual(wrong, { wrong: [], notes: [] }, name);
    } else if (block.startsWith("# registry.yaml\n")) {
      writeFileSync(join(dir, "registry.yaml"), block);
      assert.ok(openRegistrySources(join(dir, "registry.yaml")).sources.length > 0, name);
    } else if (block.startsWith("# reviews.yaml\n")) {
      writeFileSync(join(dir, "reviews.yaml"), block);
      assert.equal(readReviews([join(dir, "reviews.yaml")], []).of("CUB-0001", "").length, 1, name);
    } else if (/^withdrawals:$/m.test(block)) {
      writeFileSync(join(dir, "withdrawals.yaml"), block);
      assert.equal(readWithdrawals(join(dir, "withdrawals.yaml")).length, 1);
    } else {
      const key = block
        .replaceAll("64 hex digits", "0".repeat(64))
        .replaceAll("library.example.org/shelf+…", generateKey("library.example.org/shelf").publicKey);
      const least = [
        "collections: [{ id: a, prefix: a/, title: A, visibility: public }]",
        "store: { kind: directory, root: ./library }",
        "shelf: { kind: directory, root: ./shelf }",
      ].filter((line) => !new RegExp(`^${line.split(":")[0]}:`, "m").test(block));
      parseConfig(Buffer.from(`${least.join("\n")}\n${key}`), join(dir, "example.yaml"), { checkSources: false });
    }
    seen++;
  }
  assert.ok(seen > 8);
});

/** Whether the interface has a path; pages are asked for. */
function isRoute(path: string): boolean {
  const { match } = ROUTER.findPlace(path);
  return match !== null && match.exact && "query" in match.route;
}

test("every path, error code and tool in the guides is one of the program's", async () => {
  const codes = new Set<string>(CODES);
  const tools = new Set<string>(TOOLS.map(({ name }) => name));
  const arguments_ = /^(?:start_line|end_line|bypass_check)$/; // of tools, and of Coq
  for (const [name, text] of texts) {
    for (const [, path = ""] of text.matchAll(/`(\/[^`\s]*)`/g))
      if (!path.startsWith("/at/") && !isRoute(path)) assert.equal((await ask(view, path)).status, 200, `${name}: ${path}`);
    for (const [, word = ""] of text.matchAll(/`([a-z]+(?:_[a-z]+)+)`/g))
      assert.ok(codes.has(word) || tools.has(word) || FIELDS.has(word) || arguments_.test(word), `${name}: ${word}`);
  }
});
