/** The badge of a record: its state, the day of its check, and who has read its statement, for a README or the page of a paper. It falls
 *  with the standing. */
import { cutText, reviewMarks, standingWord } from "#snapshots/format";
import { escapeXml, flat, type PageModel } from "#snapshots/page";

const HEIGHT = 20; // pixels, as badges elsewhere
const LETTER = 6.6; // pixels of one at this size
const LABEL = "proof";
const MAX_WORDS = 80;
const MAX_MARK = 50;

/** A colour for what is well, what is not, and what nobody knows; the words say it, too. */
const COLOURS: readonly (readonly [state: RegExp, colour: string])[] = [
  [/^verified$/, "#1f5c4a"],
  [/_lost$/, "#8f1d1a"],
  [/^(?:proved_outside|recalled)$/, "#6e4200"],
];

/** badge draws the badge of a record's standing. @returns null for a page of no record */
export function badge(model: PageModel): string | null {
  if (model.page !== "record") return null;
  const { state, check } = model.standing;
  const said = flat([standingWord(state), ...(check === undefined ? [] : [check.by, check.on.slice(0, 10)])].join(" · "));
  const marks = reviewMarks(model.record).map((mark) => cutText(flat(mark), MAX_MARK));
  const words = [cutText(said, MAX_WORDS), ...marks].join(" · ");
  const [left, right] = [LABEL, words].map((text) => Math.round([...text].length * LETTER) + 14) as [number, number];
  const colour = COLOURS.find(([pattern]) => pattern.test(state))?.[1] ?? "#524e47";
  const text = (x: number, width: number, words: string): string =>
    `<text x="${x + 7}" y="14" textLength="${width - 14}">${escapeXml(words)}</text>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="${HEIGHT}" role="img" aria-label="${LABEL}: ${escapeXml(words)}">
<rect width="${left + right}" height="${HEIGHT}" rx="3" fill="#3a3733"/><path d="M${left} 0h${right - 3}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3H${left}z" fill="${colour}"/>
<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" lengthAdjust="spacingAndGlyphs">${text(0, left, LABEL)}${text(left, right, words)}</g>
</svg>
`;
}
