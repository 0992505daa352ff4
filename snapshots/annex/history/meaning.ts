/** The reading that a statement takes, quoted, and what of it changed since a snapshot or since somebody approved it: GET /api/cubs/{id}/meaning, the
 *  page of a comparison and that of a record's revisions. Only objects of the view that asks are quoted: nothing gated or taken back is among them. */
import { z } from "zod";
import { SHA256_PATTERN } from "#snapshots/digest";
import { ShelfError } from "#snapshots/errors";
import { relationsOf } from "#snapshots/format";
import { type DifferentLine, difference, meaningPlaces } from "#snapshots/page";
import { cubBody, findSnapshot, type History, type OpenSnapshot, otherProofs } from "#snapshots/query";
import { Count, RecordMeaning, RecordReview, SnapshotId } from "#snapshots/schema";
import type { Snapshot } from "#snapshots/shelf";
import { readText } from "#snapshots/tools";

const Quoted = RecordMeaning.shape.parts.element.extend({
  sha256: z.string().exactOptional().meta({ description: "Digest of the file" }),
  text: z.string().nullable().meta({ description: "Its lines; null where this view has no object with them" }),
});
const ChangedDefinition = z.object({
  name: z.string(),
  lines: z
    .array(z.object({ kind: z.enum(["same", "added", "removed", "left-out"]), number: Count, text: z.string() }))
    .meta({ description: "Its lines held against each other; of lines left out, `number` says how many" }),
});

/** MeaningAnswer is the answer of GET /api/cubs/{id}/meaning. */
export const MeaningAnswer = z
  .object({
    id: z.string(),
    statement: z.string(),
    meaning: RecordMeaning.omit({ parts: true, same: true }).nullable().meta({ description: "null where no prover printed the statement" }),
    parts: z.array(Quoted),
    same: z
      .array(
        z.object({ id: z.string(), first_seen: Count.nullable().meta({ description: "Number of the first kept snapshot that has it" }) }),
      )
      .meta({ description: "Records of the same meaning: other proofs of it" }),
    reviews: z.array(RecordReview),
    since: z
      .object({
        snapshot: SnapshotId,
        sequence: Count,
        sha256: z.string().meta({ description: "Digest of the meaning then" }),
        same: z.boolean().meta({ description: "Whether it means the same now" }),
        statement: ChangedDefinition.shape.lines,
        changes: z.array(ChangedDefinition).meta({ description: "Definitions of other lines, as far as both have them" }),
      })
      .exactOptional(),
  })
  .meta({ id: "MeaningAnswer", description: "What has to be read to believe a statement, and what of it changed" });
type MeaningAnswer = z.infer<typeof MeaningAnswer>;

/** ChangedPart is a definition below a statement whose lines are others. */
export type ChangedPart = { readonly name: string; readonly lines: readonly DifferentLine[] };

type Part = z.infer<typeof Quoted>;

/** quotedIn quotes what has to be read of a record. @param hidden keys of objects that are taken back by now */
async function quotedIn(snapshot: Snapshot, id: string, hidden: ReadonlySet<string>): Promise<readonly Part[]> {
  const data = await snapshot.data();
  const record = relationsOf(data).recordById.get(id);
  if (record === undefined) return [];
  const texts = new Map<string, readonly string[] | null>();
  const linesOf = async (key: string): Promise<readonly string[] | null> => {
    const known = texts.get(key);
    if (known !== undefined) return known;
    const entry = hidden.has(key) ? null : await snapshot.find(`objects/${key}`);
    const source = entry?.kind === "blob" ? await readText(snapshot, key, entry).catch(() => null) : null;
    texts.set(key, source?.from === "bytes" ? source.lines : null);
    return texts.get(key) ?? null;
  };
  const parts: Part[] = [];
  for (const { part, object, sha256 } of meaningPlaces(data, record)) {
    const lines = object === null ? null : await linesOf(object);
    const { line = 1, end_line: end = line } = part;
    parts.push({ ...part, ...(sha256 === null ? {} : { sha256 }), text: lines === null ? null : lines.slice(line - 1, end).join("\n") });
  }
  return parts;
}

/** meaningChanges holds what has to be read of a record in one snapshot against another. @param served the snapshot that is served, which knows what
 *  is taken back */
export async function meaningChanges(served: Snapshot, from: Snapshot, to: Snapshot, id: string): Promise<readonly ChangedPart[]> {
  const hidden = new Set((await served.data()).withdrawn?.flatMap(({ what, name }) => (what === "object" ? [name] : [])));
  const [was, is] = await Promise.all([from, to].map((snapshot) => quotedIn(snapshot, id, hidden)));
  const [before, after] = [was ?? [], is ?? []].map((parts) => new Map(parts.map((part) => [part.name, part]))) as [
    Map<string, Part>,
    Map<string, Part>,
  ];
  return [...new Set([...after.keys(), ...before.keys()])].flatMap((name): ChangedPart[] => {
    const [old, now] = [before.get(name), after.get(name)];
    // A definition that one side has and cannot show is no text that went or came.
    if (old?.text === null || now?.text === null) return old === undefined || now === undefined ? [{ name, lines: [] }] : [];
    const lines = difference(old?.text ?? "", now?.text ?? "")?.lines ?? [];
    return lines.length === 0 ? [] : [{ name, lines }];
  });
}

/** meaningBody answers GET /api/cubs/{id}/meaning. @param since a snapshot, or the digest of a meaning that somebody read; "" for none
 *  @throws ShelfError "cub_not_found", "registry_unavailable", "snapshot_not_found", "snapshot_withdrawn" */
export async function meaningBody(history: History, open: OpenSnapshot, id: string, since: string): Promise<MeaningAnswer> {
  const record = await cubBody(open, id);
  const { parts: _, same: __, ...meaning } = record.meaning ?? { parts: [] };
  const body: MeaningAnswer = {
    id,
    statement: record.statement,
    meaning: record.meaning === undefined ? null : (meaning as Omit<RecordMeaning, "parts" | "same">),
    parts: [...(await quotedIn(open.snapshot, id, new Set()))],
    same: [...(await otherProofs(open, record))],
    reviews: [...(record.reviews ?? [])],
  };
  if (since === "") return body;
  const { snapshot } = await openSince(history, open, id, since);
  const before = relationsOf(await snapshot.data()).recordById.get(id);
  if (before === undefined) throw new ShelfError("snapshot_not_found", `Snapshot ${snapshot.record.sequence} has no record ${id}.`);
  const changes = await meaningChanges(open.snapshot, snapshot, open.snapshot, id);
  const sha256 = before.meaning?.sha256 ?? "";
  return {
    ...body,
    since: {
      snapshot: snapshot.id,
      sequence: snapshot.record.sequence,
      sha256,
      same: sha256 !== "" && sha256 === record.meaning?.sha256,
      statement: linesOf(difference(before.statement, record.statement)?.lines ?? []),
      changes: changes.map(({ name, lines }) => ({ name, lines: linesOf(lines) })),
    },
  };
}

function linesOf(lines: readonly DifferentLine[]): z.infer<typeof ChangedDefinition>["lines"] {
  return lines.map(({ kind, number, pieces }) => ({ kind, number, text: pieces.map(({ text }) => text).join("") }));
}

async function openSince(history: History, open: OpenSnapshot, id: string, since: string): Promise<OpenSnapshot> {
  const read = SHA256_PATTERN.test(since) ? await findMeaning(history, open, id, since) : null;
  return read ?? findSnapshot(history, since);
}

/** findMeaning opens the newest kept snapshot in which a record has a meaning; null where none has it. */
export async function findMeaning(history: History, open: OpenSnapshot, id: string, meaning: string): Promise<OpenSnapshot | null> {
  const seen = await open.firstSeen("records", id);
  for (const { snapshot } of seen?.all.toReversed() ?? []) {
    const there = snapshot === open.snapshot.id ? open : await history.byId(snapshot).catch(() => null);
    const record = there === null ? undefined : relationsOf(await there.snapshot.data()).recordById.get(id);
    if (record?.meaning?.sha256 === meaning) return there;
  }
  return null;
}
