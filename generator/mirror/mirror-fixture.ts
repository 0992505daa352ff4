/** A signed library on a server that can be made to lie, for tests. */
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generateKey } from "../../snapshots/log/note.ts";
import type { View } from "../../snapshots/http/view.ts";
import { build } from "../build.ts";
import { openConfig } from "../config/config.ts";
import { SILENT, writeFiles } from "../fixtures/library.ts";
import { ask, openFixtureView } from "../fixtures/view.ts";

const ORIGIN = "library.example/shelf";
export const PAIR = generateKey(ORIGIN);

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
log: { origin: ${ORIGIN}, publicKey: "${PAIR.publicKey}" }
embeddings: { kind: none }
`;

export type Library = {
  readonly dir: string;
  write(files: Readonly<Record<string, string>>): Promise<void>;
  publish(): Promise<void>;
  view(): Promise<View>;
};

/** A library with one publication.
 *  @param change of the configuration
 *  @param more files */
export async function openLibrary(
  dir: string,
  change: (config: string) => string = (config) => config,
  more: Readonly<Record<string, string>> = {},
): Promise<Library> {
  process.env["LOG_KEY"] = PAIR.privateKey;
  const library: Library = {
    dir,
    write: (files) => writeFiles(dir, Object.entries(files)),
    async publish() {
      await build(await openConfig(join(dir, "proofshelf.yaml")), { progress: SILENT });
    },
    view: async () => openFixtureView(await openConfig(join(dir, "proofshelf.yaml"), { checkSources: false })),
  };
  await library.write({
    "proofshelf.yaml": change(CONFIG),
    "library/notes/a.md": "# A note\n\nOf the first day.\n",
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
    ...more,
  });
  await library.publish();
  return library;
}

export function temporary(name: string): { readonly dir: string; remove(): void } {
  const dir = mkdtempSync(join(tmpdir(), `proofshelf-${name}-`));
  return { dir, remove: () => rmSync(dir, { recursive: true, force: true }) };
}

/** What a server does to an answer before it goes out: other bytes, null for none, or all of it by itself. */
export type Lie = (path: string, bytes: Buffer, response: ServerResponse) => Buffer | null | "done" | Promise<Buffer | null | "done">;

/** @param view asked for each answer */
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
