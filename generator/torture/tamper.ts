/** A public shelf over HTTP that is tampered with at random: bytes, order, what is missing or too much, what is older or of a fork. Each is found
 *  by `audit`, or by `mirror` where only a copy takes it, or does nobody any harm: then a copy that was made of it holds no word that
 *  the true one does not. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { cpSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { ShelfError } from "../../snapshots/errors.ts";
import { formatCheckpoint, formatHead, parseCheckpoint } from "../../snapshots/log/checkpoint.ts";
import { generateKey, parseKey, parseSigningKey, signNote } from "../../snapshots/log/note.ts";
import { openDirectoryShelf } from "../../snapshots/shelf/shelf-directory.ts";
import { canonicalJson } from "../../snapshots/digest.ts";
import { SILENT } from "../testing/library.ts";
import { audit } from "../annex/trust/audit.ts";
import type { SeenHead } from "../annex/trust/log-head.ts";
import { mirror } from "../annex/trust/mirror.ts";
import { libraryAt, openLibrary, PAIR, serveLies } from "../annex/trust/mirror-fixture.ts";
import { openOrigin } from "../annex/trust/origin.ts";
import { openRandom, type Random } from "./random.ts";

export type TamperReport = {
  /** Kind of tampering → how it ended → how often. */
  readonly verdicts: ReadonlyMap<string, ReadonlyMap<string, number>>;
  readonly failures: readonly string[];
};

/** Answers of a library by their paths: all that an audit and a mirror ask for. */
type Answers = ReadonlyMap<string, Buffer>;
type Shelves = { readonly current: Answers; readonly older: Answers; readonly fork: Answers; readonly seen: SeenHead };

export async function tortureWithTampering(
  dir: string,
  options: {
    readonly seed: number;
    readonly count: number;
    readonly clean: number;
    readonly onProgress?: (done: number, failed: number) => void;
  },
): Promise<TamperReport> {
  const shelves = await makeShelves(dir);
  const random = openRandom(options.seed);
  const verdicts = new Map<string, Map<string, number>>();
  const failures: string[] = [];
  let answers: (path: string) => Buffer | null = () => null;
  const server = createServer((request, response) => {
    const bytes = answers(request.url ?? "/");
    response.writeHead(bytes === null ? 404 : 200).end(bytes ?? undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  answers = (path) => shelves.current.get(path) ?? null;
  const truth = await copyOf(dir, url);
  try {
    for (let at = 0; at < options.clean + options.count; at++) {
      const clean = at < options.clean;
      const { kind, what, answer } = clean
        ? { kind: "untouched", what: "", answer: (path: string) => shelves.current.get(path) ?? null }
        : tamper(random, shelves);
      answers = answer;
      const verdict = await judge(dir, url, shelves, truth, clean);
      const counts = verdicts.get(kind) ?? new Map<string, number>();
      verdicts.set(kind, counts.set(verdict, (counts.get(verdict) ?? 0) + 1));
      if (verdict === "believed" || (clean && verdict !== "harmless"))
        failures.push(`seed ${options.seed}, ${at - options.clean}: ${kind} ${what}: ${verdict}`);
      options.onProgress?.(at + 1, failures.length);
    }
  } finally {
    server.closeAllConnections();
    server.close();
  }
  return { verdicts, failures };
}

/** @returns "audit" or "mirror" for who has found it */
async function judge(dir: string, url: string, { seen }: Shelves, truth: ReadonlySet<string>, clean: boolean): Promise<string> {
  const origin = openOrigin(url);
  try {
    const { lies } = await audit(origin, { key: parseKey(PAIR.publicKey), seen, since: null, sample: null, full: false, progress: SILENT });
    if (lies.length > 0) return "audit";
    if (clean) return "harmless";
    const copy = await copyOf(dir, url).catch((error: unknown) => error);
    if (copy instanceof ShelfError && copy.code === "origin_refused") return "mirror";
    if (copy instanceof Error) throw copy;
    return (copy as ReadonlySet<string>).isSubsetOf(truth) ? "harmless" : "believed";
  } catch (error) {
    if (error instanceof ShelfError && error.code === "origin_refused") return "audit";
    throw error;
  } finally {
    await origin.close();
  }
}

/** Every word of a copy that a reader could take for the origin's. */
async function copyOf(dir: string, url: string): Promise<ReadonlySet<string>> {
  const to = await mkdtemp(join(dir, "copy-"));
  const origin = openOrigin(url);
  try {
    await mirror(origin, { dir: to, key: parseKey(PAIR.publicKey), progress: SILENT });
    const shelf = openDirectoryShelf(join(to, "public"));
    const words = new Set<string>();
    for (const record of await shelf.history.listRecords()) {
      words.add(canonicalJson(record)).add(`${record.sequence} ${canonicalJson(await shelf.readChanges(record.sequence))}`);
      words.add((await shelf.log.read(`checkpoints/${record.sequence}`))?.toString() ?? "");
    }
    for await (const { digest } of shelf.blobs.list()) words.add(digest);
    for (const digest of await shelf.redactions.list()) words.add(`redacted ${(await shelf.redactions.read(digest))?.toString()}`);
    for (const record of (await shelf.records.index()).withdrawn) words.add(`withdrawn ${record.sequence}`);
    return words.add("");
  } finally {
    await origin.close();
    await rm(to, { recursive: true, force: true });
  }
}

/** A library of four publications, the last of which redacts; the same when it had two; and one that went on otherwise from there. */
async function makeShelves(dir: string): Promise<Shelves> {
  const library = await openLibrary(join(dir, "library"), 2);
  const publish = async (text: string): Promise<void> => {
    await library.write({ "library/notes/a.md": text });
    await library.publish();
  };
  const older = await answersOf(dir, await library.view());
  cpSync(library.dir, join(dir, "fork"), { recursive: true });
  await publish("# A note\n\nOf the third day.\n");
  await library.write({
    "withdrawals.yaml": "withdrawals:\n  - { key: plans/plan.md, reason: legal, date: 2026-05-01, note: By order., redact: true }\n",
  });
  await publish("# A note\n\nOf the fourth day.\n");
  const current = await answersOf(dir, await library.view());
  const other = libraryAt(join(dir, "fork"));
  for (const day of ["third", "fourth"]) {
    await other.write({ "library/notes/a.md": `# A note\n\nOf another ${day} day.\n` });
    await other.publish();
  }
  const checkpoint = parseCheckpoint(current.get("/shelf/checkpoints/3") ?? Buffer.of());
  return { current, older, fork: await answersOf(dir, await other.view()), seen: { ...checkpoint, key: PAIR.publicKey } };
}

async function answersOf(dir: string, view: Awaited<ReturnType<Awaited<ReturnType<typeof openLibrary>>["view"]>>): Promise<Answers> {
  const answers = new Map<string, Buffer>();
  const server = await serveLies(
    () => view,
    () => (path, bytes) => {
      answers.set(path, bytes);
      return bytes;
    },
  );
  const origin = openOrigin(server.url);
  try {
    await audit(origin, { key: null, seen: null, since: null, sample: null, full: false, progress: SILENT });
    await copyOf(dir, server.url);
    return answers;
  } finally {
    await origin.close();
    await server.close();
  }
}

type Tampered = { readonly kind: string; readonly what: string; readonly answer: (path: string) => Buffer | null };

function tamper(random: Random, shelves: Shelves): Tampered {
  const { current, older, fork } = shelves;
  const paths = [...current.keys()];
  // Small files of the log and its lists weigh as much as all others together.
  const log = paths.filter((path) => path.startsWith("/shelf/") && !path.startsWith("/shelf/blobs/"));
  const path = random.below(2) === 0 ? random.pick(log) : random.pick(paths);
  const bytes = current.get(path) ?? Buffer.of();
  const with_ = (kind: string, changed: Buffer | null): Tampered => ({
    kind,
    what: path,
    answer: (asked) => (asked === path ? changed : (current.get(asked) ?? null)),
  });
  const wholly = (kind: string, from: Answers, keep: (asked: string) => boolean): Tampered => ({
    kind,
    what: path,
    answer: (asked) => (keep(asked) ? current.get(asked) : from.get(asked)) ?? null,
  });
  const other = current.get(random.pick(log)) ?? Buffer.of();
  const cut = random.below(bytes.length + 1);
  switch (random.below(12)) {
    case 0: {
      const flipped = Buffer.from(bytes);
      if (bytes.length > 0) flipped[cut % bytes.length] = (flipped[cut % bytes.length] ?? 0) ^ (1 << random.below(8));
      return with_("a bit", flipped);
    }
    case 1:
      return with_("cut short", bytes.subarray(0, cut));
    case 2:
      return with_("too much", Buffer.concat([bytes, bytes.subarray(0, cut), Buffer.from(" ")]));
    case 3:
      return with_("missing", null);
    case 4:
      return with_("order", Buffer.concat([bytes.subarray(cut), bytes.subarray(0, cut)]));
    case 5:
      return with_("another file", other);
    case 6:
      return with_("of the older shelf", older.get(path) ?? null);
    case 7:
      return with_("of the fork", fork.get(path) ?? bytes);
    case 8:
      return wholly("older", older, () => false);
    case 9:
      return wholly("forked", fork, () => false);
    case 10: {
      // Two shelves mixed, each path from one of them.
      const seed = random.below(2 ** 30);
      return wholly(
        "mixed",
        random.below(2) === 0 ? fork : older,
        (asked) => openRandom(seed + asked.length * 31 + asked.charCodeAt(asked.length >> 1)).below(2) === 0,
      );
    }
    default: {
      const head = parseCheckpoint(current.get("/shelf/checkpoint") ?? Buffer.of());
      const key = random.below(2) === 0 ? PAIR.privateKey : generateKey(head.origin).privateKey;
      const changed = {
        ...head,
        size: Math.max(1, head.size + random.below(5) - 2),
        ...(random.below(2) === 0 ? {} : { root: Buffer.alloc(32, cut) }),
      };
      const signed = formatCheckpoint(changed, [signNote(formatHead(changed), parseSigningKey(key))]);
      return {
        kind: "another head",
        what: signed,
        answer: (asked) => (asked === "/shelf/checkpoint" ? Buffer.from(signed) : (current.get(asked) ?? null)),
      };
    }
  }
}
