/** Coq text into sentences and the comments between them: one reader for passages and for the registry's records. */

export type CoqItem = { readonly comment: boolean; readonly start: number; readonly end: number };

const ATTRIBUTE = String.raw`#\[(?:"[^"]{0,400}"|[^\]"]){0,200}\]\s*`;
const MODIFIER = "Local|Global|Polymorphic|Monomorphic|Cumulative|NonCumulative|Private|Program|Time|Fail";
const COMMAND = new RegExp(
  String.raw`((?:${ATTRIBUTE}|(?:${MODIFIER})\s+)*)` +
    String.raw`([A-Z]\w*)(?:\s+(?:Type|Import|Export|Structure)(?=\s))?(?:\s+([\p{L}_][\p{L}\p{N}_'.]*))?`,
  "uy",
);
const COMMENT_PARTS = /\(\*|\*\)|"/g;

export type CoqCommand = {
  /** What stands before the word: attributes and modifiers. */
  readonly before: string;
  readonly word: string;
  /** The name after it, as it stands there. */
  readonly name: string | null;
  /** Offset after the word. */
  readonly after: number;
};

/** The vernacular command that a sentence begins with; null for a tactic. */
export function readCoqCommand(text: string, sentence: CoqItem): CoqCommand | null {
  COMMAND.lastIndex = sentence.start;
  const found = COMMAND.exec(text);
  if (found === null || found.index + found[0].length > sentence.end) return null;
  const [, before = "", word = "", name = null] = found;
  return { before, word, name: name?.replace(/\.$/, "") ?? null, after: found.index + before.length + word.length };
}

/** Sentences, ended by a "." before white space, and the comments between them, in order. What stays open reaches to the end. */
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

/** The offset after the comment whose text begins at `from`. Comments nest, and a string in one hides its marks. */
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
