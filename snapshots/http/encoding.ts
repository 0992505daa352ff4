/** Content codings: which one a client gets, and making it. */
import { pipeline, Readable } from "node:stream";
import { promisify } from "node:util";
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from "node:zlib";
import Negotiator from "negotiator";
import { openByteBudget } from "#snapshots/shelf";

export type Encoding = "br" | "gzip" | "identity";
export const ENCODINGS: readonly Encoding[] = ["br", "gzip", "identity"];

/** Below it compression saves nothing. Bytes. */
const MIN_COMPRESSED = 512;
/** Above it the last tenth of compression is not worth the reader's wait. Bytes. */
const LARGE = 1024 * 1024;
/** Quality of brotli and level of gzip for what is compressed once and sent often. */
const BEST = 9;
/** For what a reader waits for. */
const QUICK = 5;

/** Bytes that are compressed at a time: more would keep the system's few threads from reading files for everybody else. */
const COMPRESSED_AT_ONCE = 1024 * 1024;
const compressing = openByteBudget(COMPRESSED_AT_ONCE);

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);

/** Bounded: header values come from clients. */
const encodings = new Map<string, Encoding>();
const MAX_REMEMBERED_ENCODINGS = 500;

/** The published types lack the second argument, which decides between encodings that the client likes equally. */
type PreferringNegotiator = { encodings(available: readonly string[], options?: { preferred: readonly string[] }): string[] };

/** chooseEncoding chooses the encoding of an answer. @param header Accept-Encoding, or null */
export function chooseEncoding(header: string | null): Encoding {
  if (header === null || header === "") return "identity";
  let encoding = encodings.get(header);
  if (encoding === undefined) {
    const negotiator: PreferringNegotiator = new Negotiator({ headers: { "accept-encoding": header } });
    encoding = (negotiator.encodings(ENCODINGS, { preferred: ENCODINGS })[0] as Encoding | undefined) ?? "identity";
    if (encodings.size >= MAX_REMEMBERED_ENCODINGS) encodings.clear();
    encodings.set(header, encoding);
  }
  return encoding;
}

/** isCompressed tells whether a content of this type and length is sent compressed to a client that takes it. @param size bytes */
export function isCompressed(type: string, size: number): boolean {
  return size >= MIN_COMPRESSED && varies(type);
}

/** varies tells whether contents of this type differ by what the client accepts, whatever their length. */
export function varies(type: string): boolean {
  return /^text\/|[/+](json|xml|javascript|svg|yaml)\b|^application\/(javascript|wasm)/.test(type);
}

export async function encode(bytes: Uint8Array, encoding: Encoding): Promise<Uint8Array> {
  if (encoding === "identity") return bytes;
  const quality = bytes.length > LARGE ? QUICK : BEST;
  await compressing.take(bytes.length);
  try {
    if (encoding === "gzip") return await compressGzip(bytes, { level: quality });
    return await compressBrotli(bytes, {
      params: { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
    });
  } finally {
    compressing.give(bytes.length);
  }
}

/** Streams that are compressed at once: each holds megabytes for as long as its reader takes. */
const MAX_STREAMS = 8;
let streams = 0;

/** mayEncodeStream tells whether one more stream may be compressed now; a client that comes too late gets the plain form. */
export function mayEncodeStream(): boolean {
  return streams < MAX_STREAMS;
}

/** encodeStream compresses a body that is too long to be in memory. It ends with the error of `chunks`, and ends reading them when nobody reads
 *  on. */
export function encodeStream(chunks: AsyncIterable<Uint8Array>, encoding: "br" | "gzip"): AsyncIterable<Uint8Array> {
  streams++;
  const encoder =
    encoding === "br" ? createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: QUICK } }) : createGzip({ level: QUICK });
  encoder.once("close", () => streams--);
  // An error on either side ends both; the reader of the encoder hears of it.
  return pipeline(Readable.from(chunks), encoder, () => undefined);
}
