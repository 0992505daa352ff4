/** What the generator reads out of one object's bytes: the input of its page and of the search index. */

import type { About } from "./about.ts";

export const OBJECT_KINDS = ["markdown", "text", "code", "html", "pdf", "latex", "json", "yaml", "csv", "image", "binary"] as const;

export type ObjectKind = (typeof OBJECT_KINDS)[number];

export const MAX_PASSAGE = 2000;

export type Passage = {
  /** Titles of the enclosing headings or sections, outermost first; [] at top level. */
  readonly heading: readonly string[];
  /** Declared name (theorem, function, …) for code, else null. */
  readonly name: string | null;
  /** 1-based page for PDF, else null. */
  readonly page: number | null;
  /** 1-based, inclusive: lines of the object's own bytes split at "\n", and the text is exactly those lines joined by "\n" (or a part
   *  of one that is too long), so a quote can be checked. For PDF they are lines of the extracted text of the page, for HTML the
   *  source lines that the text came from. */
  readonly start_line: number;
  readonly end_line: number;
  readonly text: string;
};

/** A page of a PDF as an image: `images/<key>/<page>.png` of the snapshot. */
export type PageImage = {
  /** From 1. */
  readonly page: number;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  readonly sha256: string;
  /** Bytes. */
  readonly size: number;
};

export type Extract = {
  /** From the document itself (first heading, <title>, PDF Title, \title{}, first sentence about a module), else the module's name or
   *  the file's. Never empty. At most 200 characters. */
  readonly title: string;
  /** First prose of the document as plain text, at most 280 characters, without what is the title; "" when there is none. */
  readonly summary: string;
  readonly kind: ObjectKind;
  readonly media_type: string;
  /** Highlighting language for code ("coq", "lean", "rust", …), else null. */
  readonly language: string | null;
  /** Lines of the text, null when the object is not text. */
  readonly lines: number | null;
  readonly passages: readonly Passage[];
  /** Harmless HTML fragment that shows the object on its page, or null when there is nothing to render.
   *  Sanitised: no script, style, event handler, form, iframe, external image, javascript: or data: link. */
  readonly html: string | null;
  /** Pages of a PDF that are shown as images too, ascending; absent when there are none, and in snapshots of earlier versions. */
  readonly images?: readonly PageImage[];
  /** What it says of itself; absent when it says nothing, and in snapshots of earlier versions. */
  readonly about?: About;
  /** What could not be read, in words for a reader ("this PDF has no text layer"); [] when all went well. */
  readonly notes: readonly string[];
};
