/** The block of facts at the start of a document for a generator of sites: YAML, TOML, JSON, Pandoc's title block or lines of "Key: value". */
import { FAILSAFE_SCHEMA, load, YAMLException } from "js-yaml";
import { parse as parseToml, TomlError } from "smol-toml";

export type FrontMatter = {
  /** Its members; of YAML scalars stay text. Nothing where there is no block, or none that can be read. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly title: string | null;
  /** Lines of the block, its edges and comments above it included; 0 when there is none. */
  readonly lines: number;
  readonly notes: readonly string[];
};

const MAX_BLOCK = 20_000; // UTF-16 units in which the block has to end
/** Levels and uses of anchors, as for claims; values that aliases multiply are never walked through. */
const LIMITS = { maxDepth: 100, maxAliases: 100 } as const;
/** Comments may stand above it, such as a licence's tag. */
const ABOVE = /^\ufeff?(?:(?:[ \t]*\r?\n|<!--(?:(?!-->)[\s\S]){0,5000}-->[ \t]*(?:\r?\n|$))*(?=---|\+\+\+|\{))?/;
/** Keys of which one begins a block of "Key: value" lines (MultiMarkdown): any line of prose may have a colon. */
const PLAIN_KEY = /^(?:title|author|authors|date|subtitle|format|base header level|latex mode)[ \t]*:/i;

type Form = {
  readonly name: string;
  /** The block; its first group is what is parsed. */
  readonly block: RegExp;
  parse(text: string): unknown;
};

const FORMS: readonly Form[] = [
  {
    name: "YAML",
    block: /^---[ \t]*\r?\n([\s\S]*?)(?:^|\r?\n)(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/m,
    parse: (text) => load(text, { schema: FAILSAFE_SCHEMA, ...LIMITS }),
  },
  { name: "TOML", block: /^\+\+\+[ \t]*\r?\n([\s\S]*?)\r?\n\+\+\+[ \t]*(?:\r?\n|$)/, parse: parseToml },
  { name: "JSON", block: /^(\{[ \t]*\r?\n[\s\S]*?\r?\n\})[ \t]*(?:\r?\n|$)/, parse: (text) => JSON.parse(text) as unknown },
  { name: "a title block", block: /^(%[^\n]*\n(?:(?:%|[ \t]+\S)[^\n]*(?:\n|$))*)/, parse: parseTitleBlock },
  { name: "a list of facts", block: /^((?:[A-Za-z][\w -]{0,40}:[^\n]*\n(?:[ \t]+\S[^\n]*\n)*)+)(?=[ \t]*\r?\n)/, parse: parseFacts },
];

/** readFrontMatter reads the block that a document begins with. What is no such block is text. */
export function readFrontMatter(text: string): FrontMatter {
  const head = text.slice(0, MAX_BLOCK);
  const above = ABOVE.exec(head)?.[0] ?? "";
  const rest = head.slice(above.length);
  for (const { name, block, parse } of FORMS) {
    const [whole, body = ""] = rest.startsWith("\n") ? [] : (block.exec(rest) ?? []);
    if (whole === undefined || !rest.startsWith(whole) || (name === "a list of facts" && !PLAIN_KEY.test(body))) continue;
    const lines = (above + whole).split("\n").length - 1;
    try {
      const values = recordOf(parse(body));
      const title = Object.hasOwn(values, "title") ? values["title"] : null;
      return { values, title: typeof title === "string" && title.trim() !== "" ? title.trim() : null, lines, notes: [] };
    } catch (error) {
      // Braces may be anything; edges of dashes or plusses are nothing else.
      if (name === "JSON") continue;
      const [, line] =
        error instanceof YAMLException ? [0, error.mark?.line] : error instanceof TomlError ? [0, error.line - 1] : [0, undefined];
      if (!(error instanceof YAMLException) && !(error instanceof TomlError)) throw error;
      const where = line === undefined ? "" : ` on line ${above.split("\n").length + 1 + line}`;
      return {
        values: {},
        title: null,
        lines,
        notes: [`The block at the start of this document is not valid ${name}${where}, so its title is not used.`],
      };
    }
  }
  return { values: {}, title: null, lines: 0, notes: [] };
}

/** Keys as they are; times as text. */
function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return {};
  return Object.fromEntries(
    Object.entries(value).map(([name, one]: [string, unknown]) => [name, one instanceof Date ? one.toISOString() : one]),
  );
}

/** `% title`, `% authors`, `% date`; lines that go on are indented. */
function parseTitleBlock(text: string): unknown {
  const [title = "", authors = "", date = ""] = text
    .split(/^%/m)
    .slice(1)
    .map((part) => part.trim());
  return { title: title.replaceAll(/\s+/g, " "), author: authors.split(/\n|;/), date };
}

function parseFacts(text: string): unknown {
  const facts = text.split(/\n(?![ \t])/).flatMap((line) => {
    const [, name = "", value = ""] = /^([^:]+):([\s\S]*)$/.exec(line) ?? [];
    return name === "" ? [] : [[name.trim().toLowerCase(), value.replaceAll(/\s+/g, " ").trim()]];
  });
  return Object.fromEntries(facts) as unknown;
}
