import assert from "node:assert/strict";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { canonicalJson, sha256 } from "../digest.ts";
import { rowsJson } from "../query/catalog.ts";
import { openDirectoryShelf } from "../shelf/shelf-directory.ts";
import type { SnapshotRecord } from "../shelf/shelf.ts";
import { changesCheck } from "./changes.ts";
import { extractsCheck } from "./extracts.ts";
import { createReport, type Finding } from "./finding.ts";
import { pagesCheck } from "./pages.ts";
import { checkRecords } from "./records.ts";
import {
  coveredFiles,
  type Damage,
  damaged,
  DAMAGES,
  errors,
  flip,
  isTree,
  mayBeMissing,
  newRoom,
  OTHER_BYTES,
  published,
  type Room,
  verify,
} from "./room-fixture.ts";
import { openAudit, runChecks } from "./run-checks.ts";
import { type VerifyOptions, verifyShelf } from "../service/verify.ts";
import { MAX_FOLDERS } from "./walk.ts";
import {
  GATED_COLLECTION,
  GATED_TEXT,
  publishBoth,
  publishTiny,
  TINY,
  tinyData,
  type TinyOptions,
  type TinySource,
} from "./tiny-shelf-fixture.ts";
import { ROUTES } from "../service/routes.ts";

const codes = (findings: readonly Finding[]): string[] => [...new Set(findings.map((finding) => finding.code))].sort();

const tiny = await published();

/** The walk and what it needs to name every file: neither pages nor leaks are looked at. */
const findDamage = (room: Room): Promise<Finding[]> =>
  runChecks({ public: room.public, internal: room.internal, snapshots: "all", routes: ROUTES }, [changesCheck]);

/** What is said of a pointer, a record or a list of changes, which no walk has to be made for. */
async function findInHistory(room: Room): Promise<Finding[]> {
  const shared = {
    report: createReport(),
    checks: [],
    routes: ROUTES,
    hashed: new Map(),
    derived: new Set<string>(),
    extracts: new Map(),
    maxFolders: MAX_FOLDERS,
    tell: () => undefined,
  };
  for (const root of ["public", "internal"] as const) {
    const audit = await openAudit(root, room[root], null, shared);
    await changesCheck.run(audit, await checkRecords(audit));
  }
  return shared.report.finish();
}

/** Whether one of the findings is about the blob that a file is. */
function isNamed(path: string, findings: readonly Finding[]): boolean {
  const [root = "", digest = ""] = [path.slice(0, path.indexOf("/")), path.slice(path.lastIndexOf("/") + 1)];
  return errors(findings).some((one) => one.root === root && one.detail.includes(digest));
}

/** Damages all blobs at once. Those that are named are put back, until none is left: what lies below a damaged tree is named then.
 *  @returns those that nothing names */
async function findUnnamed(room: Room, blobs: readonly string[], damage: Damage): Promise<readonly string[]> {
  let left = blobs;
  for (;;) {
    const findings = await damaged(room, left, damage, () => findDamage(room));
    assert.ok(!JSON.stringify(findings).includes(room.root), "a finding names a path of the machine");
    const unnamed = left.filter((path) => !isNamed(path, findings));
    if (unnamed.length === 0 || unnamed.length === left.length) return unnamed;
    left = unnamed;
  }
}

test("one changed byte in any file of a shelf is found, and which blob it is in", async () => {
  const room = newRoom(tiny);
  const { blobs = [], others = [] } = Object.groupBy(coveredFiles(room), (path) => (path.includes("/blobs/") ? "blobs" : "others"));
  assert.ok(blobs.length > 60 && others.length === 6);
  const files = blobs.filter((path) => !isTree(room, path));
  assert.deepEqual(await findUnnamed(room, blobs, flip(40, 1)), []);
  for (const place of [0, 40, 150]) {
    assert.deepEqual(await findUnnamed(room, files, flip(place, 1)), [], `byte ${place}`);
    for (const path of others) {
      const findings = await damaged(room, [path], flip(place, 1), () => findInHistory(room));
      assert.ok(errors(findings).length > 0, `${path}, byte ${place}`);
    }
  }
});

test("a file that is missing, torn, overlong, garbage or a folder is a finding and never a crash", async () => {
  const room = newRoom(tiny);
  const files = coveredFiles(room);
  const { blobs = [], others = [] } = Object.groupBy(files, (path) => (path.includes("/blobs/") ? "blobs" : "others"));
  for (const [number, damage] of DAMAGES.entries()) {
    // What lies below a damaged folder takes a look for each folder above it.
    const struck = blobs.filter((path) => (number === 0 ? !mayBeMissing(path, files) : number === 4 || !isTree(room, path)));
    assert.deepEqual(await findUnnamed(room, struck, damage), [], `damage ${number}`);
    for (const path of others) {
      const findings = await damaged(room, [path], damage, () => findInHistory(room));
      assert.ok(errors(findings).length > 0, `${path}, damage ${number}`);
      assert.ok(!JSON.stringify(findings).includes(room.root), "a finding names a path of the machine");
    }
  }
});

test("a pack that is missing, torn, overlong, garbage, a folder or has one other byte is a finding and never a crash", async () => {
  const room = await published();
  for (const shelf of [room.public, room.internal]) await shelf.blobs.sweep({ isNeeded: null });
  assert.deepEqual(await verify(room), []);
  const packs = readdirSync(room.root, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".zip"));
  assert.equal(packs.length, 2);
  const damages: readonly Damage[] = [
    ...DAMAGES,
    ...[0.2, 0.5, 0.9].map(
      (at): Damage =>
        (file, bytes) =>
          flip(Math.floor(bytes.length * at), 0x10)(file, bytes),
    ),
  ];
  for (const path of packs) {
    for (const [number, damage] of damages.entries()) {
      const findings = await damaged(room, [path], damage, () => findDamage(room));
      assert.ok(findings.length > 0, `${path}, damage ${number}`);
      assert.ok(!JSON.stringify(findings).includes(room.root), "a finding names a path of the machine");
    }
  }
});

test("a pointer, a record or a list of changes in any other bytes than its canonical ones is told", async () => {
  const room = newRoom(tiny);
  for (const path of coveredFiles(room).filter((name) => !name.includes("/blobs/"))) {
    const name = path.slice(path.indexOf("/") + 1);
    for (const change of OTHER_BYTES) {
      const findings = errors(await damaged(room, [path], change, () => findInHistory(room)));
      assert.ok(
        findings.some(({ path: told }) => told !== null && name.startsWith(told)),
        `${path} ${JSON.stringify(codes(findings))}`,
      );
    }
  }
});

test("a shelf of whatever files is told about, not choked on", async () => {
  const anything = fc.oneof(fc.json(), fc.string(), fc.constant(readFileSync(join(tiny.root, "public/current.json"), "utf8")));
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(
        fc.constantFrom(
          "current.json",
          "snapshots/1.json",
          "snapshots/2.json",
          "changes/1.json",
          `blobs/00/${"0".repeat(64)}`,
          "blobs",
          "index/x.lance",
        ),
        anything,
      ),
      async (files) => {
        const room = newRoom();
        for (const root of ["public", "internal"]) {
          for (const [path, content] of Object.entries(files)) {
            const file = join(room.root, root, path);
            try {
              mkdirSync(join(file, ".."), { recursive: true });
              writeFileSync(file, content);
            } catch {
              // "blobs" cannot be a file and a folder; either will do.
            }
          }
        }
        const findings = await verify(room);
        assert.ok(findings.some((finding) => finding.severity === "error"));
      },
    ),
    { numRuns: 30 },
  );
});

test("a sound shelf has no findings, in one snapshot or several, after a rollback and with no gated object", async () => {
  assert.deepEqual(await verify(tiny), []);
  assert.deepEqual(await verify(tiny, { snapshots: "current" }), []);
  assert.deepEqual(await verifyShelf({ public: tiny.public, internal: null }), []);
  const room = newRoom(tiny);
  const next: TinySource = {
    ...TINY,
    objects: [...TINY.objects, { key: "notes/more.md", text: "# More\n" }],
    claims: [],
    cubs: TINY.cubs?.slice(1) ?? [],
  };
  await publishBoth(room, next, { created: "2026-02-02T00:00:00Z" });
  await publishBoth(room, TINY, { created: "2026-02-03T00:00:00Z" });
  assert.deepEqual(await verify(room), []);
  assert.deepEqual(await verify(await published({ objects: [{ key: "notes/a.md", text: "a" }] })), []);
  assert.deepEqual(await verify(await published({ objects: [] })), []);
  const [, before, last] = (await room.public.history.listRecords()) as [SnapshotRecord, SnapshotRecord, SnapshotRecord];
  await room.public.history.swapPointer(before, last);
  assert.deepEqual(codes(await verifyShelf({ public: room.public, internal: null })), ["orphan_record"]);
});

test("a pointer that somebody put back is told: by the log, by what lies beyond it, and by what is known to have been published", async () => {
  const room = newRoom(tiny);
  const more = (n: number): TinySource => ({ ...TINY, objects: [...TINY.objects, { key: `notes/${n}.md`, text: `# ${n}\n` }] });
  for (const n of [2, 3]) await publishBoth(room, more(n), { created: `2026-02-0${n}T00:00:00Z` });
  const [first, second, third] = (await room.public.history.listRecords()) as [SnapshotRecord, SnapshotRecord, SnapshotRecord];
  const say = async (since: VerifyOptions["since"] = null) =>
    (await verifyShelf({ public: room.public, internal: null, since })).map(({ code, detail }) => `${code}: ${detail}`);
  assert.deepEqual(await say(), []);
  assert.deepEqual(await say({ sequence: 3 }), []);
  assert.deepEqual(await say(third), []);
  assert.match((await say({ sequence: 4 })).join(), /^pointer_back: It names 3, but 4 is known to have been published\.$/);
  assert.match((await say({ ...third, created: "2026-02-09T00:00:00Z" })).join(), /^history_rewritten/);
  await room.public.history.swapPointer(second, third);
  assert.match((await say()).join(), /^orphan_record/, "it may have been cut short");
  assert.match((await say(third)).join(), /pointer_back/);
  await room.public.records.keep(3);
  assert.match((await say()).join(), /^pointer_back: It names 2, but 3 was published after it/);
  await room.public.history.swapPointer(first, second);
  rmSync(join(room.root, "public/served"));
  assert.match((await say()).join(), /^pointer_back: It names 1, but 3 was published after it/);
});

/** Other bytes under a name, with every digest made to fit: what somebody who can write the shelf would do. */
async function forged(options: TinyOptions): Promise<string[]> {
  const shelf = openDirectoryShelf(join(newRoom().root, "public"));
  await publishTiny(shelf, tinyData(TINY, "public"), TINY, options);
  return codes(await runChecks({ public: shelf, internal: null, routes: ROUTES }, [pagesCheck, extractsCheck, changesCheck]));
}

const json = (path: string): unknown => {
  const { claims, library, rejected, withheld, meta, cubs } = tinyData(TINY, "public");
  const bodies: Readonly<Record<string, unknown>> = {
    "api/claims.json": claims,
    "api/library.json": library,
    "api/rejected.json": { rejected, withheld },
    "parts/records/0000000.json": cubs,
    "api/cubs/meta.json": meta,
  };
  return structuredClone(bodies[path]);
};

test("files that contradict each other are found though every digest fits", async () => {
  const one = (path: string, content: unknown): TinyOptions => ({
    files: { [path]: typeof content === "string" ? content : canonicalJson(content) },
  });
  const claims = json("api/claims.json") as { claims: Record<string, unknown>[] };
  const records = "parts/records/0000000.json";
  const cubs = json(records) as Record<string, unknown>[];
  const rows = rowsJson(tinyData(TINY, "public").library, tinyData(TINY, "public").objects);
  const library = json("api/library.json") as Record<string, unknown>;
  const cases: readonly (readonly [TinyOptions, string])[] = [
    [{ without: ["api/claims.json"] }, "api_missing"],
    [one("api/claims.json", "[]"), "api_malformed"],
    [one("api/claims.json", "{"), "api_malformed"],
    [one("api/claims.json", { ...claims, claims: [{ ...claims.claims[0], private_note: 1 }] }), "api_malformed"],
    [one("api/claims.json", { ...claims, claims: [claims.claims[0], claims.claims[0]] }), "api_mismatch"],
    [one(records, JSON.stringify(cubs)), "derived_differs"],
    [one(records, [...cubs].reverse()), "api_mismatch"],
    [one(records, [cubs[0], { ...cubs[1], operator: "x" }]), "api_malformed"],
    [one(records, [cubs[0]]), "derived_extra"],
    [one("parts/records/0000001.json", []), "derived_extra"],
    [one("parts/records/0000001.json", cubs), "api_mismatch"],
    [one("parts/objects/notes/0000000.json", rows.replace('"size":', '"size":1')), "api_mismatch"],
    [one("parts/objects/notes/0000000.json", rows.replace('"etag":"', '"etag":"x')), "derived_differs"],
    [one("parts/objects/drafts/0000000.json", rows), "derived_extra"],
    [one("api/library.json", { ...library, view: "internal" }), "api_mismatch"],
    [one("api/library.json", { ...library, collections: [] }), "derived_extra"],
    [one("api/library.json", { ...library, collections: [...(library["collections"] as object[]), GATED_COLLECTION] }), "gated_in_public"],
    [one("api/cubs/CUB-0001.json", "{}"), "derived_differs"],
    [{ without: ["api/cubs/CUB-0001.json"] }, "derived_missing"],
    [{ without: ["api/cubs/CUB-0001/code.json"] }, "derived_missing"],
    [one("api/cubs/CUB-0009.json", "{}"), "derived_extra"],
    [one("api/openapi.json", "{}"), "derived_differs"],
    [one("objects/notes/hello.md", "other bytes"), "api_mismatch"],
    [one("objects/notes/uncatalogued.md", "x"), "api_mismatch"],
    [one("objects/notes/a\ufffdb.md", "x"), "bad_name"],
    [one("objects/notes/..", "x"), "bad_name"],
    [{ without: ["objects/notes/hello.md"] }, "api_mismatch"],
    [{ without: ["extracts/notes/hello.md"] }, "extract_missing"],
    [one("extracts/notes/other.md", "{}"), "extract_missing"],
    [one("extracts/notes/hello.md", "{}"), "extract_mismatch"],
    [{ without: ["pages/object/notes/hello.md=.html"] }, "page_missing"],
    [one("pages/object/notes/bye.md=.html", ""), "page_extra"],
    [one("pages/evil.txt", ""), "media_type"],
    [one("images/notes/hello.md/1.png", "an image"), "extract_mismatch"],
  ];
  for (const [options, code] of cases) {
    const found = await forged(options);
    assert.ok(found.includes(code), `${JSON.stringify(options).slice(0, 200)}: wanted ${code}, found ${found.join(" ")}`);
  }
});

test("an extract whose quotes are not the object's lines is found", async () => {
  const extract = {
    title: "Hello",
    summary: "",
    kind: "markdown",
    media_type: "text/markdown; charset=utf-8",
    language: null,
    lines: 3,
    html: null,
    notes: [],
  };
  const passage = { heading: [], name: null, page: null, start_line: 3, end_line: 3, text: "A first note about sorting lists." };
  const path = "extracts/notes/hello.md";
  assert.deepEqual(await forged({ files: { [path]: JSON.stringify({ ...extract, passages: [passage] }) } }), []);
  for (const wrong of [
    { ...passage, text: "A first note about sorting lists" },
    { ...passage, start_line: 2 },
    { ...passage, end_line: 99 },
    { ...passage, start_line: 99, end_line: 99 },
  ]) {
    assert.deepEqual(await forged({ files: { [path]: JSON.stringify({ ...extract, passages: [wrong] }) } }), ["extract_mismatch"]);
  }
});

test("images are those that the extract of their object names, and no other files", async () => {
  const bytes = "an image";
  const image = { page: 1, width: 1, height: 1, sha256: sha256(bytes), size: bytes.length };
  const extract = {
    title: "Hello",
    summary: "",
    kind: "markdown",
    media_type: "text/markdown; charset=utf-8",
    language: null,
    lines: 3,
    html: null,
    notes: [],
    passages: [],
    images: [image],
  };
  const path = "images/notes/hello.md/1.png";
  const files = (other: Readonly<Record<string, string>>, named: object = extract): TinyOptions => ({
    files: { "extracts/notes/hello.md": JSON.stringify(named), ...other },
  });
  assert.deepEqual(await forged(files({ [path]: bytes })), []);
  assert.deepEqual(await forged(files({})), ["extract_missing"]);
  assert.deepEqual(await forged(files({ [path]: "another one" })), ["extract_mismatch"]);
  assert.deepEqual(await forged(files({ [path]: bytes, "images/notes/hello.md/2.png": bytes })), ["extract_mismatch"]);
  assert.deepEqual(await forged(files({ [path]: bytes }, { ...extract, images: [{ ...image, note: "private" }] })), ["extract_mismatch"]);
});

test("whatever is gated and reaches a public file is a leak, and what a public object says itself a warning", async () => {
  for (const [content, code] of [
    ["drafts/withdrawal-plan.md", "leak_key"],
    [sha256(TINY.objects[2]?.text ?? ""), "leak_digest"],
    ["Plan of the withdrawal", "leak_title"],
    [`<p>${GATED_TEXT}</p>`, "leak_text"],
    ["example/withheld-repository", "leak_private"],
    ["canary-0123456789", "leak_private"],
  ] as const) {
    const room = await published(TINY, { files: { "assets/page.0123abcd.css": content } });
    assert.deepEqual(codes(errors(await verify(room, { extra: ["canary-0123456789"] }))), [code]);
    const objects = [...TINY.objects, { key: "notes/said.md", text: `# Said\n\n${content}\n` }];
    const said = await published({ ...TINY, objects }, {});
    const findings = await verify(said, { extra: ["canary-0123456789"] });
    assert.deepEqual(errors(findings), [], content);
    assert.ok(findings.every((finding) => finding.path === "objects/notes/said.md"));
  }
});

test("a search index that holds gated text is a leak", async () => {
  const room = newRoom(tiny);
  mkdirSync(join(room.root, "public/index/passages.lance/data"), { recursive: true });
  writeFileSync(
    join(room.root, "public/index/passages.lance/data/0.lance"),
    Buffer.concat([Buffer.alloc(100), Buffer.from("drafts/withdrawal-plan.md")]),
  );
  assert.deepEqual(
    (await verify(room)).map((finding) => [finding.code, finding.path]),
    [["leak_key", "index/passages.lance/data/0.lance"]],
  );
});

test("a projection that forgets to withhold is found", async () => {
  const whole = tinyData(TINY, "internal");
  const data = tinyData(TINY, "public");
  for (const [broken, code] of [
    [{ ...data, claims: whole.claims }, "gated_in_public"],
    [{ ...data, objects: whole.objects }, "gated_in_public"],
    [{ ...data, objects: whole.objects, library: { ...data.library, collections: whole.library.collections } }, "gated_in_public"],
  ] as const) {
    const room = newRoom();
    await publishTiny(room.internal, whole, TINY);
    await publishTiny(room.public, broken, TINY);
    const found = codes(errors(await verify(room)));
    assert.ok(found.includes(code), found.join(" "));
  }
});

test("what is public and not in the internal view, or other there, is found", async () => {
  const less: TinySource = { ...TINY, objects: TINY.objects.slice(1), claims: [], cubs: TINY.cubs?.slice(1) ?? [] };
  const other: TinySource = {
    ...TINY,
    objects: TINY.objects.map((object) => ({ ...object, text: `${object.text}\n` })),
    cubs: TINY.cubs?.map((record) => ({ ...(record as object), note: "x" })) ?? [],
  };
  for (const source of [less, other]) {
    const room = newRoom();
    await publishTiny(room.internal, tinyData(source, "internal"), source);
    await publishTiny(room.public, tinyData(TINY, "public"), TINY);
    const findings = (await verify(room)).filter((finding) => finding.code === "not_in_internal");
    assert.ok(findings.some((finding) => finding.path === "objects/notes/hello.md"));
    assert.ok(findings.some((finding) => finding.path === "api/cubs/CUB-0001.json"));
  }
});

test("a public blob that lies only under internal/ is told as that", async () => {
  const room = newRoom(tiny);
  const digest = sha256(TINY.objects[0]?.text ?? "");
  const path = `blobs/${digest.slice(0, 2)}/${digest}`;
  mkdirSync(join(room.root, "internal", path, ".."), { recursive: true });
  cpSync(join(room.root, "public", path), join(room.root, "internal", path));
  rmSync(join(room.root, "public", path));
  assert.deepEqual(codes(errors(await verify(room))), ["blob_only_internal"]);
});

test("a damaged copy is found even where the other root has a good one", async () => {
  const room = newRoom(tiny);
  const digest = sha256(TINY.objects[0]?.text ?? "");
  const path = `blobs/${digest.slice(0, 2)}/${digest}`;
  mkdirSync(join(room.root, "internal", path, ".."), { recursive: true });
  writeFileSync(join(room.root, "internal", path), "torn");
  assert.deepEqual(
    (await verify(room)).filter((finding) => finding.severity === "error").map((finding) => [finding.root, finding.code]),
    [["internal", "blob_digest"]],
  );
});

test("blobs that nothing needs are counted, and those that only the internal view needs told apart", async () => {
  const room = newRoom(tiny);
  await room.public.blobs.put(sha256("spare"), Buffer.from("spare"));
  await room.internal.blobs.put(sha256("rest"), Buffer.from("rest"));
  const gated = TINY.objects[2]?.text ?? "";
  await room.public.blobs.put(sha256(gated), Buffer.from(gated));
  assert.deepEqual(
    (await verify(room)).map(({ severity, code, root, detail }) => [severity, code, root, detail]),
    [
      ["warning", "unreferenced_blobs", "public", "1 blob, 5 bytes."],
      ["warning", "gated_blob_in_public", "public", `1 blob, ${Buffer.byteLength(gated)} bytes.`],
      ["warning", "unreferenced_blobs", "internal", "1 blob, 4 bytes."],
    ],
  );
});

test("damage in an older snapshot is found when all are asked for, its root always", async () => {
  const room = newRoom(tiny);
  await publishBoth(room, { ...TINY, objects: TINY.objects.slice(1) }, { created: "2026-02-02T00:00:00Z" });
  const old = sha256(TINY.objects[0]?.text ?? "");
  const file = join(room.root, "public/blobs", old.slice(0, 2), old);
  writeFileSync(file, "torn");
  assert.deepEqual(errors(await verify(room, { snapshots: "current" })), []);
  assert.ok(codes(await verify(room)).includes("blob_digest"));
  const [first] = await room.public.history.listRecords();
  rmSync(join(room.root, "public/blobs", first?.snapshot.slice(0, 2) ?? "", first?.snapshot ?? ""));
  assert.ok(codes(await verify(room, { snapshots: "current" })).includes("blob_missing"));
});

test("records that do not follow each other are found; pruned and skipped ones are not faults", async () => {
  const room = newRoom(tiny);
  await publishBoth(room, { ...TINY, objects: TINY.objects.slice(1) }, { created: "2026-01-01T00:00:00Z" });
  assert.deepEqual(codes(await verify(room)), ["record_order"]);
  const rewrite = (sequence: number, change: Partial<SnapshotRecord>): void => {
    const file = join(room.root, `public/snapshots/${sequence}.json`);
    const record = { ...(JSON.parse(readFileSync(file, "utf8")) as SnapshotRecord), ...change };
    writeFileSync(file, canonicalJson(record));
    if (sequence === 2) writeFileSync(join(room.root, "public/current.json"), canonicalJson(record));
  };
  rewrite(2, { created: "2026-02-02T00:00:00Z", previous: sha256("no such snapshot") });
  assert.deepEqual(codes(errors(await verify(room))), ["record_chain"]);
  rmSync(join(room.root, "public/snapshots/1.json"));
  assert.deepEqual(errors(await verify(room)), []);
});

test("a list of changes that does not say what changed is found", async () => {
  const room = newRoom(tiny);
  await publishBoth(room, { ...TINY, objects: TINY.objects.slice(1) }, { created: "2026-02-02T00:00:00Z" });
  assert.deepEqual(await verify(room), []);
  const file = join(room.root, "public/changes/2.json");
  writeFileSync(file, readFileSync(file, "utf8").replace("notes/hello.md", "notes/hallo.md"));
  assert.deepEqual(codes(await verify(room)), ["changes_malformed"]);
  // Who can write the list can take its digest away.
  rmSync(join(room.root, "public/changes.sha256"));
  assert.deepEqual(codes(await verify(room)), ["changes_mismatch"]);
  rmSync(file);
  assert.deepEqual(codes(await verify(room)), ["changes_missing"]);
});

test("a few trees that spell billions of paths, and folders without end, stop verification and nothing else", async () => {
  for (const [names, depth] of [
    [["a"], 1500],
    [["a", "b"], 64],
  ] as const) {
    const room = newRoom();
    let bytes = Buffer.from("[]");
    for (let level = 0; level < depth; level++) {
      const digest = sha256(bytes);
      await room.public.blobs.put(digest, bytes);
      const folders = level === depth - 1 ? ["objects"] : names;
      bytes = Buffer.from(
        `[${folders.map((name) => `{"kind":"tree","name":"${name}","sha256":"${digest}","size":${bytes.length}}`).join(",")}]`,
      );
    }
    await room.public.blobs.put(sha256(bytes), bytes);
    const record: SnapshotRecord = { sequence: 1, snapshot: sha256(bytes), created: "2026-01-01T00:00:00Z", previous: null, inputs: {} };
    const nothing = { objects: [], claims: [], records: [] };
    await room.public.history.putRecord(record, { added: nothing, changed: nothing, removed: nothing });
    await room.public.history.swapPointer(record, null);
    assert.ok(codes(await verifyShelf({ public: room.public, internal: null, maxFolders: 10_000 })).includes("tree_too_large"));
  }
});

test("derived files are made again and compared", async () => {
  const room = newRoom(tiny);
  const derive = (files: Readonly<Record<string, string | (() => never)>>): Promise<Finding[]> =>
    verify(room, {
      derive: {
        async *files(snapshot) {
          if (snapshot.shelf !== room.public) return;
          for (const [path, bytes] of Object.entries(files))
            yield { path, digest: async () => sha256(typeof bytes === "string" ? bytes : bytes()) };
        },
      },
    });
  const same = { "assets/page.0123abcd.css": "body{}" };
  assert.deepEqual(await derive(same), []);
  assert.deepEqual(codes(await derive({ "assets/page.0123abcd.css": "body{color:red}" })), ["derived_differs"]);
  assert.deepEqual(codes(await derive({ ...same, "assets/more.css": "" })), ["derived_missing"]);
  assert.deepEqual(codes(await derive({ "assets/page.0123abcd.css": () => assert.fail("cannot render") })), ["derive_failed"]);
  assert.deepEqual(
    (await derive({ "pages/llms.txt": "llms.txt" })).every(
      (finding) => finding.code === "derived_extra" && finding.path?.startsWith("pages/"),
    ),
    true,
  );
});

test("what an index check says is a finding of its root", async () => {
  const findings = await verify(tiny, {
    index: async (root, _, data) => (root === "internal" ? [`${data?.objects.length} rows are missing.`] : []),
  });
  assert.deepEqual(
    findings.map(({ code, root, detail }) => [code, root, detail]),
    [["index_mismatch", "internal", "3 rows are missing."]],
  );
  assert.deepEqual(codes(await verify(tiny, { index: () => Promise.reject(new Error("no index")) })), ["unreadable"]);
});
