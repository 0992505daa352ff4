import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { loadStemmers } from "./load-stemmers.ts";
import { openFinder, words, spellOtherwise } from "./words.ts";

const find = (text: string, ...wanted: readonly string[]): string[] =>
  openFinder(new Map(wanted.flatMap((word) => words(word)).map((word) => [word, 1])))(text).map(({ start, end }) => text.slice(start, end));

test("a word whose stem ends otherwise than it does is found where it stands, in any text", () => {
  assert.deepEqual(find("The key of the map; Keys, keyed.", "key"), ["key", "Keys", "keyed"]);
  assert.deepEqual(find("Die Wörter: the key of the map", "keys"), ["key"]);
  assert.deepEqual(
    find("relational, relation; relativity", "relational"),
    ["relational", "relation"].filter((word) => words(word)[0] === words("relational")[0]),
  );
  assert.deepEqual(find("Émile met emile", "émile"), ["Émile", "emile"]);
});

test("words have the stems of Porter's paper, and a word of another script has its own letters", () => {
  const paper =
    "caresses ponies ties caress cats feed agreed plastered bled motoring sing conflated troubled sized hopping tanned falling hissing " +
    "fizzed failing filing happy sky relational conditional rational digitizer radically predication operator feudalism formality " +
    "triplicate formative electricity hopefulness goodness revival allowance inference airliner adjustable irritant replacement " +
    "adoption communism activate effective probate rate cease controll roll";
  assert.equal(
    words(paper).join(" "),
    "caress poni ti caress cat feed agre plaster bled motor sing conflat troubl size hop tan fall hiss " +
      "fizz fail file happi sky relat condit ration digit radic predic oper feudal formal " +
      "triplic form electr hope good reviv allow infer airlin adjust irrit replac " +
      "adopt commun activ effect probat rate ceas control roll",
  );
  for (const [one, many] of ["walrus walruses", "status statuses", "virus viruses", "focus focused"].map((pair) => pair.split(" ")))
    assert.deepEqual(words(one ?? ""), words(many ?? ""), one);
  assert.deepEqual(words("теоремы größen"), ["теоремы", "grossen"]);
});

test("letters are found as people type them, Arabic ones in both of their forms, and names that end with signs are words", () => {
  for (const [written, typed] of [
    ["Søren København", "soren kobenhavn"],
    ["Łukasz Łódź", "lukasz lodz"],
    ["Straße", "strasse"],
    ["Đorđe Þór", "dorde thor"],
    ["ætherword œuvreword", "aetherword oeuvreword"],
    ["ılık İstanbul", "ilik istanbul"],
    ["café Zürich", "cafe zurich"],
    ["\u0645\u0640\u0640\u0640\u0643\u062a\u0628\u0629", "\u0645\u0643\u062a\u0628\u0629"],
    ["\u06a9\u062a\u0627\u0628", "\u0643\u062a\u0627\u0628"],
    ["\u06cc\u0639", "\u064a\u0639"],
  ] as const)
    assert.deepEqual(words(written), words(typed), written);
  assert.ok(words("\u0643\u062a\u0627\u0628\u200c\u062e\u0627\u0646\u0647").includes("\u0643\u062a\u0627\u0628\u062e\u0627\u0646\u0647"));
  assert.deepEqual(words("C++ vs C#, F# (g++) A* search"), ["c++", "vs", "c#", "f#", "g++", "a*", "search"]);
  assert.deepEqual(words("x+y *emphasis* F#A"), words("x y emphasis F A"));
  const find = openFinder(
    new Map([
      ["c++", 1],
      ["soren", 2],
    ]),
  );
  assert.deepEqual(
    find("Written in C++ by Søren.").map(({ start, end, word }) => [start, end, word]),
    [
      [11, 14, "c++"],
      [18, 23, "soren"],
    ],
  );
});

test("whatever is wanted of a text is found in it", () => {
  const piece = fc.oneof(
    fc.constantFrom(
      "key",
      "Nat.add_comm",
      "insertionSort_perm",
      "a::b",
      "it's",
      "relational",
      "vectors",
      "HTTPServer2",
      "naïve",
      "Éa",
      "∀",
      "集合論",
      "x",
      "dry",
      "skies",
      "’",
      "..",
      "__",
    ),
    fc.string({ unit: "grapheme", maxLength: 8 }),
  );
  const joint = fc.constantFrom(" ", ".", ", ", "\n", "::", "'", "’", "é", "-");
  fc.assert(
    fc.property(fc.array(fc.tuple(piece, joint), { maxLength: 12 }), (pieces) => {
      const text = pieces.flat().join("");
      // Each of its words alone: the longest worth decides within one raw word, so one at a time.
      for (const word of new Set(words(text))) {
        const hits = openFinder(new Map([[word, 1]]))(text);
        // A name of several joined words is shown by its parts where all of a text is ASCII.
        if (hits.length === 0 && /[.':]/.test(word)) continue;
        assert.ok(hits.length > 0, `${JSON.stringify(word)} in ${JSON.stringify(text)}`);
        for (const { start, end } of hits) assert.ok(words(text.slice(start, end)).includes(word));
      }
    }),
    { numRuns: 500 },
  );
});

test("single letters and digits, and what a hash is made of, are words only inside their identifier", () => {
  assert.deepEqual(words("zq9f0b7d614e858a"), ["zq9f0b7d614e858a"]);
  assert.deepEqual(words("x_1 v2 sha256"), ["x_1", "v2", "sha256", "sha"]);
  assert.deepEqual(words("Nat.add_comm"), ["nat.add_comm", "add_comm", "nat", "add", "comm"]);
  assert.deepEqual(words("x 5 C"), ["x", "5", "c"]);
});

test("a formula has the same signs in LaTeX and in Unicode, and a word the same stem in both spellings of English", () => {
  for (const [latex, sign] of [
    ["\\le", "≤"],
    ["\\sqcap", "⊓"],
    ["\\varphi", "φ"],
  ] as const) {
    assert.ok(words(`$a ${latex} b$`).includes(words(sign)[0] ?? ""), latex);
  }
  for (const [ascii, sign] of [
    ["P -> Q", "→"],
    ["P->Q", "\\to"],
    ["a <= b", "\\le"],
    ["a <> b", "≠"],
    ["p /\\ q", "∧"],
    ["p \\/ q", "\\vee"],
    ["|- p", "⊢"],
    ["p <-> q", "\\iff"],
  ] as const) {
    const [word = ""] = words(sign);
    assert.ok(words(ascii).includes(word), ascii);
    const [hit] = openFinder(new Map([[word, 1]]))(ascii);
    assert.equal(ascii.slice(hit?.start, hit?.end), ascii.replaceAll(/[\w\s]/g, ""), "shown where it stands");
  }
  assert.deepEqual(words("<!-- --> |---|--|"), [], "what is drawn with these signs");
  assert.deepEqual(words("\\mathcal{F}"), ["f"]);
  assert.deepEqual(words("behaviour organised"), words("behavior organized"));
  assert.deepEqual(words("four hours"), ["four", "hour"]);
});

test("words of scripts without spaces are those of a dictionary, particles are none, and a part of a compound is found in it", () => {
  const holds = (text: string, question: string): boolean => {
    const held = new Set(words(text));
    return words(question).every((word) => held.has(word));
  };
  assert.deepEqual(words("は、です。の？"), []);
  assert.ok(words("スロットとは何ですか？").includes("スロット"));
  assert.ok(!words("スロットとは何ですか？").some((word) => /何|とは|です/.test(word)));
  assert.ok(holds("パッケージの依存関係を調べる", "依存関係とは何ですか"));
  assert.ok(holds("Debianパッケージ管理システム", "パッケージ"));
  assert.ok(holds("软件包的依赖关系", "软件包"));
  assert.ok(holds("ภาษาไทยไม่มีช่องว่าง", "ภาษาไทย"));
  assert.ok(!holds("世界の人口は八十億である", "東京の人口は？"));
  assert.ok(holds("이 컴포넌트의 슬롯은 내용을 받는다", "슬롯"));
  assert.ok(words("슬롯은 무엇입니까?").includes(words("슬롯")[0] ?? ""));
  assert.deepEqual(find("スロットは、値を保持する場所です", "値"), ["値"]);
  assert.deepEqual(find("Debianの依存関係", "debian"), ["Debian"]);
});

test("what is written in base64 is no word", () => {
  const base64 = "QUJD".repeat(60);
  assert.deepEqual(words(`plot data:image/png;base64,${base64}= end`), words("plot end"));
  assert.deepEqual(words(`"png": "${base64}"`), words("png"));
  assert.equal(words("a".repeat(200)).length, 1);
});

test("a text has its own language's endings taken off, a query those of each language of the library, and both meet whatever the accents", async () => {
  await loadStemmers(["de", "fr", "ru"]);
  const meet = (language: string, ...pairs: readonly string[]): void => {
    for (const [text = "", query = ""] of pairs.map((pair) => pair.split(" "))) {
      const [word = ""] = words(text, [language]);
      assert.ok(words(query, ["en", "de", "fr", "ru"]).includes(word), `${text} is found by ${query}`);
      const held = `Hier ${text}: там`;
      const [hit] = openFinder(new Map([[word, 1]]), ["en", language])(held);
      assert.equal(held.slice(hit?.start, hit?.end), text);
    }
  };
  meet("de", "Häusern Haus", "Dateien Datei", "Verzeichnisses Verzeichnisse", "Größen größe");
  meet("fr", "réseaux réseau", "générales général", "fichiers fichier");
  meet("ru", "каталоги каталога", "новый нового", "теоремами теорема", "ёлки елка");
  assert.deepEqual(words("relational files", ["en"]), words("relational files"));
  assert.deepEqual(words("insertionSort_perm", ["de"])[0], words("insertionSort_perm")[0], "an identifier is of no language");
  assert.deepEqual(words("Häuser", ["ja"]), words("Häuser"), "a language without rules");
});

test("a letter that is set off in a word, as that of an option, belongs to it", () => {
  assert.deepEqual(words("E[x]tract and [c]reate, e[x]tracting"), words("Extract and create, extracting"));
  assert.deepEqual(find("To e[x]tract: tar", "extract"), ["e[x]tract"]);
  assert.deepEqual(find("Wörter: [c]reate", "create"), ["[c]reate"]);
  assert.deepEqual(words("b[j] and - [x] done"), ["b", "j", "x", "done"], "an index of code and a box of a list");
});

test("a word is spelled as people type it who lack its letters, and a name that ends with signs in letters", () => {
  for (const [text, spelled] of [
    ["Søren in København", "soren in kobenhavn"],
    ["Łódź, Größe, Þór, œuvre", "lodz, grosse, thor, oeuvre"],
    ["مـــكتبة", "مكتبة"],
    ["کتاب\u200cخانه", "كتابخانه"],
    ["C++, C# and g++ or A*", "cplusplus, csharp and gplusplus or astar"],
    ["plain C + D", "plain c + d"],
  ] as const)
    assert.equal(spellOtherwise(text), spelled);
});
