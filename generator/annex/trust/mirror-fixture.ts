/** A signed library on a server that can be made to lie, for tests. */
import { createPrivateKey, createPublicKey } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { cp, rename, rm } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { copyMade } from "../../../snapshots/contract/made-once.ts";
import { sha256 } from "../../../snapshots/digest.ts";
import type { View } from "../../../snapshots/http/view.ts";

import { openConfig } from "../../config/config.ts";
import { useParts } from "../../publish/parts.ts";
import { PAGED_PARTS } from "../../testing/plain-parts.ts";
import { SILENT, writeFiles } from "../../testing/library.ts";
import { ask, openFixtureView } from "../../testing/view.ts";
import { build } from "../../testing/whole.ts";

// One library is made for several test files, each of which derives it again by the same parts.
useParts(PAGED_PARTS);

const ORIGIN = "library.example/shelf";
/** PAIR is the key of the log, the same in all processes of a run: a library is signed in one of them, and read in others. */
export const PAIR = keyOfSeed(Buffer.from(sha256("the key of a library in tests"), "hex"));

function keyOfSeed(seed: Buffer): { readonly publicKey: string; readonly privateKey: string } {
  const der = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), seed]);
  const { x = "" } = createPublicKey(createPrivateKey({ key: der, format: "der", type: "pkcs8" })).export({ format: "jwk" });
  const typed = (bytes: Uint8Array): Buffer => Buffer.concat([Buffer.of(1), bytes]);
  const publicBytes = typed(Buffer.from(x, "base64url"));
  const id = sha256(Buffer.concat([Buffer.from(`${ORIGIN}\n`), publicBytes])).slice(0, 8);
  return {
    publicKey: `${ORIGIN}+${id}+${publicBytes.toString("base64")}`,
    privateKey: `PRIVATE+KEY+${ORIGIN}+${id}+${typed(seed).toString("base64")}`,
  };
}

const CONFIG = `title: Library to copy
baseUrl: http://library.example
store: { kind: directory, root: ./library }
shelf: { kind: directory, root: ./shelf }
collections:
  - { id: notes, prefix: notes/, title: Notes, visibility: public }
  - { id: plans, prefix: plans/, title: Plans, visibility: public }
  - { id: drafts, prefix: drafts/, title: Drafts, visibility: email-gated }
registry: { path: ./registry.json }
claims: { path: ./claims.yaml }
withdrawals: { path: ./withdrawals.yaml }
log: { origin: ${ORIGIN}, publicKey: "${PAIR.publicKey}" }
embeddings: { kind: none }
`;

export type Library = {
  readonly dir: string;
  write(files: Readonly<Record<string, string>>): Promise<void>;
  publish(): Promise<void>;
  view(): Promise<View>;
};

export const FLOWER = "# The heliotrope\n\nA heliotrope.\n\nHow the heliotrope turns with the sun.\n";
const SOURCES: Readonly<Record<string, string>> = {
  "proofshelf.yaml": CONFIG,
  "withdrawals.yaml": "withdrawals: []\n",
  "library/notes/a.md": "# A note\n\nOf the first day.\n",
  "library/notes/flower.md": FLOWER,
  "library/notes/long.txt": "A line that stands in it many times.\n".repeat(5000),
  "library/notes/odd name?.txt": "Odd.\n",
  "library/plans/plan.md": "# The plan of the year\n\nPublic at first.\n",
  "library/drafts/b.md": "# A draft of the summer\n\nGated.\n",
  "registry.json": JSON.stringify({
    meta: { service: "One record" },
    cubs: [
      {
        id: "CUB-0001",
        repo: "logs",
        theorem_name: "adding_keeps_the_prefix",
        module: "Logs",
        kind: "Lemma",
        statement: "s",
        status: "VERIFIED_EXACT",
        verification_state: "VERIFIED",
      },
    ],
  }),
  "claims.yaml": "claims:\n  - { id: c, title: A claim, status: partial, scope: this, statement: It holds. }\n",
};
/** Texts that the second publication adds: an export has them in another form. */
const MORE: Readonly<Record<string, string>> = {
  "library/notes/page.html": "<!doctype html><title>A page</title><script>alert(1)</script>\n",
  "library/notes/drawing.svg": '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><circle r="1"/></svg>\n',
  "library/notes/shown.md": "# Shown\n\n![A drawing](drawing.svg) and [a page](page.html).\n",
};

/** openLibrary makes a library with one publication, or two: both are built once a run.
 *  @param dir that is not there yet, in a folder that is */
export async function openLibrary(dir: string, publications: 1 | 2 = 1): Promise<Library> {
  process.env["LOG_KEY"] = PAIR.privateKey;
  await rename(await copyPublished(publications), dir);
  return libraryAt(dir);
}

function copyPublished(publications: 1 | 2): Promise<string> {
  return copyMade(`mirrored-${publications}`, async (folder) => {
    const library = libraryAt(folder);
    if (publications === 1) await library.write(SOURCES);
    else {
      const first = await copyPublished(1);
      await cp(first, folder, { recursive: true, preserveTimestamps: true });
      await rm(first, { recursive: true });
      await library.write(MORE);
    }
    await library.publish();
  });
}

/** libraryAt returns the library that lies in a folder. */
export function libraryAt(dir: string): Library {
  const file = join(dir, "proofshelf.yaml");
  return {
    dir,
    write: (files) => writeFiles(dir, Object.entries(files)),
    publish: async () => void (await build(await openConfig(file), { progress: SILENT })),
    view: async () => openFixtureView(await openConfig(file, { checkSources: false })),
  };
}

export function temporary(name: string): { readonly dir: string; remove(): void } {
  const dir = mkdtempSync(join(tmpdir(), `proofshelf-${name}-`));
  return { dir, remove: () => rmSync(dir, { recursive: true, force: true }) };
}

/** A Lie says what a server does to an answer before it goes out: other bytes, null for none, or all of it by itself. */
export type Lie = (path: string, bytes: Buffer, response: ServerResponse) => Buffer | null | "done" | Promise<Buffer | null | "done">;

/** serveLies serves a view with lies.
 *  @param view asked for each answer */
export async function serveLies(
  view: () => View,
  lie: () => Lie | null,
): Promise<{ readonly url: string; readonly asked: string[]; close(): Promise<void> }> {
  const asked: string[] = [];
  const server = createServer((message, response) => {
    void (async () => {
      const path = message.url ?? "/";
      asked.push(path);
      const { status, body, headers } = await ask(view(), path);
      const told = status === 200 ? await lie()?.(path, body, response) : undefined;
      if (told === "done") return;
      const bytes = told === undefined ? body : told;
      const { "Content-Length": _, ...rest } = headers;
      response.writeHead(bytes === null ? 404 : status, bytes === null ? {} : rest);
      response.end(bytes ?? undefined);
    })().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
