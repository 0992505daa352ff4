/** A made registry of the shape of the largest release of proofs that is public: two files for each theorem page, each theorem with what has to be read
 *  and what it uses, by one signed check. Its cost at its size and at a tenth. */
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../../snapshots/digest.ts";
import { generateKey, parseSigningKey } from "../../snapshots/log/index.ts";
import { type CheckStatement, reproducibleDigest, seal } from "../annex/registry/attest.ts";
import { openRegistrySources } from "../annex/registry/config.ts";
import { writeLock } from "../annex/registry/lock.ts";
import { scanAll, type SourcesScan } from "../annex/registry/scan-all.ts";
import { type Figure, figuresAt } from "./figure.ts";
import { measureBuild } from "./library.ts";
import type { Cost } from "./measure.ts";
import { askRecords } from "./scale.ts";

const FULL = 60_000;
const SMALLER = 10;
const MAX_GROWTH = 1.15;
const MAX_PEAK_MB = 3_000;
const MAX_SAME_PERCENT = 10;
const MAX_FIRST_MS = 300;
const MAX_P95_MS = 20;
const PER_FOLDER = 1_000; // files
const THEOREMS_USED = 5; // by each

/** benchField measures a build of many theorems, each with a meaning and uses, out of their sources. @param files of sources; half as many theorems */
export async function benchField(folder: string, files = FULL): Promise<readonly Figure[]> {
  const small = await buildField(join(folder, "small"), files / SMALLER);
  const full = await buildField(join(folder, "full"), files);
  const { cost: same, summary } = await measureBuild(full.config);
  if (summary.published) throw new Error("A build of unchanged sources published a snapshot.");
  appendFileSync(full.leaf, "(* one line more *)\n");
  const { cost: one } = await measureBuild(full.config);
  const asked = await askRecords(full.config, [
    ["record by name", "/api/cubs?q=t77"],
    ["verified records", "/api/cubs?standing=verified"],
    ["the registry's page", "/registry/?q=even"],
    ["search", "/api/search?q=even+number"],
  ]);
  const most = figuresAt(`${files.toLocaleString("en")} files, ${(files / 2).toLocaleString("en")} theorems`);
  return [
    most(
      "cold build, of linear growth from a tenth",
      full.cost.cpu_s / small.cost.cpu_s / SMALLER,
      "×",
      MAX_GROWTH,
      `${tell(full.cost)}; a tenth ${tell(small.cost)}`,
    ),
    most(
      "cold build, peak memory of all its processes",
      full.cost.peak_mb,
      "MB",
      MAX_PEAK_MB,
      `a tenth ${small.cost.peak_mb.toFixed(0)} MB`,
    ),
    most("nothing changed, processor, of the cold build", (100 * same.cpu_s) / full.cost.cpu_s, "%", MAX_SAME_PERCENT, tell(same)),
    {
      figure: "one file changed, processor, of the cold build",
      value: (100 * one.cpu_s) / full.cost.cpu_s,
      unit: "%",
      target: null,
      note: `${tell(one)}: every record is made again from its check, and every page's facts are digested, so that it grows with the library`,
    },
    ...asked.flatMap(({ what, first_ms, p95_ms }) => [
      most(`${what}, first`, first_ms, "ms", MAX_FIRST_MS, "of a server that was started some seconds before"),
      most(`${what}, 95 of 100`, p95_ms, "ms", MAX_P95_MS, "each asked for another part"),
    ]),
  ];
}

function tell({ cpu_s, wall_s, peak_mb }: Cost): string {
  return `${cpu_s.toFixed(1)} s of processor, ${wall_s.toFixed(1)} s by the clock, ${peak_mb.toFixed(0)} MB`;
}

async function buildField(folder: string, files: number): Promise<{ readonly config: string; readonly cost: Cost; readonly leaf: string }> {
  const { publicKey, privateKey } = generateKey("field.example");
  writeSources(join(folder, "library", "src"), files);
  const sources = join(folder, "registry.yaml");
  writeFileSync(
    sources,
    `checks: { trust: ["${publicKey}"] }\nsources:\n  - { repo: field, folder: ./library/src, rev: one, prover: coq, logical: Field }\n`,
  );
  const registry = openRegistrySources(sources);
  const scan = await scanAll(registry);
  writeLock(registry.lock, scan.lock);
  const check = seal(checkOf(scan), parseSigningKey(privateKey));
  mkdirSync(registry.checks.store, { recursive: true });
  writeFileSync(join(registry.checks.store, `${sha256(check)}.json`), check);
  const config = join(folder, "proofshelf.yaml");
  writeFileSync(
    config,
    JSON.stringify({
      title: "Field",
      store: { kind: "directory", root: "./library" },
      shelf: { kind: "directory", root: "./shelf" },
      embeddings: { kind: "none" },
      registry: { sources: "./registry.yaml" },
      collections: [{ id: "src", prefix: "src/", title: "Sources", visibility: "public" }],
    }),
  );
  const { cost } = await measureBuild(config);
  return { config, cost, leaf: join(folder, "library", "src", placeOf("T", files / 2 - 1)) };
}

function placeOf(kind: string, at: number): string {
  return `${kind}${Math.floor(at / PER_FOLDER)}/${kind}_${at}.v`;
}

/** A fortieth of the files are definitions, each over the one at half its place; half are theorems, and the others help. */
function writeSources(folder: string, files: number): void {
  const [theorems, definitions] = [files / 2, files / 40];
  const put = (kind: string, at: number, text: string): void => {
    mkdirSync(join(folder, `${kind}${Math.floor(at / PER_FOLDER)}`), { recursive: true });
    writeFileSync(join(folder, placeOf(kind, at)), text);
  };
  for (let at = 0; at < definitions; at++)
    put(
      "D",
      at,
      `(** The ${at}th kind of even number. *)\nDefinition d_${at} (n : nat) : nat :=\n  ${at === 0 ? "n + n" : `d_${at >> 1} n + ${at}`}.\n`,
    );
  for (let at = 0; at < theorems; at++)
    put(
      "T",
      at,
      `(** The ${at}th theorem about even numbers. *)\nTheorem t_${at} : forall n : nat, d_${at % definitions} n = d_${at % definitions} n + ${at} - ${at}.\nProof.\n  intro n. lia.\nQed.\n`,
    );
  for (let at = 0; at < files - theorems - definitions; at++)
    put("H", at, `Definition h_${at} : nat := ${at}.\nDefinition g_${at} : nat := h_${at} + 1.\n`);
}

/** checkOf says that a prover accepted each theorem, with the definitions below it and what its proof uses. */
function checkOf({ sources, records }: SourcesScan): CheckStatement {
  const [source] = sources;
  if (source === undefined) throw new Error("There is no source.");
  const nameOf = (key: string): string => key.slice("field coq ".length);
  const names = [...source.places.keys()].filter((name) => /\.d_\d+$/.test(name));
  const definitionOf = new Map(names.map((name) => [Number(/\d+$/.exec(name)?.[0]), name]));
  const count = definitionOf.size;
  const defined = (at: number): string => definitionOf.get(at) ?? "";
  const definitions = Object.fromEntries(
    names.map((name) => [name, { sha256: sha256(name), mentions: placeIn(name) === 0 ? [] : [defined(placeIn(name) >> 1)] }]),
  );
  const results = records.map(({ one }, at) => {
    const own = defined(placeIn(one.theorem) % count);
    const used = Array.from({ length: Math.min(at, THEOREMS_USED) }, (_, back) =>
      nameOf(records[Math.floor(at / (back + 2))]?.one.key ?? ""),
    );
    return {
      unsafe: [],
      axioms: [],
      exact: true,
      is_words: true,
      key: one.key,
      path: one.path,
      state: "accepted" as const,
      statement: null,
      statement_sha256: one.digest,
      type_sha256: sha256(one.statement),
      meaning_sha256: sha256(`${one.statement} ${own}`),
      mentions: [own],
      uses: [
        { to: own, part: "statement" as const, basis: "kernel" as const },
        ...[...new Set(used)].map((to) => ({ to, part: "proof" as const, basis: "kernel" as const })),
      ],
    };
  });
  const importsOf = (at: number): string[] => {
    const paths: string[] = [];
    for (let place = at; ; place >>= 1) {
      paths.push(placeOf("D", place));
      if (place === 0) return paths;
    }
  };
  const bare = {
    subject: [...source.files].map(([name, bytes]) => ({ name, digest: { sha256: sha256(bytes) } })),
    predicate: {
      repo: "field",
      revision: source.head,
      prover: "coq",
      tool: {
        name: "coq",
        version: "8.16.1",
        executable_sha256: sha256("coq"),
        installed_sha256: sha256("coq"),
        adapter: sha256("adapter"),
      },
      second: false,
      flags: ["", "Field"],
      command: [],
      isolation: "bubblewrap" as const,
      limits: {},
      started: "2026-01-01T00:00:00Z",
      finished: "2026-01-01T01:00:00Z",
      request_sha256: sha256("request"),
      transcript_sha256: sha256("transcript"),
      imports: Object.fromEntries(records.map(({ one }) => [one.path, importsOf(placeIn(one.theorem) % count)])),
      definitions,
      results,
      logs: [],
    },
  };
  return {
    _type: "https://in-toto.io/Statement/v1",
    predicateType: "https://field.example/predicates/proof-check/v1",
    subject: bare.subject,
    predicate: { ...bare.predicate, reproducible_sha256: reproducibleDigest(bare) },
  };
}

/** The number at the end of a made name. */
function placeIn(name: string): number {
  return Number(/\d+$/.exec(name)?.[0]);
}
