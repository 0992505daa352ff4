/** What each rule of the project's file for nginx costs: the same kept answer from nginx with the file, with one rule left out at a time, with
 *  nothing but a cache, and as a plain file. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startServing } from "../testing/serving-process.ts";
import { installed } from "./debian.ts";
import { type Figure, figuresAt, type Skipped } from "./figure.ts";
import { LOAD_PACKAGES, ON_FIRST_CORE } from "./load.ts";
import { cacheConfig, loadOne, proxyConfig, startNginx } from "./serving.ts";

const ROUNDS = 6;
const MAX_RULE_US = 1;
const PATH = "/";

/** Rule → what takes it out of the file. */
const RULES: Readonly<Record<string, readonly (readonly [found: RegExp, instead: string])[]>> = {
  "limits of questions and searches": [[/^ +limit_req zone=.*\n/gm, ""]],
  "X-Cache": [[/^ +add_header X-Cache .*\n/gm, ""]],
  "locks of the path and the request": [
    [/^ +proxy_cache_bypass .*\n/gm, ""],
    [/(?<=^ +proxy_no_cache )\$proofshelf_uncached /gm, ""],
  ],
  "lock of the answer, Vary": [[/ \$proofshelf_not_public \$proofshelf_varies;/g, ";"]],
  "encoding in the key": [[/"\$proofshelf_encoding \$request_uri"/g, '"$request_uri"']],
  "places of the sidecar": [[/^ {4}location (?:~|=)[^]*?\n {4}\}\n/gm, ""]],
  "headers to the server": [[/^ +proxy_set_header (?!Host|Connection).*\n/gm, ""]],
  "one asks for many": [[/^ +proxy_cache_lock on;\n/gm, ""]],
  "old answers while a new one comes": [[/^ +proxy_cache_(?:background_update|use_stale) .*\n/gm, ""]],
};

/** @param config of a library that is built
 *  @param folder a new one */
export async function benchProxyRules(config: string, folder: string): Promise<readonly Figure[] | Skipped> {
  const missing = await installed([...LOAD_PACKAGES, "nginx-light"]);
  if (missing !== null) return { skipped: missing };
  const site = await startServing(["--only", "site", "--config", config], ON_FIRST_CORE);
  try {
    const body = await (await fetch(site.url + PATH, { headers: { "Accept-Encoding": "identity" } })).text();
    await writeFile(join(folder, "index.html"), body);
    const file = (name: string, port: number): Promise<string> => proxyConfig(join(folder, name), port, new URL(site.url).port);
    const variants = new Map<string, (name: string, port: number) => Promise<string>>([
      ["plain", (_, port) => Promise.resolve(`server { listen 127.0.0.1:${port}; root ${folder}; }`)],
      ["cache", (name, port) => Promise.resolve(cacheConfig(join(folder, name), port, site.url))],
      ["file", file],
      ...Object.entries(RULES).map(
        ([rule, edits]) => [rule, async (name: string, port: number) => without(rule, edits, await file(name, port))] as const,
      ),
    ]);
    const costs = await measureAll(folder, [...variants.values()]);
    const [plain = Number.NaN, cache = Number.NaN, all = Number.NaN, ...left] = costs;
    const most = figuresAt("a kept page");
    const share = (us: number): string => `${us.toFixed(1)} µs of processor an answer; ${(plain / us).toFixed(2)} of nginx's own files`;
    return [
      most("nginx with the project's file, beside a plain file", all - plain, "µs", plain / 9, share(all)),
      most("nginx's cache without the file's rules, beside a plain file", cache - plain, "µs", plain / 9, share(cache)),
      ...Object.keys(RULES).map((rule, at) => most(rule, all - (left[at] ?? Number.NaN), "µs", MAX_RULE_US, share(left[at] ?? Number.NaN))),
    ];
  } finally {
    await site.stop();
  }
}

function without(rule: string, edits: readonly (readonly [found: RegExp, instead: string])[], text: string): string {
  let left = text;
  for (const [found, instead] of edits) {
    const next = left.replaceAll(found, instead);
    if (next === left) throw new Error(`The file for nginx has no more of "${rule}".`);
    left = next;
  }
  return left;
}

/** @returns microseconds of processor an answer, the least of rounds in turn: other work on the machine only ever adds to it */
async function measureAll(
  folder: string,
  variants: readonly ((name: string, port: number) => Promise<string>)[],
): Promise<readonly number[]> {
  const costs = variants.map((): number[] => []);
  for (let round = 0; round < ROUNDS; round++)
    for (const [at, describe] of variants.entries()) {
      const name = `${round}-${at}`;
      const server = await startNginx(join(folder, name), (port) => describe(name, port));
      try {
        costs[at]?.push(1e6 / (await loadOne(server, PATH, false)).per_core_second);
      } finally {
        server.child.kill("SIGTERM");
      }
    }
  return costs.map((rounds) => Math.min(...rounds));
}
