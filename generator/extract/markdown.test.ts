/** Markdown in the dialects that people write. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { blocksOf } from "../../snapshots/blocks/blocks.ts";
import { extract } from "./extract.ts";

const quoted = (text: string): string =>
  blocksOf(text, "markdown")
    .map(({ plain }) => plain)
    .join(" ");

async function read(text: string, key = "a/b.md"): Promise<{ html: string; words: string; title: string; summary: string }> {
  const { html, title, summary } = await extract(key, Buffer.from(text));
  const words = (html ?? "").replaceAll(/<annotation[\s\S]*?<\/annotation>|<[^>]*>/g, "").replaceAll(/\s+/g, " ");
  return { html: html ?? "", words, title, summary };
}

test("amounts of money are no formulas, and what stands between them is Markdown", async () => {
  const cases: readonly (readonly [text: string, holds: string])[] = [
    ["Less than $10 on [the plan](https://example.org/plan) and up to $20 more.", 'href="https://example.org/plan"'],
    ["From **$5** to **$10** a month.", "<strong>$5</strong> to <strong>$10</strong>"],
    ["Pay $5 *or* $6 now.", "$5 <em>or</em> $6"],
    ["A $5 fee[^1] and a $6 fee.\n\n[^1]: Once.", 'href="#doc-fn-1"'],
    ["| a |\n| - |\n| $5 **bold** $6 |", "<strong>bold</strong>"],
    ["$$ is the process, and\n\n**bold** stays.", "<strong>bold</strong>"],
    ["US$5, $HOME and `$x$`", "US$5, $HOME and <code>$x$</code>"],
    ["Add $HOME/bin:$PATH to it.", "$HOME/bin:$PATH"],
  ];
  for (const [text, holds] of cases) {
    const { html } = await read(`# T\n\n${text}\n`);
    assert.ok(html.includes(holds) && !html.includes("<math"), html);
  }
});

test("formulas are read in every usual delimiter", async () => {
  for (const text of [
    "Inline $a^2$ here.",
    "Inline $`a^2`$ here.",
    "Inline \\(a^2\\) here.",
    "In line $$a^2$$ here.",
    "\\[\na^2\n\\]",
    "Words before\n\\[ a^2 \\]\nand after.",
    "$$\na^2\n$$",
    "- $$a^2$$",
    "```math\na^2\n```",
    "```{math}\na^2\n```",
    "\\begin{align*}\na &= b\n\\end{align*}",
    "> \\begin{equation}\n> a\n> \\end{equation}",
  ])
    assert.match((await read(`# T\n\n${text}\n`)).html, /<math/, text);
  for (const text of ["\\(never closed", "\\begin{equation}\na\n\nb", "\\\\(a\\\\)", "See \\[Eve\\] there.", "\\[TODO\\]"])
    assert.doesNotMatch((await read(`${text}\n`)).html, /<math/, text);
});

test("boxes of every dialect are asides with their title first, their content is Markdown, and their lines are right", async () => {
  for (const [text, title] of [
    ['!!! note "Careful"\n\n    The **bold** word.', "Careful"],
    ["!!! warning\n    The **bold** word.\n\n    - item", "Warning"],
    [":::note[Careful]\n\nThe **bold** word.\n\n:::", "Careful"],
    ["::: tip Careful\nThe **bold** word.\n:::", "Careful"],
    ['::: {.callout-tip title="Careful"}\nThe **bold** word.\n:::', "Careful"],
    [":::{note} Careful\n:class: dropdown\nThe **bold** word.\n:::", "Careful"],
    ["```{note} Careful\nThe **bold** word.\n```", "Careful"],
    ["> [!IMPORTANT]\n> The **bold** word.", "Important"],
    ["> [!tip] Careful\n> The **bold** word.", "Careful"],
    ["::::{warning}\n:::{note} Careful\nThe **bold** word.\n:::\n::::", "Careful"],
  ] as const) {
    const { html, words } = await read(`# T\n\n${text}\n\nAfter **all**.\n`);
    assert.match(
      html,
      new RegExp(`<aside[^>]*>[\\s\\S]*<p><strong>${title}</strong></p>[\\s\\S]*<strong>bold</strong>[\\s\\S]*</aside>`),
      text,
    );
    assert.doesNotMatch(words, /!!!|:::|\[!|\{note|dropdown/, text);
    assert.match(html.slice(html.lastIndexOf("</aside>")), new RegExp(`id="L${text.split("\n").length + 4}">After <strong>all`), text);
  }
  for (const text of [
    '??? note "Careful"\n    The **bold** word.',
    "> [!faq]- Careful\n> The **bold** word.",
    "::: details Careful\nThe **bold** word.\n:::",
  ])
    assert.match((await read(`${text}\n`)).html, /<details>\s*<summary>Careful<\/summary>[\s\S]*<strong>bold<\/strong>/, text);
  const tabs = await read('=== "Rust"\n\n    Some `code`.\n\n=== "Go"\n\n    ```go\n    func f() {}\n    ```\n');
  assert.match(tabs.html, /<strong>Rust<\/strong>[\s\S]*<code>code<\/code>[\s\S]*<strong>Go<\/strong>[\s\S]*<span class="k">func/);
  for (const text of ["!!! is loud", "::: ", "Words ::: note", "    !!! note", "> [!", "=== underlined"])
    assert.doesNotMatch((await read(`${text}\n`)).html, /<aside/, text);
});

test("a tag that is named in prose is shown, and the rest of the page stays", async () => {
  for (const tag of "title textarea script style iframe xmp noembed noframes plaintext select template".split(" ")) {
    for (const text of [`Set the <${tag}> element.`, `- an item with <${tag}>`, `| a |\n| - |\n| <${tag}> |`, `Close it with </${tag}>.`])
      assert.match((await read(`# T\n\n${text}\n\nThe lastword.\n`)).words, /lastword/, `${tag} ${text}`);
  }
  assert.match((await read("Set the <title> element.\n")).words, /Set the &lt;title> element/);
  assert.doesNotMatch((await read("A <script>alert(1)</script> B.\n")).words, /alert/);
});

test("a fence's language is its first word, in braces or outside", async () => {
  for (const [info, code] of [
    ["rust,no_run", "fn b() {}"],
    ["rust:src/main.rs", "fn b() {}"],
    ["js{1,3}", "let x = 1;"],
    ["{.python}", "def f(): pass"],
    ["{python}", "def f(): pass"],
    ["{r, echo=FALSE}", "f <- function(a) 1"],
    ["{#id .rust}", "fn b() {}"],
    ["{code-block} python", "def f(): pass"],
    ["golang", "func f() {}"],
    ["c++", "int f() { return 1; }"],
  ] as const)
    assert.match((await read(`\`\`\`${info}\n${code}\n\`\`\`\n`)).html, /<span class="[kbt]"/, info);
});

test("links and pictures of wikis lead to what they name, and attributes in braces are not shown", async () => {
  assert.match((await read("See [[Page Two]] now.\n")).html, /<a href="[^"]*Page=20Two[^"]*">Page Two<\/a>/);
  assert.match(
    (await read("See [[folder/Page#Some part|the words]].\n")).html,
    /<a href="[^"]*folder\/Page[^"]*#doc-some-part">the words<\/a>/,
  );
  assert.match((await read("![[pic.png]]\n")).html, /<img src="[^"]*pic\.png"/);
  assert.match((await read("[[1]](https://example.org)\n")).html, /<a href="https:\/\/example\.org\/"[^>]*>\[1\]<\/a>/);
  assert.match((await read("[[foo]]\n\n[foo]: /url\n")).html, /\[<a href="[^"]*">foo<\/a>\]/);
  const { words, html } = await read(
    "# Title {#own .unnumbered}\n\n## Part {.unnumbered}\n\n![alt](a.png){width=50%} and [x](b.md){.btn} and `c`{.sh}.\n",
  );
  assert.doesNotMatch(words, /\{/);
  assert.match(html, /id="doc-part"/);
});

test("other names of Markdown are Markdown, and what they say to their program is no prose", async () => {
  for (const ending of ["mdx", "qmd", "Rmd", "livemd"]) {
    const { title, html } = await read("---\ntitle: Front title\n---\n\nThe **bold** word.\n", `a.${ending}`);
    assert.deepEqual([title, /<strong>bold<\/strong>/.test(html)], ["Front title", true], ending);
  }
  const page = await read(
    'import Tabs from "@theme/Tabs";\nexport const x = 1;\n\n{/* a comment */}\n\n# Mdx title\n\nProse words are here.\n',
    "a.mdx",
  );
  assert.deepEqual([page.title, page.summary], ["Mdx title", "Prose words are here."]);
  assert.doesNotMatch(page.words, /import|export|comment/);
});

test("names of icons, lists of attributes and abbreviations are not shown, keys are keys, and a heading keeps the id that it is given", async () => {
  const { html, words } = await read(
    [
      '## Version { data-toc-label="Version" }',
      '### 1.5.1 { id="v1.5.1" }',
      "### Own {#own .unnumbered}",
      ':octicons-repo-template-24: Templates :fontawesome-brands-youtube:{ style="color: red" }',
      "Press ++ctrl+alt+del++ or ++enter++; i++ and C++ stay, and a set {x} does.",
      "Lorem ipsum.\n{ .annotate }",
      "*[HTML]: Hyper Text\n*[W3C]: World Wide Web",
      '=== "Empty tab"',
      "Last **word**.",
    ].join("\n\n"),
  );
  assert.doesNotMatch(words, /octicons|fontawesome|data-toc|annotate|style=|\*\[|===/);
  for (const part of [
    'id="doc-v1.5.1"',
    'id="doc-own"',
    "<kbd>ctrl</kbd>+<kbd>alt</kbd>+<kbd>del</kbd>",
    "<kbd>enter</kbd>",
    "<strong>word</strong>",
  ])
    assert.ok(html.includes(part), `${part} in ${html}`);
  for (const part of ["i++ and C++ stay, and a set {x} does.", "Empty tab", "Templates"])
    assert.ok(words.includes(part), `${part} in ${words}`);
});

test("what a document leads to within itself is there: its title, headings of one name, and ids that begin like ours", async () => {
  for (const [key, text] of [
    ["a.md", "# My tool\n\nText, [back to top](#my-tool).\n"],
    ["a.md", "# Usage\n\n## Usage\n\nText, [second](#usage-1) and [first](#usage).\n"],
    ["a.md", "# T\n\n## Doc comments\n\nText, [of them](#doc-comments).\n"],
    ["a.md", "# T {#own}\n\nText, [own](#own).\n"],
    ["a.md", "# My tool\n\n## A part\n\nText, [a part](#A-Part) and [up](#My-Tool).\n"],
    ["a.md", '# Title\n\n<a name="here"></a>\n\nText, [here](#here).\n'],
    ["a.html", '<h1 id="content">Title</h1><p>Text, <a href="#content">up</a>.</p>'],
    ["a.html", '<h1><b><a name="top">Title</a></b></h1><p>Text, <a href="#top">up</a> <a name="b">B</a> <a href="#b">b</a>.</p>'],
  ] as const) {
    const { html, title } = await extract(key, Buffer.from(text));
    assert.ok(!(html ?? "").includes(`>${title}</h`) || /usage/i.test(title), html ?? "");
    const links = [...(html ?? "").matchAll(/href="#([^"]*)"/g)].map(([, id]) => id);
    for (const id of links) assert.ok((html ?? "").includes(` id="${id}"`), `${id} in ${html}`);
    assert.ok(links.length > 0, html ?? "");
  }
});

test("a remark of MyST is on no page and in no quote, and is no title; a share at the start of a line is none", async () => {
  const text = "% a remark\n# Title\n\n% another\nText {ref}`x` here\n% a third\ngoes on.\n\n```\n% code\n```\n";
  const { title, html } = await read(text);
  assert.equal(title, "Title");
  assert.doesNotMatch(`${html} ${quoted(text)}`, /remark|another|third/);
  assert.match(html, /goes on[^]*% code/);
  const obsidian = "%% hidden %%\n\nText %%hidden%% goes on, 100%% sure and 50%% not.\n\n%%\nhidden\n\nhidden\n%%\n";
  assert.match(`${(await read(obsidian)).html} ${quoted(obsidian)}`, /^(?!.*hidden).*100%% sure and 50%% not/s);
  for (const prose of ["Some say\n% of it is true.", "%APPDATA%\\x is a folder."]) assert.match((await read(prose)).html, /%/);
});

test("an icon is its name between words or alone, and nothing where it adorns words, on the page and in quotes", async () => {
  const icons: readonly (readonly [written: string, shown: string])[] = [
    ["Press :material-check: or :octicons-x-16:, then go.", "Press check or x, then go."],
    [":material-clock-fast:{ .lg .middle } __Set up__ now", "Set up now"],
    ["Get it :material-download:", "Get it"],
    [
      "See [the code :octicons-arrow-right-24:](https://example.org/) and [:fontawesome-brands-github:](https://example.org/g) too.",
      "See the code and github too.",
    ],
    [":fontawesome-solid-circle-check:", "circle check"],
  ];
  for (const [written, shown] of icons) {
    const page = (await read(`${written}\n`)).html
      .replaceAll(/<[^>]*>/g, "")
      .replaceAll(/\s+/g, " ")
      .trim();
    assert.deepEqual([page, quoted(`${written}\n`).trim().replaceAll(/\s+/g, " ")], [shown, shown]);
  }
  assert.match((await read("| a | b |\n|---|---|\n| x | :material-check: |\n")).html, /<td>check<\/td>/);
});

test("what a directive holds that nobody knows is shown, whatever tool it is of, and no mark of it", async () => {
  const unknown = [
    "```{unknown} {argument}\nbody words\n```",
    ":::{unknown} {argument}\nbody words\n:::",
    "```{myst:directive} {argument}\n:option: x\n```",
    "::: unknown\nbody words\n:::",
    ":::unknown[argument]\nbody words\n:::",
    "::: {.unknown #id}\nbody words\n:::",
    '!!! unknown "argument"\n\n    body words',
    "/// unknown | argument\n    open: true\n\nbody words\n///",
    '<Unknown title="argument">\n\nbody words\n\n</Unknown>',
    ":::{code} python\nbody words\n:::",
    "> [!unknown] argument\n> body words",
  ].map((one) => one.replace("{argument}", "argument"));
  for (const one of unknown) {
    const text = `# T\n\n${one}\n\nEnd.\n`;
    const shown = (await read(text)).html.replaceAll(/<[^>]*>/g, " ");
    const words = ["argument", "body words"].filter((word) => one.includes(word));
    for (const word of words) assert.ok(shown.includes(word), `${word}: ${one}`);
    assert.doesNotMatch(shown, /:::|\/\/\/|!!!|\[!|\{|open:/, one);
    if (one.includes("body words")) assert.match(quoted(text), /body words/, one);
  }
});

test("what Hugo and Quarto fill in is a picture, a link or words, and never a mark; an escaped one is an example", async () => {
  const text =
    '{{< video https://example.org/v >}}\n\n{{< figure src="a.png" caption="The words" >}}\n\nAt {{< meta when >}} or {{< var x.y >}}.{{< pagebreak >}}\n\n{{% notice %}}\nBody.\n{{% /notice %}}\n\n`{{< code >}}`\n';
  const { html } = await read(text);
  assert.match(
    html,
    /<a href="https:\/\/example\.org\/v"[^]*<img [^>]*alt="The words"[^]*At when or x\.y\.<[^]*Body\.[^]*<code>\{\{&lt; code >}}/,
  );
  assert.match(html, /loading="lazy"><br>\s*<em>The words<\/em>/);
  assert.doesNotMatch(html.replace(/<code>.*<\/code>/, ""), /\{\{/);
  assert.doesNotMatch(quoted(text).replace("{{< code >}}", ""), /\{\{/);
});

test("a comment before words makes no code of them", async () => {
  const { html } = await read(
    "- <!-- md:option foo.bar --> second <!-- md:version 9 -->\n\n<!-- a remark of some length --> First words.\n",
  );
  assert.match(html, /<li[^>]*>second<\/li>[^]*<p[^>]*>First words\.<\/p>/);
});

test("attributes in braces are in no heading and in no quote", async () => {
  const text =
    '## Head <small>two</small> { #id data-x="y" }\n\n![A picture](x.png){ align=left width=300 } Lorem `code`{.py} and [a](b){ target=_blank } of {x}.\n\nA paragraph.\n{ .cls }\n';
  assert.equal(quoted(text), "Lorem code and a of {x}. A paragraph.");
  assert.deepEqual((await extract("a.md", Buffer.from(text))).passages[0]?.heading, ["Head two"]);
});

test("a price in brackets is no formula, and one that ends on its line is none of the lines below", async () => {
  const { html } = await read(
    "US$5 or A$6, *5$ each* and it is $5/mo (was $7/mo) and 5$ or 6$ in *Quebec*.\n\n$$x = y$$ within it.\n\n- item\n- $$\n  q = r\n  $$\n\nThe set $[0,1)$.\n",
  );
  assert.match(html, /<em>5\$ each<\/em> and it is \$5\/mo \(was \$7\/mo\) and 5\$ or 6\$ in <em>Quebec<\/em>/);
  assert.match(
    html,
    /<\/math><\/span> within it\.[^]*<li[^>]*>item<\/li>\n<li[^>]*>\s*<span class="katex"><math[^]*The set <span class="katex">/,
  );
});

test("marked words, links to notes and names of blocks are shown as Obsidian shows them, on the page and in quotes", async () => {
  const text = "See [[Note#Part]], [[#Own]], ![[Other#^block]], [[1]] and ==marked *words*==, a==b==c. ^a1b2c3\n";
  const { html } = await read(text);
  assert.match(html, /<mark>marked <em>words<\/em><\/mark>, a==b==c\.<\/p>/);
  assert.equal(quoted(text), "See Note › Part, Own, Other › ^block, [[1]] and marked words, a==b==c.");
  assert.equal(html.replaceAll(/<[^>]*>/g, "").trim(), quoted(text));
});

test("what Pandoc and Quarto write beside CommonMark leaves no mark, on the page and in quotes", async () => {
  const written: readonly (readonly [text: string, shown: RegExp, said: string])[] = [
    [
      "H~2~O and x^2^ and [small *one*]{.smallcaps}, ~5 or ~6.",
      /H<sub>2<\/sub>O and x<sup>2<\/sup> and small <em>one<\/em>, ~5 or ~6\./,
      "H2O and x2 and small one, ~5 or ~6.",
    ],
    ["Words^[A *note*.] go on.", /Words<sup>.*go on\..*A <em>note<\/em>/s, "Words go on."],
    [
      "| a | b |\n|---|---|\n| 1 | 2 |\n\n: The caption {#tbl-x}",
      /<table id="L3">\s*<caption>The caption<\/caption>/,
      "a | b 1 | 2 The caption",
    ],
    ["| a | b |\n|---|---|\n| 1 | 2 |\n\n: Prices {.striped .hover}", /<caption>Prices<\/caption>/, "a | b 1 | 2 Prices"],
    ["| a | b |\n|---|---|\n| 1 | 2 |\n\n: {.striped}\n\nAfter.", /<table id="L3">\s*<thead>/, "a | b 1 | 2 After."],
    ['Seen ![](a.png){fig-alt="A *wolf*" width=3} ![Own](a.png){alt="x"}', /alt="A \*wolf\*"[^>]*> <img[^>]*alt="Own"/, "Seen Own"],
    [
      ":::: {.list-table}\n- - ``` md\n    ::: x\n    ```\n  - ::: y\n    Words\n    :::\n::::\n\nAfter.",
      /<td>\s*<pre[^>]*><code>::: x<\/code><\/pre>\s*<\/td>\s*<td>\s*<div>\s*<p[^>]*>Words<\/p>[^:]*<p[^>]*>After\.<\/p>\s*$/,
      "::: x Words After.",
    ],
    ["$$\na = b\n$$ {#eq-x}\n\nGoes on.", /<\/math><\/span>\s*<p[^>]*>Goes on\.<\/p>/, "a = b Goes on."],
    ["> [!quote|right] A title\n> Words.", /<aside[^>]*>\s*<p><strong>A title<\/strong><\/p>/, "A title Words."],
    ["<details><summary>More</summary>Inner words.</details>", /<summary>More<\/summary>/, "More Inner words."],
    [
      ":tada: :smile::heart: `:x:`, std::key::x, 1:100:1.\n\n## :bug: Bugs",
      /🎉<\/span> <[^>]*>😄<\/span><[^>]*>❤️<\/span> <code>:x:<\/code>, std::key::x, 1:100:1\.[^]*id="doc-bug-bugs">.*🐛/u,
      "🎉 😄❤️ :x:, std::key::x, 1:100:1.",
    ],
    [
      "{: .note }\nIt is {++new++}, {--old--}, {==this==}{>>said<<} and ^^under^^, ++ctrl++. ![A wolf|100x20](a.png)",
      /^[^{]*It is <ins>new<\/ins>, <del>old<\/del>, <mark>this<\/mark> and <ins>under<\/ins>, <kbd>ctrl<\/kbd>\. <img[^>]*alt="A wolf"/,
      "It is new, old, this and under, ctrl. A wolf",
    ],
    ["{% raw %}{{ x }}{% endraw %} stays.", /<p[^>]*>\{\{ x \}\} stays\./, "{{ x }} stays."],
    ["```js\nlet a // [!code focus]\n```\n\nAfter.", /<span class="k">let<\/span> a<\/code>/, "let a // [!code focus] After."],
    [
      "::::{tip} T\n```js\n:::{a} ${b}\n:::`);\n```\n\nIn *it*.\n\n::::\n\nAfter.",
      /<em>it<\/em>\.<\/p>\s*<\/aside>\s*<p[^>]*>After/,
      "T :::{a} ${b}\n:::`); In it. After.",
    ],
    ["<small>\n**Tip:** go.\n</small>", /<small><strong>Tip:<\/strong> go\.<\/small>/, "Tip: go."],
    [
      '<figure markdown="span">\n  ![A](b.png)\n  <figcaption>Use `x`</figcaption>\n</figure>',
      /<img [^>]*alt="A"[^]*<figcaption>Use <code>x<\/code>/,
      "Use x",
    ],
    [
      "See [x][].\n\n<div>\nWords\n</div>\n[x]: https://e.org/",
      /<a href="https:\/\/e\.org\/"[^>]*>x<\/a>\.<\/p>\n<div>\nWords\n<\/div>\s*$/,
      "See x. Words",
    ],
    ["At https://e.org/x[^n].\n\n[^n]: Note.", /"https:\/\/e\.org\/x"[^>]*>https:\/\/e\.org\/x<\/a><sup>/, "At https://e.org/x. Note."],
    [
      "<!-- md:option a -->\n\n:   It **is**.\n\n<!-- md:option b -->\n\n:   So.",
      />It <strong>is<\/strong>\.<[^]*<p[^>]*>So\.</,
      "It is. So.",
    ],
  ];
  for (const [text, shown, said] of written) {
    const { html } = await read(`# T\n\n${text}\n`);
    assert.match(html, shown);
    assert.equal(quoted(`# T\n\n${text}\n`), said);
  }
});

test("tables that Pandoc draws are tables, whose cells are Markdown, on the page and in quotes", async () => {
  const grid =
    "+-----+--------+\n| A   | B      |\n+=====+========+\n| 1   | - one  |\n|     | - two  |\n+-----+--------+\n| over both    |\n+--------------+\n";
  const { html } = await read(`# T\n\n${grid}\n: A caption\n\nAfter.\n`);
  const bare = html.replaceAll("\n", "");
  assert.match(
    bare,
    /<caption>A caption<\/caption><thead><tr id="L4"><th>A<\/th><th>B<\/th><\/tr><\/thead><tbody><tr id="L6"><td class="number">1<\/td>/,
  );
  assert.match(bare, /<ul><li>one<\/li><li[^>]*>two<\/li><\/ul><\/td><\/tr><tr[^>]*><td colspan="2">over both<\/td>.*<p id="L14">After/);
  assert.doesNotMatch(quoted(grid), /\+[-=]/);
  const list = await read("- item\n\n  +---+---+\n  | a | b |\n  |   +---+\n  |   | c |\n  +---+---+\n\n  goes on\n");
  assert.match(list.html.replaceAll("\n", ""), /<td rowspan="2">a<\/td><td>b<\/td>.*<td>c<\/td>.*goes on<\/p><\/li>/);
  const simple = await read("  Right     Left\n-------     ------\n     12     *abc*\n    123     de\n\nTable:  Demo.\n\nAfter.\n");
  assert.match(simple.html.replaceAll("\n", ""), /<caption>Demo\.<\/caption><thead><tr[^>]*><th>Right<\/th>.*<td><em>abc<\/em><\/td>/);
  const framed = await read(
    "-----------\nName  What\n      is it\n----- -----\nA     one\n\nB     two\n      more\n-----------\n\nAfter.\n",
  );
  assert.match(framed.html.replaceAll("\n", " "), /<th>What is it<\/th>.*<td>two more<\/td>.*<p id="L11">After/);
  for (const none of ["+---+\n\ntext", "a\n\n----------\n\nb", "+--+\nno table", "--- ---\n\nx"])
    assert.doesNotMatch((await read(`# T\n\n${none}\n`)).html, /<table/, none);
});

test("reStructuredText in a text of MyST is read as what it is, with its lines", async () => {
  for (const fence of ["```", ":::"]) {
    const { html, words } = await read(
      `# T\n\n${fence}{eval-rst}\n.. note:: Careful **bold**\n\nSee \`a page <https://example.org/>\`_.\n${fence}\n\nEnd.\n`,
    );
    assert.match(
      html,
      /<aside>.*<p id="L4">Careful <strong>bold<\/strong>.*<p id="L6">See <a href="https:\/\/example\.org\/"[^>]*>a page<\/a>.*<p id="L9">End/s,
    );
    assert.doesNotMatch(words, /eval-rst|\.\. note/);
  }
  const hostile = await read("```{eval-rst}\n.. raw:: html\n\n   <script>alert(1)</script>\n\n`x <javascript:alert(1)>`_\n```\n");
  assert.doesNotMatch(hostile.html, /<script|href="javascript/);
});

test("code is shown as its tools show it: without hidden lines and options, under its title and above its caption", async () => {
  const code = async (text: string): Promise<string> =>
    (await read(`# T\n\n${text}\n`)).html.replaceAll(/<span class="\w+">|<\/span>/g, "");
  const rust = "```rust,editable\n# use std::io;\n#\nfn main() {\n    # let x = 1;\n##[derive(X)]\n#![allow(y)]\n}\n```";
  assert.match(await code(rust), /<code>fn main\(\) \{\n#\[derive\(X\)\]\n#!\[allow\(y\)\]\n\}<\/code>/);
  assert.match(await code("```rust\n# all hidden\n```"), /# all hidden/);
  assert.match(await code("```python\n# a comment\nx = 1\n```"), /# a comment/);
  const cell = await code('```{python}\n#| label: fig-one\n#| fig-cap: "The **curve**"\n#| echo: false\nimport os\n```\n\nSee @fig-one.');
  assert.match(
    cell,
    /<span id="doc-fig-one">.*<code>import os<\/code><\/pre>\s*<p><em>The <strong>curve<\/strong><\/em><\/p>.*<a href="#doc-fig-one">Figure 1<\/a>/s,
  );
  assert.match(await code("```js [config.js]\nlet a\n```"), /<p><strong>config\.js<\/strong><\/p>\s*<pre/);
  assert.match(await code('```py title="a*b.py" hl_lines="1"\nx\n```'), /<p><strong>ab\.py<\/strong><\/p>\s*<pre/);
  const liquid =
    '{% highlight ruby %}\nputs *1*\n{% endhighlight %}\n\n{% include x.html %}\n\n{% hint style="info" %}\nBe **good**.\n{% endhint %}\n\n{% tab title="Linux" %}\n';
  const { html, words } = await read(liquid);
  assert.match(
    html,
    /<pre class="code"[^>]*><code>.*puts.*<\/pre>\s*<p[^>]*>Be <strong>good<\/strong>\.<\/p>\s*<p[^>]*><strong>Linux<\/strong>/s,
  );
  assert.doesNotMatch(words + quoted(liquid), /\{%|hint|include/);
});

test("references of Quarto, blocks of Obsidian, substitutions of MyST and lines of Pandoc lead and say what their tools do", async () => {
  const quarto = await read(
    "## The *way* {#sec-way}\n\nBy @sec-way, @fig-b, @eq-e and @knuth.\n\n![Cap *a*](a.png){#fig-b width=50%}\n\n$$\nx\n$$ {#eq-e}\n",
  );
  assert.match(
    quarto.html,
    /By <a href="#doc-sec-way">The \*?way\*?<\/a>, <a href="#doc-fig-b">Figure 1<\/a>, <a href="#doc-eq-e">Equation 1<\/a> and @knuth\./,
  );
  assert.match(quarto.html, /<img src="[^"]*a\.png"[^>]*><span id="doc-fig-b"><\/span><br>\s*<em>Figure 1: Cap <em>a<\/em><\/em>/);
  assert.match(quarto.html, /<span id="doc-eq-e"><\/span>/);
  const obsidian = "A claim. ^claim-1\n\n- item ^it\n\nSee [[#^claim-1]], x ^2 and 2 ^ 3\n";
  const { html } = await read(obsidian);
  assert.match(html, /<p id="doc-claim-1">.*A claim\.<\/p>.*<li id="doc-it">.*item<\/li>.*href="#doc-claim-1"/s);
  assert.match(quoted(obsidian), /^A claim\. item See \^claim-1, x \^2 and 2 \^ 3$/);
  const filled = await read(
    '---\nmyst:\n  substitutions:\n    key: "**sub** {{ key }}"\n---\n\nThe {{ key }} of {{ other }}, H{sub}`2`O.\n',
  );
  assert.match(filled.html, /The <strong>sub<\/strong> \{\{ key \}\} of \{\{ other \}\}, H<sub>2<\/sub>O/);
  const lines = await read("| The limerick\n|    packs *laughs*\n|\n| at all\n\n#. one\n#. two\n\n[TOC]\n\n{{#title A book}}\n");
  assert.match(lines.html.replaceAll("\n", ""), /The limerick<br>packs <em>laughs<\/em><br>(?:<br>)?at all<\/p><ol>.*one.*two.*<\/ol>$/);
});

test("a name behind a formula ends it, and the words of a wiki link are Markdown", async () => {
  for (const name of ["(cross)", "{#eq-x}", ""]) {
    const { html, words } = await read(`# T\n\n$$\na^2\n$$ ${name}\n\nTwo dollars (\`$$\`) are code.\n\n\`\`\`\n$$\nb\n$$\n\`\`\`\n`);
    assert.match(html, /<math[^>]*display="block".*<p id="L7">Two dollars \(<code>\$\$<\/code>\) are code\..*<pre class="code"/s, name);
    assert.doesNotMatch(words, /cross|eq-x/);
    assert.match(quoted(`$$\na^2\n$$ ${name}\n\nAfter it.`), /After it\.$/);
  }
  assert.match(
    (await read("*a* [[Functions#has|`has` *it*]] **b** _c_ [[x|y]] *d*\n")).html,
    /<a href="[^"]*">.*<code>has<\/code> <em>it<\/em><\/a> <strong>b<\/strong> <em>c<\/em> <a href="[^"]*">y<\/a> <em>d<\/em>/,
  );
});
