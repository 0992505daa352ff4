/** A library of which something is redacted, for tests. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, type TestContext } from "node:test";
import { gunzipSync } from "node:zlib";
import { generateKey } from "../../../snapshots/log/note.ts";
import { createTreeCache, openSnapshot } from "../../../snapshots/shelf/read.ts";
import type { SnapshotRecord } from "../../../snapshots/shelf/shelf.ts";
import type { Finding } from "../../../snapshots/verify/finding.ts";
import { openConfig } from "../../config/config.ts";
import { fixtureRegistry, SILENT, writeFiles } from "../../testing/library.ts";
import { filesUnder } from "../../testing/shelf-files.ts";
import { openFixtureView } from "../../testing/view.ts";
import { useParts } from "../../publish/parts.ts";
import { PLAIN_PARTS } from "../../testing/plain-parts.ts";
import { type Ran, runHere } from "../../testing/run-program.ts";
import type { BuildSummary } from "../../pipeline/summary.ts";
import { build, openShelves, verifyLibrary } from "../../testing/whole.ts";

useParts(PLAIN_PARTS);

export const PAIR = generateKey("library.example/shelf");

process.env["LOG_KEY"] = PAIR.privateKey;

after(() => delete process.env["LOG_KEY"]);

/** SECRET stands in the title, the first words and the text of what is redacted, and nowhere else. */
export const SECRET = /heliotrope/i;

/** OWN stands in the first words and the text of the object alone. */
export const OWN = /A heliotrope\.|turns with the sun/;

const CONFIG = `title: Redacting library
baseUrl: http://library.example
store: { kind: directory, root: ./library }
shelf: { kind: directory, root: ./shelf }
collections:
  - { id: notes, prefix: notes/, title: Notes, visibility: public }
  - { id: apart, prefix: apart/, title: Apart, visibility: public }
  - { id: drafts, prefix: drafts/, title: Drafts, visibility: email-gated }
claims: { path: ./claims.yaml }
registry: { path: ./registry.json }
withdrawals: { path: ./withdrawals.yaml }
log: { origin: library.example/shelf, publicKey: "${PAIR.publicKey}" }
embeddings: { kind: none }
`;

const CLAIMS = `claims:
  - { id: gone, title: A claim about a heliotrope, status: partial, scope: this, statement: The heliotrope turns. }
  - { id: stays, title: A claim that stays, status: partial, scope: this, statement: It stays. }
`;

type Room = {
  readonly dir: string;
  readonly publicDir: string;
  withdraw(entries: string): Promise<void>;
  turn(n: number): Promise<void>;
  run(accept?: string): Promise<BuildSummary>;
  verify(snapshots: "current" | "all"): Promise<readonly Finding[]>;
  cli(...args: string[]): Promise<Ran>;
  view(): ReturnType<typeof openFixtureView>;
};

export async function newRoom(t: TestContext): Promise<Room> {
  const dir = mkdtempSync(join(tmpdir(), "proofshelf-redacted-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const file = join(dir, "proofshelf.yaml");
  const { meta, cubs } = fixtureRegistry();
  const records = cubs.slice(0, 3).map((cub, at) => (at === 1 ? { ...cub, note: "What the heliotrope proves." } : cub));
  await writeFiles(dir, [
    ["proofshelf.yaml", CONFIG],
    ["claims.yaml", CLAIMS],
    ["registry.json", JSON.stringify({ meta, cubs: records })],
    ["withdrawals.yaml", "withdrawals: []\n"],
    [
      "library/notes/flower.md",
      // So long that it has a second page.
      `# The heliotrope\n\nA heliotrope.\n\nHow the heliotrope turns with the sun, in a long line of words that nobody else says.\n\n${"About plants.\n\n".repeat(2000)}The heliotrope closes.\n`,
    ],
    ["library/notes/other.md", "# Other\n\nSee [the flower](flower.md).\n"],
    ["library/drafts/hidden.md", "# Hidden\n\nA draft of the year.\n"],
  ]);
  return {
    dir,
    publicDir: join(dir, "shelf/public"),
    withdraw: (entries) => writeFiles(dir, [["withdrawals.yaml", `withdrawals:\n${entries}`]]),
    turn: (n) => writeFiles(dir, [["library/apart/turn.md", `# Turn ${n}\n\nA turn.\n`]]),
    run: async (accept) =>
      build(await openConfig(file), {
        progress: SILENT,
        ...(accept === undefined ? {} : { accept: new Map([[accept, "It was right."]]) }),
      }),
    verify: async (snapshots) => verifyLibrary(await openConfig(file), { snapshots }),
    cli: (...args) => runHere([...args, "--config", file]),
    view: async () => openFixtureView(await openConfig(file)),
  };
}

/** tellers returns files under a folder that say the secret, as they stand or unpacked. */
export function tellers(dir: string, secret = SECRET): string[] {
  return [...filesUnder(dir)]
    .filter(({ bytes }) => secret.test((bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes).toString("latin1")))
    .map(({ path }) => path);
}

export const OBJECT = "  - { key: notes/flower.md, reason: privacy, date: 2026-05-01, note: Somebody asked., redact: true }\n";

export const HIDDEN = "  - { key: drafts/hidden.md, reason: privacy, date: 2026-05-03, note: A gated one., redact: true }\n";

export async function blobOf(room: Room, sequence: number, path: string): Promise<string> {
  const { public: shelf } = openShelves(await openConfig(join(room.dir, "proofshelf.yaml")));
  const record = (await shelf.readRecord(sequence)) as SnapshotRecord;
  return (await (await openSnapshot(shelf, record, createTreeCache())).find(path))?.sha256 ?? assert.fail(path);
}
