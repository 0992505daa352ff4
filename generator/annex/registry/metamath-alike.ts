/** A variable may be bound only where the database proves that another may stand in its place. The proof is put together here from what stands
 *  before: a binder's own renaming, and for each rule around the variable that like may stand for like. */
import type { MetamathStatement } from "./metamath.ts";
import { push } from "./reach.ts";
import type { SyntaxTree } from "./metamath-trees.ts";

export type MadeTree = Extract<SyntaxTree, { rule: unknown }>;
type Rule = MetamathStatement;

/** `( ph -> ( ps <-> ch ) )` gives `( ph -> ( A. x ps <-> A. x ch ) )` where `x` is not in `ph`. */
type Congruence = {
  readonly place: number;
  /** The relations of what is put in, and of what comes of it. */
  readonly inner: string;
  readonly outer: string;
  /** Places that share no variable with `ph`. */
  readonly apart: readonly number[];
  /** By place, the rule that makes a term of the variable alone that has to stand there; null where anything may. */
  readonly wraps: readonly (Rule | null)[];
  readonly needs: readonly MetamathStatement[];
};

/** `( x = y -> ( ph <-> ps ) )` gives `( A. x ph <-> A. y ps )`. */
type Renaming = {
  readonly variable: number;
  readonly equal: string;
  /** The relations at the places where it is bound. */
  readonly same: ReadonlyMap<number, string>;
  readonly outer: string;
  readonly needs: readonly MetamathStatement[];
};

/** SoundDefinition is one that stands for what is written without it. */
export type SoundDefinition = {
  readonly one: MetamathStatement;
  readonly rule: Rule;
  readonly relation: Rule;
  readonly parameters: readonly string[];
  readonly right: SyntaxTree;
};

/** Names that others stand for, each with the relation between the two. A `bound` one is renamed where something binds it, and the names of
 *  `within` are other ones there; `equal` is told. */
type Change = {
  readonly free: ReadonlyMap<string, string>;
  readonly bound: string | null;
  readonly within: ReadonlyMap<string, string>;
  readonly needs: Set<MetamathStatement>;
  /** Names that have to be apart from what the change rests on. */
  readonly apart: Set<string>;
  readonly equal: Set<string>;
};

export function isMadeTree(tree: SyntaxTree | { readonly why: string } | undefined): tree is MadeTree {
  return tree !== undefined && "rule" in tree;
}

export function* variablesIn(tree: SyntaxTree): Generator<string> {
  if ("variable" in tree) yield tree.variable;
  else for (const arg of tree.args) yield* variablesIn(arg);
}

/** Likeness knows what a database has proved so far about relations, implication and binders. */
export class Likeness {
  private readonly shapes = new Map<string, MetamathStatement>();
  private readonly congruences = new Map<Rule, Congruence[]>();
  private readonly renamings = new Map<Rule, Renaming[]>();
  private readonly definitions = new Map<Rule, SoundDefinition>();
  private readonly made = new Map<string, Congruence | Renaming>();
  private readonly failed = new Set<string>();
  private readonly relations = new Map<string, string>();
  private implies: { readonly rule: Rule; readonly needs: readonly MetamathStatement[] } | null = null;

  /** learn takes in what a statement says that is proved, or claimed as an axiom. */
  learn(one: MetamathStatement, tree: SyntaxTree, claims: readonly SyntaxTree[]): void {
    if (!one.distinct.length && claims.length < 3) this.keepShape(one, tree, claims);
    if (this.implies === null || !isMadeTree(tree) || claims.length > 1) return;
    const renaming = this.readRenaming(one, tree, claims[0]);
    if (renaming !== null) push(this.renamings, renaming.rule, renaming.found);
    const congruence = this.readCongruence(one, tree, claims[0]);
    if (congruence !== null) push(this.congruences, congruence.rule, congruence.found);
  }

  define(definition: SoundDefinition): void {
    this.definitions.set(definition.rule, definition);
  }

  /** likenessOf gives what shows that a relation is between anything and itself, and can be turned round; null where that is not shown. */
  likenessOf(relation: Rule): readonly MetamathStatement[] | null {
    const [same, turned] = [SAME, TURNED].map((pattern) => this.shapes.get(shapeOf(pattern, { r: relation.label })));
    return same === undefined || turned === undefined ? null : [same, turned];
  }

  /** renames tells whether it is proved that another may stand for a variable that is bound everywhere. @param needs is told what by */
  renames(name: string, tree: SyntaxTree, relation: Rule, needs: Set<MetamathStatement>): boolean {
    this.failed.clear(); // more is proved than when they were tried
    const change: Change = { free: new Map(), bound: name, within: new Map(), needs, apart: new Set(), equal: new Set() };
    return this.alike(tree, change) === relation.label;
  }

  private keepShape(one: MetamathStatement, tree: SyntaxTree, claims: readonly SyntaxTree[]): void {
    for (const order of claims.length < 2 ? [claims] : [claims, claims.toReversed()]) {
      const shape = writeShape([tree, ...order]);
      if (shape !== null && !this.shapes.has(shape)) this.shapes.set(shape, one);
    }
    if (!isMadeTree(tree) || tree.args.length !== 2) return;
    const { rule } = tree;
    const needs = IMPLIES.map((pattern) => this.shapes.get(shapeOf(pattern, { r: rule.label })));
    if (this.implies === null && needs.every((by) => by !== undefined)) this.implies = { rule, needs };
    const [left, right] = typesOf(rule);
    if (left === right && left !== undefined && !this.relations.has(left) && this.likenessOf(rule) !== null)
      this.relations.set(left, rule.label);
  }

  /** The consequence of an implication, and its condition. */
  private split(tree: SyntaxTree | undefined): { readonly on: SyntaxTree; readonly says: MadeTree } | null {
    if (!isMadeTree(tree) || tree.rule !== this.implies?.rule) return null;
    const [on, says] = tree.args;
    return on === undefined || !isMadeTree(says) ? null : { on, says };
  }

  private readRenaming(
    one: MetamathStatement,
    tree: MadeTree,
    claim: SyntaxTree | undefined,
  ): { readonly rule: Rule; readonly found: Renaming } | null {
    const given = this.split(claim);
    const [left, right] = tree.args;
    if (given === null || !isMadeTree(given.on) || !isMadeTree(left) || !isMadeTree(right) || left.rule !== right.rule) return null;
    const [x, y] = given.on.args.map(nameIn);
    const [p, q] = given.says.args.map(variableOf);
    if (x == null || y == null || p == null || q == null || new Set([x, y, p, q]).size < 4) return null;
    const names = left.args.map((arg, at) => [variableOf(arg), variableOf(right.args[at])] as const);
    const at = (from: string, to: string): number => names.findIndex(([a, b]) => a === from && b === to);
    const [variable, within] = [at(x, y), at(p, q)];
    const others = names.flatMap((pair, place) => (place === variable || place === within ? [] : [pair]));
    if (
      variable < 0 ||
      within < 0 ||
      others.some(([a, b]) => a === null || a !== b) ||
      !isEach([x, y, p, q, ...others.map(([a]) => a ?? "")])
    )
      return null;
    // `x` is in what it is bound in, as `y` is in what that is afterwards.
    const together = [
      [x, p],
      [y, q],
    ].map((pair) => pair.sort().join(" "));
    const kept = one.distinct.every((pair) => !together.includes(pair) && pair.split(" ").some((name) => name === x || name === y));
    const equal = relationBetween(given.on);
    if (!kept || equal === null) return null;
    const same = new Map([[within, given.says.rule.label]]);
    return { rule: left.rule, found: { variable, equal, same, outer: tree.rule.label, needs: [one] } };
  }

  private readCongruence(
    one: MetamathStatement,
    tree: MadeTree,
    claim: SyntaxTree | undefined,
  ): { readonly rule: Rule; readonly found: Congruence } | null {
    const said = this.split(tree);
    const [left, right] = said?.says.args ?? [];
    if (said === null || !isMadeTree(left) || !isMadeTree(right) || left.rule !== right.rule) return null;
    if (this.likenessOf(said.says.rule) === null) return null;
    const names = left.args.map((arg, at) => [nameIn(arg), nameIn(right.args[at])] as const);
    const [place, ...more] = names.flatMap(([a, b], at) => (a === b ? [] : [at]));
    const given = claim === undefined ? said.on : this.split(claim)?.says;
    const context = claim === undefined ? null : variableOf(said.on);
    if (place === undefined || more.length > 0 || !isMadeTree(given) || given.args.length !== 2) return null;
    if (claim !== undefined && (context === null || context !== variableOf(this.split(claim)?.on))) return null;
    const [from, to] = names[place] ?? [];
    if (given.args.map(nameIn).join(" ") !== `${from} ${to}`) return null;
    const each = [...names.map(([a]) => a ?? ""), to ?? "", ...(context === null ? [] : [context])];
    const wraps = left.args.map((arg) => ("rule" in arg ? arg.rule : null));
    const inner = innerOf(given, left.args[place] as SyntaxTree);
    if (!isEach(each) || inner === null) return null;
    const apart = one.distinct.map((pair) => {
      const other = pair.split(" ").find((name) => name !== context);
      return pair.split(" ").includes(context ?? "") ? names.findIndex(([a], at) => at !== place && a === other) : -1;
    });
    if (apart.includes(-1)) return null;
    return { rule: left.rule, found: { place, inner, outer: said.says.rule.label, apart, wraps, needs: [one] } };
  }

  /** The relation between a tree and itself after a change; null where none is proved. */
  private alike(tree: SyntaxTree, change: Change): string | null {
    if ("variable" in tree) return change.free.get(tree.variable) ?? null;
    const by = change.free.get(nameIn(tree) ?? "")?.split(" ");
    if (by?.[1] === tree.rule.label) return by[0] ?? null;
    const places = [...tree.args.keys()].filter((at) => this.isChanged(tree.args[at] as SyntaxTree, change));
    const renamed = this.alikeBound(tree, places, change);
    if (renamed !== undefined) return renamed;
    const outers = new Set<string | null>();
    for (const place of places) outers.add(this.alikeAt(tree, place, change));
    const [outer, other] = outers;
    if (outer == null || other !== undefined || this.implies === null) return null;
    for (const by of this.implies.needs) change.needs.add(by);
    return places.length === 1 || this.chains(outer, change) ? outer : null;
  }

  /** One like thing after another: `( ph -> ( ps <-> ch ) )` and `( ph -> ( ch <-> th ) )` give `( ph -> ( ps <-> th ) )`. */
  private chains(relation: string, { needs }: Change): boolean {
    const by = this.shapes.get(shapeOf(CHAINED, { i: this.implies?.rule.label ?? "", r: relation }));
    if (by !== undefined) needs.add(by);
    return by !== undefined;
  }

  private isChanged(tree: SyntaxTree, { free, bound, within }: Change): boolean {
    return [...variablesIn(tree)].some((name) => name === bound || free.has(name) || within.has(name));
  }

  /** @returns undefined where this tree binds nothing that is renamed */
  private alikeBound(tree: MadeTree, places: readonly number[], change: Change): string | null | undefined {
    const { bound } = change;
    const variable = tree.args.findIndex((arg) => bound !== null && variableOf(arg) === bound);
    if (bound === null || variable < 0) return undefined;
    const inside = places.filter((at) => at !== variable);
    for (const renaming of this.renamingsOf(tree.rule, variable)) {
      if (renaming.variable !== variable || this.implies === null) continue;
      const free = new Map([...change.within, [bound, renaming.equal]]);
      // At other places it may only be bound by something else.
      const fits = inside.every((at) =>
        renaming.same.has(at)
          ? this.alike(tree.args[at] as SyntaxTree, { ...change, free }) === renaming.same.get(at)
          : this.alikeAt(tree, at, { ...change, free: new Map() }) === renaming.outer && this.chains(renaming.outer, change),
      );
      if (!fits) continue;
      change.equal.add(renaming.equal);
      for (const by of [...renaming.needs, ...this.implies.needs]) change.needs.add(by);
      return renaming.outer;
    }
    return change.free.has(bound) ? undefined : null;
  }

  private alikeAt(tree: MadeTree, place: number, change: Change): string | null {
    const inner = this.alike(tree.args[place] as SyntaxTree, change);
    if (inner === null) return null;
    for (const one of this.congruencesOf(tree.rule, place, inner)) {
      if (one.place !== place || one.inner !== inner) continue;
      const wrapped = one.wraps.every((rule, at) => {
        const arg = tree.args[at];
        return rule === null || (isMadeTree(arg) && arg.rule === rule && nameIn(arg) !== null);
      });
      const apart = one.apart.map((at) => tree.args[at] as SyntaxTree);
      if (!wrapped || apart.some((arg) => this.isChanged(arg, change))) continue;
      for (const name of apart.flatMap((arg) => [...variablesIn(arg)])) change.apart.add(name);
      for (const by of one.needs) change.needs.add(by);
      return one.outer;
    }
    return null;
  }

  /** The congruences that are proved, and the one that a definition has from what it stands for. */
  private *congruencesOf(rule: Rule, place: number, inner: string): Generator<Congruence> {
    yield* this.congruences.get(rule) ?? [];
    const made = this.makeOnce(`${rule.label} ${place} ${inner}`, rule, (definition) => this.congruenceBy(definition, place, inner));
    if (made !== null && "place" in made) yield made;
  }

  private *renamingsOf(rule: Rule, variable: number): Generator<Renaming> {
    yield* this.renamings.get(rule) ?? [];
    const made = this.makeOnce(`${rule.label} ${variable}`, rule, (definition) => this.renamingBy(definition, variable));
    if (made !== null && "variable" in made) yield made;
  }

  private makeOnce<Made extends Congruence | Renaming>(
    name: string,
    rule: Rule,
    make: (definition: SoundDefinition) => Made | null,
  ): Congruence | Renaming | null {
    const definition = this.definitions.get(rule);
    if (definition === undefined || this.failed.has(name)) return null;
    const made = this.made.get(name) ?? make(definition);
    if (made === null) this.failed.add(name);
    else this.made.set(name, made);
    return made;
  }

  private congruenceBy({ one, relation, parameters, right }: SoundDefinition, place: number, inner: string): Congruence | null {
    const free = new Map([[parameters[place] ?? "", inner]]);
    const change: Change = { free, bound: null, within: new Map(), needs: new Set([one]), apart: new Set(), equal: new Set() };
    if (!this.chains(relation.label, change) || (this.isChanged(right, change) && this.alike(right, change) !== relation.label))
      return null;
    const apart = [...parameters.keys()].filter((at) => change.apart.has(parameters[at] ?? ""));
    return { place, inner, outer: relation.label, apart, wraps: parameters.map(() => null), needs: [...change.needs] };
  }

  private renamingBy({ one, rule, relation, parameters, right }: SoundDefinition, variable: number): Renaming | null {
    const bound = parameters[variable] ?? "";
    const types = typesOf(rule);
    const attempt = (places: readonly number[]): Renaming | null => {
      const same = new Map(places.map((at) => [at, this.relations.get(types[at] ?? "") ?? ""]));
      const within = new Map(places.map((at) => [parameters[at] ?? "", same.get(at) ?? ""]));
      const change: Change = { free: new Map(), bound, within, needs: new Set([one]), apart: new Set(), equal: new Set() };
      if (this.alike(right, change) !== relation.label || !this.chains(relation.label, change)) return null;
      const [equal, other] = change.equal;
      return equal === undefined || other !== undefined ? null : { variable, equal, same, outer: relation.label, needs: [...change.needs] };
    };
    const others = [...parameters.keys()].filter((at) => at !== variable);
    return attempt(others.filter((at) => attempt([at]) !== null));
  }
}

const isEach = (names: readonly string[]): boolean => !names.includes("") && new Set(names).size === names.length;

const variableOf = (tree: SyntaxTree | undefined): string | null => (tree !== undefined && "variable" in tree ? tree.variable : null);

/** The variable that a tree is, if need be by a rule that only says that such a variable is a term. */
function nameIn(tree: SyntaxTree | undefined): string | null {
  if (tree === undefined || "variable" in tree) return variableOf(tree);
  return tree.args.length === 1 && tree.rule.symbols.length === 1 ? variableOf(tree.args[0]) : null;
}

/** The relation `x = y` between variables: the rule, and the one that makes terms of both. */
function relationBetween({ rule, args }: MadeTree): string | null {
  const [left, right] = args.map((arg) => (isMadeTree(arg) ? arg.rule.label : ""));
  return left !== right || args.length !== 2 ? null : `${rule.label} ${left}`.trim();
}

/** As what stands at a place is related: a variable of a type without terms by what is between the terms that are made of it. */
function innerOf(given: MadeTree, at: SyntaxTree): string | null {
  const [left] = given.args;
  if (left === undefined || relationBetween(given) === null) return null;
  const [a, b] = [isMadeTree(left) ? left.rule : null, isMadeTree(at) ? at.rule : null];
  return a === b ? given.rule.label : b === null ? relationBetween(given) : null;
}

function typesOf(one: MetamathStatement): string[] {
  return one.mandatory.filter(({ floats }) => floats).map(({ type }) => type);
}

/** A pattern of trees: its rules by name, its variables by number. */
type Pattern = string | number | readonly Pattern[];
const SAME: readonly Pattern[] = [["r", 0, 0]];
const TURNED: readonly Pattern[] = [
  ["r", 0, 1],
  ["r", 1, 0],
];
const CHAINED: readonly Pattern[] = [
  ["i", 0, ["r", 1, 2]],
  ["i", 0, ["r", 1, 3]],
  ["i", 0, ["r", 3, 2]],
];
/** A rule is an implication by four things: itself, more conditions, two in a row, and what follows. */
const IMPLIES: readonly (readonly Pattern[])[] = [
  SAME,
  [["r", 0, 1], 1],
  [
    ["r", 0, 1],
    ["r", 0, 2],
    ["r", 2, 1],
  ],
  [0, 1, ["r", 1, 0]],
];

function shapeOf(patterns: readonly Pattern[], rules: Readonly<Record<string, string>>): string {
  const write = (pattern: Pattern): string => {
    if (typeof pattern === "number") return `$${pattern}`;
    return typeof pattern === "string" ? (rules[pattern] ?? "") : pattern.map(write).join(" ");
  };
  return patterns.map(write).join(" / ");
}

/** A few small trees as one text, variables by number as they come; null where they are none of the small ones. */
function writeShape(trees: readonly SyntaxTree[]): string | null {
  const numbers = new Map<string, number>();
  let size = 0;
  const write = (tree: SyntaxTree): string => {
    if (++size > MAX_SHAPE) return "";
    if (!("variable" in tree)) return [tree.rule.label, ...tree.args.map(write)].join(" ");
    const known = numbers.get(tree.variable) ?? numbers.size;
    numbers.set(tree.variable, known);
    return `$${known}`;
  };
  const text = trees.map(write).join(" / ");
  return size > MAX_SHAPE ? null : text;
}
const MAX_SHAPE = 15;
