/** A public shelf on somebody else's server. Whoever runs it controls every byte, header and pause: nothing is read beyond what it may
 *  be long, nothing is waited for beyond what it may take, and no redirect is followed. */
import { pipeline } from "node:stream/promises";
import { createGunzip, gunzipSync } from "node:zlib";
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

export type Origin = {
  /** As the user wrote it. */
  readonly url: string;
  /** Bytes at a path below the address, or null where there is nothing.
   *  @param max bytes that it may be long
   *  @throws ShelfError "origin_unreachable", or "origin_refused" when it goes on */
  get(path: string, max: number): Promise<Buffer | null>;
  /** The same with whatever is said about it. */
  ask(
    path: string,
    max: number,
  ): Promise<{ readonly status: number; readonly header: (name: string) => string | null; readonly body: Buffer }>;
  /** A blob, of which every byte is checked. @param size null for a root
   *  @throws ShelfError "origin_refused", with `Missing` as its cause where there is none */
  blob(digest: Sha256, size: number | null): Promise<Buffer>;
  /** The same without holding it in memory.
   *  @param write gets its bytes, and says whether they have the digest */
  save(digest: Sha256, size: number, write: (chunks: AsyncIterable<Buffer>) => Promise<boolean>): Promise<void>;
  /** How many requests were sent, and bytes of bodies read. */
  readonly told: { requests: number; bytes: number };
  close(): Promise<void>;
};

/** Missing is thrown for a file that is not there: a publication meanwhile, or a prune, takes files away. */
export class Missing extends Error {}

/** openOrigin opens the address of a library. @throws ShelfError "bad_config" for what is no address */
export function openOrigin(text: string, { patience = PATIENCE, maxBytes = Number.MAX_SAFE_INTEGER }: OriginOptions = {}): Origin {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== "" || url.username !== "")
    throw new ShelfError("bad_config", `${JSON.stringify(text)} is no address of a library, as in https://library.example.org`);
  return new RemoteOrigin(text, url, patience, maxBytes);
}

class RemoteOrigin implements Origin {
  readonly url: string;
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

  async ask(path: string, max: number) {
    const { status, header, chunks } = await this.#begin(path, max);
    const body = Buffer.concat(await Array.fromAsync(chunks));
    return { status, header, body: status === 200 ? this.#decode(path, header("content-encoding"), body, max) : body };
  }

  async get(path: string, max: number): Promise<Buffer | null> {
    const { status, body } = await this.ask(path, max);
    return this.#isThere(path, status) ? body : null;
  }

  async blob(digest: Sha256, size: number | null): Promise<Buffer> {
    const path = blobPath(digest);
    const bytes = await this.get(path, size ?? MAX_ROOT);
    if (bytes === null) throw this.#missing(path);
    if (sha256(bytes) !== digest) throw this.#refused(`${path} has ${bytes.length} bytes with another digest`);
    return bytes;
  }

  async save(digest: Sha256, size: number, write: (chunks: AsyncIterable<Buffer>) => Promise<boolean>): Promise<void> {
    const path = blobPath(digest);
    const { status, header, chunks } = await this.#begin(path, size);
    const encoding = header("content-encoding") ?? "identity";
    const readable = status === 200 && ["identity", "gzip"].includes(encoding);
    // An answer that nobody reads on keeps its connection.
    if (!readable) for await (const _ of chunks) break;
    if (!this.#isThere(path, status)) throw this.#missing(path);
    if (!readable) throw this.#refused(`${path} is compressed, and was asked for as it is`);
    const refuseLong = (): ShelfError => this.#refused(`${path} goes on beyond the ${size} bytes that it may have`);
    let length = 0;
    const measured = async function* (source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
      for await (const chunk of source) {
        length += chunk.length;
        if (length > size) throw refuseLong();
        yield chunk;
      }
    };
    let whole = false;
    const put = async (source: AsyncIterable<Buffer>): Promise<void> => {
      whole = await write(measured(source));
    };
    try {
      await (encoding === "identity" ? put(chunks) : pipeline(chunks, createGunzip(), put));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code?.startsWith("Z_") === true) throw this.#refused(`${path} is no gzip`);
      throw error;
    }
    if (!whole) throw this.#refused(`${path} has ${length} bytes with another digest`);
    if (length !== size) throw this.#refused(`blob ${digest} is not as long as is said of it`);
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }

  /** An answer of which the head is read. Its chunks end with an error when they are more than `max`, more than this run may read, or fewer
   *  than whoever waits for them can bear. */
  async #begin(path: string, max: number) {
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
      return new ShelfError("origin_unreachable", `${this.url} cannot be read: ${path}: ${why}.`, { cause, fixes: ["Try again later."] });
    };
    const count = (chunk: Buffer): void => {
      length += chunk.length;
      told.bytes += chunk.length;
      if (told.bytes > this.#maxBytes) throw this.#tooMuch();
    };
    const refuseLong = (): ShelfError => this.#refused(`${path} goes on beyond the ${max} bytes that it may have`);
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
    return { status: statusCode, header: (name: string): string | null => headers[name]?.toString() ?? null, chunks: chunks() };
  }

  /** A host of files has them in one form, whatever it is asked for. */
  #decode(path: string, encoding: string | null, body: Buffer, max: number): Buffer {
    if (encoding === null || encoding === "identity") return body;
    if (encoding !== "gzip") throw this.#refused(`${path} is compressed, and was asked for as it is`);
    try {
      return gunzipSync(body, { maxOutputLength: max });
    } catch {
      throw this.#refused(`${path} is no gzip of at most ${max} bytes`);
    }
  }

  /** Tells whether there is a file. @throws ShelfError "origin_refused", "origin_unreachable" */
  #isThere(path: string, status: number): boolean {
    if (status === 200) return true;
    if (status === 404 || status === 410 || status === 451) return false;
    if (status >= 300 && status < 400) throw this.#refused(`${path} leads elsewhere (${status}); give the address that it leads to`);
    throw new ShelfError("origin_unreachable", `${this.url} cannot be read: ${path} answers ${status}.`, { fixes: ["Try again later."] });
  }

  #missing(path: string): ShelfError {
    return new ShelfError("origin_refused", `${this.url} is refused: ${path} is missing.`, { cause: new Missing(path) });
  }

  #tooMuch(): ShelfError {
    return new ShelfError(
      "origin_refused",
      `${this.url} is refused: it has more than the ${this.#maxBytes} bytes that one run may fetch.`,
      {
        fixes: ["If it is as large as that, allow more, where there is room for it: --max-bytes 20g"],
      },
    );
  }

  #refused(what: string): ShelfError {
    return refusal(this.url, what);
  }
}

/** refusal makes the error for what was found to be a lie. @param what without a full stop */
export function refusal(url: string, what: string, cause?: unknown): ShelfError {
  return new ShelfError("origin_refused", `${url} is refused: ${what}.`, cause === undefined ? {} : { cause });
}

/** refusing turns errors of what a stranger sent into a refusal of the stranger. */
export async function refusing<T>(url: string, work: () => Promise<T> | T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ShelfError && ["bad_log", "bad_checkpoint", "snapshot_damaged"].includes(error.code))
      throw refusal(url, error.message.replace(/\.$/, ""), error);
    throw error;
  }
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return message === "" || message === undefined ? (code ?? "no reason is told") : message;
}
