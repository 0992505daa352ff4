/** The adapter of Metamath, a program of its own. Two verifiers look at each proof, the program of Metamath and ours, which also works out which
 *  axioms and theorems it takes. Where they do not see the same statements nothing holds, and where one refuses a proof they disagree. */
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { sha256 } from "#snapshots/digest";
import { sandboxOf, say, serveAdapter } from "./adapter.ts";
import {
  findDatabases,
  formatMetamath,
  type MetamathDatabase,
  type MetamathStatement,
  readMetamath,
  readMetamathProof,
} from "./metamath.ts";
import { checkDatabase } from "./metamath-check.ts";
import { findMetamath, holeOf, VERIFIER } from "./metamath-tool.ts";
import { type AdapterRequest, type AskedDeclaration, isBelow } from "./request.ts";
import { type Ran, type Sandbox, silenceOf } from "./sandbox.ts";
import type { CheckState } from "./states.ts";

const MAX_LOG = 16 * 1024;

/** The program's verdict on a database. */
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
    kernels: [{ name: "metamath", version: tool.version }, VERIFIER],
  });
  const hole = holeOf(tool.version);
  const texts = new Map(request.files.map(({ path }) => [path, readFileSync(join(request.root, path), "utf8")]));
  const told = new Set<string>();
  const defined = new Set<string>();
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
      say({ t: "imports", path, imports: [...database.paths, ...database.missing.filter(isBelow)].filter((other) => other !== path) });
      say({ t: "check", path, state: accepted.state, log: accepted.log.slice(0, MAX_LOG) });
    }
    if (hole !== null) say({ t: "problem", path: main, what: `${hole} What it accepts counts where our own verifier accepts it too.` });
    if (accepted.state === "accepted") tell(request, database, accepted.refused, main, base, asked, hole, defined);
  }
}

/** The name of a database in what is asked: its path below the root, without its ending. */
function databaseOf({ options }: AdapterRequest, path: string): string {
  const { root } = options;
  const below = root === "" || path === root ? path : path.slice(root.length + 1);
  const name = (path === root ? basename(path) : below).replace(/\.mm$/, "").replaceAll("/", ".");
  return options.logical === "" ? name : `${options.logical}.${name}`;
}

async function verify(request: AdapterRequest, sandbox: Sandbox, main: string, database: MetamathDatabase): Promise<Accepted> {
  const none = new Map<string, string>();
  const { missing, problems } = database;
  if (problems.length > 0) return { state: missing.length > 0 ? "environment" : "rejected", log: problems.join("\n"), refused: none };
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
  const silent = silenceOf({ code, killed }) ?? (code === 0 ? null : "environment");
  if (silent !== null) return fail(silent, `It ended with ${killed ?? code}.`);
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
  main: string,
  base: string,
  asked: readonly AskedDeclaration[],
  hole: string | null,
  told: Set<string>,
): void {
  const { statements } = database;
  const checked = checkDatabase(database, new Set(refused.keys()));
  if (checked.unread !== null) say({ t: "problem", path: main, what: checked.unread });
  const places = new Map(statements.map(({ label }, at) => [label, at]));
  const own = new Set([...request.own, ...asked.map(({ name }) => name)]);
  const named = new Set<MetamathStatement>();
  const namesOf = (those: readonly MetamathStatement[]): string[] => those.map(({ label }) => base + label);
  for (const { key, name, path } of asked) {
    const at = places.get(name.slice(base.length));
    const one = at === undefined ? undefined : statements[at];
    if (at === undefined || one === undefined) {
      say({ t: "check", path, decl: key, state: "unsupported", log: "The database has nothing of this name." });
      continue;
    }
    const { labels, open } = readMetamathProof(one);
    // That the program refuses the rest of an open proof is no word against it being open.
    const [theirs, ours] = [open ? undefined : refused.get(one.label), checked.refused.get(one.label)];
    const log =
      theirs === undefined
        ? `our own verifier refuses what it accepts: ${ours}. ${hole ?? ""}`
        : `our own verifier accepts what it refuses: ${theirs}`;
    if (theirs !== undefined && ours !== undefined) say({ t: "check", path, decl: key, state: "rejected", log: theirs.slice(0, MAX_LOG) });
    else if (theirs !== undefined || ours !== undefined)
      say({ t: "check", path, decl: key, state: "disagrees", log: log.trim().slice(0, MAX_LOG) });
    else {
      const statement = formatMetamath(one);
      const mentions = checked.meaning.mentionsOf(one);
      for (const rule of mentions ?? []) named.add(rule);
      say({
        t: "decl",
        key,
        statement,
        type_sha256: sha256([...one.types, statement].join("\n")),
        mentions: mentions === null ? null : namesOf(mentions),
      });
      const { names, holes } = checked.restsOn(at);
      for (const what of holes) say({ t: "hole", decl: key, what });
      say({ t: "axioms", decl: key, names: [...names, ...holes], unsafe: [], exact: true });
    }
    for (const label of labels) {
      const to = base + label;
      if (own.has(to)) say({ t: "edge", from: key, to, part: "proof", basis: "kernel" });
    }
  }
  for (const [one, { sha256: digest, mentions }] of checked.meaning.below(named))
    if (!told.has(base + one.label)) {
      told.add(base + one.label);
      say({ t: "definition", name: base + one.label, sha256: digest, mentions: namesOf(mentions) });
    }
}

await serveAdapter(run);
