/** Logistic regression, of rows that are right or wrong and of candidates among which some are right, by Adam with a penalty on weights.
 *  The penalty is learnt with them and is no setting: as in ridge regression by evidence, it is the number of weights over the sum of their
 *  squares, found by going back and forth between the two. */

const ROUNDS = 200;
const RATE = 0.1;
const FIRST_PENALTY = 1;
const RENEW = 25; // rounds after which the penalty follows the weights

/** @param free how many weights at the beginning have no penalty
 *  @param gradient of the loss at weights @returns weights */
function descend(count: number, free: number, gradient: (weights: Float64Array) => Float64Array, examples: number): Float64Array {
  const weights = new Float64Array(count);
  let penalty = FIRST_PENALTY;
  const [first, second] = [new Float64Array(weights.length), new Float64Array(weights.length)];
  for (let round = 1; round <= ROUNDS; round++) {
    if (round % RENEW === 0) penalty = (count - free) / weights.slice(free).reduce((sum, weight) => sum + weight * weight, 0);
    const slope = gradient(weights);
    for (let at = free; at < count; at++) slope[at] = (slope[at] ?? 0) + (penalty * (weights[at] ?? 0)) / examples;
    for (let at = 0; at < weights.length; at++) {
      const one = slope[at] ?? 0;
      first[at] = 0.9 * (first[at] ?? 0) + 0.1 * one;
      second[at] = 0.99 * (second[at] ?? 0) + 0.01 * one * one;
      const step = (first[at] ?? 0) / (1 - 0.9 ** round) / (Math.sqrt((second[at] ?? 0) / (1 - 0.99 ** round)) + 1e-8);
      weights[at] = (weights[at] ?? 0) - RATE * step;
    }
  }
  return weights;
}

/** scaleOf returns mean and deviation of each column: weights are learnt of columns of one width. */
export function scaleOf(rows: readonly (readonly number[])[]): { readonly mean: readonly number[]; readonly width: readonly number[] } {
  const columns = rows[0]?.length ?? 0;
  const mean = Array.from({ length: columns }, (_, at) => rows.reduce((sum, row) => sum + (row[at] ?? 0), 0) / rows.length);
  const width = mean.map((middle, at) => Math.sqrt(rows.reduce((sum, row) => sum + ((row[at] ?? 0) - middle) ** 2, 0) / rows.length) || 1);
  return { mean, width };
}

export function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += (a[at] ?? 0) * (b[at] ?? 0);
  return sum;
}

/** A Group is the candidates of one question, and how right each is; one at least is. */
export type Group = { readonly rows: readonly (readonly number[])[]; readonly right: readonly number[] };

/** fitOrder returns weights under which the right ones of each group stand first (conditional logistic regression). */
export function fitOrder(groups: readonly Group[]): readonly number[] {
  const gradient = (weights: Float64Array): Float64Array => {
    const slope = new Float64Array(weights.length);
    for (const { rows, right } of groups) {
      const scores = rows.map((row) => dot(row, weights));
      const top = Math.max(...scores);
      const odds = scores.map((score) => Math.exp(score - top));
      const all = odds.reduce((sum, one) => sum + one, 0);
      const held = odds.reduce((sum, one, at) => sum + one * (right[at] ?? 0), 0);
      for (const [at, row] of rows.entries()) {
        const pull = ((odds[at] ?? 0) / all - ((odds[at] ?? 0) * (right[at] ?? 0)) / held) / groups.length;
        if (Math.abs(pull) > 1e-9)
          for (let column = 0; column < row.length; column++) slope[column] = (slope[column] ?? 0) + pull * (row[column] ?? 0);
      }
    }
    return slope;
  };
  return [...descend(groups[0]?.rows[0]?.length ?? 0, 0, gradient, groups.length)];
}

type Decided = { readonly row: readonly number[]; readonly yes: boolean };

/** fitDecision returns bias and weights under which the rows that are right are told from the others; both kinds count the same. */
export function fitDecision(rows: readonly Decided[]): { readonly bias: number; readonly weights: readonly number[] } {
  const share = rows.filter(({ yes }) => yes).length / rows.length;
  const gradient = (weights: Float64Array): Float64Array => {
    const slope = new Float64Array(weights.length);
    for (const { row, yes } of rows) {
      const said = 1 / (1 + Math.exp(-(weights[0] ?? 0) - dot(row, weights.subarray(1))));
      const pull = ((said - (yes ? 1 : 0)) * (yes ? 0.5 / share : 0.5 / (1 - share))) / rows.length;
      slope[0] = (slope[0] ?? 0) + pull;
      for (const [at, value] of row.entries()) slope[at + 1] = (slope[at + 1] ?? 0) + pull * value;
    }
    return slope;
  };
  const [bias = 0, ...weights] = descend(1 + (rows[0]?.row.length ?? 0), 1, gradient, rows.length);
  return { bias, weights };
}
