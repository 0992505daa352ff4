/** A DeclarationRow is a row of the table of languages. */

export type DeclarationRow = {
  /** At the start of a line and seen to some way behind it; the first group that takes part is the name. */
  readonly begins: RegExp;
  /** A line whose deeper lines hold declarations of their own (`class C:`, `private`); its first group is their heading, and its name
   *  where that group is not called `scope`. */
  readonly holds?: RegExp;
  /** A line that ends what is before it and declares nothing. */
  readonly ends?: RegExp;
  /** A line that belongs to the declaration below it: an attribute, a return type. */
  readonly leads?: RegExp;
  /** A title of a part of the file: its level among `levels`, where it has one, and its words are the last group. */
  readonly heading?: RegExp;
  readonly levels?: readonly string[];
  /** Comments and strings, where strings may go over lines: what they hold begins nothing. */
  readonly strings?: RegExp;
};

export type LanguageRow = {
  /** Signs that make the rest of a line a comment. */
  readonly line: readonly string[];
  /** Signs around comments; the same sign on both sides is that of a string of many lines. */
  readonly block: readonly (readonly [open: string, close: string])[];
  readonly nests?: true;
  /** How a comment begins that may document its whole file. */
  readonly doc?: RegExp;
  /** How a file says its own title, where that is no comment. */
  readonly title?: RegExp;
  /** How a file says its own name, at the start of a line. */
  readonly module?: RegExp;
  /** Names of modules as the path gives them: from the first capitalised folder on, with `::` below a crate, with dots; a file's name else. */
  readonly path: "capitals" | "crate" | "dots" | "file";
  readonly declarations?: DeclarationRow;
  /** Words that the table's grammar colours, for a language that highlight.js has no grammar of. */
  readonly keywords?: string;
};
