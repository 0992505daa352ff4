/** The adapter of Coq, a program of its own: `describe` says what it can, `run` reads one request and answers in lines of JSON (protocol.ts).
 *
 *  Each file is compiled in a sandbox that has its imports and nothing else of the sources, and writes its own .vo alone: an import that
 *  nobody sees would change unseen. What the compiler prints is kept as a log and believed in nothing. Then a second process loads the .vo files and is asked. */
import { chmodSync, copyFileSync, existsSync, linkSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { sha256 } from "../../../snapshots/digest.ts";
import { sandboxOf, say, serveAdapter } from "./adapter.ts";
import { type Ask, askAll, type Assumptions, readAssumptions, readType, tupleOf } from "./coq-ask.ts";
import { ADAPTER, type CoqTool, findCoq } from "./coq-tool.ts";
import { readCoqUses } from "./coq-uses.ts";
import type { AdapterRequest, Asked } from "./protocol.ts";
import type { Ran, Sandbox } from "./sandbox.ts";
import type { CheckState } from "./states.ts";

/** Declarations of one question, once that for a whole file found axioms. */
const FEW = 8;
const MAX_LOG = 16 * 1024;

function flagsOf({ options }: AdapterRequest): string[] {
  const root = options.root === "" ? "." : options.root;
  return ["-q", "-Q", root, options.logical, ...options.flags];
}

async function run(request: AdapterRequest): Promise<void> {
  const tool = findCoq();
  if (tool === null) throw new Error("coqc is not installed");
  const sandbox = sandboxOf(request);
  const { version, digest, installed } = tool;
  const command = ["coqc", ...flagsOf(request)];
  say({ t: "tool", name: "coq", version, executable_sha256: digest, installed_sha256: installed, adapter: ADAPTER, command });
  const job = { reads: [tool.library, dirname(tool.coqc), request.root], writes: [], cwd: request.root, limits: request.limits };
  const sources = request.files.map(({ path }) => path).filter((path) => path.endsWith(".v"));
  const dependencies = await sandbox.run({ ...job, command: ["coqdep", ...flagsOf(request).slice(1), ...sources] });
  const direct = readDependencies(dependencies.stdout, new Set(sources));
  const needed = closeOver(
    direct,
    request.ask.map(({ path }) => path),
  );
  const states = await compileAll(request, tool, sandbox, direct, needed);
  for (const path of needed) {
    const { state, log } = states.get(path) ?? { state: "environment" as const, log: "" };
    const imports = closeOver(direct, [path]).filter((other) => other !== path);
    say({ t: "imports", path, imports });
    say({ t: "check", path, state, log: log.slice(0, MAX_LOG) });
  }
  const ask: Ask = async (script) => {
    const ran = await sandbox.run({ ...job, command: ["coqtop", "-quiet", ...flagsOf(request)], input: script });
    return ran.stdout;
  };
  const asked = request.ask.filter(({ path }) => states.get(path)?.state === "accepted");
  tellUses(request, asked, moduleOf(request));
  await answer(request, ask, asked, moduleOf(request));
}

function globOf(object: string): string {
  return object.replace(/o$/, ".glob");
}

/** Says what each declaration names of the same sources. */
function tellUses(request: AdapterRequest, asked: readonly Asked[], moduleOfPath: (path: string) => string): void {
  const known = new Set([...request.own, ...request.ask.map(({ name }) => name)]);
  for (const [path, some] of Map.groupBy(asked, (one) => one.path)) {
    const glob = globOf(join(request.root, `${path}o`));
    if (!existsSync(glob)) continue;
    const keys = new Map(some.map(({ name, key }) => [name, key]));
    const uses = readCoqUses(readFileSync(glob, "utf8"), readFileSync(join(request.root, path)), moduleOfPath(path));
    for (const { from, to, part } of uses) {
      const key = keys.get(from);
      if (key !== undefined && known.has(to)) say({ t: "edge", from: key, to, part, basis: "source" });
    }
  }
}

function moduleOf({ options }: AdapterRequest): (path: string) => string {
  const root = options.root.replace(/^\.?\/+|\/+$/g, "");
  return (path) => {
    const below = (root === "" ? path : path.slice(root.length + 1)).slice(0, -2).replaceAll("/", ".");
    return options.logical === "" ? below : `${options.logical}.${below}`;
  };
}

/** Rules of make: `a.vo …: a.v b.vo`. */
function readDependencies(rules: string, known: ReadonlySet<string>): Map<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const rule of rules.replaceAll("\\\n", " ").split("\n")) {
    const [targets = "", needs = ""] = rule.split(/:\s/);
    const target = targets
      .split(" ")
      .find((name) => name.endsWith(".vo"))
      ?.replace(/^\.\//, "")
      .replace(/o$/, "");
    if (target === undefined || !known.has(target)) continue;
    const imports = needs.split(/\s+/).map((name) => name.replace(/^\.\//, "").replace(/\.vo$/, ".v"));
    found.set(
      target,
      [...new Set(imports)].filter((name) => known.has(name) && name !== target),
    );
  }
  return found;
}

/** All that some files need, each after what it needs. */
function closeOver(direct: ReadonlyMap<string, readonly string[]>, paths: readonly string[]): string[] {
  const done = new Set<string>();
  const stack = [...new Set(paths)].reverse().map((path) => ({ path, after: false }));
  const seen = new Set<string>();
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    if (top.after) done.add(top.path);
    else if (!seen.has(top.path)) {
      seen.add(top.path);
      stack.push({ path: top.path, after: true }, ...(direct.get(top.path) ?? []).map((path) => ({ path, after: false })));
    }
  }
  return [...done];
}

type Compiled = { readonly state: CheckState; readonly log: string };
async function compileAll(
  request: AdapterRequest,
  tool: CoqTool,
  sandbox: Sandbox,
  direct: ReadonlyMap<string, readonly string[]>,
  needed: readonly string[],
): Promise<Map<string, Compiled>> {
  const digests = new Map(request.files.map(({ path, sha256: digest }) => [path, digest]));
  const keys = new Map<string, string>();
  const done = new Map<string, Promise<Compiled>>();
  const results = new Map<string, Compiled>();
  let running = 0;
  const waiting: (() => void)[] = [];
  const compile = async (path: string): Promise<Compiled> => {
    const imports = direct.get(path) ?? [];
    await Promise.all(imports.map((other) => done.get(other)));
    const broken = imports.find((other) => results.get(other)?.state !== "accepted");
    if (broken !== undefined) {
      // What it needs has no proof that holds: whose fault that is stands there.
      const state = results.get(broken)?.state ?? "environment";
      return { state: state === "accepted" ? "environment" : state, log: `It needs ${broken}, which did not compile.` };
    }
    const key = sha256(
      JSON.stringify([
        ADAPTER,
        sandbox.isolation,
        path,
        digests.get(path),
        imports.map((other) => keys.get(other)),
        tool.digest,
        tool.installed,
        flagsOf(request),
      ]),
    );
    keys.set(path, key);
    const object = join(request.root, `${path}o`);
    const kept = request.cache === null ? null : join(request.cache, `${key}.vo`);
    if (kept !== null && existsSync(kept) && existsSync(globOf(kept))) {
      copyFileSync(kept, object);
      copyFileSync(globOf(kept), globOf(object));
      return { state: "accepted", log: "" };
    }
    while (running >= request.jobs) await new Promise<void>((resolve) => waiting.push(resolve));
    running++;
    const [view, out] = ["view", "vo"].map((name) => mkdtempSync(join(tmpdir(), `proofshelf-${name}-`))) as [string, string];
    try {
      chmodSync(view, 0o755);
      chmodSync(out, 0o777);
      for (const name of closeOver(direct, [path]).flatMap((other) => (other === path ? [other] : [other, `${other}o`]))) {
        mkdirSync(dirname(join(view, name)), { recursive: true, mode: 0o755 });
        linkSync(join(request.root, name), join(view, name));
      }
      // A folder is looked for also where it has no file.
      mkdirSync(join(view, request.options.root), { recursive: true, mode: 0o755 });
      const made = join(out, basename(object));
      // Coq names a library by where its .vo file is written.
      const folder = moduleOf(request)(path).split(".").slice(0, -1).join(".");
      const ran = await sandbox.run({
        command: ["coqc", "-dump-glob", globOf(made), ...flagsOf(request), "-Q", out, folder, "-o", made, path],
        reads: [tool.library, dirname(tool.coqc), view],
        writes: [out],
        cwd: view,
        limits: request.limits,
      });
      const state = stateOf(ran);
      if (state === "accepted") {
        if (!existsSync(made) || !lstatSync(made).isFile()) return { state: "environment", log: "It wrote no .vo file." };
        if (kept !== null) mkdirSync(dirname(kept), { recursive: true, mode: 0o700 });
        for (const to of kept === null ? [object] : [object, kept]) {
          if (existsSync(globOf(made)) && lstatSync(globOf(made)).isFile()) copyFileSync(globOf(made), globOf(to));
          copyFileSync(made, to);
        }
      }
      return { state, log: state === "accepted" ? "" : ran.stderr || `It ended with ${ran.killed ?? ran.code}.` };
    } finally {
      for (const folder of [view, out]) rmSync(folder, { recursive: true, force: true });
      running--;
      waiting.shift()?.();
    }
  };
  for (const path of needed)
    done.set(
      path,
      compile(path).then((result) => (results.set(path, result), result)),
    );
  await Promise.all(done.values());
  return results;
}

const LACKING = /Cannot find a physical path|Unable to locate library|Cannot load|Unbound module|Can't find file|Unknown option|^Anomaly/m;

function stateOf({ code, stderr, killed }: Ran): CheckState {
  if (code === 0) return "accepted";
  if (killed === "wall" || killed === "cpu") return "timeout";
  if (killed === "output") return "rejected";
  if (/Out of memory|Stack overflow/.test(stderr) || code === 137) return "memory";
  return LACKING.test(stderr) ? "environment" : "rejected";
}

/** Statements first, then axioms by one question for all, split where it is not closed. */
async function answer(request: AdapterRequest, ask: Ask, asked: readonly Asked[], moduleOfPath: (path: string) => string): Promise<void> {
  const paths = [...new Set(asked.map(({ path }) => path))];
  const load = (path: string): string => `Require ${moduleOfPath(path)}. Locate Library ${moduleOfPath(path)}.`;
  const typesOf = (some: readonly Asked[]): string[] =>
    some.flatMap(({ name }) => [`Check @${name}.`, `Set Printing All. Check @${name}. Unset Printing All.`]);
  // To load them is dear, so that the first process that does is asked more.
  const first = await askAll(ask, [], [...paths.map(load), ...typesOf(asked)]);
  const together = paths.every((_, at) => LOADED.test(first[at] ?? ""));
  const loadable = together
    ? { groups: paths.length > 0 ? [paths] : [], broken: [] }
    : await findLoadable(ask, paths, moduleOfPath, (at) => LOADED.test(first[at] ?? ""));
  for (const group of loadable.groups) {
    const modules = group.map(moduleOfPath);
    const ours = asked.filter(({ path }) => group.includes(path));
    const types = together ? first.slice(paths.length) : await askAll(ask, modules, typesOf(ours));
    const there: Asked[] = [];
    for (const [at, one] of ours.entries()) {
      const [statement, whole] = [readType(types[2 * at] ?? ""), readType(types[2 * at + 1] ?? "")];
      if (statement === null || whole === null)
        say({ t: "check", path: one.path, decl: one.key, state: "unsupported", log: "Coq has nothing of this name." });
      else {
        say({ t: "decl", key: one.key, statement, type_sha256: sha256(whole) });
        there.push(one);
      }
    }
    await tellAxioms(request, ask, modules, there);
  }
  for (const path of loadable.broken)
    for (const one of asked.filter((other) => other.path === path))
      say({ t: "check", path, decl: one.key, state: "environment", log: "Its .vo file does not load." });
}

/** Of the file, not of a module of this name in another. */
const LOADED = / has been loaded from file\b/;

/** Files that load together; those that do not are asked alone. @param loads whether one did, beside all before it */
async function findLoadable(
  ask: Ask,
  paths: readonly string[],
  moduleOfPath: (path: string) => string,
  loads: (at: number) => boolean,
): Promise<{ groups: string[][]; broken: string[] }> {
  const together = paths.filter((_, at) => loads(at));
  const broken: string[] = [];
  const alone: string[][] = [];
  for (const path of paths.filter((other) => !together.includes(other))) {
    const [loaded] = await askAll(ask, [moduleOfPath(path)], [`Locate Library ${moduleOfPath(path)}.`]);
    if (LOADED.test(loaded ?? "")) alone.push([path]);
    else broken.push(path);
  }
  return { groups: [...(together.length > 0 ? [together] : []), ...alone], broken };
}

async function tellAxioms(request: AdapterRequest, ask: Ask, modules: readonly string[], asked: readonly Asked[]): Promise<void> {
  const told: { readonly group: readonly Asked[]; readonly found: Assumptions }[] = [];
  const allowed = new Set(request.allowed);
  const full = new Map<string, string>();
  let groups: (readonly Asked[])[] = asked.length === 0 ? [] : [asked];
  while (groups.length > 0) {
    const answers = await askAll(
      ask,
      modules,
      groups.map((group, at) =>
        tupleOf(
          group.map(({ name }) => name),
          at,
        ),
      ),
    );
    await locate(
      ask,
      modules,
      answers.flatMap((text) => readAssumptions(text ?? "")?.names ?? []),
      full,
    );
    const next: (readonly Asked[])[] = [];
    for (const [at, group] of groups.entries()) {
      const found = readAssumptions(answers[at] ?? "");
      // Where the policy allows all that a file rests on, each theorem of it rests on at most that.
      const oneFile = new Set(group.map(({ path }) => path)).size === 1;
      const enough =
        oneFile && found !== null && found.unsafe.length === 0 && found.names.every((name) => allowed.has(full.get(name) ?? ""));
      if (found !== null && (group.length === 1 || enough)) told.push({ group, found });
      else if (group.length > 1) next.push(...split(group));
      else
        for (const one of group)
          say({ t: "check", path: one.path, decl: one.key, state: "unsupported", log: "Coq did not say what it rests on." });
    }
    groups = next;
  }
  const own = new Set(request.own);
  for (const { group, found } of told) {
    const names = found.names.map((name) => full.get(name) ?? name);
    for (const one of group) {
      for (const name of names) if (own.has(name)) say({ t: "hole", decl: one.key, what: name });
      say({ t: "axioms", decl: one.key, names, unsafe: found.unsafe, exact: group.length === 1 || names.length === 0 });
    }
  }
}

/** By file, then by a few, then one by one. */
function split(group: readonly Asked[]): (readonly Asked[])[] {
  const files = [...Map.groupBy(group, ({ path }) => path).values()];
  if (files.length > 1) return files;
  const size = group.length > FEW ? FEW : 1;
  return Array.from({ length: Math.ceil(group.length / size) }, (_, at) => group.slice(at * size, (at + 1) * size));
}

/** The full names of axioms, which are printed as short as they can be. */
async function locate(ask: Ask, modules: readonly string[], names: readonly string[], full: Map<string, string>): Promise<void> {
  const missing = [...new Set(names)].filter((name) => !full.has(name));
  if (missing.length === 0) return;
  const answers = await askAll(
    ask,
    modules,
    missing.map((name) => `Locate Term ${name}.`),
  );
  for (const [at, name] of missing.entries()) {
    const found = /^(?:Constant|Inductive|Constructor) (\S+)/m.exec(answers[at] ?? "")?.[1];
    full.set(name, found ?? name);
  }
}

await serveAdapter(
  () => ({
    prover: "coq",
    version: findCoq()?.version ?? null,
    can: ["statements", "holes", "axioms", "uses", "check"],
    needs: ["coqc", "coqdep", "coqtop"],
  }),
  run,
);
