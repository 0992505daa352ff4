/** Values as readers see them. Pure, and the same in every locale and time zone. */

/** formatCount separates thousands by a thin space, which no locale reads as a decimal mark. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+(?!\d))/g, "\u2009");
}

export function formatPlural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)}\u00a0${count === 1 ? one : many}`;
}

/** formatDate gives the date of an RFC 3339 time. Anything else, as free-form sources write it, is shown as it is. */
export function formatDate(time: string): string {
  return /^\d{4}-\d\d-\d\dT/.test(time) ? time.slice(0, 10) : time;
}

/** formatTime gives "2026-01-02 15:04 UTC" for an RFC 3339 time in UTC; anything else as it is. */
export function formatTime(time: string): string {
  const match = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::\d\d(?:\.\d+)?)?Z$/.exec(time);
  return match === null ? time : `${match[1]} ${match[2]} UTC`;
}

/** formatShare gives whole percent, but never 0 or 100 for what is not none or all. */
export function formatShare(part: number, whole: number): string {
  if (whole === 0) return "–";
  const percent = Math.round((part / whole) * 100);
  if (percent === 0 && part > 0) return "<1 %";
  if (percent === 100 && part < whole) return ">99 %";
  return `${percent} %`;
}

/** C0, C1, and the characters that reorder or hide their neighbours: a key must not be able to look like another one. */
const INVISIBLE = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/** formatKey spells out every invisible character of a key or id, e.g. "cod\u202eslx.v" as "cod⟨202E⟩slx.v". */
export function formatKey(key: string): string {
  return key.replace(INVISIBLE, (character) => `⟨${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
}

/** cutKey cuts a long key in two parts, of which a style may cut the first: the last one stays visible, since that is where names differ.
 *  @param text of formatKey */
export function cutKey(text: string): readonly [head: string, tail: string] {
  if (text.length <= 60) return [text, ""];
  const tail = text.slice(Math.max(text.lastIndexOf("/", text.length - 24), text.length - 40));
  return [text.slice(0, text.length - tail.length), tail];
}

const JOINED = String.raw`(?![\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])[\p{L}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}]`;
/** Characters within words, which take no room: joiners where a script or a picture is made with them, which stay, and others, which go. */
const WITHIN = new RegExp(
  String.raw`((?<=${JOINED})[\u200c\u200d](?=${JOINED}))|[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]|${INVISIBLE.source}`,
  "gu",
);

/** Prose without what hides or reorders; a word stays one. */
function showProse(text: string): string {
  return text.replace(
    WITHIN,
    (sign, joins?: string) => joins ?? (/[\t\n]/.test(sign) ? sign : /[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]/.test(sign) ? "" : " "),
  );
}

/** formatLine makes a line of prose from a stranger's text: invisible characters go or become spaces, runs of spaces one, and its length is bounded. */
export function formatLine(text: string, maxLength = 400): string {
  const line = showProse(text).replace(/\s+/g, " ").trim();
  if (line.length <= maxLength) return line;
  return `${line.slice(0, maxLength).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** formatPlace names the place that a result leads to within its object: "insert_keeps_sorted, line 12". */
export function formatPlace(name: string, line: number | null): string {
  return [formatLine(name, 80), line === null ? "" : `line ${formatCount(line)}`].filter((part) => part !== "").join(", ");
}

/** formatPiece does for a stretch of a line of prose what formatLine does for a line, but spaces at its ends stay. */
export function formatPiece(text: string): string {
  return showProse(text);
}

/** formatBlock shows text of several lines from a stranger, e.g. a statement: it keeps line breaks and indentation, and spells out the invisible. */
export function formatBlock(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replace(INVISIBLE, (character) => (character === "\n" || character === "\t" ? character : formatKey(character)));
}

export function formatShellWord(text: string): string {
  return /^[A-Za-z0-9._~:/%@+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
