/** What is quoted is what stands there: the words of a page are those of its passages, snippets, answers and Contents, in every format. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type DefaultTreeAdapterMap, parseFragment } from "parse5";
import { blocksOf, headingsOf, readHtml } from "../../snapshots/blocks/index.ts";
import { excerptText, findWords } from "../../snapshots/query/excerpt.ts";
import { makePdf } from "../testing/pdf.ts";
import { extract } from "./extract.ts";

type Node = DefaultTreeAdapterMap["node"];

/** Words of a fragment as a browser shows them: without the sources of formulas, and with the words of pictures. */
function textOf(node: Node): string {
  if ("value" in node) return node.value;
  if (node.nodeName === "annotation") return "";
  if ("attrs" in node && node.nodeName === "img") return node.attrs.find(({ name }) => name === "alt")?.value ?? "";
  return "childNodes" in node ? node.childNodes.map(textOf).join("") : "";
}

/** Without white space, signs between cells, and in the signs that formulas print. */
const squeeze = (text: string): string =>
  text
    .replaceAll(/[\s\u2061\u00a0|·]+/g, "")
    .replaceAll("∗", "*")
    .replaceAll("−", "-");

async function compare(key: string, text: string): Promise<{ page: string; said: string; passages: string }> {
  const { kind, html, passages } = await extract(key, new TextEncoder().encode(text));
  const parts =
    kind === "html" ? readHtml(text) : [...headingsOf(text, kind), ...blocksOf(text, kind)].toSorted((a, b) => a.start - b.start);
  const said = parts.map((part) => ("title" in part ? part.title : part.plain)).join("");
  return { page: squeeze(textOf(parseFragment(html ?? ""))), said: squeeze(said), passages: passages.map((one) => one.text).join("\n") };
}

const MARKS = [
  "<a>",
  "__x__",
  "~/x",
  "**x**",
  "$a<b$",
  "<!-- x -->",
  "<T>",
  "*y*",
  "--z",
  "//w",
  "[q](r)",
  "&amp;x",
  "\\*x",
  "{/* x */}",
  "%x",
  "--force",
  "a[0](x)",
  "_x_",
  "$HOME",
  "#x",
  "@x",
  "[^a-z]",
  "{{x}}",
  "{x}",
  "==x==",
  "++x++",
  "x^2^",
  "https://a.example/__x__",
  "<?x?>",
  ":x:",
];
const inFormula = (mark: string): boolean => !/[$&\\~%#{^]|[/{*-]{2}/.test(mark);

test("in Markdown and HTML the page and what is quoted have the same words, wherever marks are planted", async () => {
  const escaped = (mark: string): string => mark.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  for (const mark of MARKS) {
    const texts: readonly (readonly [key: string, text: string])[] = [
      ["a.md", `Code \`${mark}\` within.`],
      ["a.md", `Code.\n\n~~~\n${mark} in it\n~~~\n\nAnd\n\n    ${mark} far in\n`],
      ["a.md", `Prose ${mark} goes on.`],
      ["a.md", `## Head \`${mark}\` ends\n\nText.`],
      [
        "a.md",
        `- An item \`${mark}\` of it\n- Other ${mark} of it\n\n> Quoted \`${mark}\`\n>\n> \`\`\`\n> ${mark} in it\n> \`\`\`\n>\n> End.`,
      ],
      ["a.md", `| a | b |\n|---|---|\n| \`${mark}\` | cell ${mark} |`],
      ["a.md", inFormula(mark) ? `Here $u ${mark} v$ is.` : ""],
      ["a.html", `<p>Code <code>${escaped(mark)}</code> and prose ${escaped(mark)} here.</p><pre>${escaped(mark)} in it</pre>`],
      [
        "a.html",
        `<h2>Head <code>${escaped(mark)}</code></h2><p title="${mark.replaceAll('"', "")}">Text <!-- of nobody ${mark.replaceAll("-", "")} --> here.</p>`,
      ],
    ];
    for (const [key, text] of texts) {
      const { page, said } = await compare(
        key,
        key === "a.md" ? `Start.\n\n${text}\n\nEnd.\n` : `<h1>T</h1><p>Start.</p>${text}<p>End.</p>`,
      );
      assert.equal(said.replace(/^T/, ""), page, text);
    }
  }
});

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
const cellsOf = (code: string, prose: string): readonly object[] => [
  { cell_type: "markdown", metadata: {}, source: `# Title\n\n## Head \`${code}\` of it\n\nThe word \`${code}\` is ${prose} here.` },
  { cell_type: "code", metadata: {}, execution_count: 1, outputs: [], source: `said = "${code.replaceAll('"', "")}"` },
];

/** A text of each format with a mark in its code (heading, line, item, block) and one in its prose, and the marks that are its own, so that they
 *  are no words in its prose. */
const FORMATS: readonly (readonly [key: string, text: (code: string, prose: string) => string, own: RegExp])[] = [
  [
    "a.md",
    (code, prose) =>
      `# Title\n\n## Head \`${code}\` of it\n\nThe word \`${code}\` is ${prose} here.\n\n- item \`${code}\` of it\n\n~~~\n${code} set apart\n~~~\n`,
    /^$/,
  ],
  [
    "a.lagda.md",
    (code, prose) =>
      `# Title\n\nThe word \`${code}\` is ${prose} here.\n\n\`\`\`agda\nmodule a where\n-- ${code} set apart\n\`\`\`\n\nEnd.\n`,
    /^$/,
  ],
  [
    "a.html",
    (code, prose) =>
      `<h1>Title</h1><h2>Head <code>${escaped(code)}</code> of it</h2><p>The word <code>${escaped(code)}</code> is ${escaped(prose)} here.</p>` +
      `<ul><li>item <code>${escaped(code)}</code> of it</li></ul><pre>${escaped(code)} set apart</pre>`,
    /^$/,
  ],
  [
    "a.tex",
    (code, prose) =>
      `\\documentclass{article}\\begin{document}\\title{Title}\\maketitle\n\\section{Head of it}\n\nThe word \\verb;${code}; is ${prose} here.\n\n` +
      `\\begin{itemize}\n\\item item \\verb;${code}; of it\n\\end{itemize}\n\n\\begin{verbatim}\n${code} set apart\n\\end{verbatim}\n\nEnd.\n\\end{document}\n`,
    /[$&\\~%{]|--|;/,
  ],
  [
    "a.rst",
    (code, prose) =>
      `Title\n=====\n\nHead \`\`${code}\`\` of it\n${"-".repeat(60)}\n\nThe word \`\`${code}\`\` is ${prose} here.\n\n- item \`\`${code}\`\` of it\n\n::\n\n   ${code} set apart\n\nEnd.\n`,
    /\\|\*|`/,
  ],
  [
    "a.adoc",
    (code, prose) =>
      `= Title\n\n== Head \`+${code}+\` of it\n\nThe word \`+${code}+\` is ${prose} here.\n\n* item \`+${code}+\` of it\n\n----\n${code} set apart\n----\n\nEnd.\n`,
    /[*_`\\&]|--|\/\//,
  ],
  [
    "a.org",
    (code, prose) =>
      `#+TITLE: Title\n\n* Head =${code}= of it\n\nThe word =${code}= is ${prose} here.\n\n- item ~${code}~ of it\n\n#+begin_src sh\n${code} set apart\n#+end_src\n`,
    /[*_/+$=~\\&]|^<!/,
  ],
  [
    "a.ipynb",
    (code, prose) =>
      JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata: { language_info: { name: "python" } }, cells: cellsOf(code, prose) }),
    /^$/,
  ],
  ["a.txt", (code, prose) => `Title\n\nThe word \`${code}\` is ${prose} here.\n\n- item \`${code}\` of it\n\nEnd.\n`, /^$/],
  [
    "a.py",
    (code, prose) =>
      `"""Title\n\nThe word \`\`${code}\`\` is ${prose} here.\n"""\n\n# A comment ${prose} of it.\ndef said(x):\n    return x\n`,
    /^$/,
  ],
  [
    "a.c",
    (code, prose) =>
      `/* Title\n * The word \`${code}\` is ${prose} here.\n */\nint said(void) { return 0; }\n// A comment ${prose} of it.\n`,
    /\*\//,
  ],
  ["a.v", (_, prose) => `(** Title. The word is ${prose} here. *)\nLemma a : 0 = 0. Proof. reflexivity. Qed.\n`, /^$/],
  [
    "a.lean",
    (code, prose) =>
      `/-!\n# Title\n\nThe word \`${code}\` is ${prose} here.\n-/\n\n/-- A comment ${prose} of it. -/\ntheorem t : 1 = 1 := rfl\n`,
    /[*_`[\\$&]|-\//,
  ],
  ["a.rs", (code, prose) => `//! Title\n\n/// The word \`${code}\` is ${prose} here.\npub fn said() {}\n`, /[*_`[\\$&]/],
  ["a.lhs", (code, prose) => `The word \`${code}\` is ${prose} here.\n\n> said = x -- ${code}\n\nEnd of it.\n`, /^$/],
  ["a.qmd", (code, prose) => `---\ntitle: Title\n---\n\nThe word \`${code}\` is ${prose} here.\n`, /^$/],
  ["a.agda", (code, prose) => `-- Title\n\n-- The word ${code} is ${prose} here.\nmodule a where\n`, /^$/],
  ["a.thy", (code, prose) => `(* The word ${code} is ${prose} here. *)\ntheory a imports Main begin end\n`, /^$/],
  ["a.sh", (code, prose) => `# The word ${code} is ${prose} here.\necho\n`, /^$/],
  ["a.hs", (code, prose) => `{- The word ${code} is ${prose} here.\n-}\nmodule A where\n`, /^$/],
  ["a.toml", (code, prose) => `# The word is ${prose} here.\ntitle = "Title"\n`, /^$/],
  ["a.tsv", (code, prose) => `name\tword\nThe\tword ${code} is ${prose} here\n`, /^$/],
  ["a.csv", (code, prose) => `name,word\nThe,"word ${code.replaceAll('"', '""')} is ${prose.replaceAll('"', '""')} here"\n`, /^$/],
  [
    "a.json",
    (code, prose) => JSON.stringify({ title: "Title", note: `The word ${code} is ${prose} here.`, list: [code] }, null, 1),
    /[\\"]/,
  ],
  ["a.yaml", (code, prose) => `title: Title\nnote: The word of ${prose} here.\nlist:\n  - '${code}'\n`, /^$/],
  ["a.pdf", (code, prose) => `The word ${code} is ${prose} here.\nEnd of it.`, /[\\()]/],
];

/** The readers that show a text in its own lines: their pages have the marks of comments, quotes and code as well. */
const SHOWN_AS_WRITTEN = /\.(?:txt|py|c|v|lean|rs|agda|thy|sh|hs|toml|tsv|csv|json|yaml|pdf)$/;
const typeset = (text: string): string => text.replaceAll(/-{2,3}|[–—]/g, "–");

test("in every format page, passages, snippets and answers have the same words, wherever marks are planted", async () => {
  for (const [key, write, own] of FORMATS)
    for (const mark of MARKS)
      for (const [code, prose] of [
        [key === "a.json" && own.test(mark) ? "plain" : mark, "so"],
        ["plain", own.test(mark) ? "so" : mark],
      ] as const) {
        const text = write(code, prose);
        const bytes = key === "a.pdf" ? makePdf([text.replaceAll(/[\\()]/g, "\\$&")]) : new TextEncoder().encode(text);
        const { kind, html, passages } = await extract(key, bytes);
        const page = squeeze(typeset(textOf(parseFragment(html ?? ""))));
        const told = passages.map((one) => one.text);
        const pieces =
          kind === "html"
            ? readHtml(text)
            : (kind === "notebook" || kind === "pdf" ? told : [text]).flatMap((one) =>
                [...headingsOf(one, kind), ...blocksOf(one, kind)].toSorted((a, b) => a.start - b.start),
              );
        const said = pieces.map((part) => squeeze(typeset("title" in part ? part.title : part.plain)));
        const where = `${key} with ${code} and ${prose}`;
        if (SHOWN_AS_WRITTEN.test(key)) {
          const bare = (one: string): string => one.replaceAll(/[`"',]|#(?=Title)|(?<=Title)\*/g, "");
          for (const one of said) assert.ok(bare(page).includes(bare(one)), `${where}: ${one} is not on the page: ${page}`);
          assert.ok(
            told.some((one) => squeeze(one).includes(squeeze(prose))),
            `${where}: ${told.join(" / ")}`,
          );
          if (!own.test(prose)) assert.ok(said.join(" ").includes(squeeze(typeset(prose))), `${where}: ${said.join(" / ")}`);
        } else assert.equal(said.join("").replace(/^Title/, ""), page, where);
        const shown = `${page} ${SHOWN_AS_WRITTEN.test(key) ? squeeze(typeset(text)) : ""} Title`;
        for (const { text: passage, name } of passages)
          for (const word of excerptText(kind, passage, findWords("word", []), 300, name ?? "").split(/\s+/))
            assert.ok(shown.includes(squeeze(typeset(word))), `${where}: the snippet has ${word}, which is not on the page`);
      }
});

test("in code, LaTeX, reStructuredText, AsciiDoc and printed pages a mark of another language stays in what is quoted", () => {
  const plain = (text: string, kind: Parameters<typeof blocksOf>[1]): string =>
    blocksOf(text, kind)
      .map((one) => one.plain)
      .join("\n");
  const foreign: readonly (readonly [kind: Parameters<typeof blocksOf>[1], around: (mark: string) => string, marks: readonly string[]])[] =
    [
      ["code", (mark) => `// The word ${mark} of it.`, ["<a>", "~/x", "<T>", "--z", "&amp;x", "$a<b$", "<!-- x -->"]],
      ["code", (mark) => `/* Code \`${mark}\` in it. */`, MARKS.filter((mark) => !mark.includes("*/"))],
      ["latex", (mark) => `The word ${mark} of it.`, ["<a>", "__x__", "**x**", "*y*", "//w", "[q](r)", "<T>"]],
      ["latex", (mark) => `Code \\verb|${mark}| in it.`, MARKS],
      ["latex", (mark) => `\\begin{verbatim}\n${mark} in it\n\\end{verbatim}`, MARKS],
      ["text", (mark) => `The word \`\`${mark}\`\` of it.`, MARKS],
      ["text", (mark) => `Code::\n\n    ${mark} in it\n`, MARKS],
      ["text", (mark) => `= Title\n\n----\n${mark} in it\n----\n`, MARKS],
      ["pdf", (mark) => `The word ${mark} of it.`, MARKS],
      ["yaml", (mark) => `note: The word ${mark} of it.`, MARKS],
      ["csv", (mark) => `name,word\nThe,${mark.replaceAll(",", "")}`, MARKS],
    ];
  for (const [kind, around, marks] of foreign)
    for (const mark of marks) {
      const shown =
        mark === "$a<b$" && !["code", "text", "pdf", "yaml", "csv"].includes(kind) && !around(mark).includes("|") ? "a<b" : mark;
      assert.ok(plain(around(mark), kind).includes(shown), `${kind}: ${around(mark)} => ${plain(around(mark), kind)}`);
    }
});

test("what an author has commented out is on no page, in no answer and in no snippet, in every format that has comments", async () => {
  const asides: Readonly<Record<string, readonly string[]>> = {
    "a.tex": [
      "% Hidden words of it.",
      "\\iffalse\nHidden words of it.\n\\fi",
      "\\begin{comment}\nHidden words of it.\n\\end{comment}",
      "Shown too. % hidden words",
    ],
    "a.rst": [".. Hidden words of it.", "..\n   Hidden words of it.\n\n   And hidden more."],
    "a.adoc": ["// Hidden words of it.", "////\nHidden words of it.\n\n== Hidden head\n////"],
    "a.org": [
      "# Hidden words of it.",
      "#+begin_comment\nHidden words of it.\n#+end_comment",
      "* COMMENT Hidden head\n\nHidden words of it.\n\n* Head",
    ],
    "a.html": [
      "<!-- Hidden words of it. -->",
      "<!--\n<h2>Hidden</h2>\n<p>Hidden words of it.</p>\n-->",
      "<template>Hidden words.</template>",
    ],
    "a.md": ["<!-- Hidden words of it. -->", "[//]: # (Hidden words of it.)", "[hidden-words]: <> (Hidden words of it.)"],
  };
  for (const [key, all] of Object.entries(asides))
    for (const aside of all) {
      const head = key === "a.tex" ? "\\section{Title}\n\n" : key === "a.org" ? "* Title\n\n" : key === "a.md" ? "# Title\n\n" : "";
      const text = `${head}${key === "a.html" ? "<p>" : ""}First words shown.\n\n${aside}\n\n${key === "a.html" ? "<p>" : ""}Last words shown.\n`;
      const { kind, html, passages, summary } = await extract(key, new TextEncoder().encode(text));
      const said = kind === "html" ? readHtml(text) : [...headingsOf(text, kind), ...blocksOf(text, kind)];
      const snippets = passages.map((one) => excerptText(kind, one.text, findWords("hidden words", []), 300, ""));
      for (const told of [
        textOf(parseFragment(html ?? "")),
        summary,
        said.map((part) => ("title" in part ? part.title : part.plain)).join(" "),
        ...snippets,
      ])
        assert.ok(!/hidden/i.test(told), `${key} with ${aside}: ${told}`);
    }
});

test("what is commented out is on no page, in no passage and in no summary, and modules of MDX are none of its text", async () => {
  for (const aside of [
    "<!--\n## Hidden\n\nThe hidden words of an author.\n-->",
    "{/* The hidden words\n\nof an author. */}",
    "<!-- The hidden words. -->",
  ]) {
    const { page, said, passages } = await compare("a.mdx", `# Title\n\n${aside}\n\nWords that are shown, at some length.\n`);
    for (const text of [page, said, passages]) assert.ok(!/hidden/i.test(text) && /shown/.test(text), text);
  }
  const component =
    "import {\n  Tabs,\n} from '@theme/Tabs';\n\n# Title\n\n<Tabs\n  values={[{label: 'x > y'}]}>\n<TabItem value=\"a\">\n**bold** words\n</TabItem>\n</Tabs>\n";
  const { page, passages } = await compare("a.mdx", component);
  assert.equal(page, "boldwords");
  assert.ok(!/Tabs|label/.test(passages), passages);
});
