/** HTTP behaviour as text. A script is a list of cases, a case a list of exchanges:
 *
 *      # A comment.
 *      ### A file has a strong validator, and answers 304 to it
 *      > GET /api/catalog
 *      > Accept-Encoding: br
 *      < 200
 *      < ETag: /^"[0-9a-f]{64}-br"$/
 *      < Vary: Accept-Encoding
 *      = source "database"
 *      ^ tag ETag
 *      > GET /api/catalog
 *      > If-None-Match: {tag}
 *      < 304
 *
 *  `>` what is sent: the request line, then headers. `<` what must come back: the status, then headers; a value is exact,
 *  or a /regular expression/, or `absent`. `=` a member of the JSON body by its path and its JSON value (`length` counts);
 *  without a value the member is not there.
 *  `~` text that the body holds, or a /regular expression/; `!~` text that it does not hold. `^ name Header` and
 *  `^ name = path` keep a header or a member of the body for later lines. `{name}` stands for such a value, or for one that
 *  the runner gives (`{current}` is the id of the snapshot); nothing else has a meaning in braces.
 *
 *  The same scripts run against the bare function, against a server over a socket, and behind a mount: whoever runs them
 *  says how a request is exchanged for a response. */
import assert from "node:assert/strict";
import { brotliDecompressSync, gunzipSync } from "node:zlib";

export type Sent = { readonly method: string; readonly target: string; readonly headers: Readonly<Record<string, string>> };
/** Received has headers by lower-case name, and the body as it came over the wire. */
export type Received = { readonly status: number; readonly headers: ReadonlyMap<string, string>; readonly body: Uint8Array };
export type Exchange = (sent: Sent) => Promise<Received>;

type Check = (received: Received, fill: (text: string) => string) => void;
type Step = {
  readonly line: number;
  readonly request: string;
  readonly headers: string[];
  readonly checks: Check[];
  readonly keeps: { readonly name: string; readonly from: (received: Received) => string }[];
};
export type Case = { readonly name: string; readonly line: number; readonly steps: readonly Step[] };

/** parseScript parses a script.
 *  @throws Error naming the line that cannot be read */
export function parseScript(text: string, file: string): Case[] {
  const cases: { name: string; line: number; steps: Step[] }[] = [];
  for (const [at, line] of text.split("\n").entries()) {
    const fail = (why: string): Error => new Error(`${file}:${at + 1}: ${why}: ${line}`);
    const rest = line.replace(/^(###|!~|[>=<~^]) ?/, "");
    const step = cases.at(-1)?.steps.at(-1);
    if (line.startsWith("###")) {
      cases.push({ name: rest, line: at + 1, steps: [] });
    } else if (line.trim() === "" || line.startsWith("#")) {
      continue;
    } else if (/^> [A-Z]+ \S/.test(line)) {
      cases.at(-1)?.steps.push({ line: at + 1, request: rest, headers: [], checks: [], keeps: [] });
    } else if (step === undefined) {
      throw fail("this line belongs to no request");
    } else if (line.startsWith(">")) {
      if (!/^[\w-]+:/.test(rest)) throw fail("not a header");
      step.headers.push(rest);
    } else if (line.startsWith("^")) {
      const [, name = "", member, header = ""] = /^(\w+) (?:= (\S+)|(\S+))$/.exec(rest) ?? [];
      if (name === "") throw fail("not NAME Header or NAME = path");
      step.keeps.push({
        name,
        from: (received) =>
          member === undefined ? (received.headers.get(header.toLowerCase()) ?? "") : String(findMember(received, member)),
      });
    } else {
      step.checks.push(parseCheck(line, rest, fail));
    }
  }
  return cases;
}

function parseCheck(line: string, rest: string, fail: (why: string) => Error): Check {
  if (/^< [0-9]{3}$/.test(line))
    return (received) =>
      assert.equal(received.status, Number(rest), `${received.status} instead of ${rest}: ${textOf(received).slice(0, 400)}`);
  if (line.startsWith("<")) {
    const [, name, value] = /^([\w-]+): (.*)$/.exec(rest) ?? [];
    if (name === undefined || value === undefined) throw fail("not a header");
    return (received, fill) => matchText(received.headers.get(name.toLowerCase()) ?? null, fill(value), name);
  }
  if (line.startsWith("=")) {
    const [, path, value] = /^(\S+)(?: (.+))?$/.exec(rest) ?? [];
    if (path === undefined) throw fail("not a member and a value");
    return (received, fill) =>
      assert.deepEqual(findMember(received, path), value === undefined ? undefined : JSON.parse(fill(value)), path);
  }
  if (line.startsWith("!~")) return (received, fill) => assert.ok(!textOf(received).includes(fill(rest)), `the body holds ${rest}`);
  if (line.startsWith("~")) return (received, fill) => matchPart(textOf(received), fill(rest));
  throw fail("cannot be read");
}

function matchText(found: string | null, wanted: string, name: string): void {
  const pattern = /^\/(.*)\/$/s.exec(wanted)?.[1];
  if (wanted === "absent") assert.equal(found, null, name);
  else if (pattern !== undefined) assert.match(found ?? "(absent)", new RegExp(pattern, "s"), name);
  else assert.equal(found, wanted, name);
}

function matchPart(text: string, wanted: string): void {
  const pattern = /^\/(.*)\/$/s.exec(wanted)?.[1];
  if (pattern === undefined) assert.ok(text.includes(wanted), `the body lacks ${wanted}: ${text.slice(0, 400)}`);
  else assert.match(text, new RegExp(pattern, "s"));
}

/** `a.0.b`; `length` of an array is its length. */
function findMember(received: Received, path: string): unknown {
  let value: unknown = JSON.parse(textOf(received));
  if (path === ".") return value;
  for (const name of path.split(".")) {
    if (typeof value !== "object" || value === null) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

/** decodeBody returns the body with its content coding taken off. */
export function decodeBody(received: Received): Uint8Array {
  const coding = received.headers.get("content-encoding") ?? "identity";
  if (received.body.length === 0) return received.body;
  if (coding === "br") return brotliDecompressSync(received.body);
  if (coding === "gzip") return gunzipSync(received.body);
  assert.equal(coding, "identity");
  return received.body;
}

function textOf(received: Received): string {
  return new TextDecoder().decode(decodeBody(received));
}

/** runCase runs one case.
 *  @param given values for `{name}`; what the case keeps does not leave it
 *  @param always what must hold of every exchange, whatever the script asks */
export async function runCase(
  one: Case,
  given: Readonly<Record<string, string>>,
  exchange: Exchange,
  always: (sent: Sent, received: Received) => Promise<void> = async () => {},
): Promise<void> {
  const values = new Map(Object.entries(given));
  const fill = (text: string): string => text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values.get(name) ?? whole);
  for (const { line, request, headers, checks, keeps } of one.steps) {
    const [, method = "", target = ""] = /^([A-Z]+) (.*)$/s.exec(fill(request)) ?? [];
    const sent: Sent = {
      method,
      target,
      headers: Object.fromEntries(
        headers.map((header) => [header.slice(0, header.indexOf(":")).toLowerCase(), fill(header.slice(header.indexOf(":") + 1)).trim()]),
      ),
    };
    const received = await exchange(sent);
    try {
      for (const check of checks) check(received, fill);
      await always(sent, received);
    } catch (error) {
      throw new Error(`line ${line}, ${method} ${target.slice(0, 200)}: ${error instanceof Error ? error.message : String(error)}`, {
        cause: error,
      });
    }
    for (const { name, from } of keeps) values.set(name, from(received));
  }
}
