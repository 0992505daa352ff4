/** The expressions of an export of Lean as numbers: an export of a whole library has a hundred million of them, each of which was an object once. */

const CHUNK = 1 << 20; // nodes that room is made for at once

/** Numbers is a list of numbers from 0 to 2^32 - 2 that grows without being copied. */
class Numbers {
  private readonly chunks: Uint32Array[] = [];
  /** 0 where nothing was written. */
  get(at: number): number {
    return this.chunks[at >>> 20]?.[at & (CHUNK - 1)] ?? 0;
  }
  set(at: number, value: number): void {
    (this.chunks[at >>> 20] ??= new Uint32Array(CHUNK))[at & (CHUNK - 1)] = value;
  }
}

/** Names is a stretch of a list of names that many share. */
export type Names = { readonly start: number; readonly end: number };

/** Graph holds expressions, each made of earlier ones. */
export class Graph {
  private readonly shapes: string[] = [""];
  private readonly shapeIds = new Map<string, number>();
  /** Number of the name that a shape is a constant of, and 1; 0 where it is of none. */
  private readonly constants: number[] = [0];
  private readonly shapeOf = new Numbers();
  private readonly first = new Numbers();
  private readonly second = new Numbers();
  /** The third part, which few have. */
  private readonly third = new Map<number, number>();
  private readonly pool = new Numbers();
  private pooled = 0;
  private count = 0;
  /** Nodes that a walk has seen, a bit each; it clears what it has set. */
  private readonly seen = new Numbers();

  /** add writes an expression. @param constant number of the name that it is a constant of; null of none @throws Error where it is of later ones */
  add(at: number, shape: string, constant: number | null, parts: readonly number[]): void {
    if (at > this.count + CHUNK) throw new Error(`it numbers an expression ${at}, and ${this.count} came before it`);
    for (const part of parts) this.require(part);
    let id = this.shapeIds.get(shape);
    if (id === undefined) {
      id = this.shapes.push(shape) - 1;
      this.shapeIds.set(shape, id);
      this.constants.push(constant === null ? 0 : constant + 1);
    }
    this.shapeOf.set(at, id);
    // A part is its number and 1, so that none is 0.
    this.first.set(at, (parts[0] ?? -1) + 1);
    this.second.set(at, (parts[1] ?? -1) + 1);
    if (parts[2] !== undefined) this.third.set(at, parts[2] + 1);
    this.count = Math.max(this.count, at + 1);
  }

  private require(at: number): void {
    if (this.shapeOf.get(at) === 0) throw new Error(`it names ${at}, which comes later or never`);
  }

  private partsOf(at: number): number[] {
    const third = this.third.get(at);
    return [this.first.get(at), this.second.get(at), ...(third === undefined ? [] : [third])]
      .filter((part) => part > 0)
      .map((part) => part - 1);
  }

  /** named lists the constants that stand below some expressions, each once. */
  named(roots: readonly number[]): Names {
    const start = this.pooled;
    const found = new Set<number>();
    const walked: number[] = [];
    const stack = [...roots].reverse();
    for (const root of roots) this.require(root);
    for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
      const [word, bit] = [at >>> 5, 1 << (at & 31)];
      const bits = this.seen.get(word);
      if ((bits & bit) !== 0) continue;
      this.seen.set(word, bits | bit);
      walked.push(word);
      const constant = this.constants[this.shapeOf.get(at)] ?? 0;
      if (constant > 0 && !found.has(constant)) {
        found.add(constant);
        this.pool.set(this.pooled++, constant - 1);
      }
      const [first, second, third] = [this.first.get(at), this.second.get(at), this.third.get(at) ?? 0];
      if (third > 0) stack.push(third - 1);
      if (second > 0) stack.push(second - 1);
      if (first > 0) stack.push(first - 1);
    }
    for (const word of walked) this.seen.set(word, 0);
    return { start, end: this.pooled };
  }

  /** listed gives the numbers of names. */
  listed({ start, end }: Names): number[] {
    return Array.from({ length: end - start }, (_, at) => this.pool.get(start + at));
  }

  /** node gives what an expression is, and what it is made of. */
  node(at: number): { readonly shape: string; readonly parts: readonly number[] } {
    return { shape: this.shapes[this.shapeOf.get(at)] ?? "", parts: this.partsOf(at) };
  }

  /** fold works something out of an expression from what its parts gave, each part once: shared ones would be walked again and again. */
  fold(root: number, work: (shape: string, parts: readonly string[]) => string): string {
    this.require(root);
    const done = new Map<number, string>();
    const stack = [root];
    while (stack.length > 0) {
      const at = stack.at(-1) as number;
      const parts = this.partsOf(at);
      const missing = parts.filter((part) => !done.has(part));
      if (missing.length > 0) stack.push(...missing);
      else {
        stack.pop();
        const shared = parts.map((part) => done.get(part) ?? "");
        done.set(at, work(this.node(at).shape, shared));
      }
    }
    return done.get(root) ?? "";
  }
}
