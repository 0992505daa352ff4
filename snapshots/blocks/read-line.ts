/** A Reader reads a text line by line; readers of several languages share what is here. */
import type { Prose } from "#snapshots/schema";
import type { Form, Row } from "./block.ts";

export const MAX_HEADING = 300; // code units of a heading that are read
export const MIN_SAID = 3; // words that an entry says of its term

export type Line = { readonly start: number; readonly text: string };
export type Entry = {
  readonly from: number;
  readonly to: number;
  readonly form: Form;
  /** Names of the columns that it stands below. */
  readonly head?: string;
  readonly row?: Row;
  /** The language of its words, where it is not its text's. */
  readonly prose?: Prose;
};
/** Read is the meaning of a line: a part of a block, with the place where its own words begin; a heading; a term, which the lines that stand in
 *  farther explain; an entry with its place in the line; or nothing that is read. */
export type Read =
  | { readonly from: number; readonly opens: boolean; readonly form: Form; readonly prose?: Prose }
  | Title
  | { readonly term: string; readonly indent: number }
  | Entry
  | null;
/** `over` and `under` where the lines beside it only mark it. */
type Title = { readonly heading: string; readonly level: number; readonly over?: boolean; readonly under?: boolean };
/** Opened is a text without its asides, of the same length, and its reader. */
export type Opened = { readonly text: string; readonly read: Reader };
export type Reader = (line: Line, at: number, lines: readonly Line[]) => Read;

export const isBlank = (text: string): boolean => text.trim() === "";
export const indent = (text: string): number => text.length - text.trimStart().length;
export const part = (from: number, opens = false, form: Form = "prose") => ({ from, opens, form });

/** isPart tells whether a line can go on in the next one: the line after a blank line, a table or a comment begins anew. */
export const isPart = (line: string): boolean => !isBlank(line) && !/^\s*(?:\||<|`{3}|~{3})/.test(line);
