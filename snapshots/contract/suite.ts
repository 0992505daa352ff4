/** Registers every case of the scripts as a test. Whoever calls says how a request travels: see `script.ts`. */
import { readFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { test } from "node:test";
import { answer, CACHE, type View } from "#snapshots/http";
import { openContract } from "./contract.ts";
import type { Fixture } from "./fixture.ts";
import { type Exchange, parseScript, type Received, runCase } from "./script.ts";

/** SHARED_SCRIPTS are scripts about what both views have. */
export const SHARED_SCRIPTS = ["files", "list", "search", "objects", "caching", "hostile", "pages", "at", "history", "agents"] as const;
/** PUBLIC_SCRIPTS are scripts about what only the public view has. */
export const PUBLIC_SCRIPTS = ["public", "cubs", "registry-pages"] as const;
/** SITE_SCRIPTS are scripts about what a server without secrets leaves to the sidecar. */
export const SITE_SCRIPTS = ["site-only"] as const;

export type SuiteOptions = {
  readonly scripts: readonly string[];
  readonly mount: "" | "/internal";
  /** Read when the first test runs, not before. */
  readonly fixture: () => Fixture;
  readonly exchange: Exchange;
};

/** httpSuite is called while tests are registered; `fixture` may be made in a `before` hook. */
export function httpSuite(options: SuiteOptions): void {
  for (const { name, run } of httpCases(options)) test(name, run);
}

/** httpCases are for who runs them within a test. */
export function* httpCases({ scripts, mount, fixture, exchange }: SuiteOptions): Generator<{ name: string; run(): Promise<void> }> {
  let contract: ReturnType<typeof openContract> | null = null;
  for (const name of scripts) {
    const file = `${name}.http`;
    for (const one of parseScript(readFileSync(new URL(file, import.meta.url), "utf8"), file))
      yield {
        name: `${file}: ${one.name}`,
        async run() {
          contract ??= openContract(exchange, { mount });
          await runCase(one, givenValues(fixture(), mount), exchange, (await contract).check);
        },
      };
  }
}

function givenValues(fixture: Fixture, mount: "" | "/internal"): Record<string, string> {
  const gated = mount === "/internal";
  const { current, previous, pruned, previousCursor, prunedCursor } = gated ? fixture.internal : fixture.public;
  return {
    mount,
    current,
    previous,
    pruned,
    previous_cursor: previousCursor,
    pruned_cursor: prunedCursor,
    live: gated ? CACHE.private : CACHE.live,
    fixed: gated ? CACHE.private : CACHE.kept,
    error: gated ? CACHE.private : CACHE.none,
    roots: JSON.stringify(["data/", ...(gated ? ["drafts/"] : []), "many/", "names/", "notes/", "proofs/"]),
    long: "a".repeat(3000),
    q500: "a".repeat(500),
    q501: "a".repeat(501),
  };
}

/** bareExchange asks through the bare function. @param mount taken off before, as a server does */
export function bareExchange(view: () => View, mount: "" | "/internal" = ""): Exchange {
  return async ({ method, target: sent, headers }) => {
    const target = sent.startsWith(mount) ? sent.slice(mount.length) : sent;
    const found = await answer(view(), { method, target, header: (name) => headers[name] ?? null });
    const chunks: Uint8Array[] = [];
    if (found.body instanceof Uint8Array) chunks.push(found.body);
    else if (found.body !== null) for await (const chunk of found.body) chunks.push(chunk);
    return {
      status: found.status,
      headers: new Map(Object.entries(found.headers).map(([name, value]) => [name.toLowerCase(), value])),
      body: Buffer.concat(chunks),
    };
  };
}

/** socketExchange asks over a socket, with the target as it stands: no client of the URL kind, because those tidy paths up. */
export function socketExchange(port: () => number): Exchange {
  return ({ method, target, headers }) =>
    new Promise<Received>((resolve, reject) => {
      const sent = httpRequest({ host: "127.0.0.1", port: port(), method, path: target, headers }, (message) => {
        const chunks: Buffer[] = [];
        message.on("data", (chunk: Buffer) => chunks.push(chunk));
        message.on("error", reject);
        message.on("end", () => {
          const { rawHeaders } = message;
          const map = new Map<string, string>();
          for (let at = 0; at < rawHeaders.length; at += 2) map.set((rawHeaders[at] ?? "").toLowerCase(), rawHeaders[at + 1] ?? "");
          resolve({ status: message.statusCode ?? 0, headers: map, body: Buffer.concat(chunks) });
        });
      });
      sent.on("error", reject);
      sent.end();
    });
}
