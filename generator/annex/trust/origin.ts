/** A public shelf on somebody else's server. Whoever runs it controls every byte, header and pause: nothing is read beyond what it may
 *  be long, nothing is waited for beyond what it may take, and no redirect is followed. */
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { Pool } from "undici";
import { sha256, type Sha256 } from "#snapshots/digest";
import { ShelfError } from "#snapshots/errors";
import { blobPath } from "#snapshots/format";

type Patience = {
  /** For an answer to begin, and the first bytes of it; milliseconds. */
  readonly wait: number;
  /** The least that a body may bring; bytes a second. */
  readonly rate: number;
};
export type OriginOptions = {
  readonly patience?: Patience | undefined;
  /** Bytes of all bodies together. */
  readonly maxBytes?: number;
};
const PATIENCE: Patience = { wait: 30_000, rate: 16 * 1024 };
/** AT_ONCE is the number of requests that are under way at once. */
export const AT_ONCE = 8;
/** How often it is seen whether a body comes fast enough; milliseconds. */
const LOOK_MS = 1000;
const HEADERS = { "user-agent": "proofshelf", "accept-encoding": "identity" };
/** A tree that nothing says the size of: that of a root, whose folders are few. Bytes. */
const MAX_ROOT = 1024 * 1024;

/** openOrigin opens the address of a library. @throws ShelfError "bad_config" for what is no address */
export function openOrigin(text: string, { patience = PATIENCE, maxBytes = Number.MAX_SAFE_INTEGER }: OriginOptions = {}): Origin {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== "" || url.username !== "")
    throw new ShelfError("bad_config", `${JSON.stringify(text)} is no address of a library, as in https://library.example.org`);
  return new Origin(text, url, patience, maxBytes);
}

/** An Origin is somebody else's server, of which one run reads files. */
export class Origin {
  /** As the user wrote it. */
  readonly url: string;
  /** How many requests were sent, and bytes of bodies read. */
  readonly told = { requests: 0, bytes: 0 };
  readonly #base: string;
  readonly #pool: Pool;
  readonly #patience: Patience;
  readonly #maxBytes: number;

  constructor(text: string, url: URL, patience: Patience, maxBytes: number) {
    this.url = text;
    this.#base = url.pathname.replace(/\/$/, "");
    this.#pool = new Pool(url.origin, { connections: AT_ONCE, headersTimeout: patience.wait, bodyTimeout: patience.wait });
    this.#patience = patience;
    this.#maxBytes = maxBytes;
  }

  /** get reads bytes at a path below the address; null where there is nothing.
   *  @param max bytes that it may be long
   *  @throws ShelfError "origin_unreachable", or "origin_refused" when it goes on */
  async get(path: string, max: number): Promise<Buffer | null> {
    const chunks = await this.#open(path, max);
    return chunks === null ? null : Buffer.concat(await Array.fromAsync(chunks));
  }

  /** blob reads a blob and checks every byte of it. @param size null for a root. @throws ShelfError "origin_refused" */
  async blob(digest: Sha256, size: number | null): Promise<Buffer> {
    const path = blobPath(digest);
    const bytes = await this.get(path, size ?? MAX_ROOT);
    if (bytes === null) throw refusal(this.url, `${path} is missing`);
    this.#checkBlob(digest, size, { length: bytes.length, whole: sha256(bytes) === digest });
    return bytes;
  }

  /** save does the same without holding the blob in memory.
   *  @param write gets its bytes, and says whether they have the digest */
  async save(digest: Sha256, size: number, write: (chunks: AsyncIterable<Buffer>) => Promise<boolean>): Promise<void> {
    const path = blobPath(digest);
    const chunks = await this.#open(path, size);
    if (chunks === null) throw refusal(this.url, `${path} is missing`);
    let length = 0;
    const measured = async function* (): AsyncGenerator<Buffer> {
      for await (const chunk of chunks) {
        length += chunk.length;
        yield chunk;
      }
    };
    const whole = await write(measured());
    this.#checkBlob(digest, size, { length, whole });
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }

  #checkBlob(digest: Sha256, size: number | null, { length, whole }: { readonly length: number; readonly whole: boolean }): void {
    if (!whole) throw refusal(this.url, `${blobPath(digest)} has ${length} bytes with another digest`);
    if (size !== null && length !== size) throw refusal(this.url, `blob ${digest} is not as long as is said of it`);
  }

  /** Opens the file at a path, whose chunks are unpacked: a host of files has them in one form, whatever it is asked for. They end with an error
   *  when they are more than `max`, more than this run may read, or come slower than whoever waits for them can bear.
   *  @returns null where there is nothing */
  async #open(path: string, max: number): Promise<AsyncIterable<Buffer> | null> {
    const { status, encoding, chunks } = await this.#ask(path, max);
    if (status === 200 && encoding === "identity") return chunks;
    if (status === 200 && encoding === "gzip")
      return unpacked(chunks, max, () => refusal(this.url, `${path} is no gzip of at most ${max} bytes`));
    // An answer that nobody reads on keeps its connection.
    for await (const _ of chunks) if (status === 200) break;
    if (status === 200) throw refusal(this.url, `${path} is compressed, and was asked for as it is`);
    if (status === 404 || status === 410 || status === 451) return null;
    if (status >= 300 && status < 400) throw refusal(this.url, `${path} leads elsewhere (${status}); give the address that it leads to`);
    throw this.#unreachable(`${path} answers ${status}`);
  }

  /** Sends a request. Its answer is read to the head. */
  async #ask(path: string, max: number) {
    const { told } = this;
    told.requests++;
    const [began, over] = [performance.now(), new AbortController()];
    let length = 0;
    // A byte now and then keeps nobody waiting for ever.
    const watch = setInterval(
      () => {
        const patience = this.#patience.wait + (length / this.#patience.rate) * 1000;
        if (performance.now() - began > patience) over.abort();
      },
      Math.min(LOOK_MS, this.#patience.wait / 4),
    );
    const explain = (cause: unknown): unknown => {
      clearInterval(watch);
      if (cause instanceof ShelfError) return cause;
      const why = over.signal.aborted || /Timeout/.test((cause as Error).name) ? "it stalls" : reasonOf(cause);
      return this.#unreachable(`${path}: ${why}`, cause);
    };
    const count = (chunk: Buffer): void => {
      length += chunk.length;
      told.bytes += chunk.length;
      if (told.bytes > this.#maxBytes)
        throw refusal(this.url, `it has more than the ${this.#maxBytes} bytes that one run may fetch`, {
          fixes: ["If it is as large as that, allow more, where there is room for it: --max-bytes 20g"],
        });
    };
    const refuseLong = (): ShelfError => refusal(this.url, `${path} goes on beyond the ${max} bytes that it may have`);
    const request = { method: "GET", path: this.#base + path, headers: HEADERS, signal: over.signal } as const;
    const { statusCode, headers, body } = await this.#pool.request(request).catch((cause: unknown) => {
      throw explain(cause);
    });
    const chunks = async function* (): AsyncGenerator<Buffer> {
      try {
        for await (const chunk of body as AsyncIterable<Buffer>) {
          count(chunk);
          // An answer in place of a file says why the file is not there, at any length: its status is enough.
          if (length > max && statusCode !== 200) return;
          if (length > max) throw refuseLong();
          yield chunk;
        }
      } catch (cause) {
        throw explain(cause);
      } finally {
        clearInterval(watch);
      }
    };
    return { status: statusCode, encoding: headers["content-encoding"]?.toString() ?? "identity", chunks: chunks() };
  }

  #unreachable(why: string, cause?: unknown): ShelfError {
    return new ShelfError("origin_unreachable", `${this.url} cannot be read: ${why}.`, {
      cause,
      fixes: ["Look whether a library is served at this address; if so, try again later."],
    });
  }
}

/** unpacked unpacks gzip, as much of it as may be. */
async function* unpacked(chunks: AsyncIterable<Buffer>, max: number, refuse: () => ShelfError): AsyncGenerator<Buffer> {
  const gunzip = createGunzip();
  // It ends with whatever ends the pipeline.
  pipeline(chunks, gunzip).catch(() => undefined);
  let length = 0;
  try {
    for await (const chunk of gunzip as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > max) throw refuse();
      yield chunk;
    }
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code?.startsWith("Z_") === true ? refuse() : error;
  }
}

/** refusal makes the error for what was found to be a lie. @param what without a full stop */
export function refusal(url: string, what: string, options: ErrorOptions & { readonly fixes?: readonly string[] } = {}): ShelfError {
  return new ShelfError("origin_refused", `${url} is refused: ${what}.`, options);
}

/** refusing turns errors of what a stranger sent into a refusal of the stranger. */
export async function refusing<T>(url: string, work: () => Promise<T> | T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ShelfError && ["bad_log", "bad_checkpoint", "snapshot_damaged"].includes(error.code))
      throw refusal(url, error.message.replace(/\.$/, ""), { cause: error });
    throw error;
  }
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return message === "" || message === undefined ? (code ?? "no reason is told") : message;
}
