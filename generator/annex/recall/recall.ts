/** Recall: which acceptances rest on a checker with a known hole. */
import { openResting } from "#snapshots/format";
import type { CubRecord, RecordRecall } from "#snapshots/schema";
import { type Accepting, type Advisory, isAffected } from "./advisories.ts";

/** recallOf holds the checkers that accepted a record against the advisories. One that none of the others has is no reason to doubt it.
 *  @param isSuspect whether the record's texts have what a hole needs
 *  @returns null where nobody who accepted it has a hole */
export function recallOf(
  advisories: readonly Advisory[],
  accepting: readonly Accepting[],
  isSuspect: (suspects: NonNullable<Advisory["suspects"]>) => boolean,
): RecordRecall | null {
  const touched = advisories.filter((one) => one.withdrawn === undefined && accepting.some((checker) => isAffected(one, checker)));
  if (touched.length === 0) return null;
  const recall: RecordRecall = { affected: [], cannot_use: [], also_accepted: [] };
  for (const one of touched) {
    const [having, other] = [
      accepting.filter((checker) => isAffected(one, checker)),
      accepting.find((checker) => !isAffected(one, checker)),
    ];
    if (other !== undefined) recall.also_accepted.push({ id: one.id, by: nameOf(other) });
    else if (one.suspects !== undefined && !isSuspect(one.suspects)) recall.cannot_use.push(one.id);
    else recall.affected.push({ id: one.id, title: one.title, url: one.url, by: having.map(nameOf).join(", ") });
  }
  return recall;
}

function nameOf({ name, version }: Accepting): string {
  return `${name} ${version}`.trim();
}

/** countRecalls counts the records that each advisory recalls or passes, those on which most rests first; one that is withdrawn stays told. */
export function countRecalls(advisories: readonly Advisory[], cubs: readonly CubRecord[]) {
  const restingOn = openResting(cubs);
  return advisories
    .map(({ id, title, url, suspects, survives, test, withdrawn }) => {
      const affected = cubs.filter(({ recall }) => recall?.affected.some((one) => one.id === id));
      const passed = cubs.filter(
        ({ recall }) => recall?.cannot_use.includes(id) || recall?.also_accepted.some((one) => one.id === id),
      ).length;
      const users = restingOn(affected.map((record) => record.id)).size;
      const more = {
        ...(survives === undefined ? {} : { survives }),
        ...(test === undefined ? {} : { test }),
        ...(withdrawn === undefined ? {} : { withdrawn }),
      };
      return { id, title, url, ...more, needs: needsOf(suspects), affected: affected.length, passed, used_by: users };
    })
    .filter(({ affected, passed, withdrawn }) => affected + passed > 0 || withdrawn !== undefined)
    .sort((a, b) => b.affected - a.affected || b.used_by - a.used_by || (a.id < b.id ? -1 : 1));
}

type Suspects = NonNullable<Advisory["suspects"]>;
const NEEDS: Readonly<Record<Exclude<keyof Suspects, "words">, string>> = {
  recursion: "a recursive definition that is not plain",
  letins: "a constructor or field with a local definition",
  irrelevance: "something irrelevant, or in Prop",
  modules: "a functor in whose body one thing stands for another, or a module under a second name",
};

/** needsOf says what a proof has to have so that it can use a hole; empty where every proof can. */
function needsOf({ words = [], ...asked }: Suspects = {}): string {
  const kinds = (Object.keys(asked) as (keyof typeof asked)[]).map((kind) => NEEDS[kind]);
  return [...kinds, ...(words.length === 0 ? [] : [words.join(", ")])].join(", or ");
}
