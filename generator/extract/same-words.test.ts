import assert from "node:assert/strict";
import { test } from "node:test";
import { type DefaultTreeAdapterMap, parseFragment } from "parse5";
import { blocksOf, headingsOf, readHtml } from "../../snapshots/blocks/index.ts";
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
];
const inFormula = (mark: string): boolean => !/[$&\\~%]|[/{*-]{2}/.test(mark);

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

test("in code, LaTeX, reStructuredText, AsciiDoc and printed pages a mark of another language stays in what is quoted", () => {
  const plain = (text: string, kind: Parameters<typeof blocksOf>[1]): string =>
    blocksOf(text, kind)
      .map((one) => one.plain)
      .join("\n");
  const foreign: readonly (readonly [kind: Parameters<typeof blocksOf>[1], around: (mark: string) => string, marks: readonly string[]])[] =
    [
      ["code", (mark) => `// The word ${mark} of it.`, ["<a>", "~/x", "<T>", "--z", "&amp;x", "$a<b$", "<!-- x -->"]],
      ["code", (mark) => `/* Code \`${mark}\` in it. */`, MARKS.filter((mark) => !mark.includes("*/"))],
      ["latex", (mark) => `The word ${mark} of it.`, ["<a>", "__x__", "**x**", "*y*", "--z", "//w", "[q](r)", "<T>"]],
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
