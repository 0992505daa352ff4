/** The questions to an adapter and its answers: one program for each prover, one JSON object a line. The transcript comes from a program that read
 *  foreign files: anything in it that is not exactly as it has to be makes the whole run void. */
import { countOf } from "#snapshots/format";
import { z } from "zod";
import { type StatementWord, StatementWords } from "#snapshots/schema";
import { type AdapterRequest, type AskedDeclaration, EVERY, isBelow } from "./request.ts";
import { CHECK_STATES, type Verdict } from "./states.ts";

const MAX_LINE = 1024 * 1024; // UTF-16 units
const MAX_LOG = 64 * 1024;

const text = z.string().max(MAX_LOG);
const names = z.array(text).max(100_000);
const digest = z.string().regex(/^[0-9a-f]{64}$/);
const lines = z.discriminatedUnion("t", [
  z.object({
    t: z.literal("tool"),
    name: text,
    version: text,
    executable_sha256: digest,
    installed_sha256: digest.or(z.literal("")).default(""),
    adapter: text.default(""),
    command: z.array(text).default([]),
    /** Kernels that had to accept what is said to be accepted, where that is not the tool alone. */
    kernels: z.array(z.object({ name: text, version: text })).exactOptional(),
  }),
  z.object({ t: z.literal("imports"), path: text, imports: names }),
  z.object({
    t: z.literal("decl"),
    key: text,
    statement: z.string().nullable(),
    type_sha256: digest,
    mentions: names.nullable().default(null),
    is_words: z.boolean().nullable().default(null),
    words: StatementWords.default([]),
  }),
  z.object({ t: z.literal("definition"), name: text, sha256: digest, mentions: names }),
  z.object({ t: z.literal("edge"), from: text, to: text, part: z.enum(["statement", "proof"]), basis: z.enum(["kernel", "source"]) }),
  z.object({ t: z.literal("hole"), decl: text, what: text }),
  z.object({
    t: z.literal("axioms"),
    decl: text,
    names,
    /** Those of the names that these files declare, and no library that is installed. */
    own: names.default([]),
    unsafe: names,
    exact: z.boolean(),
  }),
  z.object({ t: z.literal("check"), path: text, state: z.enum(CHECK_STATES), decl: text.optional(), log: text.default("") }),
  z.object({ t: z.literal("problem"), path: text, what: text }),
  z.object({ t: z.literal("end"), answered: z.int().min(0) }),
]);
type Line = z.infer<typeof lines>;
const KINDS: ReadonlySet<string> = new Set(lines.options.map((option) => option.shape.t.value));

type Result = Verdict & {
  readonly key: string;
  readonly exact: boolean;
  readonly statement: string | null;
  readonly type_sha256: string | null;
  /** Definitions of the sources that the statement names; null when the adapter does not say. */
  readonly mentions: readonly string[] | null;
  /** Null where the adapter does not say if the words of the source are the type. */
  readonly is_words: boolean | null;
  readonly words: readonly StatementWord[];
  readonly uses: readonly Use[];
  /** Why it is not accepted, where that is said of it alone. */
  readonly reason?: string;
};
type Use = Pick<Extract<Line, { t: "edge" }>, "to" | "part" | "basis">;
export type Transcript = {
  readonly tool: Extract<Line, { t: "tool" }>;
  readonly imports: ReadonlyMap<string, readonly string[]>;
  readonly definitions: ReadonlyMap<string, { readonly sha256: string; readonly mentions: readonly string[] }>;
  readonly results: readonly Result[];
  readonly logs: readonly { readonly path: string; readonly state: string; readonly log: string }[];
  readonly problems: readonly string[];
};

/** States of a whole file that passed; of its declarations the axioms say more. */
const PASSED: ReadonlySet<string> = new Set(["accepted", "exported"]);

/** readTranscript reads the output of an adapter. @returns what the run said, or why it is void */
export function readTranscript(
  bytes: string | Uint8Array,
  request: Pick<AdapterRequest, "files"> & { readonly ask: readonly Pick<AskedDeclaration, "key" | "path">[] } & {
    readonly second?: boolean;
    readonly kernel?: object | null;
  },
): Transcript | { readonly void: string } {
  let whole: string;
  try {
    whole = typeof bytes === "string" ? bytes : new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return { void: "it is not UTF-8" };
  }
  const paths = new Set(request.files.map(({ path }) => path));
  const asked = new Map(request.ask.map((one) => [one.key, one]));
  let tool: Transcript["tool"] | null = null;
  let answered: number | null = null;
  const imports = new Map<string, readonly string[]>();
  const checks = new Map<string, Extract<Line, { t: "check" }>>();
  const ofDecl = new Map<string, Extract<Line, { t: "check" }>>();
  const decls = new Map<string, Extract<Line, { t: "decl" }>>();
  const axioms = new Map<string, Extract<Line, { t: "axioms" }>>();
  const holes = new Set<string>();
  const edges = new Map<string, Use[]>();
  const definitions = new Map<string, { readonly sha256: string; readonly mentions: readonly string[] }>();
  const problems: string[] = [];
  for (const [index, row] of whole.split("\n").entries()) {
    if (row === "") continue;
    const fail = (why: string): { void: string } => ({ void: `line ${index + 1} ${why}` });
    if (row.length > MAX_LINE) return fail("is too long");
    if (answered !== null) return fail("follows the end");
    let raw: unknown;
    try {
      raw = JSON.parse(row);
    } catch {
      return fail("is no JSON");
    }
    const kind = typeof raw === "object" && raw !== null && "t" in raw ? raw.t : undefined;
    if (typeof kind !== "string") return fail("says not what it is");
    if (!KINDS.has(kind)) continue;
    const { data: line } = lines.safeParse(raw);
    if (line === undefined) return fail(`is no ${kind} as the protocol has it`);
    if (tool === null && line.t !== "tool") return fail("comes before the tool");
    if ("path" in line && !paths.has(line.path)) return fail("is of a file that nobody asked for");
    // One that was not sent is one that is not there: as soon as it is, what was said of the file is out of date.
    if (line.t === "imports" && !line.imports.every((path) => path === EVERY || isBelow(path)))
      return fail("imports what can be no file of the sources");
    const of = line.t === "decl" ? line.key : line.t === "edge" ? line.from : "decl" in line ? line.decl : undefined;
    if (of !== undefined && !asked.has(of)) return fail("is of a declaration that nobody asked for");
    const twice = (map: ReadonlyMap<string, unknown>, name: string): boolean => map.has(name);
    if (line.t === "tool") {
      if (tool !== null) return fail("names the tool again");
      tool = line;
    } else if (line.t === "imports") {
      if (twice(imports, line.path)) return fail("says a file's imports again");
      imports.set(line.path, line.imports);
    } else if (line.t === "check") {
      if (line.decl !== undefined && PASSED.has(line.state)) return fail("accepts one declaration; only files are accepted");
      const map = line.decl === undefined ? checks : ofDecl;
      if (twice(map, line.decl ?? line.path)) return fail("checks the same again");
      map.set(line.decl ?? line.path, line);
    } else if (line.t === "decl") {
      if (twice(decls, line.key)) return fail("says a declaration again");
      decls.set(line.key, line);
    } else if (line.t === "definition") {
      if (twice(definitions, line.name)) return fail("says a definition again");
      definitions.set(line.name, { sha256: line.sha256, mentions: line.mentions });
    } else if (line.t === "axioms") {
      if (twice(axioms, line.decl)) return fail("says axioms again");
      axioms.set(line.decl, line);
    } else if (line.t === "hole") holes.add(line.decl);
    else if (line.t === "edge") {
      const { from, to, part, basis } = line;
      edges.set(from, [...(edges.get(from) ?? []), { to, part, basis }]);
    } else if (line.t === "problem") problems.push(`${line.path}: ${line.what}`);
    else answered = line.answered;
  }
  if (tool === null || answered === null) return { void: "it has no end" };
  if (answered !== asked.size) return { void: `it answers ${answered} of ${countOf(asked.size, "declaration")}` };
  const results: Result[] = [];
  for (const [key, { path }] of asked) {
    const file = checks.get(path);
    const own = ofDecl.get(key);
    const told = axioms.get(key);
    const decl = decls.get(key);
    if (file === undefined || !imports.has(path)) return { void: `it says nothing of ${JSON.stringify(path)}` };
    const said = {
      key,
      statement: decl?.statement ?? null,
      type_sha256: decl?.type_sha256 ?? null,
      mentions: decl?.mentions ?? null,
      is_words: decl?.is_words ?? null,
      words: decl?.words ?? [],
      uses: edges.get(key) ?? [],
    };
    const failed = own ?? (PASSED.has(file.state) ? undefined : file);
    const reason = own === undefined || own.log === "" ? {} : { reason: own.log };
    if (failed !== undefined) results.push({ ...said, state: failed.state, axioms: null, unsafe: [], exact: false, ...reason });
    // A kernel says of files that they hold, and of nothing else.
    else if (told === undefined && request.kernel != null)
      results.push({ ...said, state: "accepted", axioms: null, unsafe: [], exact: false });
    else if (told === undefined || (decl === undefined && request.second !== true))
      return { void: `it says nothing of ${JSON.stringify(key)}` };
    else {
      const passed = file.state === "exported" ? "exported" : told.names.length > 0 ? "accepted_with_axioms" : "accepted";
      const state = holes.has(key) ? "holes" : passed;
      const { exact } = told;
      results.push({ ...said, state, axioms: [...told.names].sort(), own: told.own, unsafe: [...told.unsafe].sort(), exact });
    }
  }
  const logs = [...checks.values()].filter(({ log }) => log !== "").map(({ path, state, log }) => ({ path, state, log }));
  return { tool, imports, definitions, results, logs, problems };
}
