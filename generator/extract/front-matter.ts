/** The block of facts at the start of a document for a generator of sites: YAML, TOML, JSON, Pandoc's title block or lines of "Key: value". */
import { FAILSAFE_SCHEMA, load, YAMLException } from "js-yaml";
import { parse as parseToml, TomlError } from "smol-toml";
import { findFrontBlock, type FrontBlock } from "#snapshots/blocks";

export type FrontMatter = {
  /** Its members; of YAML scalars stay text. Nothing where there is no block, or none that can be read. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly title: string | null;
  /** Lines of the block, its edges and comments above it included; 0 when there is none. */
  readonly lines: number;
  readonly notes: readonly string[];
};

/** Levels and uses of anchors, as for claims; values that aliases multiply are never walked through. */
const LIMITS = { maxDepth: 100, maxAliases: 100 } as const;
const PARSERS: Readonly<Record<FrontBlock["form"], (text: string) => unknown>> = {
  YAML: (text) => load(text, { schema: FAILSAFE_SCHEMA, ...LIMITS }),
  TOML: parseToml,
  JSON: (text) => JSON.parse(text) as unknown,
  "a title block": parseTitleBlock,
  "a list of facts": parseFacts,
};

/** readFrontMatter reads the block that a document begins with. What is no such block is text. */
export function readFrontMatter(text: string): FrontMatter {
  const block = findFrontBlock(text);
  if (block === null) return { values: {}, title: null, lines: 0, notes: [] };
  const { form, body, bodyLine, lines } = block;
  try {
    const values = recordOf(PARSERS[form](body));
    const title = Object.hasOwn(values, "title") ? values["title"] : null;
    return { values, title: typeof title === "string" && title.trim() !== "" ? title.trim() : null, lines, notes: [] };
  } catch (error) {
    const line = error instanceof YAMLException ? error.mark?.line : error instanceof TomlError ? error.line - 1 : undefined;
    if (!(error instanceof YAMLException || error instanceof TomlError)) throw error;
    const where = line === undefined ? "" : ` on line ${bodyLine + line}`;
    const note = `The block at the start of this document is not valid ${form}${where}, so its title is not used.`;
    return { values: {}, title: null, lines, notes: [note] };
  }
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
