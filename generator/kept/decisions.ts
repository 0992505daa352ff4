/** Keeps what operators have decided, each with the digest of what it was decided about: of other bytes of that name nothing is decided. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { keptFile, type KeptFile } from "#generator/files";
import { ShelfError } from "#snapshots/errors";

const decisionSchema = z.strictObject({
  /** It may be weaker, it stays in what was published before, or it is served no more. */
  kind: z.enum(["accepted", "kept", "withdrawn"]),
  about: z.string(),
  /** Digest of what was looked at when it was decided. */
  sha256: z.string(),
  why: z.string(),
});

/** A Decision is what an operator said once, and of what. */
export type Decision = z.infer<typeof decisionSchema>;

export type Decisions = {
  of(kind: Decision["kind"]): readonly Decision[];
  /** Tells why it was decided so of these very bytes; null when it was not. */
  why(kind: Decision["kind"], about: string, sha256: string): string | null;
  /** Replaces all of one kind. */
  set(kind: Decision["kind"], decisions: readonly Omit<Decision, "kind">[]): void;
};

/** DECISIONS is the name of the file, in the folder of what builds keep. */
export const DECISIONS = "decisions.json";

/** areDecisionsDamaged tells whether the file of decisions is there and is not what was written. @param dir of what builds keep */
export function areDecisionsDamaged(dir: string): boolean {
  return existsSync(join(dir, DECISIONS)) && openFile(dir).read() === null;
}

/** openDecisions opens the decisions of a shelf. Without them more might be published, or taken out for good, than anybody has decided: a file that
 *  is damaged is not taken for none, and is not written over. @param dir of what builds keep. @throws ShelfError "snapshot_damaged" */
export function openDecisions(dir: string): Decisions {
  if (areDecisionsDamaged(dir))
    throw new ShelfError(
      "snapshot_damaged",
      `${DECISIONS} is not what was written: it holds what was accepted, withdrawn, or kept in history.`,
      {
        fixes: [
          `Nothing was changed. Put a copy of shelf/internal/build/${DECISIONS} back from a backup.`,
          "Without one, run: proofshelf repair. What was accepted is then asked for again, and what --keep-history kept is taken out.",
        ],
      },
    );
  const file = openFile(dir);
  const read = (): readonly Decision[] => file.read() ?? [];
  return {
    of: (kind) => read().filter((one) => one.kind === kind),
    why: (kind, about, sha256) => read().find((one) => one.kind === kind && one.about === about && one.sha256 === sha256)?.why ?? null,
    set(kind, decisions) {
      const before = read();
      if (before.length + decisions.length === 0) return;
      file.write([...before.filter((one) => one.kind !== kind), ...decisions.map((one) => ({ kind, ...one }))]);
    },
  };
}

function openFile(dir: string): KeptFile<Decision[]> {
  return keptFile(z.array(decisionSchema), join(dir, DECISIONS));
}
