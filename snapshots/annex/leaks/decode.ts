/** Reads what a file says, as texts: JSON as its strings, HTML as its words and attributes, compressed bytes unfolded. Texts that stand beside
 *  each other by layout alone are apart. Bytes come from whoever wrote the objects. */
import { brotliDecompressSync, constants, gunzipSync } from "node:zlib";

/** Bytes that one compressed file may unfold to; a bomb is read as the bytes it is. */
const MAX_INFLATED = 256 * 1024 * 1024;

/** inflate gives what lies in a gzip member or a `.br` file, else the same bytes. */
export function inflate(path: string, bytes: Uint8Array): Uint8Array {
  try {
    if (bytes[0] === 0x1f && bytes[1] === 0x8b) {
      // A part of a file ends in the middle: what came so far is given.
      return gunzipSync(bytes, { maxOutputLength: MAX_INFLATED, finishFlush: constants.Z_SYNC_FLUSH });
    }
    if (path.endsWith(".br"))
      return brotliDecompressSync(bytes, { maxOutputLength: MAX_INFLATED, finishFlush: constants.BROTLI_OPERATION_FLUSH });
  } catch {
    // Not compressed after all, or too much.
  }
  return bytes;
}

/** A TextPlace is where something stands in a file: a line of it, or a JSON pointer; for an extract also the line of its object. */
export type TextPlace = { readonly line: number | null; readonly pointer: string | null };

export type Texts = {
  readonly texts: readonly string[];
  /** True when the bytes are the one text as it stands: then there is nothing to be found behind escapes. */
  readonly plain: boolean;
  /** The place of character `at` of text `n`. */
  place(n: number, at: number): TextPlace;
};

/** TextReading says how the texts of a file are told apart.
 *  - text: one text; lines: one text each
 *  - json: its strings and names of members; source-json: those, and the text as it stands
 *  - page: HTML made here; document: HTML or XML that somebody wrote, one flow of words
 *  - none: nobody reads it as text */
export type TextReading = "text" | "lines" | "json" | "source-json" | "page" | "document" | "none";

export const NO_PLACE: TextPlace = { line: null, pointer: null };
const NOTHING: Texts = { texts: [], plain: true, place: () => NO_PLACE };

/** findReading chooses the reading of a file. @param type media type; @param source whether somebody else wrote the bytes */
export function findReading(type: string, source: boolean): TextReading {
  if (/[/+]json\b/.test(type)) return source ? "source-json" : "json";
  if (/\/html\b|[/+]xml\b/.test(type)) return source ? "document" : "page";
  if (source) return "text";
  if (/^text\/plain\b/.test(type)) return "lines";
  return type.startsWith("text/") ? "text" : "none";
}

/** readTexts returns the texts of a file. @param bytes unfolded */
export function readTexts(bytes: Uint8Array, reading: TextReading): Texts {
  if (reading === "none") return NOTHING;
  const text = new TextDecoder().decode(bytes);
  if (reading === "page" || reading === "document") return htmlTexts(text, reading === "document");
  if (reading === "lines") return { texts: text.split("\n"), plain: true, place: (n) => ({ line: n + 1, pointer: null }) };
  if (reading === "text") return wholeText(text);
  const value = parseJson(text);
  if (value === undefined) return wholeText(text);
  if (reading !== "source-json") return jsonTexts(value);
  const decoded = jsonTexts(value);
  const whole = wholeText(text);
  return { texts: [text, ...decoded.texts], plain: false, place: (n, at) => (n === 0 ? whole.place(0, at) : decoded.place(n - 1, at)) };
}

function wholeText(text: string): Texts {
  return { texts: [text], plain: true, place: (_, at) => ({ line: lineAt(text, at), pointer: null }) };
}

function lineAt(text: string, at: number): number {
  let line = 1;
  for (let from = text.indexOf("\n"); from >= 0 && from < at; from = text.indexOf("\n", from + 1)) line++;
  return line;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Strings inside JSON with where they stand, in no recursion: strangers nest as deep as they like. */
type Step = { readonly up: Step | null; readonly name: string };

function* walk(root: unknown): Generator<{ readonly text: string; readonly step: Step | null }> {
  const stack: { readonly value: unknown; readonly step: Step | null }[] = [{ value: root, step: null }];
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    const { value, step } = top;
    if (typeof value === "string") yield { text: value, step };
    else if (typeof value === "object" && value !== null) {
      for (const [name, item] of Object.entries(value).reverse()) {
        const below = { up: step, name };
        if (!Array.isArray(value)) yield { text: name, step: below };
        if (typeof item === "string" || typeof item === "object") stack.push({ value: item, step: below });
      }
    }
  }
}

function jsonTexts(value: unknown): Texts {
  const texts: string[] = [];
  for (const { text, step } of walk(value)) texts.push(...textsOfString(text, step));
  return {
    texts,
    plain: false,
    place(n, at) {
      let count = 0;
      for (const { text, step } of walk(value)) {
        count += textsOfString(text, step).length;
        if (count > n) return { line: objectLine(value, step, text, at), pointer: formatPointer(step) };
      }
      return NO_PLACE;
    },
  };
}

/** An extract has a fragment of HTML. */
function textsOfString(text: string, step: Step | null): readonly string[] {
  return step?.name === "html" && step.up === null ? htmlTexts(text, true).texts : [text];
}

function formatPointer(step: Step | null): string {
  return step === null ? "" : `${formatPointer(step.up)}/${step.name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** A passage of an extract says on which line of its object it begins. */
function objectLine(root: unknown, step: Step | null, text: string, at: number): number | null {
  if (step?.name !== "text" || step.up?.up?.name !== "passages" || step.up.up.up !== null) return null;
  const passage = (root as { readonly passages: readonly { readonly start_line?: unknown }[] }).passages[Number(step.up.name)];
  return typeof passage?.start_line === "number" ? passage.start_line + lineAt(text, at) - 1 : null;
}

const TOKEN = /<(\/?)([A-Za-z][A-Za-z0-9-]*)((?:\s(?:"[^"]*"|'[^']*'|[^<>"'])*)?)\/?>|<!--/g;
/** Shorter values are no secret that has to be read here: keys are looked for in the bytes. */
const ATTRIBUTE = /=\s*(?:"([^"]{12,})"|'([^']{12,})')/g;
const PHRASE = ["abbr", "b", "em", "i", "mark", "s", "small", "span", "strong", "sub", "sup", "u", "wbr"];
/** Elements that do not end a word: inside of what somebody wrote, and in what the pages put around it. */
const INLINE = { flow: new Set([...PHRASE, "a", "code"]), around: new Set(PHRASE) };
/** Where a page shows what an object says. */
const CONTENT = /\sclass="text /;
const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'", nbsp: " " };

/** @param flow everything is what somebody wrote; else only the content part is, and whatever a page puts around it (navigation,
 *  neighbours, facts) is one text for each element */
function htmlTexts(html: string, flow: boolean): Texts {
  const texts: string[] = [];
  const starts: number[] = [];
  let text = "";
  let start = 0;
  const end = (next: number): void => {
    if (text.trim() !== "") {
      texts.push(text);
      starts.push(start);
    }
    text = "";
    start = next;
  };
  const alone = (said: string, at: number): void => {
    texts.push(decodeEntities(said));
    starts.push(at);
  };
  let depth = flow ? Number.POSITIVE_INFINITY : 0; // of sections inside the content part
  let from = 0;
  const tokens = new RegExp(TOKEN);
  /** Passes over what is no markup, up to `close` or the end, and takes it as a text of its own. */
  const pass = (close: string): void => {
    const found = html.indexOf(close, from);
    const to = found < 0 ? html.length : found;
    alone(html.slice(from, to), from);
    from = tokens.lastIndex = found < 0 ? to : to + close.length;
  };
  for (let token = tokens.exec(html); token !== null; token = tokens.exec(html)) {
    const [whole, slash, tag, attributes = ""] = token;
    text += decodeEntities(html.slice(from, token.index));
    from = tokens.lastIndex;
    if (tag === undefined) {
      pass("-->");
      continue;
    }
    const name = tag.toLowerCase();
    if (attributes !== "") for (const [, double, single] of attributes.matchAll(ATTRIBUTE)) alone(double ?? single ?? "", token.index);
    if (slash === "" && (name === "script" || name === "style")) pass(`</${tag}>`);
    if (name === "section" && !flow) {
      if (depth > 0) depth += slash === "" ? 1 : -1;
      else if (slash === "" && CONTENT.test(attributes)) depth = 1;
      end(from);
    } else if (depth > 0) {
      if (!INLINE.flow.has(name)) text += whole.includes("\n") ? "\n" : " ";
    } else if (!INLINE.around.has(name)) end(from);
  }
  text += decodeEntities(html.slice(from));
  end(html.length);
  return {
    texts,
    plain: false,
    place: (n, at) => ({ line: lineAt(html, starts[n] ?? 0) + lineAt(texts[n] ?? "", at) - 1, pointer: null }),
  };
}

function decodeEntities(text: string): string {
  if (!text.includes("&")) return text;
  return text.replaceAll(
    /&(?:#x([0-9a-fA-F]{1,6})|#([0-9]{1,7})|([a-z]{2,6}));/g,
    (whole, hex?: string, decimal?: string, name?: string) => {
      if (name !== undefined) return ENTITIES[name] ?? whole;
      const code = hex === undefined ? Number.parseInt(decimal ?? "", 10) : Number.parseInt(hex, 16);
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
}
