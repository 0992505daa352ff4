import assert from "node:assert/strict";
import { test } from "node:test";
import { blocksOf, clearAsides, headingsOf } from "./blocks.ts";
import { unitsOf } from "./units.ts";
import { closedIn, plainIn, replaceTags } from "./plain.ts";
import type { Kind } from "#snapshots/schema";

const said = (text: string, kind: Kind = "markdown"): readonly string[] => blocksOf(text, kind).map(({ plain }) => plain);
const titles = (text: string): readonly string[] => headingsOf(text, "markdown").map(({ title }) => title);

test("code in a line of Markdown keeps each sign that stands in it", () => {
  for (const code of [
    "__init__",
    "Vec<String>",
    "flumbo rm <name>",
    "~/.flumbo/a.toml",
    "**/*.md",
    "a[0](x)",
    "--force",
    "<title>",
    "&amp;",
    "\\*",
    "$HOME",
  ])
    assert.deepEqual(said(`It takes \`${code}\` **with** care.`), [`It takes ${code} with care.`]);
  assert.deepEqual(said("Set the `` `<title>` `` element."), ["Set the `<title>` element."]);
  assert.deepEqual(titles("## `__init__`\n\n## `Vec<T>` and `a*b*c`\n\n`x[0](y)`\n---\n"), ["__init__", "Vec<T> and a*b*c", "x[0](y)"]);
});

test("a formula keeps its signs, in Markdown and in LaTeX, and a price is none", () => {
  for (const kind of ["markdown", "latex"] as const)
    assert.deepEqual(said("The bound holds if $a<b$ and not $c>d$ for all.", kind), ["The bound holds if a<b and not c>d for all."]);
  assert.deepEqual(said("Here $x_1 * y_1$, \\(p<q\\) and $`u__v__w`$."), ["Here x_1 * y_1, p<q and u__v__w."]);
  assert.deepEqual(said("From **$5** to **$10**, <b>or</b> $6 a month."), ["From $5 to $10, or $6 a month."]);
  assert.deepEqual(said("$$\na<b\n$$\n\n\\[\nc > d\n\\]\n"), ["a<b", "c > d"]);
});

test("marks of one language are signs of another", () => {
  assert.deepEqual(said("It takes ~5 minutes.\n\n--force overrides it."), ["It takes ~5 minutes.", "--force overrides it."]);
  assert.deepEqual(said("// Use std::vector<int> or $HOME/a and $HOME/b.", "code"), ["Use std::vector<int> or $HOME/a and $HOME/b."]);
  assert.deepEqual(said("/// A `Map<K, V>` of `__all__`, never *empty*.", "code"), ["A Map<K, V> of __all__, never empty."]);
  assert.deepEqual(said("For i <n and j> m the word __a__ is **b**.", "pdf"), ["For i <n and j> m the word __a__ is **b**."]);
  assert.deepEqual(said("Fran\\c{c}ois \\v Sime, {\\L}uk --- G\\'\\i\\ \\o re, \\ss{} -- $\\v x$ \\TeX{} 5\\,km", "latex"), [
    "François Šime, Łuk — Gí øre, ß – $\\v x$ TeX 5 km",
  ]);
  assert.deepEqual(said("On $\\mathbb{R}$, \\only<2>{so} \\qty{3}{\\second}.", "latex"), ["On R, so 3 second."]);
  assert.deepEqual(said("Fig.~2 shows \\verb|~/a_b| and \\verb+$x$+.", "latex"), ["Fig. 2 shows ~/a_b and $x$."]);
  assert.deepEqual(said("The literal ``**/*.md`` and ``a[0](x)`` of **bold** words.", "rst"), [
    "The literal **/*.md and a[0](x) of bold words.",
  ]);
  assert.deepEqual(said("A plain text that shows **x** and `y` has *stars*.", "text"), [
    "A plain text that shows **x** and `y` has *stars*.",
  ]);
});

test("a comment and a doc string are quoted as they stand, where their tool reads no Markdown, and without the signs around them", () => {
  const signs = ["--force", "a[0](x)", "__x__", "~/x", "**", "**x**", "*p", "_x_", "//w", "# x", "`a`", "[q](r)", "<a>", "&amp;", "\\*"];
  for (const sign of signs)
    for (const comment of [
      `def f():\n    """Says ${sign} of it.\n    ${sign} begins a line.\n    """\n`,
      `# Says ${sign} of it.\n# ${sign} begins a line.\n`,
      `/* Says ${sign} of it.\n * ${sign} begins a line.\n */\n`,
      `/**\n * Says ${sign} of it.\n * ${sign} begins a line. */ int x;\n`,
      `// Says ${sign} of it.\n// ${sign} begins a line.\n`,
      `(* Says ${sign} of it.\n   ${sign} begins a line. *)\n`,
      `{- Says ${sign} of it.\n${sign} begins a line.\n-}\n`,
      `-- Says ${sign} of it.\n-- ${sign} begins a line.\n`,
    ])
      assert.deepEqual(said(comment, "code"), [`Says ${sign} of it. ${sign} begins a line.`], comment);
  for (const doc of ["/// Never *empty*, `__x__`.\n/// **b** and <T>\n", "/-- Never *empty*, `__x__`.\n**b** and <T> -/\n"])
    assert.deepEqual(said(`${doc}// As *written*.\n`, "code"), ["Never empty, __x__. b and <T>", "As *written*."], doc);
  assert.deepEqual(said("> The *first*.\n\n\\begin{code}\nx\n\\end{code}\n\nA \\emph{word} of it.\n", "literate").at(-1), "A word of it.");
  const long = `${"It says so. ".repeat(60)}Set a[0](x).`;
  assert.match(unitsOf(`# ${long}\n`, "code").at(-1)?.plain ?? "", /Set a\[0\]\(x\)\.$/);
});

test("a name between angle brackets is no tag, and a tag is none of the words", () => {
  assert.deepEqual(said("A Vec<T>, a <name> and <b>bold</b><br>words &lt;a&gt; <https://a.example/__x__>."), [
    "A Vec<T>, a <name> and bold words <a> https://a.example/__x__.",
  ]);
  assert.deepEqual(said('A <Note kind="x"/> of <Tip>words</Tip> and <img alt="A -> B" src="a.png"> here.'), [
    "A of words and A -> B here.",
  ]);
  const marked = replaceTags("<title> <b> <T> <x></x> </i>", (_, name, isTag) => `${name}${isTag ? "+" : "-"}`);
  assert.equal(marked, "title- b+ t- x+x+ i+");
  assert.deepEqual([...closedIn("</A></b>").keys()], ["a", "b"]);
});

test("a sign of HTML in an attribute ends no tag", () => {
  for (const [page, words] of [
    ['<p>It goes up <img alt="A -> B" src="a.png"> when.</p>', "It goes up A -> B when."],
    ['<p title="x > y">Hello there.</p>', "Hello there."],
    ["<p data-a='1 > 0'>Hello <b title='<i>'>there</b>.</p>", "Hello there."],
    ['<div role="main" title="a>b"><p>Hello there.</p></div>', "Hello there."],
    [
      '<p>See <a title="a > b" href="x">this and that page of it</a>, which has many more words than its link.</p>',
      "See this and that page of it, which has many more words than its link.",
    ],
  ])
    assert.deepEqual(said(page ?? "", "html"), [words]);
});

test("what an author has commented out is neither text nor heading, and code that shows a comment is", () => {
  const visible = ["The timeout is 60 seconds."];
  for (const aside of [
    "<!--\n## Old settings\n\nThe old one is 30.\n-->",
    "<!-- The old one\nis 30. -->",
    "{/* The old\n\none. */}",
    "> <!-- Of a quote.\n>\n> The old one. -->",
    "- <!-- Of an item.\n\n  The old one. -->",
    "<?php\n\nold ?>",
    "<![CDATA[ old\n\n]]>",
    "[comment]: # (The old one.)",
    '[old]: <> "The old one."',
    "<style>\n\n.old { color: red }\n\n</style>",
    "<script>\nlet old = 1;\n</script>",
    'import {\n  Old,\n} from "@old/one";\n\nexport const old = {\n  a: 1,\n\n  b: 2,\n};',
    "<Tabs\n  values={[\n    {label: 'Old > one'},\n  ]}>\n",
  ]) {
    const text = `${aside}\n\n${visible[0]}\n`;
    assert.deepEqual([said(text), titles(text)], [visible, []], aside);
    assert.equal(clearAsides(text, "markdown").length, text.length);
    assert.equal(clearAsides(text, "markdown").replace(/^[>-]/, "").trim(), visible[0], aside);
  }
  assert.deepEqual(said("Text <!-- old\nold --> and <?old?>more."), ["Text and more."]);
  assert.deepEqual(said("Write \\<!-- this -->."), ["Write <!-- this -->."]);
  assert.deepEqual(said("Write `<!-- x -->` or\n\n```\n<!-- y -->\n```\n"), ["Write <!-- x --> or", "<!-- y -->"]);
  assert.deepEqual(said("Shown.\n\n<!-- never closed\n\nThe old one.\n"), ["Shown."]);
  for (const aside of ["% old", "\\begin{comment}\nold one\n\\end{comment}", "\\iffalse\nold one\n\\fi"])
    assert.deepEqual(said(`${aside}\n\nIt saves 50\\% of it.\n`, "latex"), ["It saves 50% of it."], aside);
  assert.deepEqual(said("\\begin{verbatim}\n% shown\n\\end{verbatim}\n", "latex"), ["% shown"]);
});

test("code between fences ends with a row like the first, or with what holds it", () => {
  const limit = "The limit is 4096.";
  for (const fenced of ["> ```\n> code", "> > ```\n> > code", "- ```\n  code\n", "1. one\n\n   ~~~\n   code", "```\ncode\n```"])
    assert.deepEqual(
      [said(`${fenced}\n\n# Limits\n\n${limit}`).slice(-2), titles(`${fenced}\n\n# Limits\n\n${limit}`)],
      [["code", limit], ["Limits"]],
      fenced,
    );
  assert.deepEqual(said("```\na\n```js\n    ```\n~~~\n# b\n```\n\nText."), ["a\n```js\n    ```\n~~~\n# b", "Text."]);
  assert.deepEqual(said("```inline``` is no fence.\n\n    ```\n    code\n\nText."), ["inline is no fence.", "```\ncode", "Text."]);
  assert.deepEqual(said("Text that goes on\n    far in.\n\n- item\n\n      code\n"), ["Text that goes on far in.", "item", "code"]);
});

test("a box of a site is read without its signs, by its title and its words", () => {
  for (const box of [
    '!!! note "A title"\n    Some *words*.',
    ":::note[A title]\nSome *words*.\n:::",
    "> [!NOTE] A title\n> Some *words*.",
    "```{note} A title\n:class: x\nSome *words*.\n```",
  ])
    assert.deepEqual(said(`${box}\n\nEnd of it.`).join(" "), "A title Some words. End of it.", box);
  assert.deepEqual(said("See {ref}`the text <target>`, {math}`a<b` and {kbd}`Ctrl`."), ["See the text, a<b and Ctrl."]);
  assert.deepEqual(said("```{math}\n:label: eq\n\na<b\n```"), ["a<b"]);
});

test("signs of the private use that stand in a text stay where they are", () => {
  assert.equal(plainIn("a \u{F0000} `b` \u{F0001} c", "markdown"), "a \u{F0000} b \u{F0001} c");
});

test("a string that is data is no comment, and what documents is one", () => {
  for (const data of [
    'TEXT = """Dear user, bye.\n\nBye again.\n"""',
    'send(\n"""The jail has started.\n\nBye.""")',
    "d = {'a': '''Bye,\nuser.''', 'b': 1}",
    'def f():\n    return f"""Bye\n{user}."""',
    'x = g("""Bye.""")',
  ])
    assert.deepEqual(said(`${data}\n# A comment of it.\n`, "code"), ["A comment of it."], data);
  assert.deepEqual(said('# Rights.\n"""Sends mails.\n\nOne by one.\n"""\nX = 1\n', "code"), ["Rights.", "Sends mails.", "One by one."]);
});

test("what has the name of a menu and holds prose is a text, and what is mostly links leads elsewhere", () => {
  const link = '<a href="x">Another page</a> ';
  for (const name of ["menu", "related", "page-menu", "breadcrumbs", "navigation"]) {
    const page = (inside: string): string => `<p>Before.</p><div class="a ${name}">${inside}</div><p>After.</p>`;
    assert.deepEqual(said(page("<p>Soup of the day, 5 euro.</p>"), "html"), ["Before.", "Soup of the day, 5 euro.", "After."], name);
    assert.deepEqual(said(page(`<p>See ${link.repeat(3)}</p>`), "html"), ["Before.", "After."], name);
  }
  const foot = (inside: string): string => `<p>Before.</p><div id="footer">${inside}</div>`;
  assert.deepEqual(said(foot("<p>Made by us in 2020.</p>"), "html"), ["Before."]);
  assert.deepEqual(said(foot("<h2>Limits</h2><p>It has limits.</p>"), "html"), ["Before.", "It has limits."]);
});
