/** The adapter of Coq, a program of its own, which reads one request and answers in lines of JSON (protocol.ts).
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
import { parseJson, sha256 } from "#snapshots/digest";
import { sandboxOf, say, sayLooked, serveAdapter } from "./adapter.ts";
import { answer, type Asking, globOf } from "./coq-answer.ts";
import type { Assumptions } from "./coq-ask.ts";
import type { Printed } from "./coq-meaning.ts";
import { askChecker, checkAgain } from "./coq-second.ts";
import { runKernel, toolOf } from "./kernels.ts";
import { ADAPTER, type CoqTool, findChecker, findCoq } from "./coq-tool.ts";
import { filesSought, findLoaded, namedByLoad } from "./coq-load.ts";
import { openHidden } from "./coq-switches.ts";
import { clearOld, keep, keepMade, readMade } from "./coq-cache.ts";
import { coqArguments, coqModuleOf, coqPathsOf } from "./coq-paths.ts";
import { describeNeed } from "./need.ts";
import { memoize } from "./memoize.ts";
import { type AdapterRequest, ANYWHERE, type AskedDeclaration } from "./request.ts";
import { type Ran, type Sandbox, silenceOf } from "./sandbox.ts";
import type { CheckState } from "./states.ts";

const MAX_LOG = 16 * 1024;
/** The module of the questions: `Top`, its usual name, is that of a file in many a source. */
const TOPLEVEL = "ProofshelfQuestions";

function flagsOf({ options }: AdapterRequest): string[] {
  return ["-q", ...coqArguments(coqPathsOf(options)), ...options.flags];
}

/** foldersOf gives the folders alone: coqdep and coqchk take a setting for a file. */
function foldersOf({ options }: AdapterRequest): string[] {
  const further = options.flags.flatMap((flag, at) => (/^-[RQ]$/.test(flag) ? options.flags.slice(at, at + 3) : []));
  return [...coqArguments(coqPathsOf(options)), ...further];
}

const LOST = { state: "environment", log: "" } as const;

async function run(request: AdapterRequest): Promise<void> {
  const tool = findCoq();
  if (tool === null) throw new Error("coqc is not installed");
  const sandbox = sandboxOf(request);
  if (request.cache !== null) clearOld(request.cache);
  const { version, digest, installed } = tool;
  const { compile, ask: askBy, depend } = tool.programs;
  const command = [...compile, ...flagsOf(request)];
  const first = { t: "tool", name: "coq", version, executable_sha256: digest, installed_sha256: installed, adapter: ADAPTER, command };
  const { kernel } = request;
  const second = request.second && kernel === null ? findChecker() : null;
  if (request.second && kernel === null && second === null) throw new Error("coqchk is not installed");
  say(
    kernel !== null
      ? toolOf(kernel)
      : second === null
        ? first
        : { ...first, name: "coqchk", version: second.version, executable_sha256: second.digest },
  );
  const job = { reads: [tool.library, dirname(tool.coqc), request.root], writes: [], cwd: request.root, limits: request.limits };
  const sources = request.files.map(({ path }) => path).filter((path) => path.endsWith(".v"));
  const dependencies = await sandbox.run({ ...job, command: [...depend, ...foldersOf(request), ...sources] });
  const textOf = (path: string): string => readFileSync(join(request.root, path), "utf8");
  const { direct, loaders, parts } = readDependencies(dependencies.stdout, sources, textOf);
  // A declaration of a part is one of the module that loads it.
  const moduleFileOf = ({ path, name }: AskedDeclaration): string =>
    loaders.get(path)?.find((loader) => name.startsWith(`${moduleOf(request)(loader)}.`)) ?? path;
  const ask = request.ask.map((one) => ({ ...one, path: moduleFileOf(one) }));
  const needed = closeOver(
    direct,
    ask.map(({ path }) => path),
  );
  const modules = needed.filter((path) => !parts.has(path));
  const compiled = await compileAll(request, tool, sandbox, { direct, parts }, modules);
  const states =
    kernel !== null
      ? await checkAgain(modules, compiled, (some) =>
          runKernel(
            kernel,
            some.map((path) => join(request.root, `${path}o`)),
            request,
            sandbox,
          ),
        )
      : second === null
        ? compiled
        : await checkAgain(
            modules,
            compiled,
            askChecker(moduleOf(request), (args) => sandbox.run({ ...job, command: [second.program, ...foldersOf(request), ...args] })),
          );
  const soughtBy = memoize((path: string) => filesSought(textOf(path)).map((name) => ANYWHERE + name));
  for (const path of needed) {
    // A part is never compiled alone: the files that load it say whether it holds.
    const files = parts.has(path) ? (loaders.get(path) ?? []).filter((loader) => modules.includes(loader)) : [path];
    const { state, log } =
      files.map((file) => states.get(file)).find((one) => one?.state !== "accepted") ?? states.get(files[0] ?? "") ?? LOST;
    const closed = closeOver(direct, [path, ...files]);
    const imports = new Set([...closed.filter((other) => other !== path), ...closed.flatMap(soughtBy)]);
    say({ t: "imports", path, imports: [...imports] });
    say({ t: "check", path, state, log: log.slice(0, MAX_LOG) });
  }
  const asked = ask.filter(({ path }) => states.get(path)?.state === "accepted");
  if (second !== null)
    for (const { key, path } of asked)
      say({ t: "axioms", decl: key, names: states.get(path)?.names ?? [], unsafe: states.get(path)?.unsafe ?? [], exact: false });
  else if (kernel === null) {
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
      const open = () => sandbox.open({ ...job, writes: [out], command: [...askBy, "-quiet", "-top", TOPLEVEL, ...flagsOf(request)] });
      const printed = openPrinted(request, compiled, modules);
      const graph = hasPlugin ? { file, read } : null;
      const importsOf = (paths: readonly string[]): readonly string[] => closeOver(direct, paths).filter((path) => !parts.has(path));
      const hiddenIn = openHidden(textOf);
      const pathOf = new Map(asked.map(({ key, path }) => [key, path]));
      const tell: Asking["say"] = (line) => {
        const path = "t" in line && line.t === "axioms" && "decl" in line ? pathOf.get(String(line.decl)) : undefined;
        const hidden = path === undefined ? null : hiddenIn(closeOver(direct, [path]));
        const saysNothing = "unsafe" in line && Array.isArray(line.unsafe) && line.unsafe.length === 0;
        say(hidden !== null && saysNothing ? { ...line, unsafe: [hidden] } : line);
      };
      const known = openInstalled(request, tool);
      const asking = { request: { ...request, ask }, open, moduleOf: moduleOf(request), importsOf, say: tell, graph, printed };
      await answer({ ...asking, installed: known.all }, asked);
      known.keep();
    } finally {
      rmSync(out, { recursive: true, force: true });
    }
  }
}

/** openInstalled keeps what constants of the installed libraries rest on: the same for every source that is asked with these options. */
function openInstalled({ cache, options }: AdapterRequest, { digest, installed }: CoqTool) {
  const file = join(cache ?? "", `${sha256(JSON.stringify([ADAPTER, digest, installed, options.flags]))}.json`);
  const before = cache === null ? [] : (readKept<Assumptions>(file) ?? []);
  const all = new Map(before);
  return {
    all,
    keep(): void {
      if (cache !== null && all.size > before.length) keep(file, JSON.stringify([...all]));
    },
  };
}

/** openPrinted keeps the prints of each file's definitions beside its compiled file and under the same key. */
function openPrinted(request: AdapterRequest, compiled: ReadonlyMap<string, Compiled>, needed: readonly string[]): Asking["printed"] {
  const files = needed.flatMap((path) => {
    const key = compiled.get(path)?.key;
    return key === undefined || compiled.get(path)?.state !== "accepted"
      ? []
      : [{ path, module: `${moduleOf(request)(path)}.`, file: join(request.cache ?? "", `${key}.json`) }];
  });
  const isKept = ({ file }: { file: string }): boolean => request.cache !== null && readKept(file) !== null;
  const missing = files.filter((one) => !isKept(one)).map(({ path }) => path);
  const before = files.filter((one) => !missing.includes(one.path)).flatMap(({ file }) => readKept<Printed>(file) ?? []);
  return {
    missing,
    read: () => new Map(before),
    keep(all) {
      if (request.cache === null || all.size === before.length) return;
      // The longest name of a module is whose a definition is.
      const byModule = [...files].sort((a, b) => b.module.length - a.module.length);
      const found = Map.groupBy(all, ([name]) => byModule.find(({ module }) => name.startsWith(module))?.file ?? "");
      for (const { file } of files) keep(file, JSON.stringify(found.get(file) ?? []));
    },
  };
}

/** readKept reads what was kept of each name; null where nothing is, or nothing that can be read: then it is asked again. */
function readKept<Kept>(file: string): [string, Kept][] | null {
  const kept = existsSync(file) ? parseJson(readFileSync(file, "utf8")) : null;
  return Array.isArray(kept) ? (kept as [string, Kept][]) : null;
}

function moduleOf({ options }: AdapterRequest): (path: string) => string {
  const paths = coqPathsOf(options);
  return (path) => coqModuleOf(paths, path) ?? "";
}

type Dependencies = {
  /** Files of the sources that each file needs, those that it loads among them. */
  readonly direct: ReadonlyMap<string, readonly string[]>;
  /** By each file that others load: which files these are. */
  readonly loaders: ReadonlyMap<string, readonly string[]>;
  /** Those of them that are parts of others alone, and no modules. */
  readonly parts: ReadonlySet<string>;
};

/** readDependencies reads rules of make, `a.vo …: a.v b.vo`, and beside them what files load, which coqdep tells for -R alone. Signs of names
 *  that make reads are escaped in rules. @param textOf the text of a file of the sources */
function readDependencies(rules: string, sources: readonly string[], textOf: (path: string) => string): Dependencies {
  const known = new Set(sources);
  const requires = new Map<string, readonly string[]>();
  const wordsOf = (text: string): string[] =>
    text.split(/(?<!\\)\s+/).map((name) => name.replaceAll(/\\([\s#:%*?[\]\\])|\$(\$)/g, "$1$2").replace(/^\.\//, ""));
  for (const rule of rules.replaceAll("\\\n", " ").split("\n")) {
    const [targets = "", needs = ""] = rule.split(/:\s/);
    const target = wordsOf(targets)
      .find((name) => name.endsWith(".vo"))
      ?.replace(/o$/, "");
    if (target === undefined || !known.has(target)) continue;
    const objects = wordsOf(needs).filter((name) => name.endsWith(".vo"));
    const imports = new Set(objects.map((name) => name.replace(/o$/, "")));
    requires.set(
      target,
      [...imports].filter((path) => known.has(path) && path !== target),
    );
  }
  const loads = new Map<string, readonly string[]>();
  for (const path of sources)
    loads.set(
      path,
      namedByLoad(textOf(path)).flatMap((name) => findLoaded(name, path, sources) ?? []),
    );
  const loaders = new Map<string, string[]>();
  const direct = new Map<string, readonly string[]>();
  for (const path of sources) {
    const loaded = closeOver(loads, [path]).filter((other) => other !== path);
    for (const part of loaded) loaders.set(part, [...(loaders.get(part) ?? []), path]);
    direct.set(path, [...new Set([path, ...loaded].flatMap((one) => requires.get(one) ?? []).concat(loaded))]);
  }
  const required = new Set([...requires.values()].flat());
  const parts = new Set([...loaders.keys()].filter((path) => !required.has(path)));
  // A part is read as it stands: nothing is compiled for it alone.
  for (const part of parts) direct.set(part, []);
  return { direct, loaders, parts };
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

/** The outcome for one file; its key is that of the compiled file. */
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
  { direct, parts }: Pick<Dependencies, "direct" | "parts">,
  needed: readonly string[],
): Promise<Map<string, Compiled>> {
  const digests = new Map(request.files.map(({ path, sha256: digest }) => [path, digest]));
  const keys = new Map<string, string>();
  const done = new Map<string, Promise<Compiled>>();
  const results = new Map<string, Compiled>();
  let running = 0;
  const waiting: (() => void)[] = [];
  const compile = async (path: string): Promise<Compiled> => {
    const loads = closeOver(direct, [path]).filter((other) => parts.has(other));
    const imports = (direct.get(path) ?? []).filter((other) => !parts.has(other));
    await Promise.all(imports.map((other) => done.get(other)));
    const broken = imports.find((other) => results.get(other)?.state !== "accepted");
    if (broken !== undefined) {
      // A file that it needs has no proof that holds. It takes that file's state, which tells whose fault it is.
      const state = results.get(broken)?.state ?? "environment";
      return { state: state === "accepted" ? "environment" : state, log: describeNeed(broken) };
    }
    const key = sha256(
      JSON.stringify([
        ADAPTER,
        sandbox.isolation,
        path,
        digests.get(path),
        imports.map((other) => keys.get(other)),
        loads.map((other) => [other, digests.get(other)]),
        tool.digest,
        tool.installed,
        flagsOf(request),
      ]),
    );
    keys.set(path, key);
    const object = join(request.root, `${path}o`);
    const kept = request.cache === null ? null : join(request.cache, `${key}.made`);
    const before = kept === null ? null : readMade(kept);
    if (before !== null) {
      writeFileSync(object, before.object);
      writeFileSync(globOf(object), before.glob);
      return { state: "accepted", log: "", key };
    }
    while (running >= request.jobs) await new Promise<void>((resolve) => waiting.push(resolve));
    running++;
    const [view, out] = ["view", "vo"].map((name) => mkdtempSync(join(tmpdir(), `proofshelf-${name}-`))) as [string, string];
    try {
      chmodSync(view, 0o755);
      chmodSync(out, 0o777);
      for (const name of closeOver(direct, [path]).flatMap((other) =>
        other === path || parts.has(other) ? [other] : [other, `${other}o`],
      )) {
        mkdirSync(dirname(join(view, name)), { recursive: true, mode: 0o755 });
        linkSync(join(request.root, name), join(view, name));
      }
      // A folder is looked for also where it has no file.
      for (const { folder } of coqPathsOf(request.options)) mkdirSync(join(view, folder), { recursive: true, mode: 0o755 });
      const made = join(out, basename(object));
      // Coq names a library by where its .vo file is written.
      const folder = moduleOf(request)(path).split(".").slice(0, -1).join(".");
      const ran = await sandbox.run({
        command: [...tool.programs.compile, "-dump-glob", globOf(made), ...flagsOf(request), "-Q", out, folder, "-o", made, path],
        reads: [tool.library, dirname(tool.coqc), view],
        writes: [out],
        cwd: view,
        limits: request.limits,
      });
      const state = stateOf(ran);
      if (state === "accepted") {
        const isMade = (file: string): boolean => existsSync(file) && lstatSync(file).isFile();
        if (!isMade(made)) return { state: "environment", log: "It wrote no .vo file." };
        const files = [made, globOf(made)].filter(isMade);
        for (const from of files) copyFileSync(from, from === made ? object : globOf(object));
        if (kept !== null && files.length === 2) {
          mkdirSync(dirname(kept), { recursive: true, mode: 0o700 });
          keepMade(kept, { glob: readFileSync(globOf(made)), object: readFileSync(made) });
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
      compile(path).then((result) => {
        results.set(path, result);
        sayLooked(path);
        return result;
      }),
    );
  await Promise.all(done.values());
  return results;
}

const LACKING = /Cannot find a physical path|Unable to locate library|Cannot load|Unbound module|Can't find file|Unknown option|^Anomaly/m;

function stateOf(ran: Ran): CheckState {
  if (ran.code === 0) return "accepted";
  if (/Out of memory|Stack overflow/.test(ran.stderr)) return "memory";
  return silenceOf(ran) ?? (LACKING.test(ran.stderr) ? "environment" : "rejected");
}

await serveAdapter(run);
