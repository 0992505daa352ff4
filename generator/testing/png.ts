/** Pixels for tests. */
import { crc32 } from "node:zlib";

/** One pixel. */
const DOT = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");
const HEAD_END = 33; // signature and first chunk

/** makePng returns one pixel as PNG, made as long as wanted by a comment. */
export function makePng(comment: string): Buffer {
  const body = Buffer.from(`tEXtComment\0${comment}`, "latin1");
  const chunk = Buffer.alloc(body.length + 8);
  chunk.writeUInt32BE(body.length - 4, 0);
  chunk.set(body, 4);
  chunk.writeUInt32BE(crc32(body), body.length + 4);
  return Buffer.concat([DOT.subarray(0, HEAD_END), chunk, DOT.subarray(HEAD_END)]);
}
