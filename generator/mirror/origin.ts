/** A public shelf on somebody else's server. Whoever runs it controls every byte, header and pause: nothing is read beyond what it may
 *  be long, nothing is waited for beyond what it may take, and no redirect is followed. */
import { gunzipSync } from "node:zlib";
import { Pool } from "undici";
import { sha256, type Sha256 } from "../../snapshots/digest.ts";
import { ShelfError } from "../../snapshots/errors.ts";
import { blobPath } from "../../snapshots/format/layout.ts";

export type Patience = {
  /** For an answer to begin, and the first bytes of it; milliseconds. */
  readonly wait: number;
  /** The least that a body may bring; bytes a second. */
  readonly rate: number;
};
const PATIENCE: Patience = { wait: 30_000, rate: 16 * 1024 };
/** The longest that a timer takes; milliseconds. */
const MAX_TIMER = 2 ** 31 - 1;
/** Requests under way. */
export const AT_ONCE = 8;
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
  /** How many requests were sent, and bytes of bodies read. */
  readonly told: { requests: number; bytes: number };
  close(): Promise<void>;
};

/** What a publication meanwhile, or a prune, takes away. */
export class Missing extends Error {}

/** @throws ShelfError "bad_config" for what is no address */
export function openOrigin(text: string, patience: Patience = PATIENCE): Origin {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== "" || url.username !== "")
    throw new ShelfError("bad_config", `${JSON.stringify(text)} is no address of a library, as in https://library.example.org`);
  const pool = new Pool(url.origin, { connections: AT_ONCE, headersTimeout: patience.wait, bodyTimeout: patience.wait });
  const base = url.pathname.replace(/\/$/, "");
  const told = { requests: 0, bytes: 0 };

  const ask: Origin["ask"] = async (path, max) => {
    told.requests++;
    // All of it together: a byte now and then keeps nobody waiting for ever.
    const signal = AbortSignal.timeout(Math.min(MAX_TIMER, Math.ceil(patience.wait + (max / patience.rate) * 1000)));
    try {
      const {
        statusCode,
        headers,
        body: stream,
      } = await pool.request({
        method: "GET",
        path: base + path,
        headers: { "user-agent": "proofshelf", "accept-encoding": "identity" },
        signal,
      });
      const chunks: Buffer[] = [];
      let length = 0;
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        length += chunk.length;
        // What is in place of a file says why it is not there, at any length: its status is enough.
        if (length > max && statusCode !== 200) break;
        if (length > max) throw refused(`${path} goes on beyond the ${max} bytes that it may have`);
        chunks.push(chunk);
      }
      told.bytes += length;
      const header = (name: string): string | null => headers[name]?.toString() ?? null;
      const body = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
      return { status: statusCode, header, body: statusCode === 200 ? decode(path, header("content-encoding"), body, max) : body };
    } catch (cause) {
      if (cause instanceof ShelfError) throw cause;
      const why = signal.aborted || /Timeout/.test((cause as Error).name) ? "it stalls" : reasonOf(cause);
      throw new ShelfError("origin_unreachable", `${text} cannot be read: ${path}: ${why}.`, { cause, fixes: ["Try again later."] });
    }
  };
  /** A host of files has them in one form, whatever it is asked for. */
  const decode = (path: string, encoding: string | null, body: Buffer, max: number): Buffer => {
    if (encoding === null || encoding === "identity") return body;
    if (encoding !== "gzip") throw refused(`${path} is compressed, and was asked for as it is`);
    try {
      return gunzipSync(body, { maxOutputLength: max });
    } catch {
      throw refused(`${path} is no gzip of at most ${max} bytes`);
    }
  };
  const get: Origin["get"] = async (path, max) => {
    const { status, body } = await ask(path, max);
    if (status === 200) return body;
    if (status === 404 || status === 410 || status === 451) return null;
    if (status >= 300 && status < 400) throw refused(`${path} leads elsewhere (${status}); give the address that it leads to`);
    throw new ShelfError("origin_unreachable", `${text} cannot be read: ${path} answers ${status}.`, { fixes: ["Try again later."] });
  };

  return {
    url: text,
    get,
    ask,
    told,
    async blob(digest, size) {
      const path = blobPath(digest);
      const bytes = await get(path, size ?? MAX_ROOT);
      if (bytes === null) throw new ShelfError("origin_refused", `${text} is refused: ${path} is missing.`, { cause: new Missing(path) });
      if (sha256(bytes) !== digest) throw refused(`${path} has ${bytes.length} bytes with another digest`);
      return bytes;
    },
    close: () => pool.destroy(),
  };

  function refused(what: string): ShelfError {
    return refusal(text, what);
  }
}

/** What was found to be a lie. @param what without a full stop */
export function refusal(url: string, what: string, cause?: unknown): ShelfError {
  return new ShelfError("origin_refused", `${url} is refused: ${what}.`, cause === undefined ? {} : { cause });
}

/** Errors of what a stranger sent, as a refusal of the stranger. */
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
