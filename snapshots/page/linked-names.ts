/** Names in coloured code that lead to where they are declared. A name that could mean two things, or that its own text binds, stays text. */
import { relativeHref } from "#snapshots/format";
import { escapeHtml } from "#snapshots/highlight";

/** A KnownName can be called in a text: what it is called in full, the site path of what declares it, and what that says. */
export type KnownName = { readonly name: string; readonly path: string; readonly type: string };

/** Characters of a type; whoever wants more follows the link. */
const MAX_TYPE = 160;
/** UTF-16 units that links add to one text; the rest stays text. */
const MAX_ADDED = 3 * 1024;

const WORD = /[\p{L}_][\p{L}\p{N}_']*(?:\.[\p{L}_][\p{L}\p{N}_']*)*/u;
/** A tag, a sign that is spelled out, a number with what belongs to it, or a word. */
const PIECE = new RegExp(String.raw`<[^>]*>|&[^;\s]*;|\p{N}[\p{L}\p{N}_']*|${WORD.source}`, "gu");
/** Comments and strings name nothing. */
const QUIET = /^<span class="[cs]">$/;

/** Words before a colon, words after what binds, and what a pattern takes apart: all that a text may call by a name of its own. */
const RUN = /([\p{L}\p{N}_'\s]+)(:(?![:=]))?/gu;
const BOUND = [
  /(?:\b(?:forall|exists|fun|let|fix|cofix|intros?|as|set|pose|remember|rename|obtain|rcases|rintro)\b|[∀∃λ])([^:.;=,]*)/gu,
  /\|([^|]*?)=>/gu,
];

/** wordsOf returns the words of a text, each with its parts. */
export function wordsOf(text: string): ReadonlySet<string> {
  return new Set([...text.matchAll(new RegExp(WORD, "gu"))].flatMap(([word]) => [word, ...word.split(".")]));
}

/** linkNames makes the names in lines of coloured code links. @param own the name that the text declares; it leads nowhere
 *  @param from the site path of the page @param lines of HTML, as highlightLines makes them */
export function linkNames(lines: readonly string[], names: readonly KnownName[], own: string, from: string): string[] {
  const text = lines.join("\n");
  const called = callable(names, text, own);
  let quiet = 0;
  let added = 0;
  const linked = text.replaceAll(PIECE, (piece) => {
    if (piece.startsWith("<")) quiet = piece === "</span>" ? Math.max(0, quiet - 1) : quiet > 0 || QUIET.test(piece) ? quiet + 1 : 0;
    const known = quiet > 0 ? undefined : called.get(piece);
    if (known === undefined || known === null || added > MAX_ADDED) return piece;
    const link = `<a href="${escapeHtml(relativeHref(from, known.path))}" data-type="${escapeHtml(shortType(known.type))}">${piece}</a>`;
    added += link.length - piece.length;
    return link;
  });
  return linked.split("\n");
}

/** Each name by all that may be written for it; null where two may be meant. */
function callable(names: readonly KnownName[], html: string, own: string): ReadonlyMap<string, KnownName | null> {
  const called = new Map<string, KnownName | null>();
  for (const known of names) {
    const parts = known.name.split(".");
    for (let at = 0; at < parts.length; at++) {
      const written = parts.slice(at).join(".");
      const other = called.get(written);
      called.set(written, other === undefined || other?.path === known.path ? known : null);
    }
  }
  for (const word of boundIn(html.replaceAll(/<[^>]*>/g, "").replaceAll("&gt;", ">"))) called.delete(word);
  called.delete(own.split(".").at(-1) ?? "");
  return called;
}

function boundIn(text: string): Iterable<string> {
  const beforeColon = [...text.matchAll(RUN)].flatMap(([, words = "", colon]) => (colon === undefined ? [] : [words]));
  const others = BOUND.flatMap((bound) => [...text.matchAll(bound)].map(([, words = ""]) => words));
  return [...beforeColon, ...others].flatMap((words) => [...wordsOf(words)]);
}

function shortType(type: string): string {
  const line = type.replaceAll(/[\s\p{C}]+/gu, " ").trim();
  return line.length > MAX_TYPE ? `${line.slice(0, MAX_TYPE).replace(/[\ud800-\udbff]$/, "")}…` : line;
}
