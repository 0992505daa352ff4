/** The block of facts at the start of a document for a generator of sites. Only its title is used here; about.ts has the rest. */
import { FAILSAFE_SCHEMA, load, YAMLException } from "js-yaml";

export type FrontMatter = {
  readonly title: string | null;
  /** Lines of the block, its edges included; 0 when there is none. */
  readonly lines: number;
  readonly notes: readonly string[];
};

const MAX_BLOCK = 20_000; // UTF-16 units in which the block has to end
/** Levels and uses of anchors, as for claims; values that aliases multiply are never walked through. */
const LIMITS = { maxDepth: 100, maxAliases: 100 } as const;

/** Reads `---` as YAML, whose scalars stay text, and of `+++` (TOML) a title on one line. */
export function readFrontMatter(text: string): FrontMatter {
  const block = /^\ufeff?(---|\+\+\+)[ \t]*\r?\n([\s\S]*?)\r?\n\1[ \t]*(?:\r?\n|$)/.exec(text.slice(0, MAX_BLOCK));
  if (block === null) return { title: null, lines: 0, notes: [] };
  const [whole, edge, body = ""] = block;
  const lines = whole.split("\n").length - 1;
  if (edge === "+++") {
    const title = /^title[ \t]*=[ \t]*(["'])(.*)\1[ \t]*\r?$/m.exec(body)?.[2]?.trim() ?? "";
    return { title: title === "" ? null : title, lines, notes: [] };
  }
  try {
    const value = load(body, { schema: FAILSAFE_SCHEMA, ...LIMITS });
    const title: unknown =
      typeof value === "object" && value !== null && Object.hasOwn(value, "title") ? Reflect.get(value, "title") : null;
    return { title: typeof title === "string" && title.trim() !== "" ? title.trim() : null, lines, notes: [] };
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const where = error.mark === undefined ? "" : ` on line ${error.mark.line + 2}`;
    return { title: null, lines, notes: [`The block at the start of this document is not valid YAML${where}, so its title is not used.`] };
  }
}
