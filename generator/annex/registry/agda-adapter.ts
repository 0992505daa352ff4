/** The adapter of Agda, a program of its own. Agda checks each file and says by `--html` what every name means; `--safe` is the second
 *  question: what it accepts rests on nothing, and of what it refuses we say by which postulates and switches. */
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { sha256 } from "../../../snapshots/digest.ts";
import { sandboxOf, say, serveAdapter } from "./adapter.ts";
import { scanAgda } from "./agda.ts";
import { type AgdaModule, openRests, readAgdaHtml, type Site } from "./agda-html.ts";
import { findAgda } from "./agda-tool.ts";
import type { AdapterRequest } from "./request.ts";
import type { Ran } from "./sandbox.ts";
import type { CheckState } from "./states.ts";

const MAX_LOG = 16 * 1024;
const ENDING = /\.(?:agda|lagda(?:\.\w+)?)$/;

async function run(request: AdapterRequest): Promise<void> {
  const tool = findAgda(request.options.flags);
  if (tool === null) throw new Error("agda is not installed");
  const sandbox = sandboxOf(request);
  const root = request.options.root.replace(/^\.?\/+|\/+$/g, "");
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
    const moduleOf = (path: string): string => (root === "" ? path : path.slice(root.length + 1)).replace(ENDING, "").replaceAll("/", ".");
    const paths = [...new Set(request.ask.map(({ path }) => path))];
    const states = new Map<string, { state: CheckState; log: string }>();
    for (const path of paths) states.set(path, stateOf(await agda(path, "--html", `--html-dir=${html}`)));
    const safe = new Map<string, string>(); // why it is not
    for (const path of paths)
      if (states.get(path)?.state === "accepted") {
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

/** Agda ends with 42 where something is wrong in a file. */
function stateOf({ code, stdout, stderr, killed }: Ran): { state: CheckState; log: string } {
  const log = (stdout + stderr).slice(-MAX_LOG);
  if (killed === "wall" || killed === "cpu") return { state: "timeout", log };
  if (code === 0) return { state: "accepted", log: "" };
  if (code === 251 || code === 137) return { state: "memory", log };
  if (/^Unsolved (?:interaction )?metas|Unsolved interaction/m.test(log)) return { state: "holes", log };
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
  const nameAt = (module: string, site: Site): string => declared.get(module)?.nameOf(site) ?? `${module}.${site.text}`;
  const rests = openRests(modules, nameAt);
  const own = new Set([...request.own, ...request.ask.map(({ name }) => name)]);
  for (const path of paths) {
    const module = moduleOf(path);
    const { state, log } = states.get(path) ?? { state: "environment" as const, log: "" };
    const found = modules.get(module);
    const imports = rests.closure(module).flatMap((name) => (name === module ? [] : (pathOf.get(name) ?? [])));
    say({ t: "imports", path, imports });
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
      const mentions = [...site.statement].sort().join("\n");
      say({ t: "decl", key, statement: place.statement || place.last, type_sha256: sha256(`${place.statement}\n${mentions}`) });
      const why = safe.get(path);
      const said = why === undefined ? { names: [], unsafe: [], exact: true } : rests.of(module, site);
      const explained = why === undefined || said.unsafe.length > 0 || rests.hasAxioms(module);
      // Nothing here says why it is not safe: then nothing here is.
      say({ t: "axioms", decl: key, names: said.names, unsafe: explained ? said.unsafe : [why], exact: said.exact });
      for (const [part, targets] of [
        ["statement", site.statement],
        ["proof", site.proof],
      ] as const)
        for (const to of new Set([...targets].flatMap((target) => rests.nameOf(target) ?? [])))
          if (own.has(to) && to !== name) say({ t: "edge", from: key, to, part, basis: "source" });
    }
  }
}

/** Names of a file's declarations by where they stand. */
function openNames({ root }: AdapterRequest, module: string, path: string) {
  const text = existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : "";
  const found = scanAgda(text, path).map(({ name, line, statement }) => ({
    name: `${module}.${name}`,
    last: name.split(".").at(-1) ?? name,
    line,
    statement,
  }));
  return {
    find: (name: string) => found.find((one) => one.name === name),
    nameOf: (site: Site): string | undefined => found.find(({ line, last }) => line === site.line && last === site.text)?.name,
  };
}

await serveAdapter(
  () => ({
    prover: "agda",
    version: findAgda()?.version ?? null,
    can: ["statements", "holes", "axioms", "uses", "check"],
    needs: ["agda"],
  }),
  run,
);
