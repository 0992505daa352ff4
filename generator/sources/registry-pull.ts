/** The registry's bytes: from a file or over HTTP, conditionally, within limits, and with the last good ones kept.
 *
 *  Whoever controls the registry's host controls every byte, header and redirect of the answer. */
import { buffer } from "node:stream/consumers";
import { limitBytes } from "../../snapshots/embed/limit-bytes.ts";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Response } from "undici";
import { z } from "zod";
import { sha256 } from "../../snapshots/digest.ts";
import { ShelfError } from "../../snapshots/errors.ts";
import type { RegistryConfig } from "../config/config.ts";
import { seal, unseal } from "../sealed.ts";
import { readSourceFile } from "./source-file.ts";

export const MAX_REGISTRY_BYTES = 64 * 1024 * 1024; // after decompression; about 50,000 records
export const REGISTRY_TIMEOUT_MS = 30_000; // connection, redirects and body together
const MAX_REDIRECTS = 3;

export type PullLimits = { readonly maxBytes: number; readonly timeoutMs: number };
export type Pulled = { readonly bytes: Uint8Array; readonly etag: string; readonly lastModified: string };
export type KeptRegistry = Pulled & { readonly sha256: string; readonly fetched: string };

/** Fresh bytes, or null when the source says that `kept` still stands.
 *  @throws ShelfError "bad_source" with a reason that names no path of this machine */
export async function pullRegistry(source: RegistryConfig, kept: KeptRegistry | null, limits: PullLimits): Promise<Pulled | null> {
  if (!("path" in source)) return pullUrl(source.url, kept, limits);
  return { bytes: await readSourceFile(source.path, "registry", limits.maxBytes), etag: "", lastModified: "" };
}

async function pullUrl(start: string, kept: KeptRegistry | null, limits: PullLimits): Promise<Pulled | null> {
  const signal = AbortSignal.timeout(limits.timeoutMs);
  const headers: Record<string, string> = { accept: "application/json", "user-agent": "proofshelf" };
  if (kept !== null && kept.etag !== "") headers["if-none-match"] = kept.etag;
  else if (kept !== null && kept.lastModified !== "") headers["if-modified-since"] = kept.lastModified;
  const { fetch } = await import("undici");
  try {
    let url = new URL(start);
    for (let hop = 0; ; hop++) {
      const response = await fetch(url, { headers, redirect: "manual", signal });
      if (response.status >= 300 && response.status < 400 && response.status !== 304) {
        await response.body?.cancel();
        url = nextHop(url, response, hop);
        continue;
      }
      if (response.status === 304 && kept !== null) {
        await response.body?.cancel();
        return null;
      }
      if (response.status !== 200) {
        await response.body?.cancel();
        throw new ShelfError("bad_source", `The registry answered ${response.status}.`);
      }
      const bytes = await readBody(response, limits.maxBytes);
      return { bytes, etag: header(response, "etag"), lastModified: header(response, "last-modified") };
    }
  } catch (cause) {
    if (cause instanceof ShelfError) throw cause;
    if (signal.aborted) throw new ShelfError("bad_source", `The registry did not answer within ${limits.timeoutMs / 1000} s.`, { cause });
    throw new ShelfError("bad_source", `The registry cannot be reached (${reasonOf(cause)}).`, { cause });
  }
}

function nextHop(url: URL, response: Response, hop: number): URL {
  const location = response.headers.get("location");
  if (location === null || !URL.canParse(location, url)) throw new ShelfError("bad_source", "The registry redirects to no address.");
  if (hop >= MAX_REDIRECTS) throw new ShelfError("bad_source", `The registry redirects more than ${MAX_REDIRECTS} times.`);
  const next = new URL(location, url);
  if (next.protocol !== "https:" && (next.protocol !== "http:" || url.protocol === "https:")) {
    throw new ShelfError("bad_source", "The registry redirects to an address that is not https.");
  }
  return next;
}

/** Counted while it streams and after decompression: neither Content-Length nor a compression bomb is believed. */
async function readBody(response: Response, maxBytes: number): Promise<Uint8Array> {
  return buffer(limitBytes(response.body, maxBytes, () => new ShelfError("bad_source", `The registry is larger than ${maxBytes} bytes.`)));
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

const KeptState = z.object({
  source: z.string(),
  sha256: z.string(),
  etag: z.string(),
  last_modified: z.string(),
  fetched: z.string(),
});
/** Sealed JSON. */
const STATE_FILE = "registry.state";

/** The last good registry of this source; null when there is none, or when the files are not as they were written. */
export async function findKept(cacheDir: string, source: RegistryConfig): Promise<KeptRegistry | null> {
  try {
    const json = unseal(await readFile(join(cacheDir, STATE_FILE)));
    if (json === null) return null;
    const state = KeptState.parse(JSON.parse(new TextDecoder().decode(json)));
    if (state.source !== nameSource(source) || !/^[0-9a-f]{64}$/.test(state.sha256)) return null;
    const bytes = new Uint8Array(await readFile(join(cacheDir, `registry-${state.sha256}.json`)));
    if (sha256(bytes) !== state.sha256) return null;
    return { bytes, sha256: state.sha256, etag: state.etag, lastModified: state.last_modified, fetched: state.fetched };
  } catch {
    return null;
  }
}

/** Keeps a registry that proved good. Body first, then the state that names it by rename: a crash leaves the older pair. */
export async function keepRegistry(
  cacheDir: string,
  source: RegistryConfig,
  pulled: Pulled,
  previous: KeptRegistry | null,
  now: Date,
): Promise<void> {
  await mkdir(cacheDir, { recursive: true });
  const digest = sha256(pulled.bytes);
  if (digest !== previous?.sha256) await replace(join(cacheDir, `registry-${digest}.json`), pulled.bytes);
  const state = {
    source: nameSource(source),
    sha256: digest,
    etag: pulled.etag,
    last_modified: pulled.lastModified,
    fetched: now.toISOString(),
  };
  await replace(join(cacheDir, STATE_FILE), seal(Buffer.from(JSON.stringify(state))));
  if (previous !== null && previous.sha256 !== digest) await rm(join(cacheDir, `registry-${previous.sha256}.json`), { force: true });
}

async function replace(path: string, bytes: Uint8Array): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`;
  await writeFile(temporary, bytes, { flush: true });
  await rename(temporary, path);
}

function nameSource(source: RegistryConfig): string {
  return "path" in source ? `file ${source.path}` : source.url;
}
