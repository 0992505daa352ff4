/** The adapter of Coq, a program of its own: `describe` says what it can, `run` reads one request and answers in lines of JSON (protocol.ts).
 *
 *  Each file is compiled in a sandbox that has its imports and nothing else of the sources, and writes its own .vo alone: an import that
 *  nobody sees would change unseen. What the compiler prints is kept as a log and believed in nothing. Then a second process loads the .vo files and is asked. */
import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { sha256 } from "../../../snapshots/digest.ts";
import { sandboxOf, say, serveAdapter } from "./adapter.ts";
import { answer, type Asking, globOf } from "./coq-answer.ts";
import type { Printed } from "./coq-meaning.ts";
import { checkAgain } from "./coq-second.ts";
import { ADAPTER, type CoqTool, findChecker, findCoq } from "./coq-tool.ts";
import type { AdapterRequest } from "./request.ts";
import type { Ran, Sandbox } from "./sandbox.ts";
import type { CheckState } from "./states.ts";

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
  const first = { t: "tool", name: "coq", version, executable_sha256: digest, installed_sha256: installed, adapter: ADAPTER, command };
  const second = request.second ? findChecker() : null;
  if (request.second && second === null) throw new Error("coqchk is not installed");
  say(second === null ? first : { ...first, name: "coqchk", ...second });
  const job = { reads: [tool.library, dirname(tool.coqc), request.root], writes: [], cwd: request.root, limits: request.limits };
  const sources = request.files.map(({ path }) => path).filter((path) => path.endsWith(".v"));
  const dependencies = await sandbox.run({ ...job, command: ["coqdep", ...flagsOf(request).slice(1), ...sources] });
  const direct = readDependencies(dependencies.stdout, new Set(sources));
  const needed = closeOver(
    direct,
    request.ask.map(({ path }) => path),
  );
  const compiled = await compileAll(request, tool, sandbox, direct, needed);
  const states =
    second === null
      ? compiled
      : await checkAgain(needed, compiled, moduleOf(request), (args) =>
          sandbox.run({ ...job, command: ["coqchk", ...flagsOf(request).slice(1), ...args] }),
        );
  for (const path of needed) {
    const { state, log } = states.get(path) ?? { state: "environment" as const, log: "" };
    const imports = closeOver(direct, [path]).filter((other) => other !== path);
    say({ t: "imports", path, imports });
    say({ t: "check", path, state, log: log.slice(0, MAX_LOG) });
  }
  const asked = request.ask.filter(({ path }) => states.get(path)?.state === "accepted");
  if (second !== null)
    for (const { key, path } of asked)
      say({ t: "axioms", decl: key, names: states.get(path)?.names ?? [], unsafe: states.get(path)?.unsafe ?? [], exact: false });
  else {
    const hasPlugin = tool.graph && request.graph && !sources.some((path) => moduleOf(request)(path).startsWith("dpdgraph."));
    const out = mkdtempSync(join(tmpdir(), "proofshelf-graph-"));
    try {
      chmodSync(out, 0o777);
      const file = join(out, "graph.dpd");
      const read = (): string => {
        const text = existsSync(file) && lstatSync(file).isFile() ? readFileSync(file, "utf8") : "";
        // Where the next graph is not written, none is there.
        rmSync(file, { recursive: true, force: true });
        return text;
      };
      const open = () => sandbox.open({ ...job, writes: [out], command: ["coqtop", "-quiet", ...flagsOf(request)] });
      const printed = openPrinted(request, compiled, needed);
      const graph = hasPlugin ? { file, read } : null;
      const importsOf = (paths: readonly string[]): readonly string[] => closeOver(direct, paths);
      await answer({ request, open, moduleOf: moduleOf(request), importsOf, say, graph, printed }, asked);
    } finally {
      rmSync(out, { recursive: true, force: true });
    }
  }
}

/** What was printed of the definitions of each file, kept beside what was compiled of it and under the same key. */
function openPrinted(request: AdapterRequest, compiled: ReadonlyMap<string, Compiled>, needed: readonly string[]): Asking["printed"] {
  const files = needed.flatMap((path) => {
    const key = compiled.get(path)?.key;
    return key === undefined || compiled.get(path)?.state !== "accepted"
      ? []
      : [{ path, module: `${moduleOf(request)(path)}.`, file: join(request.cache ?? "", `${key}.json`) }];
  });
  const isKept = ({ file }: { file: string }): boolean => request.cache !== null && existsSync(file);
  const missing = files.filter((one) => !isKept(one)).map(({ path }) => path);
  const before = files.filter(isKept).flatMap(({ file }) => JSON.parse(readFileSync(file, "utf8")) as [string, Printed][]);
  return {
    missing,
    read: () => new Map(before),
    keep(all) {
      if (request.cache === null || all.size === before.length) return;
      // The longest name of a module is whose a definition is.
      const byModule = [...files].sort((a, b) => b.module.length - a.module.length);
      const found = Map.groupBy(all, ([name]) => byModule.find(({ module }) => name.startsWith(module))?.file ?? "");
      for (const { file } of files) writeFileSync(file, JSON.stringify(found.get(file) ?? []), { mode: 0o600 });
    },
  };
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

/** What became of a file; its key is that of the compiled one. */
type Compiled = {
  readonly state: CheckState;
  readonly log: string;
  readonly key?: string;
  readonly names?: readonly string[];
  readonly unsafe?: readonly string[];
};
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
      return { state: "accepted", log: "", key };
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
      return { state, key, log: state === "accepted" ? "" : ran.stderr || `It ended with ${ran.killed ?? ran.code}.` };
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

await serveAdapter(() => {
  const tool = findCoq();
  const also = [...(tool?.graph === true ? ["graph"] : []), ...(findChecker() === null ? [] : ["second"])];
  return {
    prover: "coq",
    version: tool?.version ?? null,
    can: ["statements", "holes", "axioms", "uses", "meaning", "check", ...also],
    needs: ["coqc", "coqdep", "coqtop"],
  };
}, run);
