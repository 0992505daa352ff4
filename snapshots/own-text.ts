/** Words that outlive the text they were cut out of. */

/** ownText returns the same text in memory of its own: V8 keeps all of a text for as long as a piece of it of thirteen signs or more is held. */
export function ownText(piece: string): string {
  return piece.split("").join("");
}
