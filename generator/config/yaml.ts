/** YAML text → plain value, with the line of every part of it.
 *
 *  The text comes from the operator, but perhaps by way of a template or a pull request: size, depth and aliases are bounded
 *  before anything is expanded. */
import { isUtf8 } from "node:buffer";
import { type Document, isAlias, isCollection, isMap, isPair, isScalar, isSeq, LineCounter, parseDocument, visit } from "yaml";

export const MAX_CONFIG_BYTES = 1024 * 1024; // 1 MiB; a configuration is a page, a bomb is not
const MAX_CONFIG_DEPTH = 100; // levels; the deepest useful configuration has four
const MAX_CONFIG_ALIASES = 100; // uses of anchors, each counted with what it expands to

export type Path = readonly (string | number)[];
export type ConfigProblem = { readonly path: Path; readonly what: string };
type YamlProblem = { readonly line: number; readonly what: string };

export type LocatedYaml = {
  /** The whole document as plain data; null when it is empty, and when there were problems that leave nothing to look at. */
  readonly value: unknown;
  readonly problems: readonly YamlProblem[];
  /** 1-based line of the part at `path`, or of the closest enclosing part that is there. */
  readonly lineOf: (path: Path) => number;
};

/** parseLocatedYaml parses YAML and knows the line of each part. It never throws: what cannot be read is a problem with its line. */
export function parseLocatedYaml(bytes: Uint8Array): LocatedYaml {
  if (bytes.length > MAX_CONFIG_BYTES) {
    return hopeless(1, `the file has ${bytes.length} bytes; at most ${MAX_CONFIG_BYTES} are read`);
  }
  let source: string;
  try {
    source = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return hopeless(lineOfBadUtf8(bytes), "is not UTF-8; save the file as UTF-8");
  }
  const depthLine = findTooDeep(source);
  if (depthLine !== null) return hopeless(depthLine, `is nested deeper than ${MAX_CONFIG_DEPTH} levels`);
  const conflict = /^<{7} .*$[^]*^={7}$[^]*^>{7} /m.exec(source);
  if (conflict !== null)
    return hopeless(
      source.slice(0, conflict.index).split("\n").length,
      "a merge left both sides here; keep one, and take its three marks away",
    );
  const lines = new LineCounter();
  const at = (offset: number): number => Math.max(1, lines.linePos(offset).line);
  let document: Document.Parsed;
  try {
    document = parseDocument(source, {
      lineCounter: lines,
      prettyErrors: false,
      stringKeys: true,
      logLevel: "error",
      resolveKnownTags: false,
    });
  } catch (error) {
    return hopeless(1, error instanceof RangeError ? "is nested too deeply" : "cannot be read as YAML");
  }
  const problems: YamlProblem[] = [];
  let readable = true;
  for (const error of [...document.errors, ...document.warnings]) {
    problems.push({ line: at(error.pos[0]), what: explain(error.code, error.message) });
    if (error.code === "DUPLICATE_KEY") continue;
    readable = false;
    // All else follows from it.
    break;
  }
  if (!readable) return { value: null, problems, lineOf: () => 1 };
  if (document.contents === null) return { value: null, problems: [], lineOf: () => 1 };
  const deep = findDeepNode(document);
  if (deep !== null) return hopeless(at(deep), `is nested deeper than ${MAX_CONFIG_DEPTH} levels`);
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: MAX_CONFIG_ALIASES });
  } catch (error) {
    const unknown = /^Unresolved alias[^:]*: (.*)$/.exec(error instanceof Error ? error.message : "")?.[1];
    if (unknown !== undefined) {
      return hopeless(findAliasLine(document, at, unknown), "refers to an anchor that is not defined above it");
    }
    return hopeless(findAliasLine(document, at, null), `aliases expand to more than ${MAX_CONFIG_ALIASES} copies; write the values out`);
  }
  return { value, problems, lineOf: (path) => at(offsetOf(document, path)) };
}

function hopeless(line: number, what: string): LocatedYaml {
  return { value: null, problems: [{ line, what }], lineOf: () => line };
}

function explain(code: string, message: string): string {
  if (code === "DUPLICATE_KEY") return "the same key stands twice in one mapping; keep one";
  if (code === "TAB_AS_INDENT" || /\btabs?\b/i.test(message)) return "a tab is used as indentation; use spaces";
  if (code === "RESOURCE_EXHAUSTION" || message.includes("call stack")) return `is nested deeper than ${MAX_CONFIG_DEPTH} levels`;
  if (code === "MULTIPLE_DOCS") return "a second document begins here; keep one";
  if (code === "TAG_RESOLVE_FAILED") return "an explicit tag is used; write the plain value";
  if (code === "NON_STRING_KEY") return "a key is not plain text";
  const meant = SPEECH.find(([pattern]) => pattern.test(message))?.[1];
  if (meant !== undefined) return meant;
  return `is not valid YAML: ${message.replaceAll(/\s+/g, " ").trim()}`;
}

/** SPEECH says what the parser's words mean to whoever has written the file. */
const SPEECH: readonly (readonly [RegExp, string])[] = [
  [/^Flow map .*end with a \}/, "a { above is not closed; write its }"],
  [/^Flow sequence .*end with a \]/, "a [ above is not closed; write its ]"],
  [/^Unexpected flow-(?:map|seq)-end/, "a bracket is closed that was not opened; take it away"],
  [
    /^Nested mappings are not allowed/,
    "a value holds a colon and a space, or what is below it is indented; put the value in quotes, or mend the indent",
  ],
  [/^Block collections are not allowed within flow/, "a comma is missing between two parts in brackets"],
  [/^All mapping items must start at the same column/, "is not indented as the keys beside it; give all of a mapping the same indent"],
  [/^Implicit (?:map )?keys need to be/, "is neither a key with its colon and a space, nor an item with its dash; write key: value"],
  [/^Plain value cannot start with/, "a value begins with a sign that YAML keeps for itself; put the value in quotes"],
  [
    /^Unexpected scalar at node end/,
    "a quote ends before the value does, or a key stands beside items; put the whole value in quotes of the other kind",
  ],
  [/^Unexpected block-seq-ind on same line/, "a dash begins an item beside a key; write the items below it"],
  [/^Invalid escape sequence/, "a backslash in double quotes means something else; use single quotes"],
];

/** A parser that calls itself per level would overflow, so brackets and dashes are counted first.
 *  Counts too much inside strings and comments, never too little per line; the bound is far above any real file. */
function findTooDeep(source: string): number | null {
  let line = 1;
  let depth = 0;
  let dashes = 0;
  for (let at = 0; at < source.length; at++) {
    const unit = source.charCodeAt(at);
    if (unit === 10) {
      line++;
      dashes = 0;
    } else if (unit === 91 || unit === 123) {
      if (++depth > 10 * MAX_CONFIG_DEPTH) return line;
    } else if (unit === 93 || unit === 125) {
      if (depth > 0) depth--;
    } else if ((unit === 45 || unit === 63 || unit === 58) && source.charCodeAt(at + 1) === 32) {
      if (++dashes > 10 * MAX_CONFIG_DEPTH) return line;
    }
  }
  return null;
}

function findDeepNode(document: Document.Parsed): number | null {
  let found: number | null = null;
  visit(document, {
    Collection(_, node, path) {
      if (path.filter((part) => isCollection(part)).length < MAX_CONFIG_DEPTH) return undefined;
      found = node.range?.[0] ?? 0;
      return visit.BREAK;
    },
  });
  return found;
}

function findAliasLine(document: Document.Parsed, at: (offset: number) => number, name: string | null): number {
  let offset = 0;
  visit(document, {
    Alias(_, node) {
      if (name !== null && node.source !== name) return undefined;
      offset = node.range?.[0] ?? 0;
      return visit.BREAK;
    },
  });
  return at(offset);
}

function offsetOf(document: Document.Parsed, path: Path): number {
  let node: unknown = document.contents;
  let offset = document.contents?.range?.[0] ?? 0;
  for (const step of path) {
    if (isAlias(node)) break;
    if (isMap(node)) {
      const pair: unknown = node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(step));
      if (!isPair(pair) || !isScalar(pair.key)) break;
      offset = pair.key.range?.[0] ?? offset;
      node = pair.value;
    } else if (isSeq(node) && typeof step === "number") {
      const item: unknown = node.items[step];
      if (item === undefined) break;
      if (isScalar(item) || isCollection(item) || isAlias(item)) offset = item.range?.[0] ?? offset;
      node = item;
    } else break;
  }
  return offset;
}

function lineOfBadUtf8(bytes: Uint8Array): number {
  const lines = Buffer.from(bytes).toString("latin1").split("\n");
  return lines.findIndex((line) => !isUtf8(Buffer.from(line, "latin1"))) + 1;
}
