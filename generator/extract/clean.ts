/** The sanitiser's rules. Every fragment that shows a stranger's document passes here before we add anything of ours. */
import { sanitize, type Schema } from "hast-util-sanitize";
import type { Element, Root } from "hast";
import { classesOf, textOf } from "./html-tree.ts";
import { ID_PREFIX } from "./links.ts";

const words = (list: string): string[] => list.split(" ");

/** MathML Core, without what could hold HTML or lead away. */
const MATHML = words(
  "math semantics annotation mrow mi mn mo ms mtext mspace mfrac msqrt mroot mstyle merror mpadded mphantom msub msup msubsup munder mover " +
    "munderover mmultiscripts mprescripts mtable mtr mtd",
);

const SCHEMA: Schema = {
  tagNames: [
    ...MATHML,
    ...words(
      "a abbr aside b blockquote br caption cite code dd del details dfn div dl dt em figcaption figure h1 h2 h3 " +
        "h4 h5 h6 hr i img input ins kbd li mark ol p pre q rp rt ruby s samp section small span strong sub " +
        "summary sup table tbody td tfoot th thead time tr u ul var wbr",
    ),
  ],
  // Elements whose content is not text for a reader, or would be markup again in another place.
  strip: words(
    "applet audio base button canvas embed frameset head iframe link annotation-xml mglyph malignmark meta noembed noframes noscript " +
      "object option plaintext script select style svg template textarea title video xmp",
  ),
  attributes: {
    "*": ["id", "title", "lang", "dir", "dataL"],
    a: ["href", "ariaLabel", "name"],
    code: [["className", /^language-[\w+#.-]{1,40}$/, "math-inline", "math-display"]],
    details: ["open"],
    h2: [["className", "sr-only"]],
    img: ["src", "alt", "width", "height"],
    input: [["disabled", true], ["type", "checkbox"], "checked"],
    li: [["className", "task-list-item"]],
    math: ["display", "altText"],
    annotation: ["encoding"],
    mi: ["mathVariant"],
    mo: words("form fence separator lspace rspace stretchy symmetric maxsize minsize largeop movablelimits"),
    mspace: words("width height depth"),
    mfrac: ["linethickness"],
    mover: ["accent"],
    munder: ["accentunder"],
    munderover: words("accent accentunder"),
    mstyle: words("displaystyle scriptlevel"),
    mtd: words("columnspan rowspan"),
    ol: ["start"],
    pre: [["className", /^language-[\w+#.-]{1,40}$/]],
    section: [["className", "footnotes"]],
    td: ["align", "colSpan", "rowSpan"],
    th: ["align", "colSpan", "rowSpan", "scope"],
    time: ["dateTime"],
    ul: [["className", "contains-task-list"]],
  },
  ancestors: {
    caption: ["table"],
    tbody: ["table"],
    td: ["table"],
    th: ["table"],
    thead: ["table"],
    tfoot: ["table"],
    tr: ["table"],
    summary: ["details"],
    figcaption: ["figure"],
  },
  clobber: ["id", "name"],
  clobberPrefix: ID_PREFIX,
  protocols: { href: ["http", "https", "mailto"], src: ["http", "https"] },
  required: { input: { disabled: true, type: "checkbox" } },
};

/** cleanTree makes the tree without anything that could run, load, submit or stand for a part of the page. What plays or is another page becomes a link to it. */
export function cleanTree(tree: Root): Root {
  linkEmbedded(tree);
  const clean = sanitize(tree, SCHEMA);
  const root: Root = clean.type === "root" ? clean : { type: "root", children: clean.type === "doctype" ? [] : [clean] };
  closeFormulas(root, false);
  return root;
}

const EMBEDDED: Readonly<Record<string, string>> = {
  video: "Video",
  audio: "Audio",
  iframe: "Embedded page",
  embed: "Embedded file",
  object: "Embedded file",
};

function linkEmbedded(node: Root | Element): void {
  for (const child of node.children) {
    if (child.type !== "element") continue;
    if (isFormula(child)) {
      const isDisplay = classesOf(child).includes("display");
      child.children = [
        {
          type: "text",
          value: textOf(child)
            .trim()
            .replaceAll(/^\\[([]|\\[)\]]$/g, ""),
        },
      ];
      child.tagName = "code";
      child.properties = { className: [isDisplay ? "math-display" : "math-inline"] };
      continue;
    }
    const what = EMBEDDED[child.tagName];
    if (what === undefined) {
      linkEmbedded(child);
      continue;
    }
    const source = child.children.find((inner): inner is Element => inner.type === "element" && inner.tagName === "source");
    const { src = source?.properties["src"], data, title, ariaLabel } = child.properties;
    const href = src ?? data;
    const words = [title, ariaLabel, href].find((said) => typeof said === "string" && said.trim() !== "");
    if (typeof href !== "string" || typeof words !== "string") continue;
    child.tagName = "a";
    child.properties = { href };
    child.children = [{ type: "text", value: `${what}: ${words}` }];
  }
}

/** True for a formula in TeX as Pandoc writes it for a script to set: `<span class="math inline">\(x\)</span>`. */
function isFormula(element: Element): boolean {
  return element.tagName === "span" && classesOf(element).includes("math") && /^\s*\\[([]/.test(textOf(element));
}

/** Elements of HTML in a formula could be read as something else when the page is parsed again: their words stay. */
function closeFormulas(node: Root | Element, inside: boolean): void {
  for (const [at, child] of node.children.entries()) {
    if (child.type !== "element") continue;
    if (inside && !MATHML.includes(child.tagName)) node.children[at] = { type: "text", value: textOf(child) };
    else closeFormulas(child, inside || child.tagName === "math");
  }
}
