/** Files of lean4export, read without Lean: what each constant states, names and rests on. Formats 3.0 and 3.1 differ in lists that stand around a
 *  declaration. A proof is not checked here: the file says what an environment of Lean has, and that one was checked when it was made. */
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { createHash } from "node:crypto";
import { z } from "zod";

const MAX_LINE = 64 * 1024 * 1024; // UTF-16 units
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
  /** Of a recursor. */
  rules: z.array(z.object({ rhs: index })).default([]),
});
const KINDS = ["axiom", "def", "thm", "opaque", "quot", "inductive"] as const;

type LeanConstant = {
  readonly kind: (typeof KINDS)[number];
  readonly unsafe: boolean;
  /** Digest of the statement as a tree: names of bound variables and of universes are no part of it. */
  readonly type: string;
  readonly statement: ReadonlySet<string>;
  readonly proof: ReadonlySet<string>;
};
export type LeanExport = {
  readonly meta: z.infer<typeof metaSchema>;
  readonly constants: ReadonlyMap<string, LeanConstant>;
  readonly sha256: string;
};

/** A node of the graph of expressions: what it names and its parts. */
type Node = { readonly parts: readonly number[]; readonly constant: string | null; readonly shape: string };

class Reader {
  meta: LeanExport["meta"] | null = null;
  readonly constants = new Map<string, LeanConstant>();
  private readonly names: string[] = [""];
  private readonly levels: string[] = ["0"];
  private readonly nodes: Node[] = [];

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
    // A name with a dot of its own is written as Lean writes it.
    const part = str !== undefined && /[.\s«»]/.test(str) ? `«${str}»` : last;
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
    let constant: string | null = null;
    let shape = kind;
    if (kind === "const") {
      constant = this.at(this.names, index.parse(one["name"]));
      shape += ` ${constant} ${z
        .array(index)
        .parse(one["us"])
        .map((level) => this.at(this.levels, level))
        .join(",")}`;
    } else if (kind === "sort") shape += ` ${this.at(this.levels, index.parse(of))}`;
    else if (kind === "proj") {
      constant = this.at(this.names, index.parse(one["typeName"]));
      shape += ` ${constant} ${String(one["idx"])}`;
    } else if (kind === "bvar" || kind === "natVal" || kind === "strVal") shape += ` ${JSON.stringify(of)}`;
    const parts = (kind === "mdata" ? ["expr"] : ["fn", "arg", "type", "value", "body", "struct"]).flatMap((part) =>
      one[part] === undefined ? [] : [index.parse(one[part])],
    );
    for (const part of parts) this.at(this.nodes, part);
    this.nodes[index.parse(ie)] = { parts, constant, shape };
  }

  private addConstants(kind: LeanConstant["kind"], said: unknown): void {
    // 3.0 has a list around each; the parts of an inductive type are lists in both, under other names.
    const all = Array.isArray(said) ? said : kind === "inductive" ? Object.values(said as object).flat() : [said];
    for (const raw of all) {
      const one = constantSchema.parse(raw);
      const levels = new Map(one.levelParams.map((name, at) => [`p${this.at(this.names, name)};`, `p${at};`]));
      const group = kind === "inductive" ? all.flatMap((other) => constantSchema.parse(other).type) : [one.type];
      this.constants.set(this.at(this.names, one.name), {
        kind,
        unsafe: one.isUnsafe === true || one.safety === "unsafe" || one.safety === "partial",
        type: this.digest(one.type, levels),
        // What a type is rests on what its constructors take.
        statement: this.named(group),
        proof: this.named([...(one.value === undefined ? [] : [one.value]), ...one.rules.map(({ rhs }) => rhs)]),
      });
    }
  }

  private named(roots: readonly number[]): Set<string> {
    const found = new Set<string>();
    const seen = new Set(roots);
    for (const at of seen) {
      const { parts, constant } = this.at(this.nodes, at);
      if (constant !== null) found.add(constant);
      for (const part of parts) seen.add(part);
    }
    return found;
  }

  /** Each part once: shared parts of a statement would be walked again and again. */
  private digest(root: number, levels: ReadonlyMap<string, string>): string {
    const done = new Map<number, string>();
    const stack = [root];
    while (stack.length > 0) {
      const at = stack.at(-1) as number;
      const { parts, shape } = this.at(this.nodes, at);
      const missing = parts.filter((part) => !done.has(part));
      if (missing.length > 0) stack.push(...missing);
      else {
        stack.pop();
        const named = shape.replaceAll(/p[^;(),]*;/g, (level) => levels.get(level) ?? level);
        // What is said about an expression and not in it.
        done.set(
          at,
          shape === "mdata" ? (done.get(parts[0] ?? -1) ?? "") : digestOf([named, ...parts.map((part) => done.get(part))].join("\n")),
        );
      }
    }
    return done.get(root) ?? "";
  }

  private at<T>(list: readonly T[], place: number): T {
    const found = list[place];
    if (found === undefined) throw new Error(`it names ${place}, which comes later or never`);
    return found;
  }
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** @throws Error with the number of the line that cannot be read */
export async function readLeanExport(file: string): Promise<LeanExport> {
  const reader = new Reader();
  const hash = createHash("sha256");
  const stream = createReadStream(file);
  stream.on("data", (chunk) => hash.update(chunk));
  let number = 0;
  for await (const line of createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY })) {
    number++;
    if (line === "") continue;
    try {
      if (line.length > MAX_LINE) throw new Error("it is too long");
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

/** openRests says of a constant its axioms, and what it rests on that is unsafe or is not in the file; what rests on nothing is walked once. */
export function openLeanRests(constants: LeanExport["constants"]): (name: string) => Rests {
  const closed = new Set<string>();
  return (name) => {
    const seen = new Set([name]);
    const found = walk(constants, seen, closed);
    if (found.names.length + found.unsafe.length + found.missing.length === 0) for (const one of seen) closed.add(one);
    return found;
  };
}

function walk(constants: LeanExport["constants"], seen: Set<string>, closed: ReadonlySet<string>): Rests {
  const names: string[] = [];
  const unsafe: string[] = [];
  const missing: string[] = [];
  for (const one of seen) {
    if (closed.has(one)) continue;
    const constant = constants.get(one);
    if (constant === undefined) {
      missing.push(one);
      continue;
    }
    if (constant.kind === "axiom") names.push(one);
    if (constant.unsafe) unsafe.push(`${one} is unsafe or partial`);
    for (const other of [...constant.statement, ...constant.proof]) seen.add(other);
  }
  return { names: names.sort(), unsafe: unsafe.sort(), missing };
}
