/** State that one look for leaks leaves to the next, so that a change is looked through and not the library.
 *   It is known of each secret whether it was said in public, and which public object, claim or record said it: its witness. As long as that has
 *  the same bytes it says the same. What nobody said was in no file either, for else the look had found a leak; so unchanged files have to be
 *  asked only for what is new, and for what was said by somebody who may say it no more. They are asked by their sketch. */
import { type Sha256, sha256 } from "#snapshots/digest";
import type { GatedSecrets } from "./gated.ts";
import type { Sketch } from "./sketch.ts";

export type Look = {
  /** By digest of kind and value, the number of the witness; or one of the two below. */
  readonly secrets: ReadonlyMap<Sha256, number>;
  readonly witnesses: readonly string[];
  /** Three numbers for each run that was said in public: its fingerprint, and its witness. */
  readonly runs: Uint32Array;
};

/** Somebody said it who is heard in every look: the software, lists of names, claims and records. */
const HEARD = 0xffff_ffff;
/** Nobody said it. */
const UNSAID = 0xffff_fffe;

/** Suspects are what unchanged files may say that a look before did not look for. */
export type Suspects = { readonly ids: readonly number[]; readonly slots: readonly number[] };

/** resume takes for said in public what witnesses say that are there still.
 *  @param fresh runs of gated objects that are looked for the first time, two numbers each
 *  @param sketch of all files that have not changed since that look
 *  @returns what has to be looked for in those files unless somebody says it */
export function resume(
  secrets: GatedSecrets,
  look: Look,
  {
    fresh,
    isThere,
    sketch,
  }: { readonly fresh: readonly Uint32Array[]; readonly isThere: (witness: string) => boolean; readonly sketch: Sketch },
): Suspects {
  const there = look.witnesses.map(isThere);
  const open = new Set<number>();
  for (const [id, secret] of secrets.secrets.entries()) {
    const known = look.secrets.get(nameSecret(secret));
    if (known === UNSAID) continue;
    if (known !== undefined && there[known] === true) secrets.publish(id, look.witnesses[known]);
    if (!secret.published) open.add(id);
  }
  const slots: number[] = [];
  const suspect = (high: number, low: number): void => {
    const slot = secrets.text.find(high, low);
    if (slot >= 0 && !secrets.text.isPublished(slot) && sketch.has(high, low)) slots.push(slot);
  };
  for (let at = 0; at < look.runs.length; at += 3) {
    const [high, low, by] = look.runs.subarray(at, at + 3) as unknown as [number, number, number];
    const slot = secrets.text.find(high, low);
    if (slot >= 0 && there[by] === true) secrets.publishRun(slot, look.witnesses[by]);
    else suspect(high, low);
  }
  for (const runs of [secrets.summaries, ...fresh])
    for (let at = 0; at < runs.length; at += 2) suspect(runs[at] as number, runs[at + 1] as number);
  return { ids: [...findSuspects(secrets, open, sketch)], slots };
}

function findSuspects(secrets: GatedSecrets, open: ReadonlySet<number>, sketch: Sketch): ReadonlySet<number> {
  const found = new Set<number>();
  for (const needle of secrets.needles) if (open.has(needle.id) && !found.has(needle.id) && sketch.mayHave(needle)) found.add(needle.id);
  for (const id of open) {
    const { kind, value } = secrets.secrets[id] as GatedSecrets["secrets"][number];
    if (kind === "digest" && sketch.mayHaveDigest(value)) found.add(id);
  }
  return found;
}

/** areSuspect tells whether nobody public says one of them so far. */
export function areSuspect({ secrets, text }: GatedSecrets, { ids, slots }: Suspects): boolean {
  return ids.some((id) => secrets[id]?.published !== true) || slots.some((slot) => !text.isPublished(slot));
}

/** rememberLook returns what a look knows that found no leak in any public file. */
export function rememberLook({ secrets, text, witnesses }: GatedSecrets): Look {
  const numbers = new Map<string, number>();
  const numberOf = (witness: string | undefined): number => {
    if (witness === undefined) return HEARD;
    const number = numbers.get(witness) ?? numbers.size;
    numbers.set(witness, number);
    return number;
  };
  const known = new Map<Sha256, number>();
  for (const [id, secret] of secrets.entries()) known.set(nameSecret(secret), secret.published ? numberOf(witnesses.ids.get(id)) : UNSAID);
  const runs: number[] = [];
  text.eachPublished((slot, high, low) => runs.push(high, low, numberOf(witnesses.slots.get(slot))));
  return { secrets: known, witnesses: [...numbers.keys()], runs: Uint32Array.from(runs) };
}

function nameSecret({ kind, value }: GatedSecrets["secrets"][number]): Sha256 {
  return sha256(`${kind} ${value}`);
}
