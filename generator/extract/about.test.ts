/** Who, when and under which terms, as people write it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { findDate } from "./dates.ts";
import { extract } from "./extract.ts";
import { readAbout } from "./about.ts";
import { findLicenceHeader, readExpression } from "./licence-header.ts";
import { findPersons } from "./persons.ts";

test("dates are read in every usual form, and a day that no calendar has is none", () => {
  const forms: readonly (readonly [text: string, date: string | null])[] = [
    ["2021-07-04", "2021-07-04"],
    ["2021-7-4", "2021-07-04"],
    ["2021/07/04", "2021-07-04"],
    ["2021.7.4", "2021-07-04"],
    ["20210704", "2021-07-04"],
    ["2021-07-04T10:00:00Z", "2021-07-04"],
    ["July 4, 2021", "2021-07-04"],
    ["04.07.2021", "2021-07-04"],
    ["Jul. 4th 2021", "2021-07-04"],
    ["4 July 2021", "2021-07-04"],
    ["4. Jul 2021", "2021-07-04"],
    ["4-Jul-2021", "2021-07-04"],
    ["Sun, 04 Jul 2021 00:00:00 GMT", "2021-07-04"],
    ["Sunday, July 4, 2021", "2021-07-04"],
    ["July 2021", "2021-07"],
    ["2021-07", "2021-07"],
    ["2021", "2021"],
    ["2024-02-29", "2024-02-29"],
    ["2023-02-29", null],
    ["2021-02-31", null],
    ["2021-00-10", null],
    ["2021-13-01", null],
    ["0000-00-00", null],
    ["0000", null],
    ["07/04/2021", null],
    ["2021-07/04", null],
    ["Smarch 4, 2021", null],
    ["today", null],
    ["", null],
  ];
  for (const [text, date] of forms) assert.equal(findDate(text), date, text);
});

test("persons are told apart in one text, without addresses and ORCID iDs, and bodies stay whole", () => {
  const forms: readonly (readonly [said: unknown, names: readonly string[]])[] = [
    ["Ana Ruiz, Bo Lind and Cy Oke", ["Ana Ruiz", "Bo Lind", "Cy Oke"]],
    ["Ana Ruiz, Bo Lind, and Cy Oke", ["Ana Ruiz", "Bo Lind", "Cy Oke"]],
    ["Ana Ruiz & Bo Lind", ["Ana Ruiz", "Bo Lind"]],
    ["Ruiz, Ana; Lind, Bo", ["Ruiz, Ana", "Lind, Bo"]],
    ["Ruiz, Ana and Lind, Bo", ["Ruiz, Ana", "Lind, Bo"]],
    ["Ruiz, Ana", ["Ruiz, Ana"]],
    ["King, Jr., Martin Luther", ["King, Jr., Martin Luther"]],
    ["Ludwig van Beethoven", ["Ludwig van Beethoven"]],
    ["Plato and Aristotle", ["Plato", "Aristotle"]],
    ["Institute of Science and Technology", ["Institute of Science and Technology"]],
    ["The Lean Team & Contributors", ["The Lean Team & Contributors"]],
    ["Ana Ruiz <ana@example.org>", ["Ana Ruiz"]],
    ["Ana Ruiz (ana@example.org), Bo Lind <mailto:bo@example.org>", ["Ana Ruiz", "Bo Lind"]],
    ["Ana Ruiz (https://orcid.org/0000-0002-1825-0097)", ["Ana Ruiz"]],
    ["Ana Ruiz 0000-0002-1825-009X", ["Ana Ruiz"]],
    [{ given: "Ana", family: "Ruiz" }, ["Ana Ruiz"]],
    [{ name: { given: "Ana", family: "Ruiz" }, orcid: "0000-0002-1825-0097" }, ["Ana Ruiz"]],
    [{ "given-names": "Vincent", "name-particle": "van", "family-names": "Gogh" }, ["Vincent van Gogh"]],
    [
      [{ name: "Ana Ruiz" }, "Bo Lind"],
      ["Ana Ruiz", "Bo Lind"],
    ],
    [["Ana Ruiz", "Ana Ruiz", "others", "et al."], ["Ana Ruiz"]],
    ["ana@example.org", []],
    ["1", []],
    [{ toString: 1, constructor: 2 }, []],
    [null, []],
  ];
  for (const [said, names] of forms) assert.deepEqual(findPersons(said), names, JSON.stringify(said));
});

test("a licence is what its tag says by SPDX's grammar", () => {
  const forms: readonly (readonly [text: string, license: string | null])[] = [
    ["MIT -->", "MIT"],
    ["BSD-3-Clause -}", "BSD-3-Clause"],
    ["Apache-2.0 -/", "Apache-2.0"],
    ["MIT)", "MIT"],
    ["MIT -- short", "MIT"],
    ["MIT OR Apache-2.0", "MIT OR Apache-2.0"],
    ["GPL-2.0+ WITH Classpath-exception-2.0 */", "GPL-2.0+ WITH Classpath-exception-2.0"],
    ["(MIT OR Apache-2.0) AND LicenseRef-own.", "(MIT OR Apache-2.0) AND LicenseRef-own"],
    ["DocumentRef-a:LicenseRef-b", "DocumentRef-a:LicenseRef-b"],
    ["MIT AND", "MIT"],
    ["(MIT", null],
    ["<id>", null],
    ["", null],
    ["(".repeat(400), null],
  ];
  for (const [text, license] of forms) assert.equal(readExpression(text), license, text);
});

test("a tag counts in the file's own header, and not in an example, a string or what REUSE leaves out", () => {
  const tag = "SPDX-License-Identifier: MIT";
  const own: readonly (readonly [kind: "markdown" | "html" | "code", text: string])[] = [
    ["markdown", `<!-- ${tag} -->\n# A\n`],
    ["markdown", `<!--\n${tag}\n-->\n# A\n`],
    ["markdown", `---\n# ${tag}\ntitle: A\n---\n`],
    ["html", `<!-- ${tag} --><p>x</p>`],
    ["code", `#!/bin/sh\n# (${tag})\n`],
    ["code", `{- ${tag} -}\rmodule A where\r`],
    ["code", `/*\n * Copyright Ana, ${tag}\n */\n`],
  ];
  for (const [kind, text] of own) assert.equal(findLicenceHeader(text, kind), "MIT", text);
  const others: readonly (readonly [kind: "markdown" | "html" | "code", text: string])[] = [
    ["markdown", `# How\n\n\`\`\`\n// ${tag}\n\`\`\`\n`],
    ["markdown", `# How\n\n~~~ c\n// ${tag}\n~~~~\n\nWords.\n`],
    ["markdown", `# How\n\n    // ${tag}\n`],
    ["markdown", `Write \`${tag}\` on the first line.\n`],
    ["html", `<p>Write "${tag}" there.</p>`],
    ["code", `const header = "${tag}";\n`],
    ["code", `print('# ${tag}')\n`],
    ["code", `# REUSE-IgnoreStart\n# ${tag}\n# REUSE-IgnoreEnd\n`],
  ];
  for (const [kind, text] of others) assert.equal(findLicenceHeader(text, kind), null, text);
});

test("authors of LaTeX papers are named as the class files write them, without marks, addresses and numbers", async () => {
  for (const authors of [
    "\\author{Ana Ruiz}\n\\affiliation{U}\n\\email{a@example.org}\n\\author{Bo Lind}",
    "\\author{Ana Ruiz\\inst{1}\\orcidID{0000-0002-1825-0097} \\and Bo Lind\\inst{2}}",
    "\\author[1]{Ana Ruiz}\\author[2]{Bo Lind}\\affil[1]{U}",
    "\\author{\\IEEEauthorblockN{Ana Ruiz\\IEEEauthorrefmark{1}}\\IEEEauthorblockA{U One\\\\City} \\and \\IEEEauthorblockN{Bo Lind}\\IEEEauthorblockA{V}}",
    "\\author{Ana Ruiz, Bo Lind}",
    "\\author*[1]{\\fnm{Ana} \\sur{Ruiz}}\\email{a@example.org}\\author[2]{\\fnm{Bo} \\sur{Lind}}",
    "\\author{\\IEEEauthorblockN{1\\textsuperscript{st} Ana Ruiz}\\IEEEauthorblockA{U}\\and\\IEEEauthorblockN{2\\textsuperscript{nd} Bo Lind}}",
    "\\author{Ana Ruiz$^{1,2}$ and Bo Lind$^{*}$}",
    "\\author{Ana Ruiz\\thanks{Supported by {X}.} \\\\ University \\and Bo Lind\\textsuperscript{2} \\\\ Other}",
    "\\author{Ana Ruiz\\fnref{a}\\corref{cor1}}\n\\ead{a@example.org}\n\\author{Bo Lind}",
  ])
    assert.deepEqual(
      (await extract("a.tex", Buffer.from(`\\title{T}${authors}\\begin{document}x\\end{document}\n`))).about?.authors,
      ["Ana Ruiz", "Bo Lind"],
      authors,
    );
});

test("the title of a YAML file is the scalar that it says, and documents in languages of proofs have title and summary", async () => {
  for (const said of [
    ">\n  Folded one\n  two",
    "|\n  Folded one\n  two",
    "'Folded one two' # note",
    '"Folded one two"',
    "&t Folded one two # note",
    "!!str Folded one two",
  ])
    assert.equal((await extract("a.yaml", Buffer.from(`title: ${said}\nother: 1\n`))).title, "Folded one two", said);
  assert.equal((await extract("a.yaml", Buffer.from("title: *missing\nother: 1\n"))).title, "a.yaml");
  for (const [key, text] of [
    [
      "a.lean",
      'import VersoManual\n\n#doc (Manual) "The title" =>\n\n%%%\ntag := "x"\n%%%\n\nThe first prose paragraph is here.\n\n# Part\n',
    ],
    ["a.lean", "/-|\n==========\nThe title\n==========\n\nThe first prose paragraph is here.\n-/\n\ntheorem t : 1 = 1 := rfl\n"],
    ["a.v", "(*|\nThe title\n=========\n\n.. coq::\n\nThe first prose paragraph is here.\n|*)\n\nTheorem t : 1 = 1.\n"],
  ] as const) {
    const { title, summary } = await extract(key, Buffer.from(text));
    assert.deepEqual([title, summary], ["The title", "The first prose paragraph is here."], text);
  }
});

test("authors and dates stand below the titles of reStructuredText, AsciiDoc and Org", () => {
  const texts = {
    rst: "Title\n=====\n\n:Author: Ana Ruiz\n:Date: 2021-03-04\n\nText by :Author: nobody.\n",
    asciidoc: "= Title\nAna Ruiz <ana@example.org>; Bo Lind\nv1.0, 2021-03-04\n:toc:\n\nText.\n",
    org: "#+TITLE: T\n#+AUTHOR: Ana Ruiz and Bo Lind\n#+DATE: <2021-03-04 Thu>\n\nText.\n",
  };
  for (const [kind, text] of Object.entries(texts)) {
    const { authors, date } = readAbout(`a.${kind}`, kind as keyof typeof texts, text);
    assert.deepEqual([authors, date], [kind === "rst" ? ["Ana Ruiz"] : ["Ana Ruiz", "Bo Lind"], "2021-03-04"], kind);
  }
  assert.deepEqual(readAbout("a.adoc", "asciidoc", "= Title\n:toc:\n\nAn opening line.\n").authors, []);
});

test("a licence file has the licence of its title, else the only one that it names or grants, however its lines are broken", () => {
  const grant = "Permission is hereby granted, free of charge, to any\nperson obtaining a copy of this\nsoftware";
  const forms = "Redistribution and use in source and binary\nforms, with or without change,\nare permitted";
  const use = "Permission to use, copy, modify, and/or distribute this\nsoftware for any purpose is hereby\ngranted";
  const texts: readonly (readonly [text: string, license: string | null])[] = [
    [`Copyright (c) 2020 A\n\n${grant}, subject to the following\nconditions:`, "MIT"],
    [`The MIT License (MIT)\n=====================\n\n${grant}`, "MIT"],
    [`${grant}, and to permit persons to whom it is furnished to do so.`, "MIT-0"],
    [`${use}, provided that the above notice stays.`, "ISC"],
    [`${use}.`, "0BSD"],
    [forms, "BSD-2-Clause"],
    [`${forms}. Neither the\nname of the holder`, "BSD-3-Clause"],
    [`${forms}. The names of the authors may not be used to\nendorse`, "BSD-3-Clause"],
    [`${forms}. All advertising materials mentioning it. Neither the name`, "BSD-4-Clause"],
    ["      Apache License\n   Version 2.0, January 2004\n\nThird parties: MIT license", "Apache-2.0"],
    ["   GNU GENERAL PUBLIC LICENSE\n     Version 3, 29 June 2007\n\nUse the GNU Affero General Public License version 3.", "GPL-3.0-only"],
    ["# Blue Oak Model License\n\nVersion 1.0.0\n", "BlueOak-1.0.0"],
    ["Creative Commons Legal Code\n\nCC0 1.0 Universal\n", "CC0-1.0"],
    ['Licensed under the Apache License,\nVersion 2.0 (the "License");', "Apache-2.0"],
    ["Dual-licensed. Apache License, Version 2.0 … or the MIT license", null],
    ["Apache License 2.0 or MIT license, at your option.", null],
    ["The GNU General Public License Version 3 is not compatible. This work is under CC-BY 4.0.", null],
  ];
  for (const [text, license] of texts) assert.equal(readAbout("LICENSE", "text", text).license, license, text);
});

test("a day with points, a suffix behind a comma and an address beside a name are read", async () => {
  const text =
    "---\ntitle: N\ndate: 2021年7月4日\nauthors: Ana Ruiz <ana@example.org> (https://orcid.org/0000-0002-1825-0097), Bo Lind, Jr.\n---\nx\n";
  const { about } = await extract("a.md", Buffer.from(text));
  assert.deepEqual([about?.authors, about?.date], [["Ana Ruiz", "Bo Lind, Jr."], "2021-07-04"]);
  const lean =
    "/-\nCopyright (c) 2021 Ana Ruiz. All rights reserved.\nReleased under Apache 2.0 license as described in the file LICENSE.\nAuthors: Ana Ruiz,\n  Bo Lind\n-/\n";
  assert.deepEqual(readAbout("A.lean", "code", lean), { authors: ["Ana Ruiz", "Bo Lind"], date: null, license: "Apache-2.0" });
  assert.equal(readAbout("a.md", "markdown", "---\npublishDate: 2021-07-04T00:00:00+02:00\n---\n").date, "2021-07-04");
  const placed = "---\nauthor: Ana Ruiz (Univ. of X) and Łukasz (Luk) Öz\n---\n";
  assert.deepEqual(readAbout("a.md", "markdown", placed).authors, ["Ana Ruiz", "Łukasz (Luk) Öz"]);
  const paper = "\\author{\\L ukasz \\'{\\i}z \\and Bj{\\o}rn \\c{C}elik}";
  assert.deepEqual(readAbout("a.tex", "latex", paper).authors, ["Łukasz íz", "Bjørn Çelik"]);
});
