/** CoqItem is one part of a Coq text: a sentence, or a comment between sentences. Passages and the registry's records use this one reader. */

export type CoqItem = { readonly comment: boolean; readonly start: number; readonly end: number };

/** Words that may stand before a command's word; `Timeout` and `Redirect` take something with them. */
const PREFIX =
  /(?:Local|Global|Polymorphic|Monomorphic|Cumulative|NonCumulative|Private|Program|Time|Instructions|Fail|Succeed|Timeout|Redirect|Profile)(?![\p{L}\p{N}_'])/uy;
const TAKEN: Readonly<Record<string, RegExp>> = { Timeout: /\w+/y, Redirect: /"[^"]*"|[\p{L}_][\p{L}\p{N}_'.]*/uy, Profile: /"[^"]*"|/y };
const WORD = /[A-Z]\w*/y;
const KIND = /(?:Type|Import|Export|Structure)(?=\s|\(\*)/y;
const NAME = /[\p{L}_][\p{L}\p{N}_'.]*/uy;
const ATTRIBUTE_PARTS = /"[^"]*"|\(\*|[[\]]/g;
const COMMENT_PARTS = /\(\*|\*\)|"/g;

export type CoqCommand = {
  /** Words before the one that says what it is: Local, Program, Fail, … */
  readonly before: readonly string[];
  readonly word: string;
  /** The name after it, as it stands there. */
  readonly name: string | null;
  /** Offset after the word. */
  readonly after: number;
};

/** readCoqCommand reads the vernacular command that a sentence begins with, past attributes, prefixes and comments, as Coq does; null for a tactic. */
export function readCoqCommand(text: string, sentence: CoqItem): CoqCommand | null {
  const before: string[] = [];
  let at = skipBlank(text, sentence.start);
  for (;;) {
    if (text.startsWith("#[", at)) {
      at = skipBlank(text, skipAttribute(text, at + 2));
      continue;
    }
    const prefix = matchAt(PREFIX, text, at);
    if (prefix === null) break;
    before.push(prefix);
    at = skipBlank(text, at + prefix.length);
    const taken = TAKEN[prefix];
    if (taken !== undefined) at = skipBlank(text, at + (matchAt(taken, text, at)?.length ?? 0));
  }
  const word = matchAt(WORD, text, at);
  if (word === null || at + word.length > sentence.end) return null;
  const after = at + word.length;
  at = skipBlank(text, after);
  const kind = matchAt(KIND, text, at);
  if (kind !== null) at = skipBlank(text, at + kind.length);
  const name = at > after && at < sentence.end ? matchAt(NAME, text, at) : null;
  return { before, word, name: name?.replace(/\.$/, "") ?? null, after };
}

/** readCoqCommands reads the vernacular commands of a text, and what follows the word of each up to its end. */
export function* readCoqCommands(
  text: string,
): Generator<{ readonly sentence: CoqItem; readonly command: CoqCommand; readonly rest: string }> {
  for (const sentence of readSentences(text)) {
    const command = sentence.comment ? null : readCoqCommand(text, sentence);
    if (command !== null) yield { sentence, command, rest: text.slice(command.after, sentence.end) };
  }
}

function matchAt(sticky: RegExp, text: string, at: number): string | null {
  sticky.lastIndex = at;
  return sticky.exec(text)?.[0] ?? null;
}

/** skipBlank gives the offset after white space and comments. */
function skipBlank(text: string, from: number): number {
  for (let at = from; ; ) {
    while (/\s/.test(text[at] ?? "")) at++;
    if (!text.startsWith("(*", at)) return at;
    at = skipCoqComment(text, at + 2);
  }
}

/** skipAttribute gives the offset after the attribute whose text begins at `from`. */
function skipAttribute(text: string, from: number): number {
  ATTRIBUTE_PARTS.lastIndex = from;
  for (let depth = 1; ; ) {
    const found = ATTRIBUTE_PARTS.exec(text);
    if (found === null) return text.length;
    if (found[0] === "(*") ATTRIBUTE_PARTS.lastIndex = skipCoqComment(text, found.index + 2);
    else if (found[0] === "[") depth++;
    else if (found[0] === "]" && --depth === 0) return ATTRIBUTE_PARTS.lastIndex;
  }
}

/** readSentences reads the sentences, each ended by a "." before white space, and the comments between them, in order. A sentence or comment that
 *  stays open reaches to the end. */
export function* readSentences(text: string): Generator<CoqItem> {
  const skip = /[\s]+/y;
  const bullet = /[-+*{}]+(?=\s|$)|(?:\d+|\[[\p{L}_][\p{L}\p{N}_']*\])\s*:\s*\{|[{}]/uy;
  // Two dots stand for what is repeated in a notation and end nothing; three end a sentence.
  const stop = /\(\*|"|\.+(?=\s|$)/g;
  for (let at = 0; at < text.length; ) {
    skip.lastIndex = at;
    if (skip.test(text)) at = skip.lastIndex;
    if (at >= text.length) return;
    if (text.startsWith("(*", at)) {
      const end = skipCoqComment(text, at + 2);
      yield { comment: true, start: at, end };
      at = end;
      continue;
    }
    bullet.lastIndex = at;
    if (bullet.test(text)) {
      at = bullet.lastIndex;
      continue;
    }
    const start = at;
    for (let done = false; !done; ) {
      stop.lastIndex = at;
      const found = stop.exec(text);
      if (found === null) {
        at = text.length;
        done = true;
      } else if (found[0] === "(*") {
        at = skipCoqComment(text, found.index + 2);
      } else if (found[0] === '"') {
        const quote = text.indexOf('"', found.index + 1);
        at = quote < 0 ? text.length : quote + 1;
      } else {
        at = found.index + found[0].length;
        done = found[0].length !== 2;
      }
    }
    yield { comment: false, start, end: at };
  }
}

/** skipCoqComment returns the offset after the comment whose text begins at `from`. Comments nest, and a string in one hides its marks. */
export function skipCoqComment(text: string, from: number): number {
  COMMENT_PARTS.lastIndex = from;
  for (let depth = 1; ; ) {
    const found = COMMENT_PARTS.exec(text);
    if (found === null) return text.length;
    if (found[0] === '"') {
      const quote = text.indexOf('"', found.index + 1);
      if (quote < 0) return text.length;
      COMMENT_PARTS.lastIndex = quote + 1;
      continue;
    }
    depth += found[0] === "(*" ? 1 : -1;
    if (depth === 0) return COMMENT_PARTS.lastIndex;
  }
}

const STRING_OR_COMMENT = /"[^"]*"?|\(\*/g;

/** withoutCoqComments puts blanks in the place of each comment, as Coq reads it: comments nest, and a string has none. */
export function withoutCoqComments(text: string): string {
  let kept = "";
  for (let at = 0; ; ) {
    STRING_OR_COMMENT.lastIndex = at;
    const found = STRING_OR_COMMENT.exec(text);
    if (found === null) return kept + text.slice(at);
    const [open] = found;
    const after = open === "(*" ? skipCoqComment(text, found.index + 2) : found.index + open.length;
    kept += text.slice(at, found.index) + (open === "(*" ? " ".repeat(after - found.index) : open);
    at = after;
  }
}
