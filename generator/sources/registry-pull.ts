/** The registry's bytes: from a file or over HTTP, within limits. Whoever controls the registry's host controls every byte, header and
 *  redirect of the answer. */
import { buffer } from "node:stream/consumers";
import { limitBytes } from "#snapshots/limit-bytes";
import type { Response } from "undici";
import { ShelfError } from "#snapshots/errors";
import type { RegistryConfig } from "#generator/config";
import type { KeptCopy, Pulled } from "./last-good.ts";
import { readSourceFile } from "./source-file.ts";

export const MAX_REGISTRY_BYTES = 256 * 1024 * 1024; // after decompression; they are held in memory, as bytes, text and values
export const REGISTRY_TIMEOUT_MS = 30_000; // connection, redirects and body together
const MAX_REDIRECTS = 3;

/** RegistryAnnexes make the registry's bytes out of a file that names its sources, and tell what of that is wrong and costs no record. */
export type RegistryAnnexes = { readonly makeRegistry: (file: string, tell?: (what: string) => void) => Promise<Uint8Array> };

export type PullLimits = { readonly maxBytes: number; readonly timeoutMs: number };

/** pullRegistry returns fresh bytes, or null when the source says that `kept` still stands.
 *  @throws ShelfError "bad_source" with a reason that names no path of this machine */
export async function pullRegistry(
  source: RegistryConfig,
  kept: KeptCopy | null,
  limits: PullLimits & RegistryAnnexes,
): Promise<Pulled | null> {
  if ("sources" in source) return { bytes: await limits.makeRegistry(source.sources).catch(withoutPlaces), etag: "", lastModified: "" };
  if (!("path" in source)) return pullUrl("The registry", source.url, kept, limits);
  return { bytes: await readSourceFile(source.path, "registry file", limits.maxBytes), etag: "", lastModified: "" };
}

/** withoutPlaces throws the same without folders of this machine: why a registry cannot be used stands in a snapshot, for everybody. */
function withoutPlaces(error: unknown): never {
  if (!(error instanceof ShelfError)) throw error;
  const { code, message, fixes } = error;
  throw new ShelfError(code, message.replaceAll(/(?<![^\s("'])\/(?:[^\s/:]+\/)+(?=[^\s/])/g, ""), { cause: error, fixes });
}

/** pullUrl asks an address; null when it says that `kept` still stands. @param what it is, for messages
 *  @throws ShelfError "bad_source" */
export async function pullUrl(what: string, start: string, kept: KeptCopy | null, limits: PullLimits): Promise<Pulled | null> {
  const signal = AbortSignal.timeout(limits.timeoutMs);
  const headers: Record<string, string> = { accept: "application/json, */*;q=0.5", "user-agent": "proofshelf" };
  if (kept !== null && kept.etag !== "") headers["if-none-match"] = kept.etag;
  else if (kept !== null && kept.lastModified !== "") headers["if-modified-since"] = kept.lastModified;
  const { fetch } = await import("undici");
  try {
    let url = new URL(start);
    for (let hop = 0; ; hop++) {
      const response = await fetch(url, { headers, redirect: "manual", signal });
      if (response.status >= 300 && response.status < 400 && response.status !== 304) {
        await response.body?.cancel();
        url = nextHop(what, url, response, hop);
        continue;
      }
      if (response.status === 304 && kept !== null) {
        await response.body?.cancel();
        return null;
      }
      if (response.status !== 200) {
        await response.body?.cancel();
        throw new ShelfError("bad_source", `${what} answered ${response.status}.`);
      }
      const bytes = await readBody(what, response, limits.maxBytes);
      return { bytes, etag: header(response, "etag"), lastModified: header(response, "last-modified") };
    }
  } catch (cause) {
    if (cause instanceof ShelfError) throw cause;
    if (signal.aborted) throw new ShelfError("bad_source", `${what} did not answer within ${limits.timeoutMs / 1000} s.`, { cause });
    throw new ShelfError("bad_source", `${what} cannot be reached (${reasonOf(cause)}).`, { cause });
  }
}

function nextHop(what: string, url: URL, response: Response, hop: number): URL {
  const location = response.headers.get("location");
  if (location === null || !URL.canParse(location, url)) throw new ShelfError("bad_source", `${what} redirects to no address.`);
  if (hop >= MAX_REDIRECTS) throw new ShelfError("bad_source", `${what} redirects more than ${MAX_REDIRECTS} times.`);
  const next = new URL(location, url);
  if (next.protocol !== "https:" && (next.protocol !== "http:" || url.protocol === "https:")) {
    throw new ShelfError("bad_source", `${what} redirects to an address that is not https.`);
  }
  return next;
}

/** Counted while it streams and after decompression: neither Content-Length nor a compression bomb is believed. */
async function readBody(what: string, response: Response, maxBytes: number): Promise<Uint8Array> {
  return buffer(limitBytes(response.body, maxBytes, () => new ShelfError("bad_source", `${what} is larger than ${maxBytes} bytes.`)));
}

function header(response: Response, name: string): string {
  const value = response.headers.get(name) ?? "";
  return value.length <= 1024 ? value : "";
}

function reasonOf(cause: unknown): string {
  for (let error: unknown = cause; error instanceof Error; error = error.cause) {
    const code: unknown = (error as NodeJS.ErrnoException).code;
    if (typeof code === "string") return code;
  }
  return "the connection failed";
}

/** nameSource names a source for what is kept of it. */
export function nameSource(source: RegistryConfig): string {
  if ("sources" in source) return `sources ${source.sources}`;
  return "path" in source ? `file ${source.path}` : source.url;
}
