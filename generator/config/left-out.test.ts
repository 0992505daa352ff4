import assert from "node:assert/strict";
import { test } from "node:test";
import type { CollectionInfo } from "../../snapshots/format/view-data.ts";
import { listObjects } from "../sources/list-objects.ts";
import { openMemoryStore } from "../testing/memory-store.ts";
import type { StorePatterns } from "./left-out.ts";

const COLLECTIONS: readonly CollectionInfo[] = [
  { id: "notes", prefix: "notes/", title: "Notes", visibility: "public", summary: "" },
  { id: "drafts", prefix: "notes/drafts/", title: "Drafts", visibility: "email-gated", summary: "" },
];

async function list(keys: readonly string[], patterns: Partial<StorePatterns> = {}): Promise<{ served: string[]; said: string[] }> {
  const store = openMemoryStore(new Map(keys.map((key) => [key, { bytes: "x" }])));
  const { rows, rejected } = await listObjects(store, { collections: COLLECTIONS, store: { include: [], exclude: [], ...patterns } });
  return { served: rows.map(({ key }) => key), said: rejected.map(({ key, reason }) => `${key}: ${reason}`) };
}

const byDot = "names that begin with a dot are left out; a pattern of store.include takes it in";

test("names that begin with a dot are left out at any depth; of a folder the folder is said, once", async () => {
  const keys = [".env", ".git/config", ".git/objects/ab/cd", "notes/.env", "notes/a.md", "notes/deep/.git/HEAD", "notes/deep/.git/refs/x"];
  assert.deepEqual(await list(keys), {
    served: ["notes/a.md"],
    said: [".env", ".git/", "notes/.env", "notes/deep/.git/"].map((key) => `${key}: ${byDot}`),
  });
});

test("names of keys, passwords and backups are left out in any case; public halves and like names are not", async () => {
  const secret = ["tls.pem", "TLS.PEM", "server.key", "id_rsa", "ID_ED25519", "store.p12", "all.kdbx", "credentials.json", "x\n.pem"];
  const backups = ["a.md~", "#a.md#", "a.md.bak", "a.orig", "a\n~"];
  const fine = ["id_rsa.pub", "pem", "keys.md", "a.crt", "credentials.md", "secrets.lean", "~a", "bak"];
  const found = await list([...secret, ...backups, ...fine].map((name) => `notes/${name}`));
  assert.deepEqual(found.served, fine.map((name) => `notes/${name}`).sort());
  assert.equal(found.said.filter((line) => /keys and passwords/.test(line)).length, secret.length);
  assert.equal(found.said.filter((line) => /backups/.test(line)).length, backups.length);
  assert.deepEqual((await list(["notes/maps.key/a.md"])).served, ["notes/maps.key/a.md"], "a folder may be named so");
});

test("folders that tools make are left out at any depth, a file of that name is not, and include takes them in", async () => {
  const keys = [
    "notes/node_modules/a/b.js",
    "notes/dist/a.md",
    "notes/x/__pycache__/y.pyc",
    "notes/target",
    "notes/Target/a.md",
    "notes/distance/a.md",
  ];
  assert.deepEqual(await list(keys), {
    served: ["notes/Target/a.md", "notes/distance/a.md", "notes/target"],
    said: ["notes/dist/", "notes/node_modules/", "notes/x/__pycache__/"].map(
      (key) => `${key}: folders that tools make are left out; a pattern of store.include takes it in`,
    ),
  });
  assert.ok((await list(keys, { include: ["notes/dist"] })).served.includes("notes/dist/a.md"));
});

test("exclude is heard before include, and include before the list", async () => {
  const keys = [
    "notes/.well-known/key.pem",
    "notes/.well-known/x.txt",
    "notes/build/a.md",
    "notes/build/b/c.md",
    "notes/a.md",
    "notes/.env",
  ];
  assert.deepEqual(await list(keys, { include: ["notes/.well-known/**", "**/a.md"], exclude: ["notes/build", "**/*.pem"] }), {
    served: ["notes/.well-known/x.txt", "notes/a.md"],
    said: [`notes/.env: ${byDot}`, "notes/.well-known/key.pem: store.exclude leaves it out", "notes/build/: store.exclude leaves it out"],
  });
  assert.deepEqual((await list(keys, { include: ["**"] })).served, [...keys].sort(), "all are taken in");
  assert.deepEqual((await list(["notes/x\ny.tmp", "notes/x.TMP"], { exclude: ["**/*.tmp"] })).served, ["notes/x.TMP"]);
});

test("a folder is said only where all that lies in it may be seen", async () => {
  const keys = ["notes/.x/a", "notes/drafts/.x/a", "notes/drafts/b.md"];
  assert.deepEqual(
    (await list(keys, { exclude: ["notes"] })).said.map((line) => line.split(":")[0]),
    ["notes/", "notes/drafts/"],
  );
});
