/** Work grows with what is verified, and not with its square: counted in looks at ids, not in time. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { sha256 } from "../digest.ts";
import type { ViewData } from "../format/view-data.ts";
import { type DirectoryShelf, openDirectoryShelf } from "../shelf/shelf-directory.ts";
import { openSnapshot } from "../shelf/read.ts";
import { overriding } from "../shelf/overriding-fixture.ts";
import type { SnapshotRecord } from "../shelf/shelf.ts";
import { changesCheck } from "./changes.ts";
import type { Audit } from "./check.ts";
import { checkContents } from "./contents.ts";
import { extractsCheck } from "./extracts.ts";
import { createReport } from "./finding.ts";
import { pagesCheck } from "./pages.ts";
import { checkRecords } from "./records.ts";
import { openAudit } from "./run-checks.ts";
import { publishBoth, TINY, tinyData } from "./tiny-shelf-fixture.ts";
import { MAX_FOLDERS, walkSnapshot } from "./walk.ts";
import { ROUTES } from "../service/routes.ts";

const base = mkdtempSync(join(tmpdir(), "linear-"));
after(() => rmSync(base, { recursive: true }));
const open = openDirectoryShelf(join(base, "public"));
const full = openDirectoryShelf(join(base, "internal"), open);
await publishBoth({ public: open, internal: full }, TINY);

const openInternal = (shelf: DirectoryShelf): Promise<Audit> =>
  openAudit("internal", shelf, null, {
    report: createReport(),
    routes: ROUTES,
    checks: [pagesCheck, extractsCheck, changesCheck],
    hashed: new Map(),
    derived: new Set(),
    extracts: new Map(),
    maxFolders: MAX_FOLDERS,
    tell: () => undefined,
  });

/** How often `name` of the items is read while `run` runs. */
async function countReads<T extends object>(items: readonly T[], name: keyof T, run: (counted: T[]) => Promise<unknown>): Promise<number> {
  let reads = 0;
  await run(
    items.map(
      (item) =>
        new Proxy(item, {
          get(target, property) {
            if (property === name) reads++;
            return Reflect.get(target, property) as unknown;
          },
        }),
    ),
  );
  return reads;
}

test("the code of ten times as many records costs ten times as many looks at their ids", async () => {
  const record = (await full.readPointer()) as SnapshotRecord;
  const audit = await openInternal(full);
  const snapshot = await openSnapshot(full, record, audit.cache);
  const files = (await walkSnapshot(audit, record.snapshot, true)) ?? assert.fail("it is whole");
  const reads = async (count: number): Promise<number> => {
    const cubs = Array.from({ length: count }, (_, n) => ({
      id: `CUB-${String(n).padStart(5, "0")}`,
      repo: "example/sort",
      theorem_name: `t${n}`,
      statement: "True",
      file_shas: { "A.v": sha256(String(n)) },
    }));
    const data = tinyData({ ...TINY, cubs } as typeof TINY, "internal");
    return countReads(data.cubs, "id", (counted) =>
      checkContents(audit, { ...snapshot, data: async (): Promise<ViewData> => ({ ...data, cubs: counted }) }, files),
    );
  };
  const few = await reads(40);
  const many = await reads(400);
  assert.ok(few > 40, `${few}`);
  assert.ok(many < few * 12, `${few} for 40, ${many} for 400`);
});

test("ten times as many snapshots cost ten times as many looks at their records", async () => {
  const pointer = (await full.readPointer()) as SnapshotRecord;
  const reads = async (count: number): Promise<number> => {
    const all = Array.from({ length: count }, (_, n) => ({
      ...pointer,
      sequence: n + 1,
      snapshot: sha256(String(n)),
      previous: n === 0 ? null : sha256(String(n - 1)),
    }));
    return countReads(all, "snapshot", async (counted) => {
      const audit = await openInternal(
        overriding(full, {
          history: overriding(full.history, { listSequences: async () => all.map(({ sequence }) => sequence) }),
          readRecord: async (sequence) => counted[sequence - 1] ?? null,
          readPointer: async () => counted.at(-1) ?? null,
        }),
      );
      await changesCheck.run(audit, await checkRecords(audit));
    });
  };
  const few = await reads(40);
  const many = await reads(400);
  assert.ok(few >= 40, `${few}`);
  assert.ok(many < few * 12, `${few} for 40, ${many} for 400`);
});
