/** Rust text into items: doc comment, attributes, signature and body together. Verus blocks are read as modules. */
import type { Lines } from "#snapshots/blocks";
import { openMarks } from "./marks.ts";
import type { Mark } from "./passages.ts";
import { skipString } from "#snapshots/format";
import { skipComment } from "./skip.ts";

const ITEM = new RegExp(
  String.raw`(?:pub(?:\s*\([^)]{0,100}\))?\s+)?` +
    String.raw`(?:(?:default|async|unsafe|open|closed|uninterp|proof|exec|spec(?:\(checked\))?|broadcast|const(?=\s+(?:unsafe|async|extern|fn)\b)|extern\s+"[^"]{0,40}"(?=\s+(?:fn|unsafe)\b))\s+)*` +
    String.raw`(fn|struct|enum|union|trait|impl|mod|type|const|static|use|macro_rules!|verus!|extern)(?![\w])(?:\s+(?:mut\s+)?([\p{L}_]\w*))?`,
  "uy",
);
const TOKEN = /\/\/[^\n]*|\/\*|\bb?r(#{0,16})"|"|'(?:\\[^\n][^'\n]{0,10}|[^\\'\n])'|[{}()[\];]/gu;
const COMMENT_EDGES = /\/\*|\*\//g;
const CONTAINERS = new Set(["impl", "trait", "mod", "verus!", "extern"]);
/** Items that a block does not end. */
const ENDED_BY_SEMICOLON = new Set(["type", "const", "static", "use"]);

type Item = { start: number; word: string; name: string | null; at: number; depth: number; round: number };

/** findRustMarks finds the marks of a Rust file. Headings are enclosing modules, traits and impl blocks. */
export function findRustMarks(lines: Lines): Mark[] {
  const { text } = lines;
  const list = openMarks(lines);
  const scopes: { heading: string; depth: number }[] = [];
  const heading = (): string[] => scopes.map((scope) => scope.heading).filter((part) => part !== "");
  const token = new RegExp(TOKEN);
  let depth = 0;
  let round = 0;
  let item = null as Item | null;
  for (let at = 0; at < text.length; ) {
    if (item === null) {
      item = readStart(lines, at, depth, round);
      at = item.at;
    }
    token.lastIndex = at;
    const found = token.exec(text);
    if (found === null) break;
    const [sign] = found;
    at = token.lastIndex;
    if (sign === "/*") at = skipComment(text, at, "/*", COMMENT_EDGES);
    else if (sign === '"') at = skipString(text, at);
    else if (sign.endsWith('"')) {
      const end = text.indexOf(`"${found[1] ?? ""}`, at);
      at = end < 0 ? text.length : end + 1 + (found[1]?.length ?? 0);
    } else if (sign === "(" || sign === "[") round++;
    else if (sign === ")" || sign === "]") round = Math.max(0, round - 1);
    else if (sign === "{") {
      const outer = depth++;
      if (CONTAINERS.has(item.word) && outer === item.depth && round === item.round) {
        scopes.push({ heading: containerTitle(text, item, found.index), depth: outer });
        list.free(item.start, heading(), "opens");
        item = null;
      }
    } else if (sign === "}") {
      depth = Math.max(0, depth - 1);
      const scope = scopes.at(-1);
      if (scope !== undefined && depth <= scope.depth) {
        if (item.word !== "") list.declare(item.start, found.index, item.name, heading());
        scopes.pop();
        list.free(found.index, heading(), "tail");
        item = null;
      } else if (depth === item.depth && !ENDED_BY_SEMICOLON.has(item.word)) {
        if (item.word !== "") list.declare(item.start, found.index, item.name, heading());
        item = null;
      }
      if (item === null) round = 0;
    } else if (sign === ";" && depth <= item.depth && round <= item.round) {
      // `mod x;` says where the module stands and declares nothing itself.
      const name = item.word === "mod" ? null : item.name;
      if (item.word !== "" && item.word !== "use") list.declare(item.start, found.index, name, heading());
      item = null;
    }
  }
  if (item !== null && item.word !== "" && item.word !== "use") list.declare(item.start, text.length - 1, item.name, heading());
  return list.marks;
}

/** Steps over white space, comments and attributes to the first word of an item; a comment with a blank line below stays outside. */
function readStart(lines: Lines, from: number, depth: number, round: number): Item {
  const { text } = lines;
  const lead = /\s+|\/\/[^\n]*|\/\*|#!?\[/y;
  let at = from;
  let start = -1;
  for (;;) {
    lead.lastIndex = at;
    const found = lead.exec(text);
    if (found === null) break;
    const [sign] = found;
    if (sign.trim() === "") {
      if (sign.indexOf("\n") !== sign.lastIndexOf("\n")) start = -1;
      at = lead.lastIndex;
      continue;
    }
    // A comment behind the item before, on its line, is no doc comment of this one.
    // A comment of the module around it neither.
    if (sign.startsWith("//!")) start = -1;
    else if (start < 0 && (found.index === 0 || text.slice(from, found.index).includes("\n") || from === 0)) start = found.index;
    if (sign === "/*") at = skipComment(text, lead.lastIndex, "/*", COMMENT_EDGES);
    else if (sign.endsWith("[")) at = skipBrackets(text, lead.lastIndex);
    else at = lead.lastIndex;
  }
  const item = new RegExp(ITEM);
  item.lastIndex = at;
  const found = item.exec(text);
  if (found === null) return { start: start < 0 ? at : start, word: "", name: null, at, depth, round };
  const word = found[1] ?? "";
  const isNamed = word !== "impl" && word !== "extern";
  return {
    start: start < 0 ? at : start,
    word,
    name: isNamed ? (found[2] ?? null) : null,
    // The first word behind "impl" is of its title.
    at: item.lastIndex - (isNamed ? 0 : (found[2]?.length ?? 0)),
    depth,
    round,
  };
}

function containerTitle(text: string, item: Item, brace: number): string {
  if (item.word === "verus!") return "";
  if (item.word !== "impl") return item.name ?? item.word;
  return `impl ${text
    .slice(item.at, Math.min(brace, item.at + 150))
    .replace(/^<[^>]*>\s*/, "")
    .trim()}`;
}

function skipBrackets(text: string, from: number): number {
  const edge = /"|[[\]]/g;
  edge.lastIndex = from;
  for (let depth = 1; ; ) {
    const found = edge.exec(text);
    if (found === null) return text.length;
    if (found[0] === '"') edge.lastIndex = skipString(text, edge.lastIndex);
    else depth += found[0] === "[" ? 1 : -1;
    if (depth === 0) return edge.lastIndex;
  }
}
