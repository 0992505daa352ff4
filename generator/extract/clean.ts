/** The sanitiser's rules. Every fragment that shows a stranger's document passes here before we add anything of ours. */
import { sanitize, type Schema } from "hast-util-sanitize";
import type { Root } from "hast";
import { ID_PREFIX } from "./links.ts";

const words = (list: string): string[] => list.split(" ");

const SCHEMA: Schema = {
  tagNames: words(
    "a abbr aside b blockquote br caption cite code dd del details dfn div dl dt em figcaption figure h1 h2 h3 " +
      "h4 h5 h6 hr i img input ins kbd li mark ol p pre q rp rt ruby s samp section small span strong sub " +
      "summary sup table tbody td tfoot th thead time tr u ul var wbr",
  ),
  // What these hold is not text for a reader, or would be markup again in another place.
  strip: words(
    "applet audio base button canvas embed frameset head iframe link math meta noembed noframes noscript " +
      "object option plaintext script select style svg template textarea title video xmp",
  ),
  attributes: {
    "*": ["id", "title", "lang", "dir", "dataL"],
    a: ["href", "ariaLabel"],
    code: [["className", /^language-[\w+#.-]{1,40}$/, "math-inline", "math-display"]],
    details: ["open"],
    h2: [["className", "sr-only"]],
    img: ["src", "alt", "width", "height"],
    input: [["disabled", true], ["type", "checkbox"], "checked"],
    li: [["className", "task-list-item"]],
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
  clobber: ["id"],
  clobberPrefix: ID_PREFIX,
  protocols: { href: ["http", "https", "mailto"], src: ["http", "https"] },
  required: { input: { disabled: true, type: "checkbox" } },
};

/** The tree without anything that could run, load, submit or stand for a part of the page. */
export function cleanTree(tree: Root): Root {
  const clean = sanitize(tree, SCHEMA);
  return clean.type === "root" ? clean : { type: "root", children: clean.type === "doctype" ? [] : [clean] };
}
