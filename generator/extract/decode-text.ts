/** MAX_TEXT_BYTES is how many bytes of a text are searched. */
export const MAX_TEXT_BYTES = 64 * 1024 * 1024;

/** decodeText returns the text of an object that is text: whole lines, as far as they are searched. */
export function decodeText(bytes: Uint8Array): string {
  const cut = bytes.length > MAX_TEXT_BYTES ? bytes.lastIndexOf(10, MAX_TEXT_BYTES) + 1 || MAX_TEXT_BYTES : bytes.length;
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(0, cut));
}
