/** The budget of one process for answers that are being made or wait for their readers. Where it is used up, the next one waits for
 *  its turn, and is refused when that takes too long: what is refused costs nothing, what is half made costs everybody. */
import { openByteBudget, PART_BYTES } from "#snapshots/shelf";
import { ShelfError } from "#snapshots/errors";
import type { Answer } from "./reply.ts";

/** Bytes of all answers under way together. */
const MAX_ADMITTED = 64 * 1024 * 1024;
/** Bytes that an answer is counted as until it is made: few answers are longer. */
const UNMADE = 256 * 1024;
/** How long a request waits for its turn; milliseconds. */
const PATIENCE_MS = 5_000;

/** A Turn is one answer's share. */
export type Turn = {
  /** Counts what was made instead of what was expected: a body that several are sent is counted once, of one that is read on the way a
   *  part. */
  hold(body: Answer["body"]): void;
  end(): void;
};

export type Admission = {
  /** @throws ShelfError "overloaded" when there is no room in time */
  begin(): Promise<Turn>;
};

export function openAdmission({ limit = MAX_ADMITTED, patience = PATIENCE_MS } = {}): Admission {
  const budget = openByteBudget(limit);
  const readersOf = new Map<Uint8Array, number>();
  return {
    async begin() {
      if (!(await budget.take(UNMADE, patience))) {
        throw new ShelfError("overloaded", "More answers wait for their readers than this server holds at once.", {
          fixes: ["Wait for the seconds in Retry-After."],
          headers: { "Retry-After": String(Math.ceil(patience / 1000)) },
        });
      }
      let held = UNMADE;
      let body: Uint8Array | null = null;
      const count = (bytes: number): void => {
        budget.give(held - bytes);
        held = bytes;
      };
      return {
        hold(made) {
          if (!(made instanceof Uint8Array)) return count(made === null ? 0 : PART_BYTES);
          const readers = readersOf.get(made) ?? 0;
          if (readers === 0) budget.give(-made.length);
          readersOf.set(made, readers + 1);
          body = made;
          count(0);
        },
        end() {
          count(0);
          if (body === null) return;
          const left = (readersOf.get(body) ?? 1) - 1;
          if (left > 0) readersOf.set(body, left);
          else {
            readersOf.delete(body);
            budget.give(body.length);
          }
          body = null;
        },
      };
    },
  };
}
