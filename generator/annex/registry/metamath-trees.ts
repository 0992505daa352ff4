/** Claims of Metamath read as trees. The format itself knows strings alone: where one string is two trees, a proof takes it as the one and goes on
 *  with the other, and proves what no axiom says. A proof that holds of trees needs no trust in its rules of syntax. */
import type { MetamathDatabase, MetamathStatement } from "./metamath.ts";
import { memoizeFill, type NamedStatement, placesOf, type Terms } from "./metamath-verify.ts";

export type SyntaxTree = { readonly variable: string } | { readonly rule: MetamathStatement; readonly args: readonly SyntaxTree[] };
/** UnreadClaim says why a claim is no one tree. */
export type UnreadClaim = { readonly why: string };

/** Rules of syntax as a trie: what they begin with alike is read once. */
type Node = { readonly symbols: Map<string, Node>; readonly types: Map<string, Node>; readonly rules: MetamathStatement[] };
type Item = { readonly node: Node; readonly start: number; readonly ways: { readonly before: Item | null; readonly part: Part | null }[] };
type Part = { readonly variable: string | null; readonly ways: { readonly rule: MetamathStatement; readonly item: Item }[] };
type Column = { readonly items: Map<Node, Map<number, Item>>; readonly waiting: Map<string, Item[]>; readonly parts: Map<string, Part> };

const makeNode = (): Node => ({ symbols: new Map(), types: new Map(), rules: [] });

/** openTrees reads claims by the rules of syntax of the whole database, so that it is told also where a later rule gives a claim a second sense.
 *  Where a rule is none of a grammar without context, nothing is read. */
export function openTrees({ statements, syntax, claimed }: MetamathDatabase) {
  const roots = new Map<string, Node>([...syntax].map((type) => [type, makeNode()]));
  let odd: MetamathStatement | null = null;
  for (const rule of statements) {
    // A type without variables may say how something is written, too: none of its rules is in a proof of another type.
    if (rule.kind === "p" || claimed.has(rule.type)) continue;
    if (!makesTrees(rule)) {
      if (syntax.has(rule.type)) odd ??= rule;
      continue;
    }
    const typeOf = typesOf(rule);
    let node = roots.get(rule.type) ?? makeNode();
    roots.set(rule.type, node);
    for (const symbol of rule.symbols) {
      const type = typeOf.get(symbol);
      const next = type === undefined ? node.symbols : node.types;
      const found = next.get(type ?? symbol) ?? makeNode();
      next.set(type ?? symbol, found);
      node = found;
    }
    node.rules.push(rule);
  }
  /** The tree of what a statement says, or of a hypothesis of it. */
  const treeOf = memoizeFill((one, what): SyntaxTree | UnreadClaim => {
    if (odd !== null) return { why: `the rule ${odd.label} is none that trees are made by` };
    const parts = readParts(roots, what.symbols, typesOf(one));
    const of = (fits: (type: string) => boolean): Part[] => parts.flatMap(({ type, part }) => (fits(type) ? [part] : []));
    const sure = of((type) => (syntax.has(what.type) ? type === what.type : syntax.has(type)));
    const [part, other] = sure.length > 0 ? sure : of((type) => type !== what.type);
    if (part === undefined) return { why: `${what.label} is nothing that the rules of syntax make` };
    return other === undefined ? treeFrom(part, what.label) : { why: `${what.label} is of two types` };
  });
  return { treeOf };
}
export type Trees = ReturnType<typeof openTrees>;

/** A rule of a grammar without context: no claim, no condition, each variable once, and not nothing at all. */
function makesTrees({ symbols, mandatory, distinct }: MetamathStatement): boolean {
  const once = ([name = ""]: readonly string[]): boolean => symbols.indexOf(name) === symbols.lastIndexOf(name);
  return symbols.length > 0 && distinct.length === 0 && mandatory.every((one) => one.floats && once(one.symbols));
}

function typesOf({ mandatory }: MetamathStatement): ReadonlyMap<string, string> {
  return new Map(mandatory.flatMap(({ floats, symbols, type }) => (floats ? [[symbols[0] ?? "", type] as const] : [])));
}

/** All that a row of symbols as a whole can be, after Earley: each column has what may go on there. */
function readParts(
  roots: ReadonlyMap<string, Node>,
  symbols: readonly string[],
  typeOf: ReadonlyMap<string, string>,
): { readonly type: string; readonly part: Part }[] {
  const columns: Column[] = [];
  const add = (column: Column, node: Node, start: number, before: Item | null, part: Part | null): Item | null => {
    const at = column.items.get(node) ?? new Map<number, Item>();
    column.items.set(node, at);
    const known = at.get(start);
    if (known !== undefined) {
      known.ways.push({ before, part });
      return null;
    }
    const item: Item = { node, start, ways: [{ before, part }] };
    at.set(start, item);
    return item;
  };
  /** Puts in what may stand from here on, and notes who waits for what. */
  const predict = (column: Column, at: number, wanted: Iterable<string>): void => {
    const types = new Set(wanted);
    for (const item of [...column.items.values()].flatMap((of) => [...of.values()])) note(column, item, types);
    for (const type of types) {
      const root = roots.get(type);
      const item = root === undefined ? null : add(column, root, at, null, null);
      if (item !== null) note(column, item, types);
    }
  };
  const first: Column = { items: new Map(), waiting: new Map(), parts: new Map() };
  predict(first, 0, roots.keys());
  columns.push(first);
  for (const [at, symbol] of symbols.entries()) {
    const column: Column = { items: new Map(), waiting: new Map(), parts: new Map() };
    const found: Item[] = [];
    const complete = (type: string, start: number, way: Part["ways"][number] | null): void => {
      const name = `${start} ${type}`;
      const known = column.parts.get(name);
      if (known !== undefined) {
        if (way !== null) known.ways.push(way);
        return;
      }
      const part: Part = { variable: way === null ? symbol : null, ways: way === null ? [] : [way] };
      column.parts.set(name, part);
      for (const item of columns[start]?.waiting.get(type) ?? []) {
        const next = item.node.types.get(type);
        const made = next === undefined ? null : add(column, next, item.start, item, part);
        if (made !== null) found.push(made);
      }
    };
    const type = typeOf.get(symbol);
    if (type !== undefined) complete(type, at, null);
    else
      for (const [node, items] of columns[at]?.items ?? []) {
        const next = node.symbols.get(symbol);
        if (next !== undefined)
          for (const item of items.values()) {
            const made = add(column, next, item.start, item, null);
            if (made !== null) found.push(made);
          }
      }
    for (let item = found.pop(); item !== undefined; item = found.pop())
      for (const rule of item.node.rules) complete(rule.type, item.start, { rule, item });
    predict(column, at + 1, []);
    columns.push(column);
  }
  return [...(columns.at(-1)?.parts ?? [])].flatMap(([name, part]) => (name.startsWith("0 ") ? [{ type: name.slice(2), part }] : []));
}

function note({ waiting }: Column, item: Item, wanted: Set<string>): void {
  for (const type of item.node.types.keys()) {
    const known = waiting.get(type);
    if (known === undefined) waiting.set(type, [item]);
    else known.push(item);
    wanted.add(type);
  }
}

function treeFrom(part: Part, label: string): SyntaxTree | UnreadClaim {
  const [way, other] = part.ways;
  if (part.variable !== null)
    return way === undefined ? { variable: part.variable } : { why: `${label} is read in two ways, by ${way.rule.label}` };
  if (way === undefined || other !== undefined)
    return { why: `${label} is read in two ways, by ${way?.rule.label ?? ""} and ${other?.rule.label ?? ""}` };
  const read: SyntaxTree[] = [];
  for (let item: Item | null = way.item; item !== null; ) {
    const [step, second]: Item["ways"] = item.ways;
    if (second !== undefined) return { why: `${label} is read in two ways, both by ${way.rule.label}` };
    if (step?.part != null) {
      const tree = treeFrom(step.part, label);
      if ("why" in tree) return tree;
      read.unshift(tree);
    }
    item = step?.before ?? null;
  }
  // As the rule's hypotheses stand, and not as its symbols do.
  const { rule } = way;
  const places = placesOf(rule);
  const args: SyntaxTree[] = [];
  for (const [at, symbol] of rule.symbols.filter((name) => places.has(name)).entries())
    args[places.get(symbol) ?? 0] = read[at] as SyntaxTree;
  return { rule, args };
}

/** treeTerms makes terms that are trees, each a number: a pair that is there already is the same number. A tree is its rule paired with one
 *  argument after the other. */
export function treeTerms({ treeOf }: Trees): Terms<number> {
  const pairs = new Pairs();
  const atoms = new Map<string, number>();
  const names: string[] = [];
  const atom = (name: string): number => {
    const known = atoms.get(name);
    if (known !== undefined) return known;
    names.push(name);
    atoms.set(name, -names.length); // below the numbers of pairs
    return -names.length;
  };
  /** A tree as steps: a place takes a term, JOIN pairs the last two, others are atoms. */
  const stepsOf = memoizeFill((one, what): Int32Array | null => {
    const tree = treeOf(one, what);
    if ("why" in tree) return null;
    const places = placesOf(one);
    const steps: number[] = [];
    const write = (part: SyntaxTree): void => {
      if ("variable" in part) return void steps.push(places.get(part.variable) ?? atom(`$${part.variable}`));
      steps.push(atom(part.rule.label));
      for (const arg of part.args) {
        write(arg);
        steps.push(JOIN);
      }
    };
    write(tree);
    return Int32Array.from(steps);
  });
  const stack: number[] = [];
  const fill = (one: MetamathStatement, what: NamedStatement, values: readonly number[]): number | null => {
    const steps = stepsOf(one, what);
    if (steps === null) return null;
    stack.length = 0;
    for (const step of steps)
      if (step === JOIN) {
        const right = stack.pop() ?? 0;
        stack.push(pairs.join(stack.pop() ?? 0, right));
      } else stack.push(step < 0 ? step : (values[step] ?? 0));
    return stack[0] ?? null;
  };
  const ownOf = (one: MetamathStatement): number[] => [...placesOf(one).keys()].map((name) => atom(`$${name}`));
  const variables = new Map<number, readonly string[]>();
  return {
    hypothesis: (one, what) =>
      what.floats ? atom(`$${what.symbols[0] ?? ""}`) : (fill(one, what, ownOf(one)) ?? atom(`claim ${what.label}`)),
    fill,
    variables(term) {
      const there = variables.get(term);
      if (there !== undefined) return there;
      const seen = new Set([term]);
      for (const one of seen)
        if (one >= 0) {
          seen.add(pairs.left(one));
          seen.add(pairs.right(one));
        }
      const found = [...seen].flatMap((one) => (one < 0 && names[-one - 1]?.startsWith("$") ? [names[-one - 1]?.slice(1) ?? ""] : []));
      variables.set(term, found);
      return found;
    },
  };
}
const JOIN = -(2 ** 30);

/** Pairs of numbers, each once. */
class Pairs {
  private size = 0;
  private lefts = new Int32Array(1 << 16);
  private rights = new Int32Array(1 << 16);
  private slots = new Int32Array(1 << 18).fill(-1);

  left(pair: number): number {
    return this.lefts[pair] ?? 0;
  }

  right(pair: number): number {
    return this.rights[pair] ?? 0;
  }

  join(left: number, right: number): number {
    const mask = this.slots.length - 1;
    let slot = placeOf(left, right) & mask;
    for (let pair = this.slots[slot] ?? -1; pair >= 0; pair = this.slots[slot] ?? -1) {
      if (this.lefts[pair] === left && this.rights[pair] === right) return pair;
      slot = (slot + 1) & mask;
    }
    if (this.size === this.lefts.length) this.grow();
    const pair = this.size++;
    this.lefts[pair] = left;
    this.rights[pair] = right;
    this.put(pair);
    return pair;
  }

  private put(pair: number): void {
    const mask = this.slots.length - 1;
    let slot = placeOf(this.lefts[pair] ?? 0, this.rights[pair] ?? 0) & mask;
    while ((this.slots[slot] ?? -1) >= 0) slot = (slot + 1) & mask;
    this.slots[slot] = pair;
  }

  private grow(): void {
    const [lefts, rights] = [this.lefts, this.rights];
    this.lefts = new Int32Array(lefts.length * 2);
    this.rights = new Int32Array(rights.length * 2);
    this.lefts.set(lefts);
    this.rights.set(rights);
    this.slots = new Int32Array(this.slots.length * 2).fill(-1);
    for (let pair = 0; pair < this.size; pair++) this.put(pair);
  }
}

function placeOf(left: number, right: number): number {
  const mixed = Math.imul(left, 0x9e3779b1) ^ Math.imul(right, 0x85ebca6b);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}

/** unreadOf gives the first reason why a statement or one of its hypotheses is no one tree; null where each is one. */
export function unreadOf({ treeOf }: Trees, one: MetamathStatement): UnreadClaim | null {
  const claims: readonly NamedStatement[] = [...one.mandatory.filter(({ floats }) => !floats), one];
  for (const what of claims) {
    const tree = treeOf(one, what);
    if ("why" in tree) return tree;
  }
  return null;
}
