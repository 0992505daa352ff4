/** A terminal obeys control signs, whoever wrote them into a name, a record or a request: here all text passes that a process says. */
import { isUtf8 } from "node:buffer";

/** Control signs but a line's end and a tab, those above ASCII too, and signs that turn the direction or end a line. */
const OBEYED = /(?![\n\t])[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;
/** CLEAR_LINE begins a line anew: the one order that the program itself gives. */
export const CLEAR_LINE = "\r\u001b[2K";

/** visible shows signs that a terminal would obey as JSON escapes them: text in JSON keeps its meaning. */
export function visible(text: string): string {
  return text.replaceAll(OBEYED, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** guardTerminal lets through visible text alone from now on, whoever writes to the two streams. */
export function guardTerminal(): void {
  for (const stream of [process.stdout, process.stderr]) {
    const write = stream.write.bind(stream) as (chunk: string | Uint8Array, ...rest: unknown[]) => boolean;
    stream.write = (chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
      if (typeof chunk !== "string") return write(chunk, ...rest);
      const own = chunk.startsWith(CLEAR_LINE) ? CLEAR_LINE : "";
      return write(own + visible(chunk.slice(own.length)), ...rest);
    };
  }
}

/** showBytes gives a name as text, and bytes that are no UTF-8 as `\xHH`, so that a reader can find the file. */
export function showBytes(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString();
  return [...bytes].map((byte) => (byte < 0x80 ? String.fromCharCode(byte) : `\\x${byte.toString(16)}`)).join("");
}
