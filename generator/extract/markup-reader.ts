/** Readers of reStructuredText and Org share how they hold a text: its rows with those of its parts, blocks within blocks, markup within
 *  markup, and the notes at its end. */
import type { SourceText } from "./body.ts";
import { codeBlock, element, Footnotes, MAX_NESTED, type Nodes, type ParsedDocument, words } from "./document.ts";
import { isBlank, type PartLine, type Row, type Rule, scan, textIn, withParts } from "./lined.ts";
import type { Others } from "./others.ts";

const MAX_MARKED = 6; // markup within markup

/** MarkupReader reads a text to a document. Its makers say how a block is read, and which markup a text has. */
export abstract class MarkupReader {
  protected readonly rows: readonly Row[];
  protected readonly key: string;
  protected readonly others: Others;
  protected readonly notes = new Footnotes();
  protected title: string | null = null;
  readonly #parts: number;
  readonly #ruled: (readonly Rule[])[] = [];
  #depth = 0;

  constructor(
    text: string,
    { key, others }: Pick<SourceText, "key" | "others">,
    include: (line: string, below: readonly Row[]) => PartLine | null,
  ) {
    [this.key, this.others] = [key, others];
    const { rows, parts } = withParts(text, key, others, include);
    [this.rows, this.#parts] = [rows, parts];
  }

  /** The signs that markup within a text may begin with. */
  protected abstract readonly starts: RegExp;
  /** Markup within a text that is so deep in other markup. */
  protected abstract rules(depth: number): readonly Rule[];
  /** Reads one block. @returns where the next one begins */
  protected abstract block(rows: readonly Row[], at: number, blocks: Nodes): number;

  protected each(rows: readonly Row[], from: number): Nodes {
    const blocks: Nodes = [];
    for (let at = from; at < rows.length; ) at = isBlank(rows[at]) ? at + 1 : this.block(rows, at, blocks);
    return blocks;
  }

  /** Shows as code what is too deep. */
  protected blocks(rows: readonly Row[], from = 0): Nodes {
    if (rows.length === 0 || this.#depth >= MAX_NESTED / 2)
      return rows.length === 0 ? [] : [codeBlock(textIn(rows.slice(from)), null, rows[from]?.line ?? 1)];
    this.#depth++;
    const blocks = this.each(rows, from);
    this.#depth--;
    return blocks;
  }

  protected inline(text: string, depth = 0): Nodes {
    if (depth > MAX_MARKED) return [words(text)];
    return scan(text, this.starts, (this.#ruled[depth] ??= this.rules(depth)), (plain) => this.plain(plain));
  }

  /** Lines that stay lines. */
  protected verse(lines: readonly string[]): Nodes {
    return lines.flatMap((line, at) => [...(at === 0 ? [] : [element("br")]), ...this.inline(line)]);
  }

  /** A text between markup. */
  protected plain(text: string): Nodes {
    return [words(text)];
  }

  protected document(blocks: Nodes): ParsedDocument {
    return { blocks: [...blocks, ...this.notes.section()], title: this.title, parts: this.#parts };
  }
}
