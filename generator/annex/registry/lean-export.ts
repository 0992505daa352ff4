/** Files of lean4export, read without Lean: what each constant states, names and rests on. Formats 3.0 and 3.1 differ in lists that stand around a
 *  declaration. A proof is not checked here: the file says what an environment of Lean has, and that one was checked when it was made. */
import { createReadStream } from "node:fs";
import { createHash } from "node:crypto";
import { z } from "zod";
import { Graph, type Names } from "./lean-graph.ts";
import { printLean } from "./lean-print.ts";
import { openReach } from "./reach.ts";

const MAX_LINE = 64 * 1024 * 1024; // bytes
const PARTS = ["fn", "arg", "type", "value", "body", "struct"];
const index = z.int().min(0);
const metaSchema = z.object({
  exporter: z.object({ name: z.string(), version: z.string() }),
  lean: z.object({ version: z.string() }),
  format: z.object({ version: z.string() }),
});
const constantSchema = z.object({
  name: index,
  levelParams: z.array(index).default([]),
  type: index,
  value: index.optional(),
  isUnsafe: z.boolean().optional(),
  safety: z.string().optional(),
  /** Rules of a recursor. */
  rules: z.array(z.object({ rhs: index })).optional(),
});
const LEAN_WORD =
  /^[\p{Script=Latin}\p{Script=Greek}_\u2100-\u214f\u{1d49c}-\u{1d59f}][\p{Script=Latin}\p{Script=Greek}\p{N}_'!?\u2080-\u209c\u2100-\u214f\u{1d49c}-\u{1d59f}]*$/u;
const KINDS = ["axiom", "def", "thm", "opaque", "quot", "inductive"] as const;

type LeanConstant = {
  readonly kind: (typeof KINDS)[number];
  readonly unsafe: boolean;
  /** Digest of the statement as a tree: names of bound variables and of universes are no part of it. */
  readonly type: string;
  /** The same of an inductive type with its constructors. */
  readonly shape: string;
  /** The same of a definition with what it stands for. */
  readonly meaning: string;
  /** The statement in full. */
  readonly printed: string;
  /** Names of the constants in it. */
  readonly statement: readonly string[];
  readonly proof: readonly string[];
};

/** Places are where an export has what a constant states and names, and its universes. */
type Places = {
  readonly root: number;
  readonly value: number | null;
  readonly universes: readonly number[];
  readonly statement: Names;
  readonly proof: Names;
};
const NO_UNIVERSES: readonly number[] = [];

/** Constant keeps what it states and names as numbers, until somebody asks. */
class Constant implements LeanConstant {
  readonly kind: LeanConstant["kind"];
  readonly unsafe: boolean;
  readonly type: string;
  readonly shape: string;
  private readonly reader: Reader;
  private readonly at: Places;
  constructor({ kind, unsafe, type, shape }: Pick<LeanConstant, "kind" | "unsafe" | "type" | "shape">, reader: Reader, at: Places) {
    this.kind = kind;
    this.unsafe = unsafe;
    this.type = type;
    this.shape = shape;
    this.reader = reader;
    this.at = at;
  }
  get meaning(): string {
    return this.at.value === null ? this.shape : this.reader.valueOf(this.shape, this.at.value, this.at.universes);
  }
  get printed(): string {
    return this.reader.print(this.at);
  }
  get statement(): readonly string[] {
    return this.reader.namesOf(this.at.statement);
  }
  get proof(): readonly string[] {
    return this.reader.namesOf(this.at.proof);
  }
}

export type LeanExport = {
  readonly meta: z.infer<typeof metaSchema>;
  readonly constants: ReadonlyMap<string, LeanConstant>;
  readonly sha256: string;
};

class Reader {
  meta: LeanExport["meta"] | null = null;
  readonly constants = new Map<string, LeanConstant>();
  private readonly names: string[] = [""];
  private readonly levels: string[] = ["0"];
  private readonly graph = new Graph();

  line(row: Record<string, unknown>): void {
    if (row["meta"] !== undefined) this.meta = metaSchema.parse(row["meta"]);
    else if (row["in"] !== undefined) this.name(row);
    else if (row["il"] !== undefined) this.level(row);
    else if (row["ie"] !== undefined) this.expression(row);
    else for (const kind of KINDS) if (row[kind] !== undefined) this.addConstants(kind, row[kind]);
  }

  private name(row: Record<string, unknown>): void {
    const { pre, str, i } = z.object({ pre: index, str: z.string().optional(), i: z.int().optional() }).parse(row["str"] ?? row["num"]);
    const last = str ?? String(i ?? "");
    // A name that is no word is written as Lean writes it.
    const part = str === undefined || LEAN_WORD.test(str) ? last : `«${str}»`;
    this.names[index.parse(row["in"])] = this.at(this.names, pre) === "" ? part : `${this.at(this.names, pre)}.${part}`;
  }

  private level(row: Record<string, unknown>): void {
    const { il, ...said } = row;
    const [[kind = "", of] = []] = Object.entries(said);
    const parts = z.array(index).parse(Array.isArray(of) ? of : [of]);
    // A parameter is told by its name until its constant says which it is.
    const text =
      kind === "param"
        ? `p${this.at(this.names, parts[0] ?? 0)};`
        : `${kind}(${parts.map((part) => this.at(this.levels, part)).join(",")})`;
    this.levels[index.parse(il)] = text.length > 200 ? digestOf(text) : text;
  }

  private expression(row: Record<string, unknown>): void {
    const { ie, ...said } = row;
    const [[kind = "", of] = []] = Object.entries(said);
    const one = typeof of === "object" && of !== null && !Array.isArray(of) ? (of as Record<string, unknown>) : {};
    let constant: number | null = null;
    let shape = kind;
    if (kind === "const") {
      constant = index.parse(one["name"]);
      shape += ` ${this.at(this.names, constant)} ${z
        .array(index)
        .parse(one["us"])
        .map((level) => this.at(this.levels, level))
        .join(",")}`;
    } else if (kind === "sort") shape += ` ${this.at(this.levels, index.parse(of))}`;
    else if (kind === "proj") {
      constant = index.parse(one["typeName"]);
      shape += ` ${this.at(this.names, constant)} ${String(one["idx"])}`;
    } else if (kind === "bvar" || kind === "natVal" || kind === "strVal") shape += ` ${JSON.stringify(of)}`;
    const parts = (kind === "mdata" ? ["expr"] : PARTS).flatMap((part) => (one[part] === undefined ? [] : [index.parse(one[part])]));
    this.graph.add(index.parse(ie), shape, constant, parts);
  }

  private addConstants(kind: LeanConstant["kind"], said: unknown): void {
    // 3.0 has a list around each; the parts of an inductive type are lists in both, under other names.
    const all = Array.isArray(said) ? said : kind === "inductive" ? Object.values(said as object).flat() : [said];
    const constants = all.map((one) => constantSchema.parse(one));
    const types = constants.map((one) => this.digest(one.type, levelsOf(one.levelParams, this.names)));
    // A recursor follows from the rest.
    const rows = constants.flatMap(({ name, rules }, at) => (rules === undefined ? [`${this.at(this.names, name)} ${types[at]}`] : []));
    const shape = kind === "inductive" ? digestOf(rows.sort().join("\n")) : null;
    const group = constants.map((one) => one.type);
    for (const [place, one] of constants.entries()) {
      const unsafe = one.isUnsafe === true || one.safety === "unsafe" || one.safety === "partial";
      // A type rests on what its constructors take.
      const statement = this.graph.named(kind === "inductive" ? group : [one.type]);
      const proof = this.graph.named([...(one.value === undefined ? [] : [one.value]), ...(one.rules ?? []).map(({ rhs }) => rhs)]);
      const type = types[place] ?? "";
      const said = { kind, unsafe, type, shape: shape ?? type };
      // How something is proved means nothing.
      const value = kind === "thm" ? null : (one.value ?? null);
      const universes = one.levelParams.length === 0 ? NO_UNIVERSES : one.levelParams;
      this.constants.set(this.at(this.names, one.name), new Constant(said, this, { root: one.type, value, universes, statement, proof }));
    }
  }

  namesOf(of: Names): string[] {
    return this.graph.listed(of).map((name) => this.at(this.names, name));
  }

  print({ root, universes }: Places): string {
    return printLean((at) => this.graph.node(at), root, levelsOf(universes, this.names, true));
  }

  valueOf(shape: string, value: number, universes: readonly number[]): string {
    return digestOf(`${shape} ${this.digest(value, levelsOf(universes, this.names))}`);
  }

  private digest(root: number, levels: ReadonlyMap<string, string>): string {
    return this.graph.fold(root, (shape, parts) => {
      // Metadata says something about an expression, and is not in it.
      if (shape === "mdata") return parts[0] ?? "";
      const named = shape.replaceAll(/p[^;(),]*;/g, (level) => levels.get(level) ?? level);
      return digestOf([named, ...parts].join("\n"));
    });
  }

  private at<T>(list: readonly T[], place: number): T {
    const found = list[place];
    if (found === undefined) throw new Error(`it names ${place}, which comes later or never`);
    return found;
  }
}

/** levelsOf says of the universes of a constant how they are written: by their place, or by their names. */
function levelsOf(levelParams: readonly number[], names: readonly string[], named = false): ReadonlyMap<string, string> {
  return new Map(levelParams.map((name, at) => [`p${names[name]};`, named ? (names[name] ?? "") : `p${at};`]));
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** linesOf reads a file line by line, and holds one line and one chunk of it. @throws Error where a line is too long */
async function* linesOf(file: string, hear: (chunk: Buffer) => void): AsyncGenerator<string> {
  let begun: Buffer[] = [];
  let size = 0;
  for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
    hear(chunk);
    let from = 0;
    for (let to = chunk.indexOf(10); to >= 0; to = chunk.indexOf(10, from)) {
      const last = chunk.subarray(from, to);
      yield begun.length === 0 ? last.toString("utf8") : Buffer.concat([...begun, last]).toString("utf8");
      begun = [];
      size = 0;
      from = to + 1;
    }
    if (from === chunk.length) continue;
    begun.push(chunk.subarray(from));
    size += chunk.length - from;
    if (size > MAX_LINE) throw new Error("the export has a line that is too long");
  }
  if (begun.length > 0) yield Buffer.concat(begun).toString("utf8");
}

/** readLeanExport reads a file of lean4export line by line. @throws Error with the number of the line that cannot be read */
export async function readLeanExport(file: string): Promise<LeanExport> {
  const reader = new Reader();
  const hash = createHash("sha256");
  let number = 0;
  for await (const line of linesOf(file, (chunk) => hash.update(chunk))) {
    number++;
    if (line === "") continue;
    try {
      reader.line(JSON.parse(line) as Record<string, unknown>);
    } catch (error) {
      throw new Error(
        `line ${number} of the export cannot be read: ${error instanceof z.ZodError ? "it is none of the format" : (error as Error).message}`,
        { cause: error },
      );
    }
    if (number === 1 && reader.meta === null) throw new Error("the export does not begin with what made it");
  }
  const { meta, constants } = reader;
  if (meta === null) throw new Error("the export is empty");
  if (!/^3\.[01]\.\d+$/.test(meta.format.version)) throw new Error(`the export has format ${meta.format.version}; 3.0 and 3.1 are read`);
  return { meta, constants, sha256: hash.digest("hex") };
}

type Rests = { readonly names: readonly string[]; readonly unsafe: readonly string[]; readonly missing: readonly string[] };

/** openLeanRests says of constants their axioms, and what they rest on that is unsafe or is not in the file. Each constant is read once, whoever asks.
 *  @param asked names that are asked for */
export function openLeanRests(
  constants: ReadonlyMap<string, Pick<LeanConstant, "kind" | "unsafe" | "statement" | "proof">>,
  asked: Iterable<string>,
): (name: string) => Rests {
  const ends = new Map<string, Rests>();
  function* walk(): Generator<readonly [string, readonly string[]]> {
    const below = new Set(asked);
    for (const name of below) {
      const one = constants.get(name);
      if (one === undefined || one.kind === "axiom" || one.unsafe)
        ends.set(name, {
          names: one?.kind === "axiom" ? [name] : [],
          unsafe: one?.unsafe === true ? [`${name} is unsafe or partial`] : [],
          missing: one === undefined ? [name] : [],
        });
      const parts = one === undefined ? [] : [...one.statement, ...one.proof];
      for (const part of parts) below.add(part);
      yield [name, parts];
    }
  }
  // The ends are those of the whole walk, which is over when they are looked for.
  const reached = openReach(walk(), ends.keys());
  return (name) => {
    const all = reached(name).flatMap((end) => ends.get(end) ?? []);
    const of = (member: keyof Rests): string[] => all.flatMap((one) => one[member]).sort();
    return { names: of("names"), unsafe: of("unsafe"), missing: of("missing") };
  };
}
