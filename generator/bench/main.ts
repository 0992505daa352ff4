/** The figures of this project, measured, each beside what it has to be and what it is compared with:
 *
 *      npm run bench                     everything; some five minutes on an idle machine
 *      npm run bench -- --part serving   one part: building, searching or meaning (which build first), serving, agents or sidecar
 *      npm run bench -- --json           one JSON document on stdout and nothing else
 *
 *  It works in the system's folder for temporary files, listens on loopback only, and removes what it made. Exit code 0 also when a
 *  figure misses its target: a busy machine is no fault of the program. */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, cpus, loadavg, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { compileSite } from "../pages/compile-site.ts";
import { benchAgents } from "./agents.ts";
import { benchBuilding } from "./building.ts";
import { writeCorpus } from "./corpus.ts";
import { formatTable, meets, type Part, ratio } from "./figure.ts";
import { benchMeaning } from "./meaning.ts";
import { benchSearching } from "./searching.ts";
import { benchServing } from "./serving.ts";
import { benchSidecar } from "./sidecar.ts";

const PARTS = ["building", "searching", "meaning", "serving", "agents", "sidecar"] as const;
const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    part: { type: "string", multiple: true },
    keep: { type: "boolean", default: false },
  },
});
const wanted = new Set(values.part ?? PARTS);
for (const part of wanted)
  if (!PARTS.some((known) => known === part)) throw new Error(`there is no part ${part}; parts: ${PARTS.join(", ")}`);
const say = (text: string): void => void process.stderr.write(`${text}\n`);

const machine = {
  cores: availableParallelism(),
  model: cpus()[0]?.model ?? "",
  memory_gb: Math.round(totalmem() / 2 ** 30),
  node: process.version,
  load_before: loadavg()[0] ?? 0,
};
await compileSite();
const folder = await mkdtemp(join(tmpdir(), "proofshelf-bench-"));
const parts: Part[] = [];
try {
  if (wanted.has("building") || wanted.has("searching") || wanted.has("meaning")) {
    say("Unpacking documents …");
    const corpus = await writeCorpus(join(folder, "library"));
    if (typeof corpus === "string") parts.push({ part: "building and searching", results: { skipped: corpus } });
    else {
      say("Building …");
      parts.push({ part: "Building 10,000 text objects", results: await benchBuilding(corpus, folder) });
      if (wanted.has("searching")) {
        say("Searching …");
        parts.push({ part: "Searching", results: await benchSearching(corpus, folder) });
      }
      if (wanted.has("meaning")) {
        say("Searching by meaning …");
        parts.push({ part: "Searching by meaning", results: await benchMeaning(folder) });
      }
    }
  }
  if (wanted.has("serving")) {
    say("Serving …");
    await mkdir(join(folder, "serving"));
    parts.push({ part: "Serving from one core", results: await benchServing(join(folder, "serving")) });
  }
  if (wanted.has("agents")) {
    say("Calling tools …");
    parts.push({ part: "Tools for agents", results: await benchAgents() });
  }
  if (wanted.has("sidecar")) {
    say("Knocking at the gate …");
    parts.push({ part: "The gate, and the sidecar's memory", results: await benchSidecar() });
  }
} finally {
  if (values.keep) say(`Kept ${folder}`);
  else await rm(folder, { recursive: true, force: true });
}
const after = { ...machine, load_after: loadavg()[0] ?? 0 };
if (values.json) {
  const results = parts.map(({ part, results: found }) => ({
    part,
    ...("skipped" in found ? found : { figures: found.map((figure) => ({ ...figure, met: meets(figure), ratio: ratio(figure) })) }),
  }));
  process.stdout.write(`${JSON.stringify({ machine: after, parts: results })}\n`);
} else {
  process.stdout.write(
    `${after.cores} × ${after.model}, ${after.memory_gb} GB, Node ${after.node}, load ${after.load_before.toFixed(1)} before, ${after.load_after.toFixed(1)} after\n\n${formatTable(parts)}`,
  );
}
