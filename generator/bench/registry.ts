/** Records out of sources: what the scanner finds of what Coq lists itself, and what scanning and rechecking cost beside compiling. */
import { spawnSync } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fastGlob from "fast-glob";
import { readChecks } from "../annex/registry/checks.ts";
import { openRegistrySources } from "../annex/registry/config.ts";
import { scanCoq } from "../annex/registry/coq.ts";
import { readGlob } from "../annex/registry/glob-fixture.ts";
import { writeLock } from "../annex/registry/lock.ts";
import { openTools } from "../annex/registry/provers.ts";
import { findStale, recheckSource } from "../annex/registry/recheck.ts";
import { scanAll } from "../annex/registry/records.ts";
import { findSandbox } from "../annex/registry/sandbox.ts";
import type { Figure, Skipped } from "./figure.ts";

const DEMO = fileURLToPath(new URL("../demo/code/sorted-lists/", import.meta.url));
const MANY = 100_000;

/** @param development a folder of Coq sources with its _CoqProject; the demo's without it */
export async function benchRegistry(folder: string, development: string | null): Promise<readonly Figure[] | Skipped> {
  if (spawnSync("coqc", ["--version"]).status !== 0) return { skipped: "coqc is not installed" };
  const figures = [...scanInstalled(), await scanMany(join(folder, "many"))];
  if (findSandbox() === null) return figures;
  return [...figures, ...(await recheckDevelopment(join(folder, "development"), development))];
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

async function scanMany(folder: string): Promise<Figure> {
  await mkdir(join(folder, "src"), { recursive: true });
  for (let file = 0; file < MANY / 500; file++) {
    const lemmas = Array.from(
      { length: 500 },
      (_, at) =>
        `(** The ${at}th. *)\nLemma l${at} (n : nat) : n + ${file} = ${file} + n.\nProof. intros; now rewrite Nat.add_comm. Qed.\n`,
    );
    await writeFile(join(folder, "src", `F${file}.v`), lemmas.join("\n"));
  }
  writeFileSync(join(folder, "registry.yaml"), "sources:\n  - { repo: many, folder: ./src, rev: one, prover: coq, logical: Many }\n");
  const began = performance.now();
  const { lock } = await scanAll(openRegistrySources(join(folder, "registry.yaml")));
  const memory = Math.round(process.memoryUsage().rss / 2 ** 20);
  return {
    figure: "scan of 100,000 declarations",
    value: (performance.now() - began) / 1000,
    unit: "s",
    target: { at: "most", value: 20 },
    note: `${lock.length} ids; ${memory} MiB of memory`,
  };
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
  // What a run before has compiled would count for nothing.
  process.env["XDG_CACHE_HOME"] = join(folder, "cache");
  const seconds = async (force = false): Promise<{ total: number; scan: number; asked: number }> => {
    const began = performance.now();
    const scan = await scanAll(config);
    const scanned = performance.now();
    writeLock(config.lock, scan.lock);
    const checks = readChecks(config.checks);
    const asked = (force ? scan.records : findStale(scan.records, checks, toolOf)).map(({ one }) => one);
    const [first] = scan.sources;
    if (first !== undefined && asked.length > 0) {
      const { check, problems } = await recheckSource(config, first, asked, {
        unsandboxed: false,
        exact: false,
        jobs: 1,
        key: null,
        now: () => new Date(),
      });
      if (check === null) throw new Error(problems.join("; "));
    }
    return { total: (performance.now() - began) / 1000, scan: (scanned - began) / 1000, asked: asked.length };
  };
  const first = await seconds();
  const again = await seconds();
  const asking = await seconds(true);
  const coqc = first.total - asking.total;
  const of = `${first.asked} theorems; coqc takes ${coqc.toFixed(1)} s of ${first.total.toFixed(1)} s`;
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
  ];
}
