/** Reads the marks that sites write within a line of Markdown beside CommonMark: links of wikis, and attributes in braces behind a link, a
 *  picture, code or a heading. */
import type { MarkdownIt, StateInline } from "markdown-it";

const WIKI = /(!?)\[\[([^[\]\n|#!]*)(#[^[\]\n|]*)?(?:\\?\|([^[\]\n]*))?\]\](?![([])/y;
const PICTURE = /\.(?:png|apng|jpe?g|gif|webp|avif|svg)$/i;
const ATTRIBUTES =
  /\{[ \t]*:?[ \t]*(?:[.#][\w:.-]+|[\w-]+=(?:"[^"{}\n]*"|'[^'{}\n]*'|[^\s"'{}]*))(?:[ \t]+(?:[.#][\w:.-]+|[\w-]+=(?:"[^"{}\n]*"|'[^'{}\n]*'|[^\s"'{}]*))){0,9}[ \t]*\}/y;

/** useInline adds the marks to a parser. */
export function useInline(md: MarkdownIt): void {
  md.inline.ruler.before("link", "wiki_link", wikiLink);
  md.inline.ruler.push("attributes", skipAttributes);
}

/** `[[Page]]`, `[[folder/Page#part|words]]`, `![[picture.png]]`. */
function wikiLink(state: StateInline, silent: boolean): boolean {
  const sign = state.src.charCodeAt(state.pos);
  if (sign !== 0x5b && sign !== 0x21) return false;
  WIKI.lastIndex = state.pos;
  const found = WIKI.exec(state.src);
  if (found === null || found.index !== state.pos) return false;
  const [whole, embed = "", page = "", part = "", words] = found;
  const name = page.trim();
  const { references = {} } = state.env as { readonly references?: Readonly<Record<string, unknown>> };
  if (Object.hasOwn(references, state.md.utils.normalizeReference(name))) return false;
  if ((name === "" && part === "") || /^\d+(?:\s*,\s*\d+)*$/.test(name)) return false;
  if (!silent) {
    const target = `${name.split("/").map(encodeURIComponent).join("/")}${part === "" ? "" : `#${encodeURIComponent(slugOf(part.slice(1)))}`}`;
    if (embed !== "" && PICTURE.test(name)) {
      const image = state.push("image", "img", 0);
      image.attrs = [
        ["src", target],
        ["alt", ""],
      ];
      image.children = [];
      image.content = "";
    } else {
      state.push("link_open", "a", 1).attrs = [["href", target]];
      state.push("text", "", 0).content = (words ?? "").trim() || (name === "" ? part.slice(1) : name + part.replace("#", " › "));
      state.push("link_close", "a", -1);
    }
  }
  state.pos += whole.length;
  return true;
}

function slugOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\s_-]/gu, "")
    .replaceAll(/\s/g, "-");
}

/** Leaves out `{.class width=50%}` where it stands directly behind something that it is about. */
function skipAttributes(state: StateInline): boolean {
  if (state.src.charCodeAt(state.pos) !== 0x7b || state.pos === 0) return false;
  const last = state.pending === "" ? state.tokens.at(-1) : undefined;
  if (last === undefined || !["image", "link_close", "code_inline"].includes(last.type)) return false;
  ATTRIBUTES.lastIndex = state.pos;
  const found = ATTRIBUTES.exec(state.src);
  if (found === null) return false;
  state.pos += found[0].length;
  return true;
}
