/** A database of Metamath as our own verifier has it: which proofs do not hold, and which axioms each statement rests on. */
import { type MetamathDatabase, type MetamathStatement, readMetamathProof } from "./metamath.ts";
import { findDefinitions } from "./metamath-definitions.ts";
import { openMeaning } from "./metamath-meaning.ts";
import { openTrees, treeTerms, unreadOf } from "./metamath-trees.ts";
import { checkProof, nameAll, stringTerms } from "./metamath-verify.ts";

export type CheckedDatabase = {
  /** Why a proof does not hold, by the label of what it is of. */
  readonly refused: ReadonlyMap<string, string>;
  /** Words for what is read in two ways or in none; null where each claim is one tree, and each proof a proof in trees. */
  readonly unread: string | null;
  /** Labels of the axioms that a statement rests on, and of the proofs that are open below it or in it. */
  restsOn(at: number): { names: string[]; holes: string[] };
  readonly meaning: ReturnType<typeof openMeaning>;
};

/** checkDatabase checks every proof in trees, and in strings where it is none in trees: what rests on such a one rests on its rules of syntax
 *  and definitions as it does on axioms.
 *  @param doubted labels of what somebody else refuses */
export function checkDatabase(database: MetamathDatabase, doubted: ReadonlySet<string> = new Set()): CheckedDatabase {
  const { statements, syntax } = database;
  const named = nameAll(database);
  const trees = openTrees(database);
  const [inTrees, inStrings] = [treeTerms(trees), stringTerms(database)];
  const refused = new Map<string, string>();
  const open = new Set<MetamathStatement>();
  const strings = new Set<MetamathStatement>();
  const unread = new Map<string, string>();
  for (const one of statements) {
    const why = syntax.has(one.type) ? null : (unreadOf(trees, one)?.why ?? null);
    if (why !== null) unread.set(one.label, why);
    if (one.kind === "a") {
      if (why !== null) strings.add(one);
      continue;
    }
    if (readMetamathProof(one).open) open.add(one);
    else if (why !== null || checkProof(one, named, inTrees) !== null) {
      const wrong = checkProof(one, named, inStrings);
      if (wrong === null) strings.add(one);
      else refused.set(one.label, wrong);
    }
  }
  // Nothing rests on an axiom that no proof takes: how it is read says nothing of anybody.
  const first = strings.values().find(({ kind }) => kind === "p");
  const whyOf = ({ label }: { readonly label: string }): string[] => [unread.get(label) ?? []].flat();
  const sound = findDefinitions(database, trees, (one) => !strings.has(one) && !open.has(one) && !refused.has(one.label));
  return {
    refused,
    unread:
      first === undefined
        ? null
        : `The grammar of this database decides not how everything is read: ${[first, ...readMetamathProof(first).labels.map((label) => ({ label }))].flatMap(whyOf)[0] ?? `the proof of ${first.label} takes one claim for two`}. Whatever rests on such a claim names rules of syntax and definitions among its axioms.`,
    restsOn: deriveAxioms(database, strings, (one) => open.has(one) || refused.has(one.label) || doubted.has(one.label), sound),
    meaning: openMeaning(database, trees, (one) => sound.has(one)),
  };
}

/** Sets of axioms as bits: a proof takes only what stands before it, so that one pass gives them all. */
function deriveAxioms(
  { statements, syntax }: MetamathDatabase,
  strings: ReadonlySet<MetamathStatement>,
  isOpen: (one: MetamathStatement) => boolean,
  sound: ReadonlyMap<MetamathStatement, readonly MetamathStatement[]>,
): CheckedDatabase["restsOn"] {
  const columns = [...statements.keys()].filter((at) => {
    const one = statements[at] as MetamathStatement;
    return one.kind === "a" || isOpen(one);
  });
  // The last bit: something below is a proof in strings alone.
  const [width, last] = [(columns.length + 32) >> 5, columns.length];
  const bits = new Uint32Array(statements.length * width);
  const set = (at: number, column: number): void => void (bits[at * width + (column >> 5)]! |= 1 << (column & 31));
  const has = (at: number, column: number): boolean => (bits[at * width + (column >> 5)]! & (1 << (column & 31))) !== 0;
  for (const [column, at] of columns.entries()) set(at, column);
  const before = new Map<string, number>();
  for (const [at, one] of statements.entries()) {
    if (strings.has(one)) set(at, last);
    const used = one.kind === "a" ? (sound.get(one) ?? []).map(({ label }) => label) : readMetamathProof(one).labels;
    for (const label of used) {
      const from = before.get(label);
      if (from !== undefined) for (let word = 0; word < width; word++) bits[at * width + word]! |= bits[from * width + word]!;
    }
    before.set(one.label, at);
  }
  return (at) => {
    const [names, holes]: [string[], string[]] = [[], []];
    for (const [column, place] of columns.entries()) {
      const one = statements[place] as MetamathStatement;
      const counts = one.kind === "p" || has(at, last) || !(syntax.has(one.type) || sound.has(one));
      if (counts && has(at, column)) (one.kind === "a" ? names : holes).push(one.label);
    }
    return { names, holes };
  };
}
