/** How good a ranking is, and whether one system is better than another or merely luckier. */

/** A Ranking is document ids, best first. */
export type Ranking = readonly string[];
export type Grades = ReadonlyMap<string, number>;

/** ndcg returns normalised discounted cumulative gain of the first `depth` (gain = grade, discount log2(rank + 1)); 0 to 1. */
export function ndcg(ranking: Ranking, grades: Grades, depth: number): number {
  const gain = (list: readonly number[]): number => list.slice(0, depth).reduce((sum, grade, at) => sum + grade / Math.log2(at + 2), 0);
  const ideal = gain([...grades.values()].sort((a, b) => b - a));
  return ideal === 0 ? 0 : gain(ranking.slice(0, depth).map((id) => grades.get(id) ?? 0)) / ideal;
}

/** averagePrecision returns mean of the precision at each relevant document; those not ranked count 0. */
export function averagePrecision(ranking: Ranking, grades: Grades): number {
  let found = 0;
  let sum = 0;
  ranking.forEach((id, at) => {
    if (grades.has(id)) sum += ++found / (at + 1);
  });
  return grades.size === 0 ? 0 : sum / grades.size;
}

/** reciprocalRank is 1 / rank of the first relevant document; 0 when none is ranked. */
export function reciprocalRank(ranking: Ranking, grades: Grades): number {
  const at = ranking.findIndex((id) => grades.has(id));
  return at < 0 ? 0 : 1 / (at + 1);
}

/** recall returns share of the relevant documents among the first `depth`. */
export function recall(ranking: Ranking, grades: Grades, depth: number): number {
  const first = new Set(ranking.slice(0, depth));
  return grades.size === 0 ? 0 : [...grades.keys()].filter((id) => first.has(id)).length / grades.size;
}

export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** percentile returns the value that the share `p` of all values does not exceed. */
export function percentile(values: readonly number[], p: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(sorted.length * p) - 1))] ?? 0;
}

/** Rounds of the randomisation test: its p is true to about ±.005. */
const ROUNDS = 10_000;

/** randomisationTest is paired and two-sided: how often a difference of means at least as large comes about when each query's
 *  two values are swapped at random. The random numbers are the same in every run. */
export function randomisationTest(a: readonly number[], b: readonly number[]): number {
  const differences = a.map((value, at) => value - (b[at] ?? 0));
  const observed = Math.abs(differences.reduce((sum, value) => sum + value, 0));
  let state = 0x9e3779b9;
  let extreme = 0;
  for (let round = 0; round < ROUNDS; round++) {
    let sum = 0;
    for (const difference of differences) {
      // xorshift32
      state ^= state << 13;
      state ^= state >>> 17;
      state ^= state << 5;
      sum += state < 0 ? -difference : difference;
    }
    if (Math.abs(sum) >= observed - 1e-12) extreme++;
  }
  return extreme / ROUNDS;
}
