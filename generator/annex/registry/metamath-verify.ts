/** Proofs of Metamath, checked here: each step is an earlier statement whose hypotheses are what stands on the stack, with terms put in for
 *  variables, and with those variables apart that have to be. Terms are strings of symbols, as the format has them, or trees (metamath-trees.ts). */
import { memoize } from "./memoize.ts";
import { type MetamathDatabase, type MetamathHypothesis, type MetamathStatement, walkProof } from "./metamath.ts";

/** Terms are the terms that proofs are made of, and how they are made. Two terms are the same where `===` says so. */
export type Terms<Term> = {
  /** The term that a hypothesis itself is in the proof of a statement. */
  readonly hypothesis: (one: MetamathStatement, what: MetamathHypothesis) => Term;
  /** The term that a statement or a hypothesis says where these terms stand for the variables of the statement, in their order; null where it says
   *  nothing. */
  readonly fill: (one: MetamathStatement, what: MetamathStatement | MetamathHypothesis, values: readonly Term[]) => Term | null;
  readonly variables: (term: Term) => readonly string[];
};

/** NamedStatement is a statement, or a hypothesis of any scope, that a label names. */
export type NamedStatement = MetamathStatement | MetamathHypothesis;

export function nameAll({ statements, hypotheses }: MetamathDatabase): ReadonlyMap<string, NamedStatement> {
  return new Map<string, NamedStatement>([...hypotheses, ...statements.map((one) => [one.label, one] as const)]);
}

/** checkProof checks one proof.
 *  @returns what is wrong with it; null where it proves what its statement says. One with an open step proves nothing, and nothing is wrong. */
export function checkProof<Term>(one: MetamathStatement, named: ReadonlyMap<string, NamedStatement>, terms: Terms<Term>): string | null {
  const types: string[] = [];
  const stack: Term[] = [];
  const saved: { readonly type: string; readonly term: Term }[] = [];
  let wrong: string | null = null;
  let steps = 0;
  const walked = walkProof(one, {
    step(label) {
      steps++;
      if (wrong !== null) return;
      const what = named.get(label);
      if (what === undefined || what.at >= one.at) wrong = `step ${steps}: ${label} is nothing that stands before it`;
      else if ("until" in what) {
        if (what.until < one.at) wrong = `step ${steps}: the scope of ${label} has ended`;
        types.push(what.type);
        stack.push(terms.hypothesis(one, what));
      } else {
        const why = applyStatement(one, what, types, stack, terms);
        if (why !== null) wrong = `step ${steps}: ${label} ${why}`;
      }
    },
    save: () => void saved.push({ type: types.at(-1) ?? "", term: stack.at(-1) as Term }),
    recall(number) {
      steps++;
      const { type = "", term } = saved[number] ?? {};
      types.push(type);
      stack.push(term as Term);
    },
  });
  if ("wrong" in walked) return walked.wrong;
  if (walked.open) return null;
  if (wrong !== null) return wrong;
  if (stack.length !== 1) return `it leaves more or fewer claims than one: ${stack.length}`;
  const own = one.mandatory.flatMap((hypothesis) => (hypothesis.floats ? [terms.hypothesis(one, hypothesis)] : []));
  return types[0] === one.type && stack[0] === terms.fill(one, one, own) ? null : "it proves something else than it states";
}

/** Takes the hypotheses of a statement from the stack and puts what it says on it. @returns why that is not allowed */
function applyStatement<Term>(
  one: MetamathStatement,
  what: MetamathStatement,
  types: string[],
  stack: Term[],
  terms: Terms<Term>,
): string | null {
  const { mandatory } = what;
  const from = stack.length - mandatory.length;
  if (from < 0) return `needs ${mandatory.length} hypotheses, and there are ${stack.length}`;
  const values: Term[] = [];
  for (let at = 0; at < mandatory.length; at++) if (mandatory[at]?.floats) values.push(stack[from + at] as Term);
  for (const [at, hypothesis] of mandatory.entries()) {
    if (types[from + at] !== hypothesis.type) return `needs ${hypothesis.type} for ${hypothesis.label}, and has ${types[from + at]}`;
    if (!hypothesis.floats && stack[from + at] !== terms.fill(what, hypothesis, values))
      return `has another claim than ${hypothesis.label}`;
  }
  if (what.distinct.length > 0) {
    const why = checkApart(one, what, values, terms);
    if (why !== null) return why;
  }
  const filled = terms.fill(what, what, values);
  if (filled === null) return "says nothing that can be read";
  types.length = from;
  stack.length = from;
  types.push(what.type);
  stack.push(filled);
  return null;
}

/** Pairs of variables that are apart in a scope. */
const pairsApart = memoize((apart: MetamathStatement["apart"]): ReadonlySet<string> => {
  return new Set(apart.flatMap((group) => group.flatMap((a) => group.flatMap((b) => (a === b ? [] : [`${a} ${b}`])))));
}, new WeakMap());

function checkApart<Term>(one: MetamathStatement, what: MetamathStatement, values: readonly Term[], terms: Terms<Term>): string | null {
  const places = placesOf(what);
  const pairs = pairsApart(one.apart);
  for (const pair of what.distinct) {
    const [a = [], b = []] = pair.split(" ").map((name) => terms.variables(values[places.get(name) ?? -1] as Term));
    for (const x of a) for (const y of b) if (!pairs.has(`${x} ${y}`)) return `needs ${x} and ${y} to be apart`;
  }
  return null;
}

/** placesOf gives the variables of a statement, each with its place among the statement's terms. */
export function placesOf({ mandatory }: MetamathStatement): ReadonlyMap<string, number> {
  return new Map(mandatory.filter(({ floats }) => floats).map(({ symbols }, at) => [symbols[0] ?? "", at]));
}

/** memoizeFill works out once what a statement's claim or hypothesis is made of: statements share hypotheses, and have variables of their own. */
export function memoizeFill<Made>(
  make: (one: MetamathStatement, what: NamedStatement) => Made,
): (one: MetamathStatement, what: NamedStatement) => Made {
  const made = memoize((one: MetamathStatement) => memoize((what: NamedStatement) => make(one, what)));
  return (one, what) => made(one)(what);
}

/** stringTerms makes terms that are strings: each symbol has a space before it, so that two terms put together are their symbols put together. */
export function stringTerms({ variables }: MetamathDatabase): Terms<string> {
  const patternOf = memoizeFill((one, what): readonly (string | number)[] => {
    const places = placesOf(one);
    return what.symbols.map((symbol) => places.get(symbol) ?? ` ${symbol}`);
  });
  return {
    hypothesis: (_, { symbols }) => symbols.map((symbol) => ` ${symbol}`).join(""),
    fill(one, what, values) {
      let term = "";
      for (const part of patternOf(one, what)) term += typeof part === "string" ? part : values[part];
      return term;
    },
    variables: (term) => [...new Set(term.split(" "))].filter((symbol) => variables.has(symbol)),
  };
}
