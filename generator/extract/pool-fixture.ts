/** Shared by pool.test.ts and its slow tests. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { compileWorker, WORKER } from "./compile-worker.ts";

export const base = mkdtempSync(join(tmpdir(), "pool-"));

export const worker = join(base, "compiled", WORKER);

before(() => compileWorker(join(base, "compiled")));

after(() => rmSync(base, { recursive: true, force: true }));
