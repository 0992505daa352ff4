/** A library that was built once, and the command line on copies of it. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, type TestContext } from "node:test";
import { useParts } from "../publish/parts.ts";
import { PLAIN_PARTS } from "../testing/plain-parts.ts";
import { fixtureRegistry, writeFiles, writeSmallFixture } from "./library.ts";
import { type Ran, runHere } from "./run-program.ts";
import { CLI } from "./serving-process.ts";

useParts(PLAIN_PARTS);

/** json returns the one JSON document on stdout; anything beside it fails. */
export function json(result: Pick<Ran, "stdout" | "stderr">): Record<string, unknown> {
  assert.equal(result.stdout.trimEnd().split("\n").length, 1, `one line on stdout: ${result.stdout}${result.stderr}`);
  return JSON.parse(result.stdout) as Record<string, unknown>;
}

export function tempDir(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), "proofshelf-cli-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** base is a library that was built once; tests that change it copy it. */
export let base: string;

export let built: Record<string, unknown>;

before(async () => {
  base = mkdtempSync(join(tmpdir(), "proofshelf-cli-"));
  await writeSmallFixture(base);
  const { meta, cubs } = fixtureRegistry();
  // The last ones are rejected.
  await writeFiles(base, [["registry.json", JSON.stringify({ meta, cubs: [...cubs.slice(0, 8), ...cubs.slice(-3)] })]]);
  built = json(await runHere(["build", "--json", "--config", join(base, "proofshelf.yaml"), "--now", "2026-04-01T00:00:00Z"]));
});

after(() => rmSync(base, { recursive: true, force: true }));

export function copy(t: TestContext): { dir: string; file: string } {
  const dir = tempDir(t);
  cpSync(base, dir, { recursive: true, preserveTimestamps: true });
  return { dir, file: join(dir, "proofshelf.yaml") };
}

export function pointerOf(dir: string): { snapshot: string; sequence: number; restores?: number } {
  return JSON.parse(readFileSync(join(dir, "shelf/public/current.json"), "utf8")) as ReturnType<typeof pointerOf>;
}

type Served = { readonly child: ChildProcess; readonly line: string; readonly url: string; stop(): Promise<number | null> };

export async function serve(t: TestContext, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Served> {
  const child = spawn(process.execPath, [CLI, "serve", "--port", "0", ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env },
  });
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const ended = new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)));
  t.after(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  const line = await new Promise<string>((resolve, reject) => {
    let text = "";
    child.stdout.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes("\n")) resolve(text.slice(0, text.indexOf("\n")));
    });
    void ended.then((code) => reject(new Error(`serve ended with ${code}: ${stderr}`)));
  });
  return {
    child,
    line,
    url: /http:\/\/[^"\s]+?:\d+/.exec(line)?.[0].concat("/") ?? "",
    stop: () => {
      child.kill("SIGTERM");
      return ended;
    },
  };
}
