/** The proof of one record in one file: the log's entry names the snapshot, trees lead from it to the record, and each is checked by its digest. The
 *  file needs nothing beside it but the log's public key. */
import { z } from "zod";
import { canonicalJson, parseJson, sha256 } from "#snapshots/digest";
import { ShelfError } from "#snapshots/errors";
import { parseTree } from "#snapshots/format";
import { formatTlogProof, hashLeaf, type NoteKey, parseCheckpoint, parseTlogProof, verifiedBy, verifyInclusion } from "#snapshots/log";
import { CubRecord, type Proof } from "#snapshots/schema";

/** Extra has the parts of a proof that nobody signs: the log's entry, the trees from the snapshot's root, and the record. */
const Extra = z.object({ entry: z.string(), path: z.string(), trees: z.array(z.string()), file: z.string() });
const Entry = z.object({ snapshot: z.string(), sequence: z.int(), created: z.string() });

/** formatRecordProof writes the proof of a record. @throws ShelfError "not_found" where the log does not reach its snapshot */
export function formatRecordProof({ path, trees, file, log }: Proof): string {
  if (log === null)
    throw new ShelfError("not_found", "There is no log yet that has this snapshot, so nothing proves it.", {
      fixes: ["The next build begins one."],
    });
  const extra: z.infer<typeof Extra> = { entry: log.entry, path, trees: trees.map(({ text }) => text ?? ""), file: file ?? "" };
  const { size } = parseCheckpoint(Buffer.from(log.checkpoint));
  const hashes = log.hashes.map((hash) => Buffer.from(hash, "hex"));
  return formatTlogProof({ extra: Buffer.from(canonicalJson(extra)), index: size - 1, hashes, checkpoint: log.checkpoint });
}

/** ProvenRecord is what a proof says, and what of it does not hold. */
export type ProvenRecord = {
  readonly findings: readonly string[];
  readonly record: CubRecord | null;
  readonly origin: string;
  readonly snapshot: string;
  readonly sequence: number;
  readonly created: string;
  /** Names and ids of keys that signed it, of those that count. */
  readonly signers: readonly string[];
};

/** checkRecordProof checks the proof of a record, offline; null for a text that is none. @param keys whose signature counts: the log's, and witnesses' */
export function checkRecordProof(text: string, keys: readonly NoteKey[]): ProvenRecord | null {
  const proof = parseTlogProof(text);
  const extra = proof === null ? null : Extra.safeParse(parseJson(Buffer.from(proof.extra ?? []).toString()));
  if (proof === null || extra === null || !extra.success) return null;
  const { entry, path, trees, file } = extra.data;
  const findings: string[] = [];
  const { origin, size, root, note } = parseCheckpoint(Buffer.from(proof.checkpoint));
  if (!verifyInclusion(hashLeaf(Buffer.from(entry)), proof.index, size, proof.hashes, root))
    findings.push("the log does not have its entry");
  const signers = verifiedBy(note, keys).map(({ name, id }) => `${name} (${id})`);
  if (signers.length === 0)
    findings.push(note.signatures.length === 0 ? "nobody signed the log's head" : "no key that was named signed the log's head");
  const published = Entry.safeParse(parseJson(entry));
  if (!published.success) findings.push("the log's entry is no publication");
  const { snapshot = "", sequence = 0, created = "" } = published.data ?? {};
  findings.push(...findBreak(snapshot, path, trees, file));
  const record = CubRecord.safeParse(parseJson(file)).data ?? null;
  if (record === null || path !== `api/cubs/${record.id}.json`) findings.push("its file is no record of this id");
  return { findings, record, origin, snapshot, sequence, created, signers };
}

/** findBreak goes from the snapshot's digest to the file, and says where that leads elsewhere. */
function findBreak(snapshot: string, path: string, trees: readonly string[], file: string): readonly string[] {
  const names = path.split("/");
  if (trees.length !== names.length) return [`${trees.length} trees do not lead to ${path}`];
  let digest: string | undefined = snapshot;
  for (const [at, name] of names.entries()) {
    const text = trees[at] ?? "";
    if (sha256(text) !== digest)
      return [at === 0 ? "the root tree is not the snapshot that the log names" : `the tree before ${name} is another`];
    digest = treeOf(text).find((entry) => entry.name === name)?.sha256;
  }
  return sha256(file) === digest ? [] : ["the record is not the one that the snapshot has"];
}

function treeOf(text: string): ReturnType<typeof parseTree> {
  try {
    return parseTree(Buffer.from(text));
  } catch {
    return [];
  }
}
