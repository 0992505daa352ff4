/** Keeps what operators have decided, each with the digest of what it was decided about: of other bytes of that name nothing is decided. */
import { join } from "node:path";
import { z } from "zod";
import { keptFile } from "#generator/files";

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

/** openDecisions opens the decisions of a shelf. A file that is damaged holds none: then it is asked again. @param dir of what builds keep */
export function openDecisions(dir: string): Decisions {
  const file = keptFile(z.array(decisionSchema), join(dir, "decisions.json"));
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
