/** The adapter of Metamath, a program of its own. Two readers look at each database: the program of Metamath says whether each proof holds,
 *  ours which axioms and theorems it takes; where the two do not see the same statements, nothing is said to hold. */
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { sha256 } from "../../../snapshots/digest.ts";
import { sandboxOf, say, serveAdapter } from "./adapter.ts";
import {
  findDatabases,
  formatMetamath,
  type MetamathDatabase,
  type MetamathStatement,
  readMetamath,
  readMetamathProof,
} from "./metamath.ts";
import { findMetamath } from "./metamath-tool.ts";
import type { AdapterRequest, Asked } from "./request.ts";
import type { Ran, Sandbox } from "./sandbox.ts";
import type { CheckState } from "./states.ts";

const MAX_LOG = 16 * 1024;

/** What the program says of a database. */
type Accepted = { readonly state: CheckState; readonly log: string; readonly refused: ReadonlyMap<string, string> };

async function run(request: AdapterRequest): Promise<void> {
  const tool = findMetamath();
  if (tool === null) throw new Error("metamath is not installed");
  const sandbox = sandboxOf(request);
  say({
    t: "tool",
    name: "metamath",
    version: tool.version,
    executable_sha256: tool.digest,
    adapter: tool.adapter,
    command: ["metamath", "read …", "verify proof *"],
  });
  const texts = new Map(request.files.map(({ path }) => [path, readFileSync(join(request.root, path), "utf8")]));
  const told = new Set<string>();
  for (const main of findDatabases(texts)) {
    // Both the name of a database and a label may have dots.
    const base = `${databaseOf(request, main)}.`;
    const named = request.ask.filter(({ name }) => name.startsWith(base));
    if (named.length === 0) continue;
    const database = readMetamath(main, (path) => texts.get(path));
    const paths = new Set(database.paths);
    const asked = named.filter(({ path }) => paths.has(path));
    if (asked.length === 0) continue;
    const accepted = await verify(request, sandbox, main, database);
    for (const path of database.paths) {
      if (told.has(path)) continue; // two databases include it
      told.add(path);
      say({ t: "imports", path, imports: database.paths.filter((other) => other !== path) });
      say({ t: "check", path, state: accepted.state, log: accepted.log.slice(0, MAX_LOG) });
    }
    if (accepted.state === "accepted") tell(request, database, accepted.refused, base, asked);
  }
}

/** The name of a database in what is asked: its path below the root, without its ending. */
function databaseOf({ options }: AdapterRequest, path: string): string {
  const root = options.root.replace(/^\.?\/+|\/+$/g, "");
  const below = root === "" || path === root ? path : path.slice(root.length + 1);
  const name = (path === root ? basename(path) : below).replace(/\.mm$/, "").replaceAll("/", ".");
  return options.logical === "" ? name : `${options.logical}.${name}`;
}

async function verify(request: AdapterRequest, sandbox: Sandbox, main: string, database: MetamathDatabase): Promise<Accepted> {
  const none = new Map<string, string>();
  if (database.problems.length > 0) return { state: "rejected", log: database.problems.join("\n"), refused: none };
  const file = basename(main);
  if (!/^[\w.-]+$/.test(file)) return { state: "unsupported", log: "Metamath cannot be told the name of this file.", refused: none };
  // Nobody can know the word that parts the answers, so that no text of the database imitates one.
  const mark = `mark${randomBytes(12).toString("hex")}`;
  const commands = ["set width 999", `read '${file}'`, mark, "verify proof *", mark, "exit"];
  const ran = await sandbox.run({
    command: ["metamath", ...commands],
    reads: [request.root],
    writes: [],
    cwd: join(request.root, dirname(main)),
    limits: request.limits,
  });
  return readVerdict(ran, mark, database);
}

/** Each complaint names the statement that it is of. What is not said of a statement with a proof is said of the whole file. */
function readVerdict({ stdout, code, killed }: Ran, mark: string, { statements }: MetamathDatabase): Accepted {
  const fail = (state: CheckState, log: string): Accepted => ({ state, log, refused: new Map() });
  if (killed !== null) return fail(killed === "output" ? "rejected" : "timeout", `It ended by its limit of ${killed}.`);
  if (code !== 0) return fail(code === 137 ? "memory" : "environment", `It ended with ${code}.`);
  const [read = "", verified = "", after] = stdout.split(new RegExp(`^MM> ${mark}$`, "m"));
  if (after === undefined || !verified.includes(VERIFY)) return fail("environment", "It did not answer to its end.");
  const count = /^The source has \d+ statements; (\d+) are \$a and (\d+) are \$p\.$/m.exec(read);
  if (/^\?(?!Warning: the last line in file )/m.test(read) || count === null) return fail("rejected", read.slice(-MAX_LOG));
  const [axioms, theorems] = ["a", "p"].map((kind) => statements.filter((one) => one.kind === kind).length);
  if (Number(count[1]) !== axioms || Number(count[2]) !== theorems)
    return fail("rejected", `Metamath sees ${count[1]} $a and ${count[2]} $p, another reader ${axioms} and ${theorems}.`);
  const refused = new Map<string, string>();
  // Before the command stands what it says to the mark itself.
  const said = verified.slice(verified.indexOf(VERIFY));
  const complaints = said.split(/^(?=\?)/m).filter((part) => part.startsWith("?"));
  for (const complaint of complaints) {
    const label = /^\?Error on line \d+ of file ".*" at statement \d+, label "([^"]+)", type "\$p":$/m.exec(complaint)?.[1];
    if (label === undefined) return fail("rejected", said.slice(0, MAX_LOG));
    refused.set(label, complaint.trim());
  }
  const open = complaints.length > 0 || /^Warning: The following \$p statement\(s\) were not proved:/m.test(said);
  if (!open && !/^All proofs in the database were verified/m.test(said)) return fail("environment", "It did not say how it ended.");
  return { state: "accepted", log: "", refused };
}
const VERIFY = "\nMM> verify proof *\n";

/** Says what each statement states, takes and rests on. */
function tell(
  request: AdapterRequest,
  database: MetamathDatabase,
  refused: ReadonlyMap<string, string>,
  base: string,
  asked: readonly Asked[],
): void {
  const { statements } = database;
  const closure = deriveAxioms(database, refused);
  const places = new Map(statements.map(({ label }, at) => [label, at]));
  const own = new Set([...request.own, ...asked.map(({ name }) => name)]);
  for (const { key, name, path } of asked) {
    const at = places.get(name.slice(base.length));
    const one = at === undefined ? undefined : statements[at];
    if (at === undefined || one === undefined) {
      say({ t: "check", path, decl: key, state: "unsupported", log: "The database has nothing of this name." });
      continue;
    }
    const log = refused.get(one.label);
    if (log !== undefined) say({ t: "check", path, decl: key, state: "rejected", log: log.slice(0, MAX_LOG) });
    else {
      const statement = formatMetamath(one);
      say({ t: "decl", key, statement, type_sha256: sha256([...one.types, statement].join("\n")) });
      const { names, holes } = closure.of(at);
      for (const what of holes) say({ t: "hole", decl: key, what });
      say({ t: "axioms", decl: key, names: [...names, ...holes], unsafe: [], exact: true });
    }
    for (const label of readMetamathProof(one).labels) {
      const to = base + label;
      if (own.has(to)) say({ t: "edge", from: key, to, part: "proof", basis: "kernel" });
    }
  }
}

/** Sets of axioms as bits: a proof takes only what stands before it, so that one pass gives them all. */
function deriveAxioms({ statements, syntax }: MetamathDatabase, refused: ReadonlyMap<string, string>) {
  const proofs = statements.map((one) => (one.kind === "a" ? null : readMetamathProof(one)));
  const isOpen = (one: MetamathStatement, at: number): boolean => refused.has(one.label) || proofs[at]?.open === true;
  const columns = [...statements.keys()].filter((at) => {
    const one = statements[at] as MetamathStatement;
    return one.kind === "a" ? !syntax.has(one.type) : isOpen(one, at);
  });
  const width = (columns.length + 31) >> 5;
  const bits = new Uint32Array(statements.length * width);
  for (const [column, at] of columns.entries()) bits[at * width + (column >> 5)]! |= 1 << (column & 31);
  const before = new Map<string, number>();
  for (const [at, { label }] of statements.entries()) {
    for (const used of proofs[at]?.labels ?? []) {
      const from = before.get(used);
      if (from !== undefined) for (let word = 0; word < width; word++) bits[at * width + word]! |= bits[from * width + word]!;
    }
    before.set(label, at);
  }
  return {
    /** Labels of the axioms that a statement rests on, and of the proofs that are open below it or in it. */
    of(at: number): { names: string[]; holes: string[] } {
      const [names, holes]: [string[], string[]] = [[], []];
      for (const [column, place] of columns.entries()) {
        const { kind, label } = statements[place] as MetamathStatement;
        if ((bits[at * width + (column >> 5)]! & (1 << (column & 31))) !== 0) (kind === "a" ? names : holes).push(label);
      }
      return { names, holes };
    },
  };
}

await serveAdapter(
  () => ({
    prover: "metamath",
    version: findMetamath()?.version ?? null,
    can: ["statements", "holes", "axioms", "uses", "check"],
    needs: ["metamath"],
  }),
  run,
);
