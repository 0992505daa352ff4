/** The adapter of Agda, a program of its own. Agda checks each file and says by `--html` what every name means; `--safe` is the second
 *  question: what it accepts rests on nothing, and of what it refuses we say by which postulates and switches. */
import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, posix } from "node:path";
import { sha256 } from "#snapshots/digest";
import { sandboxOf, say, sayLooked, serveAdapter } from "./adapter.ts";
import { importsIn, readAgda, telescopeOf } from "./agda.ts";
import { type AgdaModule, openRests, readAgdaHtml, type AgdaSite } from "./agda-html.ts";
import { findAgda } from "./agda-tool.ts";
import { agdaFoldersOf, agdaPathIn } from "./agda-paths.ts";
import { agdaWords } from "./agda-words.ts";
import { memoize } from "./memoize.ts";
import { PROVERS } from "./provers.ts";
import { type AdapterRequest, isBelow } from "./request.ts";
import { type Ran, silenceOf } from "./sandbox.ts";
import type { CheckState } from "./states.ts";

const MAX_LOG = 16 * 1024;
/** A module that a line of import can name. */
const MODULE = /^[^\s(){};@".]+(?:\.[^\s(){};@".]+)*$/;
const ENDING = /\.(?:agda|lagda(?:\.\w+)?)$/;

async function run(request: AdapterRequest): Promise<void> {
  const tool = findAgda(request.options.flags);
  if (tool === null) throw new Error("agda is not installed");
  const sandbox = sandboxOf(request);
  const folders = agdaFoldersOf(request.options);
  const [root = ""] = folders;
  const flags = ["-i", root === "" ? "." : root, ...request.options.flags];
  say({
    t: "tool",
    name: "agda",
    version: tool.version,
    executable_sha256: tool.digest,
    installed_sha256: tool.installed,
    adapter: tool.adapter,
    command: ["agda", "--html", ...flags],
  });
  const html = mkdtempSync(join(tmpdir(), "proofshelf-agda-"));
  // Agda writes what it has checked beside the sources, which are a copy.
  for (const folder of new Set(request.files.flatMap(({ path }) => foldersOf(path)))) chmodSync(join(request.root, folder), 0o777);
  chmodSync(html, 0o777);
  try {
    const agda = async (file: string, ...more: string[]): Promise<Ran> =>
      sandbox.run({
        command: ["agda", ...flags, ...more, file],
        reads: [],
        writes: [request.root, html],
        cwd: request.root,
        limits: request.limits,
      });
    const moduleOf = (path: string): string => (agdaPathIn(folders, path) ?? path).replace(ENDING, "").replaceAll("/", ".");
    const paths = [...new Set(request.ask.map(({ path }) => path))];
    // A file of ours that imports them all is one run for all, and fails where one of them does.
    const together = async (some: readonly string[], ...more: string[]): Promise<boolean> => {
      const [name, modules] = [`All${randomBytes(8).toString("hex")}`, some.map(moduleOf)];
      if (modules.length < 2 || !modules.every((module) => MODULE.test(module))) return false;
      const file = join(request.root, root, `${name}.agda`);
      writeFileSync(file, `module ${name} where\n${modules.map((module) => `import ${module}\n`).join("")}`);
      const ran = await agda(join(root, `${name}.agda`), ...more);
      rmSync(file);
      rmSync(join(html, `${name}.html`), { force: true });
      return ran.code === 0;
    };
    const toHtml = ["--html", `--html-dir=${html}`];
    const states = new Map<string, { state: CheckState; log: string }>();
    if (await together(paths, ...toHtml)) for (const path of paths) states.set(path, { state: "accepted", log: "" });
    else {
      for (const path of paths) {
        states.set(path, stateOf(await agda(path)));
        sayLooked(path);
      }
      const accepted = paths.filter((path) => states.get(path)?.state === "accepted");
      if (!(await together(accepted, ...toHtml))) for (const path of accepted) states.set(path, stateOf(await agda(path, ...toHtml)));
    }
    const safe = new Map<string, string>(); // why it is not
    const accepted = paths.filter((path) => states.get(path)?.state === "accepted");
    if (!(await together(accepted, "--safe")))
      for (const path of accepted) {
        const ran = await agda(path, "--safe");
        if (ran.code !== 0) safe.set(path, `refused with --safe: ${(ran.stdout + ran.stderr).replaceAll(/\s+/g, " ").slice(0, 200)}`);
      }
    const modules = new Map<string, AgdaModule>();
    for (const file of readdirSync(html).filter((name) => name.endsWith(".html"))) {
      const name = file.slice(0, -".html".length);
      modules.set(name, readAgdaHtml(name, readFileSync(join(html, file), "utf8")));
    }
    tell(request, { paths, states, safe, modules, moduleOf });
  } finally {
    rmSync(html, { recursive: true, force: true });
  }
}

function foldersOf(path: string): string[] {
  const folder = dirname(path);
  return folder === "." ? ["."] : [folder, ...foldersOf(folder)];
}

const LACKING = /Failed to find source of module|The file .* can not be found|Unrecognised option|Library .* not found/;
const MISPLACED = /The name of the top level module does not match the file name|file name of the module .* does not match/;

/** Agda ends with 42 where something is wrong in a file, and with 251 where its heap is full. */
function stateOf(ran: Ran): { state: CheckState; log: string } {
  const log = (ran.stdout + ran.stderr).slice(-MAX_LOG);
  if (ran.code === 251) return { state: "memory", log };
  const silent = silenceOf(ran);
  if (silent !== null) return { state: silent, log };
  if (ran.code === 0) return { state: "accepted", log: "" };
  if (/^Unsolved (?:interaction )?metas|Unsolved interaction/m.test(log)) return { state: "holes", log };
  if (MISPLACED.test(log.replaceAll(/\s+/g, " ")))
    return { state: "environment", log: `root of registry.yaml has to name the folder that modules lie below.\n${log}` };
  return { state: LACKING.test(log) ? "environment" : "rejected", log };
}

type Run = {
  readonly paths: readonly string[];
  readonly states: ReadonlyMap<string, { state: CheckState; log: string }>;
  readonly safe: ReadonlyMap<string, string>;
  readonly modules: ReadonlyMap<string, AgdaModule>;
  readonly moduleOf: (path: string) => string;
};

function tell(request: AdapterRequest, { paths, states, safe, modules, moduleOf }: Run): void {
  const pathOf = new Map(request.files.map(({ path }) => [moduleOf(path), path]));
  const declared = new Map([...pathOf].map(([module, path]) => [module, openNames(request, module, path)]));
  const ownModules = [...pathOf.keys()];
  const nameAt = (module: string, site: AgdaSite): string => declared.get(module)?.nameOf(site) ?? `${module}.${site.text}`;
  const rests = openRests(modules, nameAt);
  const importsOf = openImports(request, pathOf);
  const own = new Set([...request.own, ...request.ask.map(({ name }) => name)]);
  /** Generalised variables of other files, and those that Agda sees in a signature and the text alone does not tell. */
  const generalised = (site: AgdaSite, context: readonly string[]): string[] =>
    [...site.statement].flatMap((target) => {
      const [of = "", variable] = rests.siteAt(target) ?? [];
      if (variable?.class !== "Generalizable" || context.some((part) => part.startsWith(`{${variable.text} :`))) return [];
      const told = telescopeOf(variable.text, [], declared.get(of)?.variables ?? new Map());
      return told.length > 0 ? told.filter((part) => !context.includes(part)) : [`{${variable.text} : _}`];
    });
  const namesIn = (targets: ReadonlySet<string>): string[] => [
    ...new Set([...targets].flatMap((target) => rests.nameOf(target) ?? target)),
  ];
  const isOwn = (name: string): boolean => ownModules.some((module) => name.startsWith(`${module}.`));
  const named = new Set<string>();
  for (const path of paths) {
    const module = moduleOf(path);
    const { state, log } = states.get(path) ?? { state: "environment" as const, log: "" };
    const found = modules.get(module);
    const known = rests.closure(module).flatMap((name) => (name === module ? [] : (pathOf.get(name) ?? [])));
    say({ t: "imports", path, imports: [...new Set([...known, ...importsOf(path)])].filter((other) => other !== path) });
    if (state !== "accepted" || found === undefined) {
      say({ t: "check", path, state: state === "accepted" ? "environment" : state, log: log || "Agda wrote nothing of this module." });
      continue;
    }
    say({ t: "check", path, state, log: "" });
    for (const { key, name } of request.ask.filter((one) => one.path === path)) {
      const place = declared.get(module)?.find(name);
      const site = [...found.sites.values()].find(({ line, text }) => line === place?.line && text === place.last);
      if (place === undefined || site === undefined) {
        say({ t: "check", path, decl: key, state: "unsupported", log: "Agda has nothing of this name there." });
        continue;
      }
      const mentions = namesIn(site.statement);
      for (const target of site.statement) named.add(target);
      const telescope = [...generalised(site, place.context), ...place.context];
      const statement = telescope.length === 0 ? place.statement : `${telescope.join(" ")} → ${place.statement}`;
      const words = agdaWords(site, rests.closure(module), { siteAt: rests.siteAt, nameOf: rests.nameOf, pathOf, modules });
      say({
        t: "decl",
        key,
        statement: statement || place.last,
        type_sha256: sha256([statement, ...mentions.toSorted()].join("\n")),
        mentions: mentions.filter(isOwn),
        is_words: telescope.length === 0 && words.length === 0,
        words,
      });
      const why = safe.get(path);
      const said = why === undefined ? { names: [], unsafe: rests.pragmasOf(module), exact: true } : rests.of(module, site);
      const explained = why === undefined || said.unsafe.length > 0 || rests.hasAxioms(module);
      // Nothing here says why it is not safe: then nothing here is.
      const ownAxioms = said.names.filter((axiom) => isOwn(axiom));
      say({ t: "axioms", decl: key, names: said.names, own: ownAxioms, unsafe: explained ? said.unsafe : [why], exact: said.exact });
      for (const [part, targets] of [
        ["statement", site.statement],
        ["proof", site.proof],
      ] as const)
        for (const to of new Set([...targets].flatMap((target) => rests.nameOf(target) ?? [])))
          if (own.has(to) && to !== name) say({ t: "edge", from: key, to, part, basis: "source" });
    }
  }
  const told = new Set<string>();
  for (const target of named) {
    const [, site] = rests.siteAt(target) ?? [];
    const name = rests.nameOf(target);
    if (site === undefined || name === null || !isOwn(name)) continue;
    const below = new Set([...site.statement, ...site.proof]);
    for (const other of below) named.add(other);
    if (told.has(name)) continue;
    told.add(name);
    say({
      t: "definition",
      name,
      sha256: sha256(site.whole.join(" ")),
      mentions: namesIn(below).filter((one) => isOwn(one) && one !== name),
    });
  }
}

/** Names of a file's declarations by where they stand. */
function openNames({ root }: AdapterRequest, module: string, path: string) {
  const text = existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : "";
  const { declarations, variables } = readAgda(text, path);
  const found = declarations.map(({ name, line, statement, context }) => ({
    name: `${module}.${name}`,
    last: name.split(".").at(-1) ?? name,
    line,
    statement,
    context,
  }));
  return {
    variables,
    find: (name: string) => found.find((one) => one.name === name),
    nameOf: (site: AgdaSite): string | undefined => found.find(({ line, last }) => line === site.line && last === site.text)?.name,
  };
}

/** Files that a file imports as its text says, and those that they import; one that is not there is named where it would be. */
function openImports({ root, options }: AdapterRequest, pathOf: ReadonlyMap<string, string>): (path: string) => string[] {
  const folders = agdaFoldersOf(options);
  const direct = memoize((path: string): readonly string[] => {
    const file = join(root, path);
    const names = existsSync(file) ? importsIn(readFileSync(file, "utf8"), path) : [];
    const places = (name: string): string[] =>
      folders.flatMap((folder) => PROVERS.agda.endings.map((ending) => posix.join(folder, name.replaceAll(".", "/") + ending)));
    return names.flatMap((name) => [pathOf.get(name) ?? "", ...places(name)]).filter(isBelow);
  });
  return (path) => {
    const seen = new Set(direct(path));
    for (const one of seen) for (const other of direct(one)) seen.add(other);
    return [...seen];
  };
}

await serveAdapter(run);
