/** Bytes written as text: nobody reads them, and no part of them is a word. */

const MAX_RUN = 200; // characters of base64 in a row that may be a name or a digest
const RUN = /(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{201,}={0,2}/g;
const DATA = /\bdata:[a-z]+\/[a-z0-9.+-]+[;,][^\s"'<>()]*/gi;

/** leaveEncodedOut returns the text with a space in place of each `data:` address and each long run of base64. */
export function leaveEncodedOut(text: string): string {
  const shown = text.includes("data:") ? text.replaceAll(DATA, " ") : text;
  return shown.length > MAX_RUN ? shown.replaceAll(RUN, " ") : shown;
}

/** isEncoded tells whether a piece of a line is encoded bytes and nothing else. */
export function isEncoded(text: string): boolean {
  return text.length > MAX_RUN && leaveEncodedOut(text).trim() === "";
}
