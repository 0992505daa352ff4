/** Two revisions of some Coq files, each checked, and what is told of the second: for tests. */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { scanAll } from "./scan-all.ts";
import { openSource } from "./source-fixture.ts";

export type Files = Readonly<Record<string, string>>;

/** moveFrom checks some files, then others in their place. @returns what is told of the second, by name: cause and definitions */
export async function moveFrom(t: TestContext, first: Files, second: Files) {
  const source = openSource(t);
  const write = (rev: string, files: Files): void => {
    rmSync(join(source.folder, "src"), { recursive: true, force: true });
    source.put({
      "registry.yaml": `sources:\n  - { repo: r, folder: ./src, rev: ${rev}, prover: coq, logical: L, kinds: [theorem] }\n`,
      ...Object.fromEntries(Object.entries(files).map(([path, text]) => [`src/${path}`, text])),
    });
  };
  write("one", first);
  await source.recheck();
  assert.deepEqual([...new Set(Object.values(await source.states()))], ["VERIFIED"]);
  write("two", second);
  await source.recheck();
  const { drift } = await scanAll(source.config());
  // A scan writes down the lines of declarations that only moved.
  await source.recheck();
  const told = Object.fromEntries(
    drift.map(({ what, key, definitions, refused }) => [key.split(".").at(-1), [what, ...(definitions ?? []), refused]]),
  );
  return { ...source, told };
}
