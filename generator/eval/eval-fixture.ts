/** Small collections, and the evaluation as a process. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext } from "node:test";
import { fileURLToPath } from "node:url";

const EVAL = fileURLToPath(new URL("./main.ts", import.meta.url));

export function collection(t: TestContext, corpus: readonly unknown[], queries: readonly unknown[]): string {
  const folder = mkdtempSync(join(tmpdir(), "judged-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const lines = (values: readonly unknown[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join("");
  writeFileSync(join(folder, "corpus.jsonl"), lines(corpus));
  writeFileSync(join(folder, "queries.train.jsonl"), lines(queries));
  return folder;
}

export const runEval = (...args: string[]) => spawnSync(process.execPath, [EVAL, ...args], { encoding: "utf8", timeout: 280_000 });
