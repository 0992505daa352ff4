/** `proofshelf verify` */
import { readFile } from "node:fs/promises";
import { parseJson } from "../../snapshots/digest.ts";
import { ShelfError } from "../../snapshots/errors.ts";
import { openIndex } from "../../snapshots/index/open.ts";
import type { Sha256 } from "../../snapshots/digest.ts";
import type { ViewData } from "../../snapshots/format/view-data.ts";
import { findSearchProblem } from "../../snapshots/query/probe.ts";
import type { Shelf } from "../../snapshots/shelf/shelf.ts";
import { createTreeCache, openSnapshot } from "../../snapshots/shelf/read.ts";
import { checkReceipt, parseReceipt } from "../../snapshots/verify/receipt.ts";
import { snapshotRecordSchema } from "../../snapshots/shelf/shelf.ts";
import type { Since } from "../../snapshots/verify/records.ts";
import { verifyShelf } from "../../snapshots/verify/verify.ts";
import { openShelves, type Shelves } from "../shelves.ts";
import { type CommonOptions, print } from "./options.ts";
import { compileSite } from "../pages/compile-site.ts";
import { openConfig } from "../config/config.ts";
import { openDeriver } from "../publish/derive.ts";
import { lookAtLock, withBuildLock } from "../lock.ts";
import { readRegistry } from "../sources/read-registry.ts";
import { softwareFiles } from "../pages/software-files.ts";

/** Exit code when something was found. */
const FOUND = 3;

type VerifyCommandOptions = CommonOptions & { readonly all?: boolean; readonly since?: string; readonly receipt?: string };

export async function runVerify(options: VerifyCommandOptions): Promise<void> {
  const config = await openConfig(options.config ?? null, { checkSources: false });
  const shelves = openShelves(config);
  if (options.receipt !== undefined) return verifyReceipt(options.receipt, shelves, options);
  const since = options.since === undefined ? null : await readSince(options.since);
  if ((await shelves.public.readPointer().catch(() => undefined)) === null) {
    throw new ShelfError("no_snapshot", "No snapshot has been published yet.", { fixes: ["Run: proofshelf build"] });
  }
  // What the registry keeps to itself is not in any snapshot; the registry as last pulled tells what to look for.
  const { privateTexts } = await readRegistry(config, `${shelves.buildDir}/registry`, () => new Date(), false);
  const { dist } = await compileSite();
  const deriver = openDeriver();
  try {
    const findings = await verifyShelf({
      public: shelves.public,
      internal: shelves.internal,
      derive: deriver,
      index: (root, snapshot, data) => checkIndex(shelves[root], snapshot, data),
      snapshots: options.all === true ? "all" : "current",
      since,
      extra: privateTexts,
      software: () => softwareFiles(dist),
      writers: {
        look: () => lookAtLock(shelves.buildDir),
        exclude: (work) => withBuildLock(shelves.buildDir, work, { wait: true, work: "verification" }),
      },
    });
    const errors = findings.filter((finding) => finding.severity === "error").length;
    const lines = findings.map(
      ({ severity, code, root, path, detail }) =>
        `${severity} ${code} in ${root}${path === null ? "" : ` ${JSON.stringify(path)}`}: ${detail}`,
    );
    lines.push(errors === 0 ? "Verified: every byte is what it should be." : `${errors} errors.`);
    print(options, { errors, warnings: findings.length - errors, findings }, `${lines.join("\n")}\n`);
    if (errors > 0) process.exitCode = FOUND;
  } finally {
    await deriver.close();
  }
}

/** @throws ShelfError "bad_config" for what is neither a number nor a copy of current.json */
async function readSince(text: string): Promise<Since> {
  if (/^[1-9][0-9]{0,14}$/.test(text)) return { sequence: Number(text) };
  const parsed = snapshotRecordSchema.safeParse(parseJson(await readFile(text, "utf8").catch(() => "")));
  if (parsed.success) return parsed.data;
  throw new ShelfError("bad_config", "--since takes the number of a snapshot, or a file that is a copy of public/current.json.");
}

async function checkIndex({ indexUri }: Shelf, snapshot: Sha256, data: ViewData | null): Promise<readonly string[]> {
  const index = await openIndex(indexUri);
  try {
    const problem = await index.findProblem(snapshot);
    if (problem !== null) return [problem, ...(await index.findVectorProblems(snapshot))];
    const reader = await index.at(snapshot);
    const missed = data === null ? null : await findSearchProblem(reader, data);
    reader.close();
    return [...(missed === null ? [] : [missed]), ...(await index.findVectorProblems(snapshot))];
  } finally {
    index.close();
  }
}

async function verifyReceipt(file: string, shelves: Shelves, options: CommonOptions): Promise<void> {
  const receipt = parseReceipt(await readFile(file, "utf8"));
  if (receipt === null) throw new ShelfError("bad_config", `${file} holds no receipt and no answer with one.`);
  const findings: string[] = [];
  let checked = false;
  // An answer of the gated view pins an internal snapshot.
  for (const shelf of [shelves.public, shelves.internal]) {
    const record = (await shelf.records.index()).byId.get(receipt.snapshot);
    if (record === undefined || checked) continue;
    findings.push(...(await checkReceipt(receipt, await openSnapshot(shelf, record, createTreeCache()))));
    checked = true;
  }
  if (!checked) findings.push(`snapshot ${receipt.snapshot} is not kept here, so its quotes cannot be checked`);
  print(options, { findings }, `${findings.length === 0 ? "The receipt holds: every quote stands where it says." : findings.join("\n")}\n`);
  if (findings.length > 0) process.exitCode = FOUND;
}
