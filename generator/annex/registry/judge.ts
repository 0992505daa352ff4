/** judge holds what a scan found against what a prover accepted before: the prover's print says what moved, words are a hint. */
import type { Checks } from "./checks.ts";
import { type Cause, describeMoved, movedSince } from "./drift.ts";
import type { Drift, LockLine } from "./lock.ts";
import type { FoundDeclaration, ScannedSource } from "./scan.ts";
import { accepts, isFailure, outsideOf, type readPolicy } from "./states.ts";

type Judged = { readonly lock: readonly LockLine[]; readonly drift: readonly Drift[] };

type Judging = Judged & {
  readonly before: readonly LockLine[];
  readonly shown: readonly { readonly one: FoundDeclaration; readonly source: ScannedSource }[];
  readonly checks: Checks;
  readonly allowed: ReturnType<typeof readPolicy>;
  readonly accept: ReadonlySet<string>;
};

/** judge keeps the line of what is refused as it was; of the rest the lock remembers what was accepted. */
export function judge({ lock, drift, before, shown, checks, allowed, accept }: Judging): Judged {
  const lines = new Map(before.map((line) => [line.id, line]));
  const idOf = new Map(lock.map((line) => [line.key, line.id]));
  const told = new Map(drift.filter(({ what }) => what === "changed").map((one) => [one.id, one]));
  const sealed = new Map<string, Pick<LockLine, "verified" | "type" | "meaning">>();
  for (const { one, source } of shown) {
    const id = idOf.get(one.key) ?? "";
    const verdicts = checks.of(one, source);
    const line = lines.get(id);
    const moved = line?.verified === undefined ? null : movedSince(line, verdicts[0], checks.history(one, source, [line.key, ...line.was]));
    const changed = told.get(id);
    if (moved === "unchanged" && changed !== undefined) told.set(id, { ...changed, what: "wording", refused: false });
    else if (moved !== null && moved !== "unchanged") {
      const refused = (moved.cause === "statement" || moved.cause === "meaning") && !accept.has(id);
      told.set(id, { what: moved.cause, id, key: one.key, definitions: moved.definitions, refused });
    }
    // A definition proves nothing: the theorems that rest on it tell when it moves.
    const isHeld =
      one.class === "theorem" &&
      verdicts.some((verdict) => accepts(verdict) && outsideOf(verdict, allowed).length === 0) &&
      !verdicts.some((verdict) => isFailure(verdict, allowed));
    const { type_sha256: type, meaning_sha256: meaning } = verdicts[0] ?? {};
    if (isHeld && told.get(id)?.refused !== true)
      sealed.set(id, {
        verified: one.digest,
        ...(type == null || !isDigest(type) ? {} : { type }),
        ...(meaning == null ? {} : { meaning }),
      });
  }
  const refused = new Set([...told.values()].filter((one) => one.refused).map(({ id }) => id));
  return {
    lock: lock.map((line) => {
      if (refused.has(line.id)) return lines.get(line.id) ?? line;
      // Somebody accepted that it is another: what was verified before is not held against it, whether it holds now or not.
      const { verified: _, type: __, meaning: ___, ...bare } = line;
      const kept: LockLine = accept.has(line.id) && line.state === "live" && !sealed.has(line.id) ? bare : line;
      return { ...kept, ...sealed.get(line.id) };
    }),
    drift: [...drift.filter(({ what }) => what !== "changed"), ...told.values()],
  };
}

function isDigest(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

/** describeRefused gives ids and why, by cause, of what is not what a prover accepted. */
export function describeRefused({ drift }: Pick<Judged, "drift">): string[] {
  const refused = drift.filter((one) => one.refused);
  const isMoved = (what: Drift["what"]): what is Cause => what === "statement" || what === "meaning";
  const moved = refused.flatMap(({ what, id, definitions = [] }) => (isMoved(what) ? [{ cause: what, name: id, definitions }] : []));
  const words = refused.filter(({ what }) => what === "changed").map(({ id }) => id);
  return [
    ...describeMoved(moved),
    ...(words.length === 0
      ? []
      : [
          `words: ${words.join(", ")} ${words.length === 1 ? "has" : "have"} other words, and no prover has printed them as they are now: proofshelf registry recheck tells whether they say the same`,
        ]),
  ];
}
