import type { SearchResult } from "./search-result.ts";
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { findTexts } from "../answer/found-texts.ts";
import { sha256 } from "../digest.ts";
import { openIndex } from "../index/open.ts";
import type { ViewIndex } from "../index/view-index.ts";
import type { IndexReader } from "../index/reader.ts";
import type { Document } from "../index/row.ts";
import type { Kind } from "../schema/kinds.ts";
import { MAX_SNIPPET } from "../schema/resources.ts";
import { correct } from "./meant.ts";
import { parseSearch, search, searchMeant } from "./search.ts";
import { snippet } from "./snippet.ts";

let folder: string;
let index: ViewIndex;
let reader: IndexReader;

test("however many copies of one file there are, they push nothing else out, whatever is asked for", async (t) => {
  const own = await openIndex(join(folder, "copies"));
  t.after(() => own.close());
  const text = "wombat wombat burrow, and the wombat digs another burrow where wombats sleep";
  const others = [1, 2].map((at) =>
    document({ key: `other${at}.md`, passages: [{ text: `note ${at}: ${"filler ".repeat(30 * at)} a wombat was seen` }] }),
  );
  // The second are more than are ranked at first.
  for (const many of [70, 450]) {
    const copies = Array.from({ length: many }, (_, at) => ({
      ...document({ key: `many/copy${at}.md`, passages: [{ text }] }),
      sha256: sha256("copy"),
    }));
    await own.update({ upsert: [...copies, ...others], remove: [], base: null, tag: `of${many}` });
    const reader = await own.at(`of${many}`);
    for (const limit of [1, 2, 3, 5, 20, 55, 61, 500]) {
      const found = await search(reader, { q: "wombat", prefix: "", limit });
      assert.equal(found.length, Math.min(limit, 3), `${many}, limit ${limit}: ${found.map(({ key }) => key).join()}`);
    }
    const asked = await findTexts(reader, null, { q: "where was a wombat seen", prefix: "", limit: 40 });
    assert.equal(asked.texts.length, 3, "a question has the texts of all three");
    reader.close();
  }
});

test("the name of a language means its code, whatever else says it, and elsewhere tells nothing", async (t) => {
  const own = await openIndex(join(folder, "languages"));
  const code = (key: string, language: string | null, text: string): Document => ({
    ...document({ key, kind: "code", passages: [{ text: "import them" }, { text }] }),
    language,
  });
  await own.update({
    upsert: [
      code("a.py", "python", "def merge_sorted(a, b): pass"),
      code("b.rs", "rust", "fn merge_sorted() {}"),
      code("c.rs", "rust", "fn split_sorted() {} // as python does, which is not python"),
    ],
    remove: [],
    base: null,
    tag: "one",
  });
  const languages = await own.at("one");
  t.after(() => [languages, own].forEach((open) => open.close()));
  const keys = async (q: string): Promise<string[]> => (await search(languages, { q, prefix: "", limit: 9 })).map(({ key }) => key);
  assert.equal((await keys("python merge sorted"))[0], "a.py");
  assert.deepEqual((await keys("rust")).sort(), ["b.rs", "c.rs"]);
});

test("what is ranked and shown is read in one request, each row once", async () => {
  const asked: (readonly bigint[])[] = [];
  const counting: IndexReader = {
    ...reader,
    rows(refs) {
      if (refs.length > 0) asked.push(refs);
      return reader.rows(refs);
    },
    terms: () => assert.fail("the words come with the rows"),
  };
  const found = await search(counting, { q: "sorting digest", prefix: "", limit: 9 });
  assert.ok(found.length > 0);
  assert.equal(asked.length, 1);
  assert.equal(new Set(asked.flat()).size, asked.flat().length);
});

type Given = { key: string; kind?: Kind; title?: string; passages: readonly { text: string; name?: string; heading?: string[] }[] };

function document({ key, kind = "text", title = key, passages }: Given): Document {
  const of = kind === "record" || kind === "claim" ? kind : "object";
  return {
    doc: `${of}:${key}`,
    key,
    kind,
    collection: "",
    title,
    sha256: sha256(`${key}\n${passages.map(({ text }) => text).join("\n")}`),
    passages: passages.map(({ text, name = null, heading = [] }, at) => ({
      heading,
      name,
      page: null,
      start_line: at + 1,
      end_line: at + 1,
      text,
    })),
  };
}

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "search-"));
  index = await openIndex(folder);
  await index.update({
    upsert: [
      {
        key: "coq/Sorting.v",
        kind: "code",
        title: "Sorting.v",
        passages: [
          { name: "insertionSort_perm", text: "Theorem insertionSort_perm : forall l, Permutation l (insertionSort l)." },
          { name: "insert_sorted", text: "Lemma insert_sorted : forall x l, sorted l -> sorted (insert x l)." },
        ],
      } as const,
      {
        key: "notes/sorting.md",
        kind: "markdown",
        title: "On insertionSort_perm and friends",
        passages: [
          {
            heading: ["Permutation"],
            text: `insertionSort_perm insertionSort_perm insertionSort_perm ${"filler words here ".repeat(60)} the needle of the haystack`,
          },
        ],
      } as const,
      {
        key: "CUB-0001",
        kind: "record",
        title: "insertion_sort_correct",
        passages: [{ text: "Insertion sort gives a permutation of its input." }],
      } as const,
      {
        key: "claim-sorting",
        kind: "claim",
        title: "Sorting is verified",
        passages: [{ text: "See CUB-0001 CUB-0001 CUB-0001." }],
      } as const,
      { key: "img/photo.png", kind: "image", title: "A photo of Zanzibar", passages: [] } as const,
      { key: "z/b.txt", passages: [{ text: "twins alike" }] },
      { key: "z/a.txt", passages: [{ text: "twins alike" }] },
    ].map((given) => document(given as Given)),
    remove: [],
    base: null,
    tag: "t",
  });
  reader = await index.at("t");
});
after(async () => {
  reader.close();
  index.close();
  await rm(folder, { recursive: true, force: true });
});

const run = (q: string, prefix = ""): Promise<readonly SearchResult[]> => search(reader, { q, prefix, limit: 20 });
const keys = async (q: string, prefix = ""): Promise<string[]> => (await run(q, prefix)).map(({ key }) => key);

test("any text is a query: no characters are syntax, nothing throws, scores are finite and descend", async () => {
  const words = fc.constantFrom(
    "sort",
    "insertionSort_perm",
    "twins",
    '"',
    "'",
    "*",
    "(",
    ")",
    "+",
    "-",
    "AND",
    "OR",
    "NOT",
    "^2",
    "~",
    ":",
    "\\",
    "\0",
    "\ud800",
    "%",
    ";",
    "--",
    "title:",
    "=",
  );
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.string({ unit: "binary" }),
        fc.array(words).map((list) => list.join(" ")),
      ),
      fc.string(),
      async (q, prefix) => {
        for (const results of [await run(q), await run(q, prefix)]) {
          results.forEach(({ score, snippet }, at) => {
            assert.ok(Number.isFinite(score) && score <= (results[at - 1]?.score ?? Infinity));
            assert.ok(snippet.length <= MAX_SNIPPET && snippet.isWellFormed());
          });
        }
      },
    ),
    { numRuns: 60 },
  );
});

test("identifiers are found whole, in parts, and in another case", async () => {
  for (const q of ["insertionSort_perm", "insertionsort_perm", "perm", "insertion sort perm"])
    assert.ok((await keys(q)).includes("coq/Sorting.v"), q);
});

test("what the query names exactly comes first, with the reason", async () => {
  for (const [q, key, reason] of [
    ["insertionSort_perm", "coq/Sorting.v", "name"],
    ["CUB-0001", "CUB-0001", "id"],
    ["cub-0001", "CUB-0001", "id"],
    ["claim-sorting", "claim-sorting", "id"],
    ["coq/Sorting.v", "coq/Sorting.v", "key"],
    [" Sorting  is verified ", "claim-sorting", "title"],
  ]) {
    const first = (await run(q ?? ""))[0];
    assert.deepEqual([first?.key, first?.exact], [key, reason], q);
  }
  assert.equal((await run("sorting"))[0]?.exact, null);
});

test("an object is one result, by its best passage", async () => {
  const results = await run("sorted insert");
  const [found, ...more] = results.filter(({ key }) => key === "coq/Sorting.v");
  assert.deepEqual([found?.row.name, more.length], ["insert_sorted", 0]);
});

test("an object without text is found by its title and its key", async () => {
  assert.deepEqual(await keys("zanzibar"), ["img/photo.png"]);
  assert.deepEqual(await keys("photo png"), ["img/photo.png"]);
});

test("equal scores come in the order of keys", async () => {
  assert.deepEqual(await keys("twins"), ["z/a.txt", "z/b.txt"]);
});

test("a prefix leaves only objects under it, never records or claims", async () => {
  assert.deepEqual(await keys("sorting permutation", "coq/"), ["coq/Sorting.v"]);
  assert.deepEqual(await keys("permutation", "CUB"), []);
});

test("a query that is quoted as a whole asks for its words together; quotes within a sentence do not", async () => {
  assert.ok((await keys('the "haystack needle" of sorting')).length > 1);
  assert.ok((await keys('"haystack needle"')).length === 0);
  assert.deepEqual(await keys('"needle of the haystack"'), ["notes/sorting.md"]);
});

test("a snippet shows the words even when they stand far down", async () => {
  const [first] = await run("needle haystack");
  assert.match(first?.snippet ?? "", /needle of the haystack/);
  assert.ok((first?.snippet.length ?? 999) <= MAX_SNIPPET);
});

test("a snippet is text as a reader reads it, without the marks of its language", async (t) => {
  const own = await openIndex(join(folder, "marks"));
  await own.update({
    upsert: [
      document({ key: "notes/a.md", kind: "markdown", passages: [{ text: "## Zebras\n\nA **striped** [zebra](z.md) of `kind` two." }] }),
      document({ key: "a.rs", kind: "code", passages: [{ text: "/// The *only* zebra.\nfn other() {}" }] }),
    ],
    remove: [],
    base: null,
    tag: "one",
  });
  const marks = await own.at("one");
  t.after(() => [marks, own].forEach((open) => open.close()));
  const found = await search(marks, { q: "zebra", prefix: "", limit: 9 });
  assert.deepEqual(Object.fromEntries(found.map(({ key, snippet: shown }) => [key, shown])), {
    "notes/a.md": "A striped zebra of kind two.",
    "a.rs": "The only zebra.",
  });
});

test("a snippet leaves out the lines that are drawn under headings and around comments", () => {
  const find = (): [] => [];
  assert.equal(
    snippet("Title\n=====\n\n(*********)\n(* a := b *)\nx ----- y ... 1000000", find, 300),
    "Title (* a := b *) x y ... 1000000",
  );
});

test("words that stand nowhere give an empty list", async () => {
  assert.deepEqual(await keys("qqqzzz"), []);
  assert.deepEqual(await keys("!!! ???"), []);
});

test("parameters out of their limits are refused with their name", () => {
  const parse = (text: string): unknown => parseSearch(new URLSearchParams(text));
  assert.throws(() => parse(""), { code: "missing_parameter" });
  assert.throws(() => parse("q=%20"), { code: "missing_parameter" });
  assert.throws(() => parse(`q=${"x".repeat(501)}`), { code: "bad_parameter" });
  assert.deepEqual(parse(`q=${"%F0%9F%98%80".repeat(500)}`), { q: "\u{1F600}".repeat(500), prefix: "", limit: 50 });
  assert.deepEqual(parse("q=e%CC%81"), { q: "é", prefix: "", limit: 50 });
  for (const limit of ["501", "-1", "x", "", "1e2"]) assert.throws(() => parse(`q=a&limit=${limit}`), { code: "bad_parameter" });
  for (const twice of ["q=a&q=b", "q=a&prefix=x&prefix=y", "q=a&limit=1&limit=1"])
    assert.throws(() => parse(twice), { code: "bad_parameter" });
  assert.throws(() => parse(`q=a&prefix=${"x".repeat(1025)}`), { code: "bad_prefix" });
});

test("a phrase is found however many rows hold its words apart", async () => {
  const apart = await mkdtemp(join(tmpdir(), "phrase-"));
  const many = await openIndex(apart);
  const passages = Array.from({ length: 1000 }, (_, at) => ({
    text: at % 400 === 7 ? `gamma delta ${`words of ${at} that make it long `.repeat(40)}` : `delta gamma ${at}`,
  }));
  await many.update({
    upsert: passages.map((passage, at) => document({ key: `p/${at}`, passages: [passage] })),
    remove: [],
    base: null,
    tag: "t",
  });
  const opened = await many.at("t");
  const keys = (await search(opened, { q: '"gamma delta"', prefix: "", limit: 50 })).map(({ key }) => key);
  assert.deepEqual(keys.sort(), ["p/407", "p/7", "p/807"]);
  opened.close();
  many.close();
  await rm(apart, { recursive: true });
});

test("copies of one text are one result, also among many; others take their places", async () => {
  const folder = await mkdtemp(join(tmpdir(), "copies-"));
  const index = await openIndex(folder);
  const said = "The zebra crosses the river in the morning and comes back at night when all the others are asleep.";
  const copies = Array.from({ length: 6 }, (_, at) =>
    document({ key: `copy/${at}`, passages: [{ text: `${said}${at === 0 ? "" : ` ${at}`}` }] }),
  );
  const others = Array.from({ length: 3 }, (_, at) =>
    document({ key: `other/${at}`, passages: [{ text: `A zebra of number ${at}${" that runs".repeat(at * 9)} and is fast.` }] }),
  );
  await index.update({ upsert: [...copies, ...others], remove: [], base: null, tag: "t" });
  const reader = await index.at("t");
  const found = await search(reader, { q: "zebra", prefix: "", limit: 4 });
  assert.deepEqual(found.map(({ key }) => key.split("/")[0]).sort(), ["copy", "other", "other", "other"]);
  assert.equal((await search(reader, { q: "zebra", prefix: "copy/", limit: 4 })).length, 1);
  assert.equal((await search(reader, { q: "copy/3", prefix: "", limit: 4 }))[0]?.key, "copy/3", "a copy is found by its key");
  reader.close();
  index.close();
  await rm(folder, { recursive: true });
});

test("what is named so comes first among thousands that mention it, and how many are wanted changes no order", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "named-"));
  const index = await openIndex(folder);
  const mentions = Array.from({ length: 3000 }, (_, at) =>
    document({
      key: `m/${at}`,
      title: `Number ${at}`,
      passages: [{ text: `alpha alpha ${sha256(String(at)).match(/.{4}/g)?.join(" ")}` }],
    }),
  );
  const named = document({
    key: "code/a.v",
    kind: "code",
    title: "a.v",
    passages: [{ name: "Greek.alpha", text: `Definition alpha := ${"beta ".repeat(200)}.` }],
  });
  await index.update({ upsert: [...mentions, named], remove: [], base: null, tag: "t" });
  const reader = await index.at("t");
  t.after(async () => {
    reader.close();
    index.close();
    await rm(folder, { recursive: true });
  });
  const keys = async (q: string, limit: number): Promise<string[]> =>
    (await search(reader, { q, prefix: "", limit })).map(({ key }) => key);
  const most = await keys("alpha", 500);
  assert.deepEqual([most[0], most.length], ["code/a.v", 500]);
  for (const limit of [1, 10, 50, 200]) assert.deepEqual(await keys("alpha", limit), most.slice(0, limit), String(limit));
  assert.deepEqual([(await keys("Greek.alpha", 1))[0], (await keys("greek alpha", 1))[0]], ["code/a.v", "code/a.v"]);
});

test("a name that stands nowhere finds nothing, a part of a name what has all its parts, a slip of one letter what was meant", async () => {
  for (let at = 0; at < 1000; at++) {
    const name = `zq${sha256(String(at)).slice(0, 14)}`;
    assert.deepEqual(await keys(name), [], name);
  }
  assert.deepEqual(await keys("insert_sort_missing"), []);
  assert.deepEqual(await keys("keep_insertionSort_9"), []);
  assert.ok((await keys("sorted_insert")).includes("coq/Sorting.v"));
  assert.deepEqual(await keys("haystcak"), ["notes/sorting.md"]);
  assert.deepEqual(await keys("haystak"), ["notes/sorting.md"]);
  assert.deepEqual(await keys("hay stack"), ["notes/sorting.md"]);
  assert.ok((await keys("fillerwords")).includes("notes/sorting.md"));
});

test("a word or name that stands nowhere is searched as the near one that does, which is said; without one it finds nothing", async () => {
  const asked = async (q: string) => {
    const { results, meant } = await searchMeant(reader, { q, prefix: "", limit: 10 });
    return { found: results.length > 0, says: correct(q, meant) };
  };
  assert.deepEqual(await asked("permutaiton of a list"), { found: true, says: "permutation of a list" });
  assert.deepEqual(await asked("insertoinSort_perm"), { found: true, says: "insertionSort_perm" });
  assert.deepEqual(await asked("insert_sorted_twice_over"), { found: false, says: "insert_sorted_twice_over" });
  for (const q of ["zq9f0b7d614e858a", "zzkvqxj", "xk_vvq_jjz", "a1b2c3d4e5f60718293a"])
    assert.deepEqual(await asked(q), { found: false, says: q });
  for (const q of ["insertionSort_perm", "sorted list", "On insertionSort_perm and friends"]) assert.equal((await asked(q)).says, q);
});

test("parts of a name lead to the name that has them", async () => {
  const { results, meant } = await searchMeant(reader, { q: "perm_insertion", prefix: "", limit: 10 });
  assert.ok(results.length > 0);
  assert.deepEqual(meant, [{ asked: "perm_insertion", meant: "insertionSort_perm" }]);
});

test("a part of a name with its number finds what has both, and another number does not", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "numbered-"));
  const numbered = await openIndex(folder);
  t.after(async () => {
    numbered.close();
    await rm(folder, { recursive: true, force: true });
  });
  const names = [12, 13, 14].map((number) => `merge_sound_${number}`);
  await numbered.update({
    upsert: names.map((name) => document({ key: `p/${name}.v`, passages: [{ name, text: `Lemma ${name} : True.` }] })),
    remove: [],
    base: null,
    tag: "numbered",
  });
  const opened = await numbered.at("numbered");
  const found = await searchMeant(opened, { q: "sound_12", prefix: "", limit: 10 });
  assert.deepEqual(
    found.results.map(({ key }) => key),
    ["p/merge_sound_12.v"],
  );
  assert.deepEqual((await searchMeant(opened, { q: "sound_99", prefix: "", limit: 10 })).results, []);
  opened.close();
});
