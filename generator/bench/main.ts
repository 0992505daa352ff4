/** The figures that this project is held to, measured, each beside what it has to be. Where it can be, a figure is a ratio within
 *  this run, so that the machine's other work weighs on both sides alike:
 *
 *      npm run bench                     everything; more than half an hour on an idle machine with two cores, most of it for scale
 *      npm run bench -- --part serving   one part, or several
 *      npm run bench -- --json           one JSON document on stdout and nothing else
 *      npm run bench -- --part disk --library DIR   what a library of these files, and the optional parts of the program, take on the disk
 *      npm run bench -- --part peers --objects 2000   the same texts by Hugo, Eleventy, Starlight, MkDocs and this program, of one size
 *      npm run bench -- --part hostile --seconds 600 --publications 1000   its mix and its publications at full length
 *      npm run bench -- --part scale --objects 20000   what grows with the library, at another size than 100,000
 *      npm run bench -- --part searching --passages 1000000   searches among more passages: those of its library, repeated with fresh words
 *      npm run bench -- --part field --objects 6000   a registry of fewer source files than the 60,000 of the largest public release
 *      npm run bench -- --part registry --library DIR   records out of this development of Coq's, instead of the demo's
 *      npm run bench -- --part bucket --objects 2000   a library in a bucket, smaller than 10,000
 *
 *  It works in the system's folder for temporary files, listens on loopback only, and removes what it made. Linux. Exit code 0 also
 *  when a figure misses its target: a busy machine is no fault of the program. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { availableParallelism, cpus, loadavg, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { compileSite } from "../pages/compile-site.ts";
import { type ServingProcess, startServing } from "../testing/serving-process.ts";
import { makeAccess } from "./access.ts";
import { benchAgents } from "./agents.ts";
import { benchBrowserSearch } from "./browser-search.ts";
import { benchBucket } from "./bucket.ts";
import { benchBuilding } from "./building.ts";
import { benchChanges } from "./changes.ts";
import { benchDisk } from "./disk.ts";
import { benchField } from "./field.ts";
import { benchHostile } from "./hostile.ts";
import { type Figure, formatTable, meets, type Part, type Skipped } from "./figure.ts";
import { benchHistory } from "./history.ts";
import { benchIdle } from "./idle.ts";
import { buildDemo } from "./library.ts";
import { ON_FIRST_CORE } from "./load.ts";
import { benchOpenShelf } from "./open-shelf.ts";
import { benchParts } from "./parts.ts";
import { benchPeers } from "./peers.ts";
import { benchPublishing } from "./publishing.ts";
import { benchRegistry } from "./registry.ts";
import { benchScale } from "./scale.ts";
import { benchSearching } from "./searching.ts";
import { benchServing } from "./serving.ts";
import { benchShelfBucket } from "./shelf-bucket.ts";
import { benchSidecar } from "./sidecar.ts";

const folder = await mkdtemp(join(tmpdir(), "proofshelf-bench-"));
const access = makeAccess();
/** The demo library; built once, by the first part that needs it. */
let demo: Promise<string> | null = null;

async function findDemo(): Promise<string> {
  demo ??= makeFolder("demo").then(makeDemo);
  return demo;
}

async function makeDemo(made: string): Promise<string> {
  await writeFile(join(made, "jwks.json"), access.jwks);
  return buildDemo(made, access.section);
}

async function makeFolder(name: string): Promise<string> {
  await mkdir(join(folder, name), { recursive: true });
  return join(folder, name);
}

/** @param before what starts the server */
async function withServer<T>(before: readonly string[], work: (server: ServingProcess) => Promise<T>): Promise<T> {
  const server = await startServing(["--no-rate-limits", "--config", await findDemo()], before);
  return work(server).finally(() => server.stop());
}

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    part: { type: "string", multiple: true },
    seconds: { type: "string", default: "30" },
    publications: { type: "string", default: "5" },
    library: { type: "string" },
    objects: { type: "string" },
    passages: { type: "string" },
  },
});
/** undefined for the size that a part's targets are for. */
const objects = values.objects === undefined ? undefined : Number(values.objects);
/** together makes one part of several; it is skipped where one of them is. */
function together(...results: readonly (readonly Figure[] | Skipped)[]): readonly Figure[] | Skipped {
  const figures: Figure[] = [];
  for (const result of results) {
    if ("skipped" in result) return result;
    figures.push(...result);
  }
  return figures;
}

const PARTS: Readonly<Record<string, () => Promise<readonly Figure[] | Skipped>>> = {
  serving: async () => benchServing(await findDemo(), await makeFolder("serving")),
  sidecar: async () =>
    together(
      await withServer(ON_FIRST_CORE, async (server) => benchSidecar(server, access, await makeFolder("sidecar"))),
      await withServer([], async (server) => [...(await benchAgents(server)), ...(await benchIdle(server))]),
    ),
  building: async () => together(await benchBuilding(await makeFolder("texts")), await benchChanges(await makeFolder("changes"))),
  peers: async () => benchPeers(await makeFolder("peers"), objects),
  disk: async () => [...(await benchDisk(await makeFolder("disk"), values.library ?? null)), ...(await benchParts())],
  searching: async () =>
    together(
      await benchSearching(await makeFolder("texts"), objects, values.passages === undefined ? null : Number(values.passages)),
      await benchBrowserSearch(await makeFolder("texts"), objects),
    ),
  scale: async () => benchScale(await makeFolder("scale"), objects),
  bucket: async () =>
    together(
      await benchBucket(await makeFolder("bucket"), objects),
      await benchShelfBucket(await makeFolder("shelf-bucket"), objects),
      await benchOpenShelf(await makeFolder("open-shelf"), objects),
    ),
  field: async () => benchField(await makeFolder("field"), objects),
  registry: async () => benchRegistry(await makeFolder("registry"), values.library ?? null),
  publishing: async () => {
    const made = await makeFolder("history");
    return together(await benchPublishing(await makeFolder("notes")), await benchHistory(await makeDemo(made), made));
  },
  hostile: async () =>
    benchHostile(await makeFolder("hostile"), { seconds: Number(values.seconds), publications: Number(values.publications) }),
};

const wanted = values.part ?? Object.keys(PARTS);
for (const part of wanted)
  if (!Object.hasOwn(PARTS, part)) throw new Error(`there is no part ${part}; parts: ${Object.keys(PARTS).join(", ")}`);

const load_before = loadavg()[0] ?? 0;
const parts: Part[] = [];
try {
  await compileSite();
  for (const part of wanted) {
    process.stderr.write(`${part} …\n`);
    parts.push({ part, results: (await PARTS[part]?.()) ?? [] });
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
const machine = {
  cores: availableParallelism(),
  model: cpus()[0]?.model ?? "",
  memory_gb: Math.round(totalmem() / 2 ** 30),
  node: process.version,
  load_before,
  load_after: loadavg()[0] ?? 0,
};
if (values.json) {
  const results = parts.map(({ part, results: found }) => ({
    part,
    ...("skipped" in found ? found : { figures: found.map((figure) => ({ ...figure, met: meets(figure) })) }),
  }));
  process.stdout.write(`${JSON.stringify({ machine, parts: results })}\n`);
} else {
  const { cores, model, memory_gb, node, load_after } = machine;
  process.stdout.write(
    `${cores} × ${model}, ${memory_gb} GB, Node ${node}, load ${load_before.toFixed(1)} before, ${load_after.toFixed(1)} after\n\n${formatTable(parts)}\n`,
  );
}
