/** Definitions of Metamath are axioms like any other. One that only names what could be written without it says nothing: a new rule of syntax on
 *  the left, with variables alone, and on the right an expression without it, in which no variable is free that the left does not have. */
import type { MetamathDatabase, MetamathStatement } from "./metamath.ts";
import { placesOf } from "./metamath-verify.ts";
import type { SyntaxTree, Trees } from "./metamath-trees.ts";

/** Statements by their labels that a definition is sound by: what rests on it rests on them. */
type Sound = ReadonlyMap<MetamathStatement, readonly MetamathStatement[]>;

type Made = Extract<SyntaxTree, { rule: unknown }>;
/** A rule binds the variable at one place in what stands at another. */
type Binds = { readonly variable: number; readonly within: number; readonly by: MetamathStatement | null };

/** findDefinitions goes through a database in its order: what makes a definition sound stands before it.
 *  @param holds whether a statement is proved in trees, or claimed as one tree */
export function findDefinitions(
  { statements, syntax }: MetamathDatabase,
  { treeOf }: Trees,
  holds: (one: MetamathStatement) => boolean,
): Sound {
  const sound = new Map<MetamathStatement, readonly MetamathStatement[]>();
  const used = new Set<MetamathStatement>(); // rules of syntax that something was said by
  const reflexive = new Map<MetamathStatement, MetamathStatement>(); // `A = A`, by the rule
  const symmetric = new Map<MetamathStatement, MetamathStatement>(); // `A = B` gives `B = A`
  const binders = new Map<MetamathStatement, Binds[]>();
  const made = new Set(statements.flatMap(({ kind, type }) => (kind === "a" && syntax.has(type) ? [type] : [])));
  for (const one of statements) {
    if (syntax.has(one.type)) continue;
    const tree = treeOf(one, one);
    const claims = one.mandatory.filter(({ floats }) => !floats).map((claim) => treeOf(one, claim));
    if (one.kind === "a" && claims.length === 0 && isMade(tree)) {
      const by = soundBy(one, tree, used, [reflexive, symmetric], binders, made);
      if (by !== null) {
        sound.set(one, by.needs);
        binders.set(by.rule, by.binds);
      }
    }
    for (const part of [tree, ...claims]) if (!("why" in part)) for (const rule of rulesOf(part)) used.add(rule);
    if (!isMade(tree) || !holds(one)) continue;
    if (claims.length === 0 && one.distinct.length === 0 && isReflexive(tree) && !reflexive.has(tree.rule)) reflexive.set(tree.rule, one);
    const [claim] = claims;
    if (isMade(claim) && claims.length === 1 && one.distinct.length === 0 && isTurned(tree, claim) && !symmetric.has(tree.rule))
      symmetric.set(tree.rule, one);
    const renames = claims.length === 1 && isMade(claim) ? readRenaming(tree, claim, reflexive) : null;
    if (renames !== null) binders.set(renames.rule, [...(binders.get(renames.rule) ?? []), { ...renames, by: one }]);
  }
  return sound;
}

function isMade(tree: SyntaxTree | { readonly why: string } | undefined): tree is Made {
  return tree !== undefined && "rule" in tree;
}

function* rulesOf(tree: SyntaxTree): Generator<MetamathStatement> {
  if (!("rule" in tree)) return;
  yield tree.rule;
  for (const arg of tree.args) yield* rulesOf(arg);
}

function* variablesOf(tree: SyntaxTree): Generator<string> {
  if ("variable" in tree) yield tree.variable;
  else for (const arg of tree.args) yield* variablesOf(arg);
}

function isReflexive({ args: [left, right, ...more] }: Made): boolean {
  return left !== undefined && right !== undefined && more.length === 0 && nameOf(left) !== null && nameOf(left) === nameOf(right);
}

function isTurned(tree: Made, claim: Made): boolean {
  const [a, b] = claim.args.map(nameOf);
  const [c, d] = tree.args.map(nameOf);
  return tree.rule === claim.rule && tree.args.length === 2 && a != null && b != null && a !== b && a === d && b === c;
}

/** The variable that a tree is, if need be by a rule that only says that such a variable is a term. */
function nameOf(tree: SyntaxTree): string | null {
  if ("variable" in tree) return tree.variable;
  const [only] = tree.args;
  return tree.args.length === 1 && tree.rule.symbols.length === 1 && only !== undefined && "variable" in only ? only.variable : null;
}

/** `( x = y -> ( ph <-> ps ) )` gives `( A. x ph <-> A. y ps )`: then `A.` binds its variable, since another may stand there. */
function readRenaming(
  tree: Made,
  claim: Made,
  reflexive: ReadonlyMap<MetamathStatement, MetamathStatement>,
): { readonly rule: MetamathStatement; readonly variable: number; readonly within: number } | null {
  const [equal, same] = claim.args;
  const [left, right] = tree.args;
  if (!isMade(equal) || !isMade(same) || !isMade(left) || !isMade(right) || left.rule !== right.rule) return null;
  const [x, y] = equal.args.map(nameOf);
  const [p, q] = same.args.map(nameOf);
  if (!reflexive.has(equal.rule) || !reflexive.has(tree.rule) || !reflexive.has(same.rule)) return null;
  if (x == null || y == null || p == null || q == null || new Set([x, y, p, q]).size < 4) return null;
  const names = left.args.map((arg, at) => [nameOf(arg), nameOf(right.args[at] as SyntaxTree)]);
  const at = (from: string, to: string): number => names.findIndex(([a, b]) => a === from && b === to);
  const [variable, within] = [at(x, y), at(p, q)];
  const others = names.every(
    ([a, b], place) => place === variable || place === within || (a !== null && a === b && ![x, y, p, q].includes(a ?? "")),
  );
  return variable < 0 || within < 0 || !others ? null : { rule: left.rule, variable, within };
}

function soundBy(
  one: MetamathStatement,
  { rule: relation, args: [left, right, ...more] }: Made,
  used: ReadonlySet<MetamathStatement>,
  relations: readonly ReadonlyMap<MetamathStatement, MetamathStatement>[],
  binders: ReadonlyMap<MetamathStatement, readonly Binds[]>,
  made: ReadonlySet<string>,
): { readonly rule: MetamathStatement; readonly needs: readonly MetamathStatement[]; readonly binds: Binds[] } | null {
  const needs = new Set(relations.flatMap((of) => of.get(relation) ?? []));
  if (needs.size < relations.length || !isMade(left) || right === undefined || more.length > 0 || used.has(left.rule)) return null;
  const parameters = left.args.map((arg) => ("variable" in arg ? arg.variable : ""));
  if (parameters.includes("") || new Set(parameters).size < parameters.length) return null;
  if ([...rulesOf(right)].includes(left.rule)) return null;
  const typeOf = new Map(one.mandatory.filter(({ floats }) => floats).map(({ symbols, type }) => [symbols[0] ?? "", type]));
  const places = placesOf(one);
  for (const name of new Set(variablesOf(right))) {
    if (parameters.includes(name)) continue;
    const apart = [...places.keys()].every((other) => other === name || one.distinct.includes([name, other].sort().join(" ")));
    // A type that has rules has terms: one of them could stand there, and the two sides of the definition would say different things.
    if (made.has(typeOf.get(name) ?? "") || !apart || isFree(name, null, right, binders, needs)) return null;
  }
  const binds = parameters.flatMap((x, variable) =>
    made.has(typeOf.get(x) ?? "") || isFree(x, null, right, binders, needs)
      ? []
      : parameters.flatMap((name, within) =>
          name !== x && !isFree(name, x, right, binders, needs) ? [{ variable, within, by: null }] : [],
        ),
  );
  return { rule: left.rule, needs: [...needs], binds };
}

/** isFree tells whether a variable stands somewhere outside of what binds it, or binds the other. @param needs is told by what is bound */
function isFree(
  name: string,
  binder: string | null,
  tree: SyntaxTree,
  binders: ReadonlyMap<MetamathStatement, readonly Binds[]>,
  needs: Set<MetamathStatement>,
): boolean {
  if ("variable" in tree) return tree.variable === name;
  const of = binders.get(tree.rule) ?? [];
  return tree.args.some((arg, at) => {
    const bound = of.find(({ variable, within }) => {
      const by = tree.args[variable] as SyntaxTree;
      return "variable" in by && by.variable === (binder ?? name) && (within === at || (variable === at && binder === null));
    });
    if (bound === undefined) return isFree(name, binder, arg, binders, needs);
    if (bound.by !== null) needs.add(bound.by);
    return false;
  });
}
