/** Random gives numbers that look random and are the same for the same seed: a failure can be made again. */

export type Random = {
  /** A whole number from 0 to before `end`. */
  below(end: number): number;
  pick<T>(list: readonly T[]): T;
};

export function openRandom(seed: number): Random {
  // mulberry32
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (end: number): number => Math.floor(next() * end);
  return { below, pick: (list) => list[below(list.length)] as (typeof list)[number] };
}
