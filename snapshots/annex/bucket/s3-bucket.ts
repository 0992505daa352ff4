/** A bucket that speaks S3, by the AWS SDK, which is loaded with the first request.
 *
 *  Servers keep what AWS documents to different degrees, so nothing is believed that can be looked at: how long an answer is, whether
 *  a list ascends and its pages lead on, and who has won a write. Conditions are sent with single PUTs only, because some ignore
 *  them elsewhere; the SDK's own attempts are off, because its second one of a write that was done would look like a lost race. */
import http from "node:http";
import https from "node:https";
import { isUtf8 } from "node:buffer";
import type { Readable } from "node:stream";
import type { GetObjectCommandOutput, HeadObjectCommandOutput, S3Client } from "@aws-sdk/client-s3";
import { showBytes } from "#snapshots/terminal";
import type { Bucket, BucketConfig, GetOptions, Got, HeadObject, ListedObject, PutOptions } from "./bucket.ts";
import { RETRY_LIMITS, type RetryLimits, retrying, watched } from "./retry.ts";
import { BadAnswer, isOpen, isPassing, statusOf, toShelfError } from "./s3-failure.ts";

/** More are not given. */
const PAGE_KEYS = 1000;
/** Bytes that a slow line sends in a second, at least; an upload is waited for accordingly. Bytes. */
const SLOWEST_UPLOAD = 128 * 1024;

type Sdk = typeof import("@aws-sdk/client-s3");
type Opened = { readonly sdk: Sdk; readonly client: S3Client };

/** openBucket opens a bucket; nothing is asked of the store yet. @param limits for tests */
export function openBucket(config: BucketConfig, limits: RetryLimits = RETRY_LIMITS): Bucket {
  return new S3Bucket(config, limits);
}

class S3Bucket implements Bucket {
  readonly address: string;
  readonly #config: BucketConfig;
  readonly #limits: RetryLimits;
  /** From the first request on. */
  #opened: Promise<Opened> | null = null;

  constructor(config: BucketConfig, limits: RetryLimits) {
    this.address = `s3://${config.bucket}/${config.prefix}`;
    this.#config = config;
    this.#limits = limits;
  }

  #open(): Promise<Opened> {
    return (this.#opened ??= connect(this.#config));
  }

  /** Many attempts of one thing. */
  async #retry<T>(what: string, work: (opened: Opened) => Promise<T>, isWorthIt = isPassing): Promise<T> {
    const opened = await this.#open();
    try {
      return await retrying(this.#limits, () => work(opened), isWorthIt);
    } catch (error) {
      throw toShelfError(error, what);
    }
  }

  /** Many attempts of one request. `work` gets the signal at which it has to stop. */
  #ask<T>(what: string, work: (opened: Opened, signal: AbortSignal, alive: () => void) => Promise<T>): Promise<T> {
    return this.#retry(what, (opened) => watched(this.#limits.patienceMs, (signal, alive) => work(opened, signal, alive)));
  }

  #readingOf(key: string): string {
    return `Reading ${this.address}${key}`;
  }

  #writingOf(key: string): string {
    return `Writing ${this.address}${key}`;
  }

  get(key: string, options: GetOptions = {}): Promise<Got> {
    return this.#ask(this.#readingOf(key), async ({ sdk, client }, signal, alive) => {
      const { range, ifMatch, ifNoneMatch } = options;
      const command = new sdk.GetObjectCommand({
        Bucket: this.#config.bucket,
        Key: this.#config.prefix + key,
        // The SDK compares what comes with the checksum, where the store has one; of ranges none has.
        ...(range === undefined ? { ChecksumMode: "ENABLED" as const } : { Range: `bytes=${range.start}-${range.end}` }),
        ...(ifMatch === undefined ? {} : { IfMatch: quote(ifMatch) }),
        ...(ifNoneMatch === undefined ? {} : { IfNoneMatch: quote(ifNoneMatch) }),
      });
      let answer: GetObjectCommandOutput;
      try {
        answer = await client.send(command, { abortSignal: signal });
      } catch (error) {
        const state = stateOf(error);
        if (state !== null) return { state };
        // No byte of it lies in the range: an empty object has none.
        if (statusOf(error) === 416 && range !== undefined) return await this.#emptyRange(key, ifMatch);
        throw error;
      }
      const head = headOf(key, answer, sizeOf(answer));
      if (ifMatch !== undefined && head.etag !== ifMatch) {
        discard(answer.Body as Readable);
        return { state: "changed" };
      }
      const bytes = await readBody(answer, { signal, alive, maxBytes: options.maxBytes ?? Number.POSITIVE_INFINITY });
      if (bytes === null) return { state: "longer", ...head };
      // A server may answer a range with everything.
      if (range === undefined || answer.ContentRange !== undefined) return { state: "found", bytes, ...head };
      return { state: "found", bytes: bytes.subarray(range.start, range.end + 1), ...head };
    });
  }

  async #emptyRange(key: string, ifMatch: string | undefined): Promise<Got> {
    const found = await this.head(key);
    if (found === null) return { state: "absent" };
    if (ifMatch !== undefined && found.etag !== ifMatch) return { state: "changed" };
    return { state: "found", bytes: Buffer.alloc(0), ...found };
  }

  async head(key: string): Promise<HeadObject | null> {
    const found = await this.#ask(this.#readingOf(key), async ({ sdk, client }, signal) => {
      try {
        const answer = await client.send(new sdk.HeadObjectCommand({ Bucket: this.#config.bucket, Key: this.#config.prefix + key }), {
          abortSignal: signal,
        });
        return headOf(key, answer, answer.ContentLength ?? 0);
      } catch (error) {
        if (statusOf(error) === 404) return null;
        throw error;
      }
    });
    if (found !== null) return found;
    // An answer to HEAD does not say whether the object is missing or the whole bucket.
    const there = await this.get(key, { maxBytes: 0 });
    return "etag" in there ? there : null;
  }

  /** One attempt. @returns the ETag */
  async #sendPut(
    { sdk, client }: Opened,
    key: string,
    bytes: Uint8Array,
    options: PutOptions,
    condition: { readonly IfNoneMatch?: string; readonly IfMatch?: string },
  ): Promise<string> {
    const command = new sdk.PutObjectCommand({
      Bucket: this.#config.bucket,
      Key: this.#config.prefix + key,
      Body: bytes,
      ContentLength: bytes.length,
      ...condition,
      ...(options.contentType === undefined ? {} : { ContentType: options.contentType }),
      ...(options.cacheControl === undefined ? {} : { CacheControl: options.cacheControl }),
      ...(options.contentDisposition === undefined ? {} : { ContentDisposition: options.contentDisposition }),
      ...(options.contentEncoding === undefined ? {} : { ContentEncoding: options.contentEncoding }),
      ...(options.metadata === undefined ? {} : { Metadata: { ...options.metadata } }),
    });
    const answer = await watched(this.#patienceFor(bytes), (signal) => client.send(command, { abortSignal: signal }));
    if (answer.ETag === undefined) throw new BadAnswer("the store named no version of what it wrote");
    return unquote(answer.ETag);
  }

  #patienceFor(bytes: Uint8Array): number {
    return this.#limits.patienceMs + (bytes.length / SLOWEST_UPLOAD) * 1000;
  }

  put(key: string, bytes: Uint8Array, options: PutOptions = {}): Promise<string> {
    return this.#retry(this.#writingOf(key), (opened) => this.#sendPut(opened, key, bytes, options, {}));
  }

  putIfAbsent(key: string, bytes: Uint8Array): Promise<"written" | "same" | "other"> {
    // Once it is open whether an attempt was done, bytes like ours are ours.
    let unsure = false;
    const attempt = async (opened: Opened): Promise<"written" | "same" | "other"> => {
      try {
        await this.#sendPut(opened, key, bytes, {}, { IfNoneMatch: "*" });
        return "written";
      } catch (error) {
        if (!isOpen(error)) throw error;
        unsure ||= statusOf(error) !== 412;
        const there = await this.get(key, { maxBytes: bytes.length });
        if (there.state === "longer") return "other";
        if (there.state === "found") return !there.bytes.equals(bytes) ? "other" : unsure ? "written" : "same";
        throw error;
      }
    };
    // 412 and nothing there: it was removed in between.
    return this.#retry(this.#writingOf(key), attempt, isOpen);
  }

  putIfMatch(key: string, bytes: Uint8Array, etag: string): Promise<string | null> {
    // Some refuse every ETag in quotes, some may want them. A refusal has written nothing.
    let asked = unquote(etag);
    const attempt = async (opened: Opened): Promise<string | null> => {
      try {
        return await this.#sendPut(opened, key, bytes, {}, { IfMatch: asked });
      } catch (error) {
        if (!isOpen(error)) throw error;
        const there = await this.get(key, { maxBytes: bytes.length });
        if (there.state === "found" && there.bytes.equals(bytes)) return there.etag;
        if (!("etag" in there) || there.etag !== unquote(etag)) return null;
        if (statusOf(error) === 412) asked = quote(etag);
        throw error;
      }
    };
    return this.#retry(this.#writingOf(key), attempt, isOpen);
  }

  async *list(under = ""): AsyncGenerator<ListedObject> {
    let token: string | undefined;
    let last: Buffer | null = null;
    let next: Promise<Page> | null = this.#listPage(under, undefined);
    while (next !== null) {
      const page: Page = await next;
      if (page.token !== undefined && page.token === token)
        throw toShelfError(
          new BadAnswer("the store leads in a circle: two pages have the same continuation"),
          `Listing ${this.address}${under}`,
        );
      token = page.token;
      next = token === undefined ? null : this.#listPage(under, token);
      // Nobody may come back for it; who does hears of it then.
      next?.catch(() => {});
      for (const { raw, ...object } of page.objects) {
        if (last !== null && Buffer.compare(last, raw) >= 0)
          throw toShelfError(
            new BadAnswer(`the list does not ascend at ${JSON.stringify(object.key)}, so it may be a part of what is there`),
            `Listing ${this.address}${under}`,
          );
        last = raw;
        yield object;
      }
    }
  }
  delete(key: string): Promise<void> {
    return this.#ask(`Removing ${this.address}${key}`, async ({ sdk, client }, signal) => {
      await client.send(new sdk.DeleteObjectCommand({ Bucket: this.#config.bucket, Key: this.#config.prefix + key }), {
        abortSignal: signal,
      });
    });
  }

  #listPage(under: string, from: string | undefined): Promise<Page> {
    const skip = Buffer.from(this.#config.prefix);
    return this.#ask(`Listing ${this.address}${under}`, async ({ sdk, client }, signal) => {
      const answer = await client.send(
        new sdk.ListObjectsV2Command({
          Bucket: this.#config.bucket,
          Prefix: this.#config.prefix + under,
          MaxKeys: PAGE_KEYS,
          // Some characters of keys have no place in XML.
          EncodingType: "url",
          ...(from === undefined ? {} : { ContinuationToken: from }),
        }),
        { abortSignal: signal },
      );
      const rows = answer.Contents ?? [];
      // A page that was cut short may still be read as XML.
      if (answer.IsTruncated === undefined || (answer.KeyCount !== undefined && answer.KeyCount !== rows.length))
        throw new BadAnswer("a page of the list came in part");
      if (answer.IsTruncated && (answer.NextContinuationToken ?? "") === "")
        throw new BadAnswer("a page of the list does not say where the next begins");
      const objects = rows.map(({ Key = "", Size, ETag, LastModified }) => {
        const whole = answer.EncodingType === "url" ? decodeKey(Key) : Buffer.from(Key);
        if (Size === undefined || ETag === undefined || !whole.subarray(0, skip.length).equals(skip))
          throw new BadAnswer("a page of the list lacks what was asked for");
        const raw = whole.subarray(skip.length);
        return { raw, key: showBytes(raw), size: Size, etag: unquote(ETag), modified: timeOf(LastModified), unreadable: !isUtf8(raw) };
      });
      return { objects, token: answer.IsTruncated ? answer.NextContinuationToken : undefined };
    });
  }
}

type Page = { readonly objects: readonly (ListedObject & { readonly raw: Buffer })[]; readonly token: string | undefined };

async function connect({ endpoint, region, forcePathStyle }: BucketConfig): Promise<Opened> {
  const sdk = await import("@aws-sdk/client-s3");
  const client = new sdk.S3Client({
    region,
    forcePathStyle,
    ...(endpoint === null ? {} : { endpoint }),
    maxAttempts: 1,
    // Headers and trailers that many servers ignore or refuse; the signature has the digest of what is sent.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    // Node's own agents: they know of proxies and authorities what Node was told.
    requestHandler: { httpAgent: http.globalAgent, httpsAgent: https.globalAgent },
  });
  return { sdk, client };
}

/** The state of the object by a status; null when it says nothing of it. */
function stateOf(error: unknown): "absent" | "unchanged" | "changed" | null {
  const status = statusOf(error);
  if (status === 304) return "unchanged";
  if (status === 412) return "changed";
  return status === 404 && (error as Error).name !== "NoSuchBucket" ? "absent" : null;
}

function headOf(key: string, { ETag, LastModified, Metadata }: GetObjectCommandOutput | HeadObjectCommandOutput, size: number): HeadObject {
  if (ETag === undefined) throw new BadAnswer("the store named no version of it");
  return { key, size, etag: unquote(ETag), modified: timeOf(LastModified), metadata: Metadata ?? {} };
}

/** Size of the whole object, of which the answer may be a part. */
function sizeOf({ ContentRange, ContentLength }: GetObjectCommandOutput): number {
  const whole = /\/(\d+)$/.exec(ContentRange ?? "")?.[1];
  return whole === undefined ? (ContentLength ?? 0) : Number(whole);
}

/** Null when it is longer than `maxBytes`. */
async function readBody(
  { Body, ContentLength }: GetObjectCommandOutput,
  { signal, alive, maxBytes }: { readonly signal: AbortSignal; readonly alive: () => void; readonly maxBytes: number },
): Promise<Buffer | null> {
  const body = Body as Readable;
  const stop = (): void => void body.destroy(signal.reason as Error);
  signal.addEventListener("abort", stop, { once: true });
  try {
    if (ContentLength !== undefined && ContentLength > maxBytes) return null;
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of body as AsyncIterable<Buffer>) {
      alive();
      chunks.push(chunk);
      length += chunk.length;
      if (length > maxBytes) return null;
    }
    if (ContentLength !== undefined && length !== ContentLength) throw new BadAnswer(`${length} bytes came instead of ${ContentLength}`);
    return Buffer.concat(chunks, length);
  } finally {
    signal.removeEventListener("abort", stop);
    discard(body);
  }
}

/** A body that is not read must not hold its connection. */
function discard(body: Readable): void {
  body.once("error", () => {});
  body.destroy();
}

function unquote(etag: string): string {
  return etag.replaceAll('"', "");
}

function quote(etag: string): string {
  return `"${unquote(etag)}"`;
}

function timeOf(time: Date | undefined): string | null {
  return time === undefined || Number.isNaN(time.getTime()) ? null : time.toISOString();
}

/** Bytes of a key as lists with encoding "url" write it. */
function decodeKey(text: string): Buffer {
  const plain = text.replaceAll("+", " ");
  if (!plain.includes("%")) return Buffer.from(plain);
  const parts = plain.split(/%([0-9A-Fa-f]{2})/);
  return Buffer.concat(parts.map((part, at) => Buffer.from(part, at % 2 === 1 ? "hex" : "utf8")));
}
