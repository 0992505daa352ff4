/** `proofshelf verify` */
import { readFile } from "node:fs/promises";
import { parseJson } from "#snapshots/digest";
import { ShelfError } from "#snapshots/errors";
import { checkSentences, meaningSentence, recordStanding, reviewSentences, witnessSentence } from "#snapshots/format";
import { type NoteKey, parseKey } from "#snapshots/log";
import { createTreeCache, openSnapshot, snapshotRecordSchema } from "#snapshots/shelf";
import { checkReceipt, checkRecordProof, parseReceipt, type Since } from "#snapshots/verify";
import { openConfig } from "#generator/config";
import type { Annexes } from "#generator/pipeline";
import { countErrors, describeFindings, verifyLibrary } from "#generator/publish";
import { codeDigest, openProgress } from "#generator/files";
import { readSourceFile } from "#generator/sources";
import { openShelves, refresh, type Shelves } from "#generator/shelves";
import { readState } from "#generator/kept";
import { type CommonOptions, configOf, FOUND, print } from "./options.ts";

/** A receipt has a few quotes. */
const MAX_RECEIPT_BYTES = 16 * 1024 * 1024;

type VerifyCommandOptions = CommonOptions & {
  readonly all?: boolean;
  readonly since?: string;
  readonly receipt?: string;
  readonly key?: readonly string[];
};

export async function runVerify(options: VerifyCommandOptions, annexes: Annexes): Promise<void> {
  const proof =
    options.receipt === undefined
      ? null
      : await readSourceFile(options.receipt, `receipt ${JSON.stringify(options.receipt)}`, MAX_RECEIPT_BYTES);
  // A proof needs nothing of this machine but the keys.
  if (proof !== null && options.key !== undefined && tellProof(proof, options.key.map(parseKey), options)) return;
  const config = await openConfig(configOf(options), { checkSources: false });
  const own = [config.log?.publicKey ?? [], config.log?.witnesses ?? []].flat();
  if (proof !== null && tellProof(proof, own.map(parseKey), options)) return;
  const shelves = openShelves(config, annexes);
  await refresh(shelves);
  if (options.receipt !== undefined) return verifyReceipt(options.receipt, shelves, options);
  const since = options.since === undefined ? null : await readSince(options.since);
  if ((await shelves.public.history.listSequences()).length === 0 && (await shelves.public.readPointer().catch(() => undefined)) === null) {
    throw new ShelfError("no_snapshot", "No snapshot has been published yet.", { fixes: ["Run: proofshelf build"] });
  }
  const progress = openProgress();
  const findings = await verifyLibrary(config, annexes, {
    snapshots: options.all === true ? "all" : "current",
    since,
    tell: progress.step,
  }).finally(progress.end);
  const errors = countErrors(findings);
  const derived = findings.some(({ code }) => code.startsWith("derived_") || code === "index_mismatch");
  const otherProgram = derived && (await isOfOtherProgram(shelves));
  const body = { errors, warnings: findings.length - errors, findings, ...(derived ? { other_program: otherProgram } : {}) };
  print(options, body, describeFindings(findings) + (otherProgram ? OTHER_PROGRAM : ""));
  if (errors > 0) process.exitCode = FOUND;
}

const OTHER_PROGRAM =
  "The last build was made by another version of this program. What follows from the sources may differ for that alone: build again, then verify.\n";

/** isOfOtherProgram tells whether the last build that this shelf remembers was made by other code than this. Where no build is remembered, nothing
 *  is excused. */
async function isOfOtherProgram({ buildDir }: Shelves): Promise<boolean> {
  const program = codeDigest();
  const last = (await readState(buildDir, program)).program;
  return last !== "" && last !== program;
}

/** @throws ShelfError "bad_config" for what is neither a number nor a copy of current.json */
async function readSince(text: string): Promise<Since> {
  if (/^[1-9][0-9]{0,14}$/.test(text)) return { sequence: Number(text) };
  const parsed = snapshotRecordSchema.safeParse(parseJson(await readFile(text, "utf8").catch(() => "")));
  if (parsed.success) return parsed.data;
  throw new ShelfError("bad_config", "--since takes the number of a snapshot, or a file that is a copy of public/current.json.");
}

/** tellProof checks the proof of a record, and tells what the record says. @returns false for a file that is none */
function tellProof(file: Uint8Array, keys: readonly NoteKey[], options: CommonOptions): boolean {
  const checked = checkRecordProof(new TextDecoder().decode(file), keys);
  if (checked === null) return false;
  const { findings, record, origin, snapshot, sequence, created, signers } = checked;
  const says =
    record === null
      ? []
      : [
          `${record.id} ${record.module}.${record.theorem_name}: ${record.standing?.says ?? recordStanding(record).says}`,
          record.statement,
          ...[...checkSentences(record), meaningSentence(record) ?? [], reviewSentences(record), witnessSentence(record) ?? []].flat(),
        ];
  const holds = `The proof holds: publication ${sequence} of the log ${origin}, of ${created}, signed by ${signers.join(", ")}, is snapshot ${snapshot}, which has this record:`;
  print(options, checked, `${(findings.length === 0 ? [holds, ...says] : ["The proof does not hold:", ...findings]).join("\n")}\n`);
  if (findings.length > 0) process.exitCode = FOUND;
  return true;
}

async function verifyReceipt(file: string, shelves: Shelves, options: CommonOptions): Promise<void> {
  const receipt = parseReceipt(new TextDecoder().decode(await readSourceFile(file, `receipt ${JSON.stringify(file)}`, MAX_RECEIPT_BYTES)));
  if (receipt === null) throw new ShelfError("bad_config", `${file} holds no receipt, no answer with one, and no proof of a record.`);
  const findings: string[] = [];
  let checked = false;
  // An answer of the gated view pins an internal snapshot.
  for (const shelf of [shelves.public, shelves.internal]) {
    const record = (await shelf.records.index()).byId.get(receipt.snapshot);
    if (record === undefined || checked) continue;
    findings.push(...(await checkReceipt(receipt, await openSnapshot(shelf, record, createTreeCache()))));
    checked = true;
  }
  if (!checked) findings.push(`snapshot ${receipt.snapshot} is not kept here, so its quotes cannot be checked`);
  print(options, { findings }, `${findings.length === 0 ? "The receipt holds: every quote stands where it says." : findings.join("\n")}\n`);
  if (findings.length > 0) process.exitCode = FOUND;
}
