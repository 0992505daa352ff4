/** Damage of records, lists of changes and the log of publications, mended. */
import assert from "node:assert/strict";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { SILENT } from "../../testing/library.ts";
import { countErrors } from "../../publish/verify-library.ts";
import { copy, contents } from "./repair-fixture.ts";
import { repair, verifyLibrary } from "../../testing/whole.ts";
import { makeDamagedLibrary } from "../../torture/damaged-library.ts";

test("what the log of publications, the pointer or the trees say is mended byte for byte", async (t) => {
  const { config, shelf } = await copy(t);
  const whole = await contents(shelf);
  const at = (path: string): string => join(shelf, path);
  const cut = (...paths: readonly string[]): void => paths.forEach((path) => truncateSync(at(path), 20));
  const rounds: readonly (readonly [name: string, damage: () => void])[] = [
    [
      "both pointers, an old record and a list of changes are gone or cut",
      () => {
        for (const path of ["public/current.json", "internal/current.json", "public/changes/2.json"]) rmSync(at(path));
        cut("public/snapshots/1.json");
      },
    ],
    [
      "both pointers are cut, and changes have a byte more",
      () => {
        cut("public/current.json", "internal/current.json");
        writeFileSync(at("internal/changes/3.json"), "\n", { flag: "a" });
      },
    ],
    [
      "a folder stands for the pointer, and a record says another time",
      () => {
        rmSync(at("public/current.json"));
        mkdirSync(at("public/current.json"));
        const record = at("public/snapshots/2.json");
        writeFileSync(record, readFileSync(record, "utf8").replace("2026-04-02", "2026-04-12"));
      },
    ],
    [
      "the internal pointer is the public one's, and changes are cut",
      () => {
        cpSync(at("public/current.json"), at("internal/current.json"));
        cut("public/changes/1.json");
      },
    ],
    ["an older pointer was put back", () => cpSync(at("public/snapshots/2.json"), at("public/current.json"))],
    [
      "the newest record is cut, and two others have changed places",
      () => {
        cut("internal/snapshots/3.json");
        const [one, two] = ["public/snapshots/1.json", "public/snapshots/2.json"].map((path) => readFileSync(at(path)));
        writeFileSync(at("public/snapshots/1.json"), two ?? "");
        writeFileSync(at("public/snapshots/2.json"), one ?? "");
      },
    ],
  ];
  for (const [name, damage] of rounds) {
    damage();
    assert.ok((await repair(config, SILENT)).mended.length > 0, name);
    assert.deepEqual(await contents(shelf), whole, name);
  }
  assert.deepEqual(await repair(config, SILENT), { mended: [], findings: [], notes: [] });
});

test("records come from the log of publications where nothing else has them, and a bundle of entries makes its tile again", async (t) => {
  const { config, shelf } = await copy(t);
  const whole = await contents(shelf);
  const tile = readFileSync(join(shelf, "public/tile/0/000.p/3"));
  for (const path of ["current.json", "snapshots/1.json", "snapshots/2.json", "snapshots/3.json", "tile/0/000.p/3"])
    truncateSync(join(shelf, "public", path), 20);
  const { findings } = await repair(config, SILENT);
  assert.deepEqual(findings, []);
  assert.deepEqual(await contents(shelf), whole);
  assert.deepEqual(readFileSync(join(shelf, "public/tile/0/000.p/3")), tile);
});

test("the log of publications is mended byte for byte: tiles and entries from the records, a lost head by the next build", async (t) => {
  const { config, shelf } = await copy(t);
  const whole = new Map(
    ["tile/0/000.p/3", "tile/entries/000.p/3", "checkpoints/3", "checkpoints/2"].map((path) => [
      path,
      readFileSync(join(shelf, "public", path)).toString("latin1"),
    ]),
  );
  const check = (): void => {
    for (const [path, bytes] of whole) assert.equal(readFileSync(join(shelf, "public", path)).toString("latin1"), bytes, path);
  };
  rmSync(join(shelf, "public/tile"), { recursive: true });
  truncateSync(join(shelf, "internal/tile/entries/000.p/3"), 20);
  const first = await repair(config, SILENT);
  assert.deepEqual(first.findings, []);
  assert.deepEqual(
    first.mended
      .map(({ root, path }) => `${root} ${path}`)
      .filter((name) => name.includes("tile"))
      .sort(),
    [
      "internal tile/entries/000.p/3",
      ...["0", "entries"].flatMap((level) => [1, 2, 3].map((width) => `public tile/${level}/000.p/${width}`)),
    ],
  );
  check();
  truncateSync(join(shelf, "public/checkpoints/3"), 10);
  assert.deepEqual((await repair(config, SILENT)).findings, []);
  check();
  const record = readFileSync(join(shelf, "public/snapshots/3.json"), "utf8");
  const forge = (): void => {
    for (const path of ["snapshots/3.json", "current.json"])
      writeFileSync(join(shelf, "public", path), record.replace("2026-04-03", "2026-04-04"));
  };
  forge();
  assert.ok((await verifyLibrary(config, { snapshots: "all", derive: false })).some(({ code }) => code === "log_differs"));
  assert.deepEqual((await repair(config, SILENT)).findings, []);
  assert.equal(readFileSync(join(shelf, "public/snapshots/3.json"), "utf8"), record, "the log says what it was");
  // With its entry lost as well nothing makes the head again: it is told, and nothing is signed over it.
  forge();
  rmSync(join(shelf, "public/tile"), { recursive: true });
  const forged = await repair(config, SILENT);
  assert.ok(
    forged.findings.some(({ code }) => code === "log_damaged"),
    JSON.stringify(forged.findings),
  );
});

test("a head of a signed log whose signature is not of its text is made anew by the next build, also when the list of keys is lost", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "proofshelf-repair-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  t.after(() => delete process.env["LOG_KEY"]);
  const library = await makeDamagedLibrary(dir);
  const head = join(library.shelf, "public/checkpoints/4");
  const whole = readFileSync(head, "utf8");
  const damaged = [
    whole.replace(/.(.{4})\n$/, (_, end: string) => `${whole.at(-6) === "A" ? "B" : "A"}${end}\n`), // in the signature
    whole.replace(/(\u2014 \S+ )(.)/u, (_, name: string, first: string) => `${name}${first === "A" ? "B" : "A"}`), // in the key's id
  ];
  for (const lost of [[], ["public/keys.json", "internal/keys.json"]]) {
    for (const [at, text] of damaged.entries()) {
      await library.reset();
      writeFileSync(head, text);
      for (const path of lost) truncateSync(join(library.shelf, path), 3);
      const { findings, notes } = await repair(library.config, SILENT);
      assert.deepEqual(
        [countErrors(findings), notes.filter((note) => note.startsWith("No build"))],
        [0, []],
        `damage ${at}, ${lost.length} lost`,
      );
    }
  }
});
