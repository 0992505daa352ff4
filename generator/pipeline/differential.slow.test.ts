/** Whatever was edited, rolled back, pruned, redacted, repaired or killed between them: a build on a shelf with a history publishes what a build on an
 *  empty one does, and everything verifies. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { sha256 } from "../../snapshots/digest.ts";
import { ANNEXES } from "../annexes.ts";
import { pruneByConfig } from "../commands/prune.ts";
import { type Config, openConfig } from "../config/config.ts";
import { useParts } from "../publish/parts.ts";
import { SILENT, writeFiles } from "../testing/library.ts";
import { PLAIN_PARTS } from "../testing/plain-parts.ts";
import { runHere } from "../testing/run-program.ts";
import { PLAIN_CLI } from "../testing/serving-process.ts";
import { build, openShelves, repair, verifyLibrary } from "../testing/whole.ts";
import { openRandom, type Random } from "../torture/random.ts";
import type { BuildSummary } from "./summary.ts";

useParts(PLAIN_PARTS);

const SEEDS = [1, 2, 51_064];
const BUILDS = 25;
const FOLDERS = ["notes", "notes/deep", "plans", "plans/rare", "proofs"];
const ENDINGS = [".md", ".txt", ".v", ".csv", ".json", ".html", ".tex", ".rst", ".org", ".lean", ".yaml", ".svg"];
const COLLECTIONS = ["notes/", "plans/", "plans/rare/", "proofs/"];

type ClaimOf = Readonly<Record<string, unknown>> & {
  readonly evidence: readonly { readonly artifact: string; readonly kind: string; readonly path: string }[];
};
type Withdrawn = { readonly name: string; readonly redact: boolean };

/** Everything that a library is made of, as values that are written before each build. */
type Room = {
  readonly dir: string;
  readonly random: Random;
  readonly files: Map<string, string>;
  readonly records: Map<string, Record<string, unknown>>;
  readonly claims: Map<string, ClaimOf>;
  readonly withdrawn: Map<string, Withdrawn>;
  readonly gated: Set<string>;
  /** Of collections, where they are not called by their prefix. */
  readonly titles: Map<string, string>;
  title: string;
  /** Revision of the repository of the records. */
  head: string;
  front: string | null;
  /** Edits so far: no two texts are the same. */
  count: number;
};

const textOf = (room: Room): string => `# Title ${++room.count}\n\nWords ${room.count} that stand nowhere else, in this text alone.\n`;

/** One edit of the sources. */
const EDITS: Readonly<Record<string, (room: Room) => void>> = {
  put: (room) => void room.files.set(`${room.random.pick(FOLDERS)}/f${room.random.below(40)}${room.random.pick(ENDINGS)}`, textOf(room)),
  edit: (room) => onFile(room, (key) => void room.files.set(key, textOf(room))),
  delete: (room) => onFile(room, (key) => void room.files.delete(key)),
  move: (room) =>
    onFile(room, (key, text) => {
      room.files.delete(key);
      room.files.set(`${room.random.pick(FOLDERS)}/moved${room.random.below(9)}.md`, text);
    }),
  // Bytes that are redacted are taken in under no other name where that is known.
  copy: (room) =>
    onFile(
      room,
      (key, text) =>
        void (isRedacted(room, "key", key) || room.files.set(`${room.random.pick(FOLDERS)}/copy${room.random.below(9)}.md`, text)),
    ),
  link: (room) => onFile(room, (key) => void room.files.set(`notes/links.md`, `# Links ${++room.count}\n\nSee [it](/${key}).\n`)),
  visibility: ({ gated, random }) => {
    const prefix = random.pick(["plans/", "plans/rare/", "proofs/"]);
    if (!gated.delete(prefix)) gated.add(prefix);
  },
  title: (room) => void (room.title = `Library ${++room.count}`),
  "title of a collection": (room) => void room.titles.set(room.random.pick(COLLECTIONS), `Collection ${++room.count}`),
  source: (room) => void (room.head = sha256(String(++room.count)).slice(0, 40)),
  front: (room) => onFile(room, (key) => void (room.front = key.endsWith(".md") && room.front === null ? key : null)),
  record: (room) => {
    const id = `CUB-000${1 + room.random.below(6)}`;
    const path = room.random.pick(["proofs/a.v", "proofs/b.v"]);
    room.records.set(id, {
      id,
      repo: "proofs",
      theorem_name: `theorem_${id}`,
      statement: `statement ${++room.count} of all`,
      invocation: room.random.pick(["runtime", `called ${room.count}`]),
      verification_state: room.random.pick(["VERIFIED", "NOT_VERIFIED"]),
      file_shas: { [path]: sha256(room.files.get(path) ?? "") },
    });
  },
  "no record": (room) => void room.records.delete(room.random.pick([...room.records.keys(), ""])),
  claim: (room) => {
    const id = `claim-${room.random.below(4)}`;
    const [path] = room.random.pick([...room.files]);
    const own = { title: `Claim ${++room.count}`, statement: `It holds ${room.count} times.`, scope: "Here", status: "partial" };
    room.claims.set(id, { id, ...own, evidence: [{ artifact: "It", kind: "file", path }] });
  },
  "no claim": (room) => void room.claims.delete(room.random.pick([...room.claims.keys(), ""])),
  withdraw: (room) => {
    const { random } = room;
    const names = [
      ["key", random.pick([...room.files.keys()])],
      ["record", random.pick([...room.records.keys()])],
      ["claim", random.pick([...room.claims.keys()])],
    ];
    const [kind, name] = random.pick(names);
    if (name !== undefined && random.below(2) === 0)
      room.withdrawn.set(`${kind}: ${JSON.stringify(name)}`, { name, redact: random.below(2) === 0 });
  },
  "take back": (room) => void room.withdrawn.delete(room.random.pick([...room.withdrawn.keys(), ""])),
};

function onFile(room: Room, change: (key: string, text: string) => void): void {
  const found = room.random.pick([...room.files]);
  if (found !== undefined) change(...found);
}

function isRedacted({ withdrawn }: Room, kind: string, name: string): boolean {
  return withdrawn.get(`${kind}: ${JSON.stringify(name)}`)?.redact === true;
}

async function write(room: Room): Promise<Config> {
  const { dir, files, records, claims, withdrawn, gated, titles, title, head, front } = room;
  rmSync(join(dir, "library"), { recursive: true, force: true });
  const collections = COLLECTIONS.map((prefix) => ({
    prefix,
    line: `  - { id: ${prefix.replaceAll("/", "")}, prefix: ${prefix}, title: ${titles.get(prefix) ?? prefix}, visibility: ${gated.has(prefix) ? "email-gated" : "public"} }\n`,
  }));
  const isGated = (key: string): boolean => gated.has(collections.findLast(({ prefix }) => key.startsWith(prefix))?.prefix ?? "");
  const isFront = front !== null && files.has(front) && !isGated(front);
  // Evidence that says public of something gated is refused.
  const shown = [...claims.values()].map(({ evidence, ...claim }) => ({
    ...claim,
    evidence: evidence.map((item) => ({ ...item, access: isGated(item.path) ? "email-gated" : "public" })),
  }));
  await writeFiles(dir, [
    [
      "proofshelf.yaml",
      `title: ${title}
baseUrl: http://library.example
store: { kind: directory, root: ./library }
shelf: { kind: directory, root: ./shelf }
collections:
${collections.map(({ line }) => line).join("")}claims: { path: ./claims.json }
registry: { path: ./registry.json }
withdrawals: { path: ./withdrawals.yaml }
embeddings: { kind: none }
${isFront ? `front: ${front}\n` : ""}`,
    ],
    ["registry.json", JSON.stringify({ meta: { sources: { proofs: { head } } }, cubs: [...records.values()] })],
    ["claims.json", JSON.stringify({ claims: shown })],
    [
      "withdrawals.yaml",
      `withdrawals:\n${[...withdrawn].map(([named, { redact }]) => `  - { ${named}, reason: privacy, date: 2026-01-31, note: Asked., redact: ${redact} }\n`).join("") || "  []\n"}`,
    ],
    ...[...files].map(([key, text]) => [`library/${key}`, text] as const),
  ]);
  return openConfig(join(dir, "proofshelf.yaml"));
}

/** Names that were ever withdrawn: to take one back has to be said. */
const EVER = new Set<string>();

async function run(config: Config, room: Room, keepHistory = false): Promise<BuildSummary> {
  const all = [...room.files.keys(), ...room.records.keys(), ...room.claims.keys(), ...EVER];
  const accept = new Map(all.map((name) => [name, "It is meant."]));
  return build(config, { progress: SILENT, acceptLoss: true, accept, keepHistory });
}

/** One thing that befalls a shelf between two builds. */
const BLOWS: Readonly<Record<string, (config: Config, room: Room) => Promise<void>>> = {
  nothing: async () => undefined,
  rollback: async ({ file }, { random }) => {
    const { records } = await openShelves(await openConfig(file)).public.records.index();
    await runHere(["snapshots", "rollback", String(random.pick(records)?.sequence ?? 1), "--config", file]);
  },
  prune: async ({ file }, { random }) => void (await runHere(["prune", "--keep", String(1 + random.below(5)), "--config", file])),
  repair: async (config) => void (await repair(config, SILENT)),
  kill: async ({ file }, { random }) => {
    const child = spawn(process.execPath, [PLAIN_CLI, "build", "--accept-loss", "--config", file], { stdio: "ignore" });
    setTimeout(() => child.kill("SIGKILL"), 200 + random.below(1500));
    await once(child, "exit");
  },
};

async function compare(t: TestContext, config: Config, room: Room, summary: BuildSummary, told: string): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), "proofshelf-fresh-"));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const fresh = await run({ ...config, shelf: { kind: "directory", root } }, room);
  assert.deepEqual([summary.snapshot, summary.internal.snapshot], [fresh.snapshot, fresh.internal.snapshot], told);
  const errors = (await verifyLibrary(config, { snapshots: "all" })).filter(({ severity }) => severity === "error");
  assert.deepEqual(errors, [], told);
  rmSync(root, { recursive: true, force: true });
}

for (const seed of SEEDS)
  test(`random edits over many builds give the snapshots of an empty shelf each time, and verify (seed ${seed})`, async (t) => {
    const dir = mkdtempSync(join(tmpdir(), "proofshelf-differential-"));
    t.after(() => rmSync(dir, { recursive: true, force: true }));
    const random = openRandom(seed);
    const sets = {
      files: new Map(),
      records: new Map(),
      claims: new Map(),
      withdrawn: new Map(),
      gated: new Set<string>(),
      titles: new Map(),
    };
    const room: Room = { dir, random, ...sets, title: "Library", head: "a".repeat(40), front: null, count: 0 };
    for (const name of ["put", "put", "put", "put", "record", "record", "claim"]) EDITS[name]?.(room);
    const told: string[] = [];
    for (let at = 0; at < BUILDS; at++) {
      const edits = Array.from({ length: 1 + random.below(3) }, () => random.pick(Object.keys(EDITS)));
      for (const name of edits) EDITS[name]?.(room);
      if (room.files.size === 0) EDITS["put"]?.(room);
      for (const { name } of room.withdrawn.values()) EVER.add(name);
      const config = await write(room);
      const blow = at === 0 || random.below(3) > 0 ? "nothing" : random.pick(Object.keys(BLOWS));
      await BLOWS[blow]?.(config, room);
      const keepHistory = random.below(4) === 0;
      const keep = random.below(3) > 0 ? null : 1 + random.below(3);
      const more = [...(keepHistory ? ["the history is kept"] : []), ...(keep === null ? [] : [`keep: ${keep}`])];
      told.push(`${at}: ${[edits.join(", "), blow, ...more].join("; ")}`);
      const summary = await run(config, room, keepHistory);
      await pruneByConfig({ ...config, keep }, ANNEXES);
      await compare(t, config, room, summary, told.join("\n"));
    }
  });
