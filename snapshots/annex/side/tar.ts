/** A tar archive (POSIX pax) of files whose sizes are known: the same files give the same bytes, and every byte's place is known before
 *  one is read. Names that the old header has no room for, or no signs, stand in an extended one. */

const BLOCK = 512;
const MAX_NAME = 100; // bytes
const MAX_SIZE = 8 ** 11; // what eleven octal digits can say
/** TAR_END is two empty blocks. */
export const TAR_END = new Uint8Array(2 * BLOCK);

/** tarHeader writes what stands in front of a file's bytes.
 *  @param time seconds since 1970 */
export function tarHeader(path: string, size: number, time: number): Uint8Array {
  if (isPlain(path, size)) return block(path, size, time, "0");
  const record = extended(path, size);
  const padded = Buffer.concat([record, Buffer.alloc(tarPadding(record.length))]);
  return Buffer.concat([block("paxheader", record.length, time, "x"), padded, block("long", size < MAX_SIZE ? size : 0, time, "0")]);
}

/** tarHeaderLength returns the length of what tarHeader writes. */
export function tarHeaderLength(path: string, size: number): number {
  if (isPlain(path, size)) return BLOCK;
  const { length } = extended(path, size);
  return BLOCK + length + tarPadding(length) + BLOCK;
}

function isPlain(path: string, size: number): boolean {
  return path.length <= MAX_NAME && /^[\x21-\x7e]*$/.test(path) && size < MAX_SIZE;
}

function extended(path: string, size: number): Buffer {
  return Buffer.concat([paxRecord("path", path), paxRecord("size", String(size))]);
}

/** tarPadding returns how many zeros stand behind a file's bytes. */
export function tarPadding(size: number): number {
  return (BLOCK - (size % BLOCK)) % BLOCK;
}

function block(name: string, size: number, time: number, type: "0" | "x"): Uint8Array {
  const header = Buffer.alloc(BLOCK);
  header.write(name, "latin1");
  const octal = (value: number, at: number, digits: number): void => {
    header.write(`${value.toString(8).padStart(digits, "0")}\0`, at, "latin1");
  };
  octal(0o644, 100, 7);
  octal(0, 108, 7);
  octal(0, 116, 7);
  octal(size, 124, 11);
  octal(Math.max(0, time), 136, 11);
  header.write(`        ${type}`, 148, "latin1");
  header.write("ustar\x0000", 257, "latin1");
  let sum = 0;
  for (const byte of header) sum += byte;
  octal(sum, 148, 6);
  return header;
}

/** Its length counts its own digits. */
function paxRecord(name: string, value: string): Uint8Array {
  const rest = Buffer.byteLength(` ${name}=${value}\n`);
  let length = rest + 1;
  while (String(length).length + rest !== length) length = String(length).length + rest;
  return Buffer.from(`${length} ${name}=${value}\n`);
}
