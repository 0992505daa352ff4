/** A refusal as an operator meets it: what it names, where, and how it is lifted. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { SILENT, writeFiles } from "../../testing/library.ts";
import { type KeptLook } from "./kept-look.ts";
import { checkLeaks, openAllowances } from "./leak-check.ts";
import { type LeakGroup, proposal } from "./leak-error.ts";
import { runHere } from "../../testing/run-program.ts";
import { PAGED_PARTS } from "../../testing/plain-parts.ts";
import { build, openShelves } from "../../testing/whole.ts";
import { LEAK_INPUT } from "../../../snapshots/annex/leaks/index.ts";
import type { Extract } from "../../../snapshots/schema/index.ts";
import type { Shelf, SnapshotRecord } from "../../../snapshots/shelf/index.ts";
import { createTreeCache, openSnapshot, type Snapshot } from "../../../snapshots/shelf/read.ts";
import { openConfig } from "../../config/config.ts";
import { SAID, config, type Looked, lookedAt, makeLibrary } from "./leak-check-fixture.ts";

const PAGE = "pages/object/notes/a.txt=.html";

type Said = { readonly exit: number; readonly stdout: string; readonly stderr: string };

async function run(...args: string[]): Promise<Said> {
  const { status, ...said } = await runHere(args);
  return { exit: status, ...said };
}

test("a refusal names file, line, gated object and text to who runs the build, and an allowance with a reason lifts it", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "proofshelf-leaks-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const build = async (allow: string): Promise<Said> => {
    await writeFiles(dir, [["proofshelf.yaml", config(allow)]]);
    return run("build", "--config", join(dir, "proofshelf.yaml"), "--json");
  };
  await writeFiles(dir, [
    ["library/notes/a.txt", "A note.\n"],
    ["library/drafts/b.md", `\n# ${SAID}\n\nHow to ask for it.\n`],
  ]);

  const refused = await build("");
  assert.equal(refused.exit, 1, refused.stdout);
  const { error } = JSON.parse(refused.stdout) as { error: { message: string; fixes: string[]; leaks: readonly LeakGroup[] } };
  assert.deepEqual(
    error.leaks.map(({ gated, found }) => [gated, found.map(({ kind, text, line }) => [kind, text, line])]),
    [
      [
        "drafts/b.md",
        [
          ["title", SAID, 2],
          ["text", SAID, 2],
        ],
      ],
    ],
  );
  const [place] = error.leaks[0]?.found[0]?.public ?? [];
  assert.deepEqual([place?.name, place?.path, place?.pointer], [PAGE, PAGE, null]);
  assert.ok((place?.line ?? 0) >= 1);
  assert.match(error.fixes.join("\n"), /leaks: \{ allow: \[\{ public: "pages\/object\/notes\/a\.txt=\.html"/);
  for (const part of ['Gated "drafts/b.md"', `title of line 2: "${SAID}"`, `in ${PAGE}, line `])
    assert.ok(refused.stderr.includes(part), part);
  // The message is what POST /api/reindex answers with.
  for (const secret of [SAID, "drafts"]) assert.ok(!error.message.includes(secret), secret);

  const allow = `leaks: { allow: [{ public: "pages/object/notes/*", text: "${SAID}", reason: Any page says how its file is asked for. }] }\n`;
  const allowed = await build(allow);
  assert.equal(allowed.exit, 0, allowed.stderr);
  assert.deepEqual((JSON.parse(allowed.stdout) as { notes: string[] }).notes, []);
  assert.equal((await run("verify", "--config", join(dir, "proofshelf.yaml"), "--json")).exit, 0);

  assert.equal((await build("")).exit, 1, "an allowance that is taken back counts at once");
  rmSync(join(dir, "library/notes/a.txt"));
  await writeFiles(dir, [["library/notes/c.txt", "Another note.\n"]]);
  const unused = await build(allow);
  assert.equal(unused.exit, 0, unused.stderr);
  assert.match(
    (JSON.parse(unused.stdout) as { notes: string[] }).notes.join(),
    /^leaks\.allow\[0\] .* allows nothing that is there any more/,
  );
});

test("a library of which half is gated is refused for nothing", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "proofshelf-leaks-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const licence =
    "Permission is hereby granted, free of charge, to any person obtaining a copy of this text, to deal in it without restriction.";
  const manual = Array.from({ length: 70 }, (_, n) => `step${n}`).join(" ");
  await writeFiles(dir, [
    ["proofshelf.yaml", config("")],
    // An escape in a gated string is no line break in a public file.
    ["library/drafts/header.rs", 'const HEADER: &str = "\\n\\n(* From Core Require Import Core. *)\\n\\n";\n'],
    ["library/notes/Core.v", "(* One. *)\n\n(* From Core Require Import Core. *)\n\nNotation n := 1.\n"],
    // The last line of a page, and the name of its neighbour.
    ["library/drafts/commands.md", "# Commands\n\nAnd then see also the pages tldr comm and cat.\n"],
    ["library/notes/comm.md", "# comm\n\nLines in common.\n"],
    ["library/notes/cut.md", "# cut\n\nParts of lines: and then see also the pages tldr ,\n"],
    // Words between which the public source has markup, and the gated one has none.
    ["library/drafts/linked.txt", "One may follow the link to the other page for more of it.\n"],
    [
      "library/notes/linked.md",
      "# Linked\n\nOne may follow [the link](https://x.example/a) to [the *other* page](https://y.example/b) for more of it.\n",
    ],
    [
      "library/notes/linked.html",
      "<!doctype html><title>T</title><p>One may follow the<i> link</i> to <a href='u'>the other</a>&nbsp;page for more of it.</p>\n",
    ],
    // The headings of a public object stand in one row in the browser's index.
    ["library/drafts/contents.txt", "Contents: First part of it, second part of it, third part of it, fourth part.\n"],
    [
      "library/notes/parts.md",
      "# Parts\n\n## First part of it\n\nA.\n\n## Second part of it\n\nB.\n\n## Third part of it\n\nC.\n\n## Fourth part\n\nD.\n",
    ],
    // What both say, in other spellings.
    ["library/drafts/a.json", JSON.stringify({ licence, version: "1", type: "module", private: true, license: "Apache-2.0" })],
    ["library/notes/b.json", JSON.stringify({ version: "1", type: "module", private: true, license: "Apache-2.0", licence })],
    ["library/notes/c.md", `# Licence\n\n> ${licence.replaceAll(", ", ",\n> ")}\n`],
    ["library/drafts/manual.md", `# The manual\n\nBefore.\n\n${manual}\n`],
    ["library/notes/manual.md", `# The manual\n\n${manual}\n`],
  ]);
  const { exit, stdout, stderr } = await run("build", "--config", join(dir, "proofshelf.yaml"), "--json");
  assert.equal(exit, 0, stderr);
  const notes = (JSON.parse(stdout) as { notes: string[] }).notes.filter(
    (note) => !note.startsWith("These links and images lead to nothing"),
  );
  assert.deepEqual(notes, [
    'Public sources repeat what is gated, 4 times, and it is public by their word: "notes/manual.md" line 3 has 70 words of "drafts/manual.md" line 5; "notes/b.json" line 1 has 33 words of "drafts/a.json" line 1; "notes/c.md" line 1 has 23 words of "drafts/a.json" line 1; "notes/linked.html" line 1 has 13 words of "drafts/linked.txt" line 1. Where that was not meant, take it out of them or gate them; gates.repeats: refuse stops such a build.',
  ]);
  const verified = await run("verify", "--config", join(dir, "proofshelf.yaml"), "--json");
  assert.deepEqual(JSON.parse(verified.stdout).findings, []);
});

test("what is proposed covers every file that is named, however many there are", () => {
  for (const count of [3, 400]) {
    const names = Array.from(
      { length: count },
      (_, n) => [`pages/object/a [${n}].html`, `api/cubs/${n}.json`, `note ${n % 3}.md`][n % 3] ?? "",
    );
    const proposed = proposal(names.map((name) => ({ public: { name, path: name, line: null, pointer: null } })));
    const places = [...proposed.matchAll(/public: ("(?:[^"\\]|\\.)*")/g)].map(([, place = ""]) => JSON.parse(place) as string);
    assert.ok(places.length <= 50);
    const allowances = openAllowances({ allow: places.map((place) => ({ public: place, text: "x", reason: "y" })) });
    for (const name of names)
      assert.ok(
        allowances.some(({ covers }) => covers(name)),
        name,
      );
  }
});

const SHARED = "The marmalade of seven oranges has to stand in the cellar for a year.";

test("after one change, public or gated, what has changed is read and nothing else", async (t) => {
  const { dir, opened } = await makeLibrary(t, [
    ["library/notes/a.md", `# A\n\n${SHARED}\n`],
    ["library/notes/b.md", "# B\n\nAnother.\n"],
    ["library/drafts/b.md", `# Draft\n\n${SHARED}\n`],
  ]);
  const looked = async (): Promise<Looked> => {
    await build(opened, { progress: SILENT });
    return lookedAt(opened);
  };
  const servedNow = async (): Promise<string | undefined> => (await openShelves(opened).public.readPointer())?.snapshot;
  const first = await looked();
  assert.equal(first.since, null);
  const snapshot = await servedNow();
  // The page of the folder is made anew, and has what the other object says.
  await writeFiles(dir, [["library/notes/b.md", "# B\n\nAnother one.\n"]]);
  const second = await looked();
  assert.equal(second.since, snapshot);
  assert.ok(second.files < first.files / 2, `${second.files} of ${first.files} files`);

  const then = await servedNow();
  await writeFiles(dir, [["library/drafts/b.md", `# Draft\n\n${SHARED}\n\nOf which nobody has heard until this day in June, I think.\n`]]);
  const { files, bytes, since } = await looked();
  assert.deepEqual([files, bytes, since, await servedNow()], [0, 0, then, then]);

  await writeFiles(dir, [
    ["library/notes/a.md", "# A\n\nOf jam.\n"],
    ["library/notes/b.md", "# B\n\n[[a]] and the plan.\n"],
  ]);
  assert.equal((await looked()).since, null, "what nobody says any more may stand in any file");
});

test("of gated objects those that have changed are read again, and none when a public one has", async (t) => {
  const { opened } = await makeLibrary(t, [
    ["library/drafts/b.md", `# Draft\n\n${SHARED}\n`],
    ["library/drafts/c.md", "# Other\n\nOf plums and pears there is nothing to be said in this draft.\n"],
  ]);
  await build(opened, { progress: SILENT });
  const shelves = openShelves(opened);
  const open = async (shelf: Shelf): Promise<Snapshot> =>
    openSnapshot(shelf, (await shelf.readPointer()) as SnapshotRecord, createTreeCache());
  const [shown, internal] = [await open(shelves.public), await open(shelves.internal)];
  const read: string[] = [];
  const look = (kept: KeptLook | null, changed: string) =>
    checkLeaks({
      repeats: "warn",
      views: { public: shownData, internal: internalData },
      shelf: shelves.public,
      draft: shown.id,
      extracts: {
        digest: (key) => (key === changed ? "another" : key),
        read: async (key) => {
          read.push(key);
          return (await internal.extract(key)) as Extract;
        },
      },
      privateTexts: [],
      rules: opened.leaks,
      site,
      kept,
    });
  const [shownData, internalData] = [await shown.data(), await internal.data()];
  const site = await PAGED_PARTS.site();
  const first = await look(null, "");
  assert.deepEqual(read.splice(0), ["drafts/b.md", "drafts/c.md"]);
  const second = await look(first.look, "");
  assert.deepEqual(read.splice(0), []);
  await look(second.look, "drafts/c.md");
  assert.deepEqual(read, ["drafts/c.md"]);
});

test("what public objects repeat of gated ones is told, counted for who is let in, and refused where that is asked", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "repeats-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const sentence =
    "The committee met at dawn behind the old observatory to settle which of the seven lemmas would be withdrawn this spring";
  const config = `store: { kind: directory, root: ./library }\nshelf: { kind: directory, root: ./shelf }\nembeddings: { kind: none }\ncollections:\n  - { id: notes, prefix: notes/, title: Notes, visibility: public }\n  - { id: drafts, prefix: drafts/, title: Drafts, visibility: email-gated }\n`;
  await writeFiles(dir, [
    ["proofshelf.yaml", config],
    ["library/drafts/a.md", `# Plan of the withdrawal\n\n${sentence}.\n`],
    ["library/notes/link.md", "See [it](../drafts/a.md).\n"],
    ["library/notes/title.md", "Somebody wrote a Plan of the withdrawal, I hear.\n"],
    ["library/notes/words.md", `I was told: ${sentence}, and more than that.\n`],
    ["library/notes/alone.md", `${sentence.split(" ").slice(0, 14).join(" ")}.\n`],
    ["library/notes/fine.md", "The committee met at dawn.\n"],
  ]);
  const file = join(dir, "proofshelf.yaml");
  const built = await run("build", "--config", file, "--json");
  assert.equal(built.exit, 0, built.stderr);
  const note = (JSON.parse(built.stdout) as { notes: string[] }).notes.find((one) => one.startsWith("Public sources repeat")) ?? "";
  for (const name of ["link", "title", "words", "alone"]) assert.ok(note.includes(`"notes/${name}.md"`), `${name}: ${note}`);
  assert.ok(!note.includes("fine.md") && /repeat what is gated, \d times/.test(note), note);
  const shelves = openShelves(await openConfig(file));
  const said = await Promise.all((["public", "internal"] as const).map((view) => shelves[view].readPointer()));
  assert.doesNotMatch(said[0]?.inputs[LEAK_INPUT] ?? "", /said_by/, "nobody else hears how much is gated");
  assert.match(said[1]?.inputs[LEAK_INPUT] ?? "", /"said_by_public_sources":[4-9]/);
  await writeFiles(dir, [
    ["proofshelf.yaml", `${config}gates: { repeats: refuse }\n`],
    ["library/notes/fine.md", "Changed.\n"],
  ]);
  const refused = await run("build", "--config", file);
  assert.equal(refused.exit, 5);
  assert.match(refused.stderr, /Nothing was published, because 4 public files would hold what is not public/);
  const meant = ["link", "title", "words", "alone"].map((name) => `{ public: notes/${name}.md, gated: drafts/a.md, reason: meant }`);
  await writeFiles(dir, [["proofshelf.yaml", `${config}gates: { repeats: refuse }\nleaks: { allow: [${meant.join(", ")}] }\n`]]);
  const allowed = await run("build", "--config", file);
  assert.equal(allowed.exit, 0, allowed.stderr);
});
