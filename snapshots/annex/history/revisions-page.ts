/** The page of everything that an object or a record has been: its revisions over the kept snapshots, and how two of them differ. */
import { SHA256_PATTERN } from "#snapshots/digest";
import { ShelfError } from "#snapshots/errors";
import { pagePath, parseRevisionsPath } from "#snapshots/format";
import type { History, OpenSnapshot } from "#snapshots/query";
import { type SnapshotRecord, unreadable } from "#snapshots/shelf";
import { readText } from "#snapshots/tools";
import { type Difference, difference } from "#snapshots/page";
import { type ChangedPart, findMeaning, meaningChanges } from "./meaning.ts";

/** Newest revisions that are listed; all of them are in /api/changes. */
const SHOWN = 20;
/** Bytes of a revision that is compared. */
const MAX_COMPARED = 256 * 1024;

/** A snapshot that added or changed a thing. */
type Revision = Pick<SnapshotRecord, "sequence" | "created" | "snapshot"> & {
  /** Path of the thing in that snapshot; null with its digest and size when the snapshot is not kept or cannot be read. */
  readonly path: string | null;
  readonly sha256: string | null;
  readonly size: number | null;
};

/** Numbers of two snapshots; the difference is null when there is no text, or too much of it. */
type Compared = { readonly from: number; readonly to: number; readonly difference: Difference | null };

type Item = NonNullable<ReturnType<typeof parseRevisionsPath>>;

/** revisionsPage makes the page of revisions. Revisions come newest first; `more` earlier ones are not listed.
 *  @param params `from` and `to`, numbers of snapshots; without them the two newest revisions that are kept
 *  @returns null when nothing of the view, or of its kept history, has this name */
export async function revisionsPage(history: History, open: OpenSnapshot, path: string, params: URLSearchParams) {
  const item = parseRevisionsPath(path);
  const seen = item === null ? null : await open.firstSeen(item.kind === "object" ? "objects" : "records", item.name);
  if (item === null || seen === null || (await findText(open, item)) === null) return null;
  const shown = seen.all.slice(-SHOWN).reverse();
  const revisions = await Promise.all(shown.map((record) => revisionOf(history, open, record, item)));
  const kept = revisions.filter(({ sha256 }) => sha256 !== null);
  const asked = params.get("from") ?? "";
  const read = item.kind === "record" && SHA256_PATTERN.test(asked) ? await findMeaning(history, open, item.name, asked) : null;
  const choose = (name: string, otherwise: Revision | undefined): Revision | undefined => {
    const value = params.get(name);
    if (value === null) return otherwise;
    const number = name === "from" && read !== null ? read.snapshot.record.sequence : value;
    const chosen = kept.find(({ sequence }) => String(sequence) === String(number));
    if (chosen === undefined)
      throw new ShelfError("bad_parameter", `The parameter "${name}" is the number of a snapshot that changed this and is kept.`);
    return chosen;
  };
  const [to, from] = [choose("to", kept[0]), choose("from", kept[1])];
  return {
    page: "revisions" as const,
    what: item.kind,
    name: item.name,
    path: item.path,
    revisions,
    more: seen.all.length - shown.length,
    compared: from === undefined || to === undefined ? null : await compare(history, open, item, from, to),
    below: item.kind === "object" || from === undefined || to === undefined ? [] : await below(history, open, item.name, from, to),
  };
}

async function revisionOf(history: History, open: OpenSnapshot, record: SnapshotRecord, item: Item): Promise<Revision> {
  const { sequence, created, snapshot } = record;
  const found = await openAt(history, open, snapshot)
    .then((there) => (there === null ? null : findText(there, item)))
    .catch(unreadable);
  const path = found === null ? null : pagePath.at(snapshot, item.path);
  return { sequence, created, snapshot, path, sha256: found?.sha256 ?? null, size: found?.size ?? null };
}

async function compare(history: History, open: OpenSnapshot, item: Item, from: Revision, to: Revision): Promise<Compared> {
  const texts = await Promise.all(
    [from, to].map(async ({ snapshot }) => {
      const found = await findText((await openAt(history, open, snapshot)) ?? open, item);
      return found === null || found.size > MAX_COMPARED ? null : found.read();
    }),
  );
  const [before = null, after = null] = texts;
  const found = before === null || after === null ? null : difference(before, after);
  return { from: from.sequence, to: to.sequence, difference: found };
}

/** below lists the definitions below a record's statement that say something else. */
async function below(history: History, open: OpenSnapshot, id: string, from: Revision, to: Revision): Promise<readonly ChangedPart[]> {
  const [was, is] = await Promise.all([from, to].map(({ snapshot }) => openAt(history, open, snapshot)));
  return was == null || is == null ? [] : meaningChanges(open.snapshot, was.snapshot, is.snapshot, id);
}

function openAt(history: History, open: OpenSnapshot, id: string): Promise<OpenSnapshot | null> {
  return id === open.snapshot.id ? Promise.resolve(open) : history.byId(id);
}

/** The thing in a snapshot: its digest, and its text when that is asked for; null when it is not there. */
async function findText({ snapshot }: OpenSnapshot, { kind, name }: Item) {
  const entry = await snapshot.find(kind === "object" ? `objects/${name}` : `api/cubs/${name}.json`);
  if (entry?.kind !== "blob") return null;
  const { sha256, size } = entry;
  const read = async (): Promise<string | null> => {
    if (kind === "record") return fieldLines(JSON.parse(new TextDecoder().decode(await snapshot.read(entry)))).join("\n");
    const source = await readText(snapshot, name, entry);
    return source.from === "none" ? null : source.lines.join("\n");
  };
  return { sha256, size, read };
}

/** FROM_REGISTRY names fields that are no more than what a registry says. */
const FROM_REGISTRY: ReadonlySet<string> = new Set(["status", "verification state"]);

/** fieldLines tells each field that says something on a line of its own, by the names that lead to it: "reproduce recheck: coqc a.v". */
export function fieldLines(value: unknown, name = ""): string[] {
  if (value === null || value === "" || value === undefined) return [];
  if (typeof value !== "object") return [`${name}${FROM_REGISTRY.has(name) ? ", as the registry says it" : ""}: ${String(value)}`];
  const isPlain = Array.isArray(value) && value.every((item) => typeof item !== "object");
  if (isPlain) return value.length === 0 ? [] : [`${name}: ${value.join(", ")}`];
  return Object.entries(value).flatMap(([key, item]) => {
    const own = Array.isArray(value) ? `${Number(key) + 1}` : key.replaceAll("_", " ");
    return fieldLines(item, `${name} ${own}`.trim());
  });
}
