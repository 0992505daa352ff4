/** The form of an answer's text, for the page and for the script that shows it while it comes. */

/** `n` of a reference to a quote; its text is "[n]". */
export type AnswerPiece = { readonly text: string; readonly n: number | null };

/** Paragraphs of pieces. @param numbers of the citations; any other "[7]" is text */
export function parseAnswer(text: string, numbers: ReadonlySet<number>): readonly (readonly AnswerPiece[])[] {
  return text
    .split(/\n{2,}/)
    .map((paragraph) => parseParagraph(paragraph, numbers))
    .filter((pieces) => pieces.length > 0);
}

export function parseParagraph(text: string, numbers: ReadonlySet<number>): readonly AnswerPiece[] {
  return text
    .split(/(\[\d{1,3}\])/)
    .filter((part) => part !== "")
    .map((part) => {
      const n = Number(/^\[(\d{1,3})\]$/.exec(part)?.[1] ?? Number.NaN);
      return { text: part, n: numbers.has(n) ? n : null };
    });
}
