/** Definitions of Metamath are axioms like any other. One that only names what could be written without it says nothing: a new rule of syntax on
 *  the left, with variables alone, and on the right an expression without it, whose other variables are proved to be as good as any other. */
import type { MetamathDatabase, MetamathStatement } from "./metamath.ts";
import { isMadeTree, Likeness, type MadeTree, type SoundDefinition, variablesIn } from "./metamath-alike.ts";
import type { SyntaxTree, Trees } from "./metamath-trees.ts";
import { placesOf } from "./metamath-verify.ts";

/** Statements by their labels that a definition is sound by: what rests on it rests on them. */
type Sound = ReadonlyMap<MetamathStatement, readonly MetamathStatement[]>;

/** findDefinitions goes through a database in its order: what makes a definition sound stands before it.
 *  @param holds whether a statement is proved in trees, or claimed as one tree */
export function findDefinitions(
  { statements, syntax }: MetamathDatabase,
  { treeOf }: Trees,
  holds: (one: MetamathStatement) => boolean,
): Sound {
  const sound = new Map<MetamathStatement, readonly MetamathStatement[]>();
  const used = new Set<MetamathStatement>(); // rules of syntax that something was said by
  const likeness = new Likeness();
  const made = new Set(statements.flatMap(({ kind, type }) => (kind === "a" && syntax.has(type) ? [type] : [])));
  for (const one of statements) {
    if (syntax.has(one.type)) continue;
    const trees = [one, ...one.mandatory.filter(({ floats }) => !floats)].map((what) => treeOf(one, what));
    const [tree, ...claims] = trees.flatMap((part) => ("why" in part ? [] : [part]));
    const definition = one.kind === "a" && trees.length === 1 && isMadeTree(tree) ? readDefinition(one, tree, used) : null;
    const needs = definition === null ? null : soundBy(definition, likeness, made);
    if (definition !== null && needs !== null) {
      sound.set(one, needs);
      likeness.define(definition);
    }
    for (const part of trees) if (!("why" in part)) for (const rule of rulesOf(part)) used.add(rule);
    if (tree !== undefined && claims.length === trees.length - 1 && holds(one)) likeness.learn(one, tree, claims);
  }
  return sound;
}

/** rulesOf gives the rules that a tree is made by, from its root. */
export function* rulesOf(tree: SyntaxTree): Generator<MetamathStatement> {
  if (!("rule" in tree)) return;
  yield tree.rule;
  for (const arg of tree.args) yield* rulesOf(arg);
}

/** Reads a claim as a definition: something between a new rule and what it stands for. */
function readDefinition(
  one: MetamathStatement,
  { rule: relation, args: [left, right, ...more] }: MadeTree,
  used: ReadonlySet<MetamathStatement>,
): SoundDefinition | null {
  if (!isMadeTree(left) || right === undefined || more.length > 0 || used.has(left.rule)) return null;
  const parameters = left.args.map((arg) => ("variable" in arg ? arg.variable : ""));
  if (parameters.includes("") || new Set(parameters).size < parameters.length) return null;
  return [...rulesOf(right)].includes(left.rule) ? null : { one, rule: left.rule, relation, parameters, right };
}

function soundBy(
  { one, relation, parameters, right }: SoundDefinition,
  likeness: Likeness,
  made: ReadonlySet<string>,
): readonly MetamathStatement[] | null {
  const alike = likeness.likenessOf(relation);
  if (alike === null) return null;
  const needs = new Set(alike);
  const typeOf = new Map(one.mandatory.filter(({ floats }) => floats).map(({ symbols, type }) => [symbols[0] ?? "", type]));
  const places = placesOf(one);
  for (const name of new Set(variablesIn(right))) {
    if (parameters.includes(name)) continue;
    const apart = [...places.keys()].every((other) => other === name || one.distinct.includes([name, other].sort().join(" ")));
    // A type that has rules has terms: one of them could stand there, and the two sides of the definition would say different things.
    if (made.has(typeOf.get(name) ?? "") || !apart || !likeness.renames(name, right, relation, needs)) return null;
  }
  return [...needs];
}
