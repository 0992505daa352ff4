/** Records out of sources: what the scanner finds of what Coq lists itself, and what scanning and rechecking cost beside compiling. */
import { CHECK_ONLY } from "../../snapshots/schema/index.ts";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, createWriteStream, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fastGlob from "fast-glob";
import { readChecks } from "../annex/registry/checks.ts";
import { openRegistrySources } from "../annex/registry/config.ts";
import { findCoq } from "../annex/registry/coq-tool.ts";
import { scanCoq } from "../annex/registry/coq.ts";
import { readGlob } from "../annex/registry/glob-fixture.ts";
import { writeLock } from "../annex/registry/lock.ts";
import { scanMetamath } from "../annex/registry/metamath.ts";
import { findMetamath } from "../annex/registry/metamath-tool.ts";
import { type AdapterRequest, PROTOCOL } from "../annex/registry/request.ts";
import { openTools, PROVERS } from "../annex/registry/provers.ts";
import { findStale, recheckSource } from "../annex/registry/recheck.ts";
import { makeRegistry } from "../annex/registry/make-registry.ts";
import { scanAll } from "../annex/registry/scan-all.ts";
import { findSandbox } from "../annex/registry/sandbox.ts";
import type { Figure, Skipped } from "./figure.ts";
import { measureBuild, writeConfig } from "./library.ts";
import { measure } from "./measure.ts";

const DEMO = fileURLToPath(new URL("../demo/code/sorted-lists/", import.meta.url));
const MANY = 100_000;
const RECORDS = 50_000;

/** benchRegistry measures rechecks of a registry.
 *  @param development a folder of Coq sources with its _CoqProject, of which alone its rows are measured; the demo's without it */
export async function benchRegistry(folder: string, development: string | null): Promise<readonly Figure[] | Skipped> {
  if (spawnSync("coqc", ["--version"]).status !== 0) return { skipped: "coqc is not installed" };
  if (development !== null) return recheckDevelopment(join(folder, "development"), development);
  const figures = [
    ...scanInstalled(),
    await scanMany(join(folder, "many"), "Coq", writeCoq),
    await scanMany(join(folder, "many-metamath"), "Metamath", writeMetamath),
    await buildFromSources(join(folder, "records")),
    await readExport(join(folder, "export")),
  ];
  if (findSandbox() === null) return figures;
  return [...figures, ...(await recheckMetamath(folder)), ...(await recheckDevelopment(join(folder, "development"), null))];
}

/** Every library that is installed with its sources and its .glob files. */
function scanInstalled(): Figure[] {
  const root = spawnSync("coqc", ["-where"], { encoding: "utf8" }).stdout.trim();
  const globs = fastGlob.sync("user-contrib/**/*.glob", { cwd: root, absolute: true });
  let listed = 0;
  let found = 0;
  let extra = 0;
  let declarations = 0;
  let ms = 0;
  for (const glob of globs) {
    const bytes = readFileSync(glob.replace(/glob$/, "v"));
    const began = performance.now();
    const scanned = scanCoq(bytes.toString("utf8"));
    ms += performance.now() - began;
    declarations += scanned.length;
    const lemmas = new Set(readGlob(readFileSync(glob, "utf8"), bytes, ["prf"]).map(({ name, line }) => `${line} ${name}`));
    const own = new Set(
      scanned.filter(({ class: kind }) => kind === "theorem").map(({ name, line }) => `${line} ${name.split(".").at(-1)}`),
    );
    listed += lemmas.size;
    found += lemmas.intersection(own).size;
    extra += own.difference(lemmas).size;
  }
  const libraries = new Set(globs.map((glob) => glob.slice(root.length).split("/")[2])).size;
  const note = `${found} of ${listed} lemmas of ${globs.length} files of ${libraries} installed libraries, name and line; ${Math.round((declarations / ms) * 1000)} declarations a second`;
  return [
    {
      figure: "lemmas found by text, of those that Coq lists",
      value: listed === 0 ? 0 : (found / listed) * 100,
      unit: "%",
      target: { at: "least", value: 99.5 },
      note,
    },
    { figure: "lemmas found that Coq does not list", value: extra, unit: "", target: { at: "most", value: 0 }, note: "in the same files" },
  ];
}

/** Files of 500 lemmas, and what names them. */
async function writeCoq(folder: string, many: number): Promise<string> {
  for (let file = 0; file < many / 500; file++) {
    const lemmas = Array.from(
      { length: 500 },
      (_, at) =>
        `(** The ${at}th. *)\nLemma l${at} (n : nat) : n + ${file} = ${file} + n.\nProof. intros; now rewrite Nat.add_comm. Qed.\n`,
    );
    await writeFile(join(folder, `F${file}.v`), lemmas.join("\n"));
  }
  return "prover: coq, logical: Many";
}

/** One database, with hypotheses and pairs of variables that are apart. */
async function writeMetamath(folder: string, many: number): Promise<string> {
  const head =
    "$c wff |- ( -> ) $. $v ph ps $.\nwph $f wff ph $. wps $f wff ps $.\nwi $a wff ( ph -> ps ) $. ax-1 $a |- ( ph -> ( ps -> ph ) ) $.\n";
  const theorems = Array.from(
    { length: many },
    (_, at) =>
      `\${ t${at}.1 $e |- ph $. $d ph ps $.\n  $( The ${at}th. (Contributed by NM, 5-Aug-1993.) $)\n  t${at} $p |- ( ph -> ( ps -> ph ) ) $= ( ax-1 ) ABD $. $}\n`,
  );
  await writeFile(join(folder, "many.mm"), head + theorems.join(""));
  return "prover: metamath";
}

async function scanMany(folder: string, prover: string, write: typeof writeCoq): Promise<Figure> {
  await mkdir(join(folder, "src"), { recursive: true });
  const source = await write(join(folder, "src"), MANY);
  writeFileSync(join(folder, "registry.yaml"), `sources:\n  - { repo: many, folder: ./src, rev: one, ${source} }\n`);
  const script = `const { scanAll } = await import(${JSON.stringify(new URL("../annex/registry/scan-all.ts", import.meta.url).href)});
const { openRegistrySources } = await import(${JSON.stringify(new URL("../annex/registry/config.ts", import.meta.url).href)});
const began = performance.now();
const { lock } = await scanAll(openRegistrySources(${JSON.stringify(join(folder, "registry.yaml"))}));
console.log(JSON.stringify({ ids: lock.length, seconds: (performance.now() - began) / 1000, peak: process.resourceUsage().maxRSS / 1024 }));`;
  const ran = spawnSync(process.execPath, ["--input-type=module", "--eval", script], { encoding: "utf8" });
  const { ids, seconds, peak } = JSON.parse(ran.stdout) as { ids: number; seconds: number; peak: number };
  return {
    figure: `scan of 100,000 declarations of ${prover}`,
    value: seconds,
    unit: "s",
    target: { at: "most", value: 20 },
    note: `${ids} ids; ${Math.round(peak)} MiB at most (1,024 asked)`,
  };
}

/** buildFromSources builds the same records out of their sources, and out of a file. */
async function buildFromSources(folder: string): Promise<Figure> {
  const costs: Record<string, number> = {};
  await mkdir(join(folder, "src"), { recursive: true });
  const source = await writeCoq(join(folder, "src"), RECORDS);
  writeFileSync(join(folder, "registry.yaml"), `sources:\n  - { repo: many, folder: ./src, rev: one, ${source} }\n`);
  const config = openRegistrySources(join(folder, "registry.yaml"));
  writeLock(config.lock, (await scanAll(config)).lock);
  const { meta, cubs } = JSON.parse(Buffer.from(await makeRegistry(config)).toString()) as {
    meta: object;
    cubs: Record<string, unknown>[];
  };
  // A file by hand has no member that a check alone may say.
  const said = cubs.map((cub) => Object.fromEntries(Object.entries(cub).filter(([name]) => !CHECK_ONLY.includes(name))));
  writeFileSync(join(folder, "registry.json"), JSON.stringify({ meta, cubs: said }));
  for (const kind of ["file", "sources"] as const) {
    const library = join(folder, kind);
    await mkdir(join(library, "library", "notes"), { recursive: true });
    await writeFile(join(library, "library", "notes", "one.md"), "# One\n");
    const file = await writeConfig(library, "Records", ["notes"], [], kind === "file" ? "../registry.json" : null);
    if (kind === "sources") {
      const text = JSON.parse(readFileSync(file, "utf8")) as object;
      writeFileSync(file, JSON.stringify({ ...text, registry: { sources: "../registry.yaml" } }));
    }
    const { cost } = await measureBuild(file);
    costs[kind] = cost.cpu_s;
  }
  const [from, of] = [costs["sources"] ?? 0, costs["file"] ?? 1];
  return {
    figure: "build of 50,000 records from sources / from a file",
    value: from / of,
    unit: "×",
    target: { at: "most", value: 1.2 },
    note: `${from.toFixed(1)} s of processor, and ${of.toFixed(1)} s`,
  };
}

const DATABASES = "/usr/share/metamath/databases";

/** All of set.mm: the program verifies it, our reader says what each theorem rests on. */
async function recheckMetamath(folder: string): Promise<Figure[]> {
  if (findMetamath() === null || !existsSync(join(DATABASES, "set.mm"))) return [];
  const { declarations } = scanMetamath("set.mm", () => readFileSync(join(DATABASES, "set.mm"), "utf8"));
  const theorems = declarations.filter(({ class: kind }) => kind === "theorem").map(({ name }) => name);
  const request: AdapterRequest = {
    protocol: PROTOCOL,
    root: DATABASES,
    files: [{ path: "set.mm", sha256: "" }],
    options: { root: "", paths: [], logical: "", flags: [], exported: "" },
    ask: theorems.map((name) => ({ key: name, path: "set.mm", name: `set.${name}`, class: "theorem", words: "" })),
    own: theorems.map((name) => `set.${name}`),
    theorems: [],
    second: false,
    kernel: null,
    graph: false,
    allowed: [],
    sandbox: false, // as below
    limits: { wall: 600, cpu: 600, memory: 8192, output: 1024, processes: 64 },
    cache: null,
    jobs: 1,
  };
  const asked = join(folder, "set.mm.json");
  writeFileSync(asked, JSON.stringify(request));
  const cost = await measure(["sh", "-c", 'exec "$0" "$1" run < "$2"', process.execPath, PROVERS.metamath.adapter ?? "", asked], {
    limit_s: 600,
  });
  return [
    {
      figure: "set.mm verified, with all axioms and uses",
      value: cost.cpu_s,
      unit: "s",
      target: { at: "most", value: 15 },
      note: `${theorems.length} theorems; ${Math.round(cost.stdout.length / 2 ** 20)} MiB of answers`,
    },
    {
      figure: "the same, at its peak",
      value: cost.peak_mb,
      unit: "MB",
      target: { at: "most", value: 600 },
      note: "the program and our reader",
    },
  ];
}

const EXPORT_BYTES = 2_000_000_000;
const PROOF = 300; // expressions of a made theorem

/** A made export of Lean: theorems one after the other, each of which uses the one before it. */
async function writeExport(file: string): Promise<void> {
  const out = createWriteStream(file);
  let batch: string[] = [];
  let size = 0;
  const put = async (line: object): Promise<void> => {
    const text = `${JSON.stringify(line)}\n`;
    size += text.length;
    batch.push(text);
    if (batch.length < 10_000) return;
    if (!out.write(batch.join(""))) await once(out, "drain");
    batch = [];
  };
  await put({ meta: { exporter: { name: "lean4export", version: "3.1.0" }, format: { version: "3.1.0" }, lean: { version: "4.31.0" } } });
  await put({ ie: 0, sort: 0 });
  let expressions = 1;
  for (let name = 1; size < EXPORT_BYTES; name++) {
    await put({ in: name, str: { pre: 0, str: `theorem_number_${name}` } });
    await put({ ie: expressions++, const: { name: Math.max(1, name - 1), us: [] } });
    for (let at = 0; at < PROOF; at++, expressions++)
      await put({ ie: expressions, app: { fn: expressions - 1, arg: at > 6 ? expressions - 1 - (at % 6) : 0 } });
    await put({ thm: { all: [name], levelParams: [], name, type: 0, value: expressions - 1 } });
  }
  out.end(batch.join(""));
  await once(out, "close");
}

async function readExport(folder: string): Promise<Figure> {
  const file = join(folder, "export.ndjson");
  await mkdir(folder, { recursive: true });
  await writeExport(file);
  const script = `const { readLeanExport } = await import(${JSON.stringify(new URL("../annex/registry/lean-export.ts", import.meta.url).href)});
console.log((await readLeanExport(process.argv[1])).constants.size);`;
  const { peak_mb, cpu_s, stdout } = await measure([process.execPath, "--input-type=module", "--eval", script, file], { limit_s: 900 });
  rmSync(file);
  return {
    figure: "an export of Lean of 2 GB, at its peak",
    value: peak_mb,
    unit: "MB",
    target: { at: "most", value: 1000 },
    note: `${stdout.trim()} theorems in ${cpu_s.toFixed(0)} s of processor`,
  };
}

/** Processor time of this process and of all that it has started and that has ended: the unit of the ratios, since waiting is others' work. */
function processorSeconds(): number {
  const { user, system } = process.cpuUsage();
  const [, rest = ""] = readFileSync("/proc/self/stat", "utf8").split(") ");
  const [children = 0, inSystem = 0] = rest.split(" ").slice(13, 15).map(Number);
  return (user + system) / 1e6 + (children + inSystem) / 100;
}

/** The time of coqc for all of it, in a copy and in the order that coqdep says, and for the last file alone, which nothing imports. */
function compileAlone(source: string, folder: string, root: string, logical: string) {
  cpSync(source, folder, { recursive: true });
  const flags = ["-Q", root === "" ? "." : root, logical];
  const files = fastGlob.sync(`${root === "" || root === "." ? "" : `${root}/`}**/*.v`, { cwd: folder });
  const order = spawnSync("coqdep", [...flags, "-sort", ...files], { cwd: folder, encoding: "utf8" })
    .stdout.trim()
    .split(/\s+/);
  const compile = (path: string): number => {
    const began = processorSeconds();
    if (spawnSync("coqc", ["-q", ...flags, path], { cwd: folder }).status !== 0) throw new Error(`coqc refuses ${path}`);
    return processorSeconds() - began;
  };
  const total = order.map(compile).reduce((sum, one) => sum + one, 0);
  const leaf = (order.at(-1) ?? "").replace(/^\.\//, "");
  const own = compile(leaf);
  const below = root === "" || root === "." ? leaf : leaf.slice(root.length + 1);
  const module = `${logical}.${below.slice(0, -2).replaceAll("/", ".")}`;
  return { total, leaf, own, steps: timeSteps(folder, flags, files, module) };
}

/** The steps that a recheck of one file cannot do without, each alone. */
function timeSteps(cwd: string, flags: readonly string[], files: readonly string[], module: string): string {
  const time = (program: string, args: readonly string[], input = ""): string => {
    const began = processorSeconds();
    const { status } = spawnSync(program, args, { cwd, input });
    if (status !== 0) throw new Error(`${program} ended with ${status}`);
    return (processorSeconds() - began).toFixed(2);
  };
  return [
    `the adapter's start ${time(process.execPath, [PROVERS.coq.adapter ?? "", "describe"])}`,
    `coqdep ${time("coqdep", [...flags, ...files])}`,
    `coqtop that loads the file ${time("coqtop", ["-quiet", ...flags], `Require ${module}.\n`)}`,
  ].join(", ");
}

async function recheckDevelopment(folder: string, development: string | null): Promise<Figure[]> {
  const source = development ?? join(DEMO, fastGlob.sync("*", { cwd: DEMO, onlyDirectories: true }).sort().at(-1) ?? "");
  cpSync(source, join(folder, "src"), { recursive: true, filter: (path) => !path.includes("/.git") });
  const project = development === null ? "-Q coq SortedLists" : readFileSync(join(source, "_CoqProject"), "utf8");
  const [, root = "", logical = ""] = /-[QR]\s+(\S+)\s+(\S+)/.exec(project) ?? [];
  writeFileSync(
    join(folder, "registry.yaml"),
    `sources:\n  - { repo: dev, folder: ./src, rev: one, prover: coq, root: ${JSON.stringify(root === "." ? "" : root)}, logical: ${logical} }\n`,
  );
  const config = openRegistrySources(join(folder, "registry.yaml"));
  const toolOf = openTools();
  // The work of a run before would count for nothing.
  process.env["XDG_CACHE_HOME"] = join(folder, "cache");
  const seconds = async (force = false): Promise<{ total: number; scan: number; asked: number }> => {
    const began = processorSeconds();
    const scan = await scanAll(config);
    const scanned = processorSeconds();
    writeLock(config.lock, scan.lock);
    const checks = readChecks(config.checks);
    const asked = (force ? scan.records : findStale(scan.records, checks, toolOf)).map(({ one }) => one);
    const [first] = scan.sources;
    if (first !== undefined && asked.length > 0) {
      const runs = await recheckSource(config, first, asked, {
        // Bubblewrap does not wait for what it starts, so that nobody would learn its processor time.
        unsandboxed: true,
        exact: false,
        jobs: 1,
        key: null,
        now: () => new Date(),
      });
      for (const { check, problems } of runs) if (check === null) throw new Error(problems.join("; "));
    }
    return { total: processorSeconds() - began, scan: scanned - began, asked: asked.length };
  };
  const { total: coqc, leaf, own, steps } = compileAlone(join(folder, "src"), join(folder, "alone"), root, logical);
  const first = await seconds();
  const again = await seconds();
  const asking = await seconds(true);
  const file = join(folder, "src", leaf);
  writeFileSync(file, `${readFileSync(file, "utf8")}\nLemma added_by_the_bench : True. Proof. exact I. Qed.\n`);
  const changed = await seconds();
  const of = `in seconds of processor; ${first.asked} theorems; coqc takes ${coqc.toFixed(1)} s, a first recheck ${first.total.toFixed(1)} s; the kernel's graph is ${findCoq()?.graph === true ? "there" : "not there"}`;
  return [
    { figure: "scan / coqc", value: (first.scan / coqc) * 100, unit: "%", target: { at: "most", value: 2 }, note: of },
    {
      figure: "statements and axioms, all asked / coqc",
      value: (asking.total / coqc) * 100,
      unit: "%",
      target: { at: "most", value: 15 },
      note: `${asking.total.toFixed(1)} s with every .vo file at hand`,
    },
    {
      figure: "recheck when nothing has changed",
      value: again.total,
      unit: "s",
      target: { at: "most", value: 1 },
      note: `${again.asked} asked, no prover started`,
    },
    {
      figure: "one leaf changed / its own compile",
      value: changed.total / own,
      unit: "×",
      target: { at: "most", value: 1.5 },
      note: `${leaf}: ${changed.asked} asked again in ${changed.total.toFixed(2)} s; alone take coqc ${own.toFixed(2)}, ${steps} s`,
    },
  ];
}
