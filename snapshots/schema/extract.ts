/** An Extract is read out of one object's bytes: the input of its page and of the search index. */
import { z } from "zod";
import { About } from "./about.ts";
import { OBJECT_KINDS } from "./kinds.ts";

export const Passage = z
  .strictObject({
    /** Titles of the enclosing headings or sections, outermost first; [] at top level. */
    heading: z.array(z.string()).readonly(),
    /** Declared name (theorem, function, …) for code, else null. */
    name: z.string().nullable(),
    /** 1-based page of a PDF, cell of a notebook; else null. */
    page: z.int().nullable(),
    /** 1-based, inclusive: lines of the object's own bytes split at "\n", and the text is exactly those lines joined by "\n" (or a part
     *  of one that is too long), so a quote can be checked. For PDF and notebooks they are lines of the text that was read out of
     *  the page or cell, for HTML the source lines that the text came from. */
    start_line: z.int().min(1),
    end_line: z.int().min(1),
    text: z.string(),
  })
  .readonly();
export type Passage = z.infer<typeof Passage>;

/** PageImage is a page of a PDF as an image, or an image that a notebook holds: `images/<key>/<page>.png` of the snapshot. */
export const PageImage = z
  .strictObject({
    /** From 1. */
    page: z.int().min(1),
    /** Pixels. */
    width: z.int().min(1),
    height: z.int().min(1),
    sha256: z.string(),
    /** Bytes. */
    size: z.int().min(1),
  })
  .readonly();
export type PageImage = z.infer<typeof PageImage>;

export const Extract = z
  .strictObject({
    /** From the document itself (first heading, <title>, PDF Title, \title{}, first sentence about a module), else the module's name or
     *  the file's. Never empty. At most 200 characters. */
    title: z.string().min(1),
    /** First prose of the document as plain text, at most 280 characters, without what is the title; "" when there is none. */
    summary: z.string(),
    kind: z.enum(OBJECT_KINDS),
    media_type: z.string(),
    /** Highlighting language for code ("coq", "lean", "rust", …), else null. */
    language: z.string().nullable(),
    /** Lines of the text, null when the object is not text. */
    lines: z.int().nonnegative().nullable(),
    passages: z.array(Passage).readonly(),
    /** Harmless HTML fragment that shows the object on its page, or null when there is nothing to render.
     *  Sanitised: no script, style, event handler, form, iframe, external image, javascript: or data: link. Images that a notebook
     *  holds are the one `data:` in it: of known types of pixels, and none that could run or load anything. */
    html: z.string().nullable(),
    /** Its lines as they are written, each with its number, where `html` shows them as a document; absent elsewhere. */
    written: z.string().exactOptional(),
    /** Pages of a PDF that are shown as images too, or the images of a notebook; ascending; absent when there are none. */
    images: z.array(PageImage).min(1).readonly().exactOptional(),
    /** Contents of a PDF as its file lists them, each with the page that it is on; absent when it lists none. */
    outline: z
      .array(z.strictObject({ title: z.string().min(1), page: z.int().min(1), depth: z.int().nonnegative() }).readonly())
      .min(1)
      .readonly()
      .exactOptional(),
    /** Further facts that a page says of it, a name and a value each; absent when there is nothing. */
    facts: z.array(z.array(z.string()).length(2).readonly()).min(1).readonly().exactOptional(),
    /** Its own words about itself; absent when it says nothing. */
    about: About.exactOptional(),
    /** Notes on what could not be read, for a reader ("this PDF has no text layer"); [] when all went well. */
    notes: z.array(z.string()).readonly(),
  })
  .readonly();
export type Extract = z.infer<typeof Extract>;
