/** Object bytes to what its page shows and the search index takes. */
import type { About, Extract, ObjectKind } from "#snapshots/schema";
import { NO_ABOUT, readAbout } from "./about.ts";
import { type Body, EMPTY_BODY, type SourceText } from "./body.ts";
import { readCode } from "./code.ts";
import { formatCode } from "./code-view.ts";
import { decodeText, MAX_TEXT_BYTES } from "./decode-text.ts";
import { readJson, readYaml } from "./json.ts";
import { withLanguage } from "./language.ts";
import { openLines } from "#snapshots/blocks";
import { extensionOf, fileName, mediaTypeOf, type MediaType } from "./media-type.ts";
import { type Asked, Others, type Told } from "./others.ts";
import { cutPassages, shorten } from "./passages.ts";
import type { DrawPages } from "./pdf-images.ts";
import { readPlain } from "./plain.ts";

const MAX_TITLE = 200; // UTF-16 units
/** Extensions of formats that are text, or that the bytes must show: another content is worth a note. */
const TEXT_EXTENSIONS = new Set("md txt rst v lean rs tex html htm csv tsv json jsonl yaml yml svg py c h ml hs lhs".split(" "));
const MAGIC_EXTENSIONS: Readonly<Record<string, string>> = {
  pdf: "application/pdf",
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
};
const HTML_NAME = /\.x?html?$/i;
/** Signs that make a line read otherwise than it is: bidirectional overrides and isolates. */
const BIDI = /[\u202a-\u202e\u2066-\u2069]/;

type Reader = (source: SourceText, type: MediaType, name: string) => Body | Promise<Body>;
/** READERS reads texts; a kind that is none has null. */
const READERS: Readonly<Record<ObjectKind, Reader | null>> = {
  markdown: async (source, _, name) => await (await import("./markdown.ts")).readMarkdown(source, name),
  text: readPlain,
  code: async (source, { language }) => await readCode(source, language),
  html: async (source, _, name) => await (await import("./html.ts")).readHtml(source, name),
  pdf: null,
  latex: async (source, _, name) => await (await import("./latex.ts")).readLatex(source, name),
  json: async (source, { mediaType }) => await readJson(source, mediaType),
  yaml: readYaml,
  csv: async (source, { mediaType }) => (await import("./csv.ts")).readCsv(source, mediaType),
  image: null,
  binary: null,
  asciidoc: async (source, _, name) => await (await import("./asciidoc.ts")).readAsciidoc(source, name),
  literate: async (source, { language }, name) => await (await import("./literate.ts")).readLiterate(source, language, name),
  org: async (source, _, name) => await (await import("./org.ts")).readOrg(source, name),
  rst: async (source, _, name) => await (await import("./rst.ts")).readRst(source, name),
  notebook: async (source, { mediaType }, name) => await (await import("./notebook.ts")).readNotebook(source, mediaType, name),
};

/** extract reads one object. The same key and bytes give the same value on every machine.
 *  @param draw makes the images of a PDF's pages; null for none
 *  @param key decides between types of text, and links are resolved against its folder
 *  @param bytes of anybody; what could not be read is in `notes`
 *  @throws only WebAssembly.RuntimeError: a parser stopped in the middle of its work, and its process must not go on */
export async function extract(key: string, bytes: Uint8Array, draw: DrawPages | null = null): Promise<Extract> {
  return (await extractAsking(key, bytes, draw)).extract;
}

/** Asking is an extract with what its text needs of others, how long all is that its page shows, and the images that it holds itself. */
export type Asking = { readonly extract: Extract; readonly asked: Asked | null; readonly whole?: number; readonly drawn?: Body["drawn"] };

/** extractAsking is extract(), for a text that may be told of others. */
export async function extractAsking(key: string, bytes: Uint8Array, draw: DrawPages | null, told?: Told): Promise<Asking> {
  const others = new Others(key, told);
  try {
    const { whole, ...found } = await read(key, bytes, await mediaTypeOf(key, bytes), draw, others);
    return { ...found, asked: others.asked(), ...(whole === undefined ? {} : { whole }) };
  } catch (error) {
    if (error instanceof WebAssembly.RuntimeError) throw error;
    return { extract: await extractPlainly(key, bytes, "This file could not be read by its structure."), asked: null };
  }
}

/** extractPlainly makes the extract of an object whose reader failed: its type, and its text as plain text when it has any.
 *  @param note says what happened, in words for a reader */
export async function extractPlainly(key: string, bytes: Uint8Array, note: string): Promise<Extract> {
  const type = await mediaTypeOf(key, bytes);
  if (READERS[type.kind] === null) return finish(key, type, null, { ...EMPTY_BODY, notes: [note] });
  const { source, notes } = openSource(key, bytes, new Others(key));
  const passages = cutPassages(source.lines, []);
  return finish(key, type, source.lines.count, { ...EMPTY_BODY, passages, html: formatCode(source, null), notes: [...notes, note] });
}

async function read(
  key: string,
  bytes: Uint8Array,
  type: MediaType,
  draw: DrawPages | null,
  others: Others,
): Promise<{ readonly extract: Extract; readonly whole?: number | undefined; readonly drawn?: Body["drawn"] }> {
  const mismatch = findMismatch(key, bytes, type);
  const reader = READERS[type.kind];
  if (reader === null) {
    const body =
      type.kind === "pdf" ? await (await import("./pdf.ts")).readPdf(key, bytes, draw) : await readOldHtml(key, bytes, type, others);
    const about = await withLanguage(body.about ?? NO_ABOUT, type.kind, body.passages);
    return { extract: finish(key, type, null, { ...body, about, notes: [...mismatch, ...body.notes] }) };
  }
  const { source, notes } = openSource(key, bytes, others);
  const body = await reader(source, type, shorten(fileName(key), MAX_TITLE) || key);
  if (bytes.length === 0) notes.push("This file is empty.");
  const bidi = source.text.search(BIDI);
  if (bidi >= 0) {
    notes.push(`Line ${source.lines.lineAt(bidi)} has invisible signs that change the order in which text is shown; read it with care.`);
  }
  const { drawn, whole, ...shown } = body;
  const extract = finish(key, type, source.lines.count, {
    ...shown,
    ...(drawn === undefined ? {} : { images: drawn.map(({ png: _, ...facts }) => facts) }),
    about: await withLanguage(body.about ?? readAbout(key, type.kind, source.text), type.kind, body.passages),
    notes: [...mismatch, ...notes, ...body.notes],
  });
  return { extract, whole, drawn };
}

/** readOldHtml gives an HTML document in another encoding its title and summary. Its lines are not those of its bytes, so its text is neither
 *  shown nor quoted. */
async function readOldHtml(key: string, bytes: Uint8Array, { kind }: MediaType, others: Others): Promise<Body> {
  const text = kind === "binary" && HTML_NAME.test(key) ? decodeDeclared(bytes) : null;
  if (text === null) return EMPTY_BODY;
  const source = { key, text, lines: openLines(text), others };
  const { title, summary } = await (await import("./html.ts")).readHtml(source, fileName(key));
  return { ...EMPTY_BODY, title, summary, about: readAbout(key, "html", text) };
}

/** By the mark at its beginning, or by what it declares, as a browser would read it. @returns null for what says nothing, or something wrong */
function decodeDeclared(bytes: Uint8Array): string | null {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 1024)).toString("latin1");
  const mark = head.startsWith("\xff\xfe") ? "utf-16le" : head.startsWith("\xfe\xff") ? "utf-16be" : undefined;
  const label =
    mark ?? /<meta[^>]+charset\s*=\s*["']?\s*([\w:.-]+)/i.exec(head)?.[1] ?? /^<\?xml[^>]+encoding=["']([\w.-]+)/.exec(head)?.[1];
  if (label === undefined || bytes.length > MAX_TEXT_BYTES) return null;
  try {
    return new TextDecoder(label, { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

function openSource(key: string, bytes: Uint8Array, others: Others): { source: SourceText; notes: string[] } {
  const text = decodeText(bytes);
  const notes = bytes.length > MAX_TEXT_BYTES ? ["This text is very long; only its first 64 MB are searched."] : [];
  return { source: { key, text, lines: openLines(text), others }, notes };
}

function findMismatch(key: string, bytes: Uint8Array, type: MediaType): string[] {
  const extension = extensionOf(key);
  const expected = Object.hasOwn(MAGIC_EXTENSIONS, extension) ? MAGIC_EXTENSIONS[extension] : undefined;
  if (expected !== undefined && !type.mediaType.startsWith(expected))
    return [`The name ends in .${extension}, but the content is something else.`];
  if (type.kind === "binary" && TEXT_EXTENSIONS.has(extension)) {
    const wide = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
    if (wide) return ["This text is UTF-16; only UTF-8 is read, so it is listed but not searched."];
    return [`This file is not ${bytes.includes(0) ? "text: it has NUL bytes" : "valid UTF-8"}, so it is listed but not searched.`];
  }
  return [];
}

function says(about: About | undefined): about is About {
  if (about === undefined) return false;
  const { authors, date, license, lang, addresses } = about;
  return authors.length > 0 || [date, license, lang ?? null, addresses ?? null].some((one) => one !== null);
}

/** Every text is made well-formed here: half of a surrogate pair cannot be written as UTF-8 and would stop the build. */
function finish(key: string, type: MediaType, lines: number | null, body: Body): Extract {
  return {
    title: (shorten(body.title ?? "", MAX_TITLE) || shorten(fileName(key), MAX_TITLE) || "Untitled").toWellFormed(),
    summary: body.summary.toWellFormed(),
    kind: type.kind,
    media_type: type.mediaType,
    language: type.language,
    lines,
    passages: body.passages.map((passage) => ({
      ...passage,
      heading: passage.heading.map((part) => part.toWellFormed()),
      name: passage.name?.toWellFormed() ?? null,
      text: passage.text.toWellFormed(),
    })),
    html: body.html?.toWellFormed() ?? null,
    ...(body.written === undefined ? {} : { written: body.written.toWellFormed() }),
    ...(body.images === undefined || body.images.length === 0 ? {} : { images: body.images }),
    ...(body.outline === undefined || body.outline.length === 0
      ? {}
      : { outline: body.outline.map(({ title, ...place }) => ({ title: title.toWellFormed(), ...place })) }),
    ...(body.facts === undefined || body.facts.length === 0
      ? {}
      : { facts: body.facts.map((parts) => parts.map((part) => part.toWellFormed())) }),
    ...(says(body.about) ? { about: body.about } : {}),
    notes: body.notes,
  };
}
