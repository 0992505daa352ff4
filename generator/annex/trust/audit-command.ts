/** `proofshelf audit` */
import { readFile } from "node:fs/promises";
import { z } from "zod";
import { OPEN, writeWhole } from "#snapshots/shelf";
import { parseJson } from "#snapshots/digest";
import { ShelfError } from "#snapshots/errors";
import { formatBytes, countOf } from "#snapshots/format";
import { parseCheckpoint } from "#snapshots/log";
import type { SeenHead } from "./log-head.ts";
import { audit, type Audited } from "./audit.ts";
import { openOrigin } from "./origin.ts";
import { openProgress } from "#generator/files";
import { parseKeyOption } from "./mirror-command.ts";
import { type CommonOptions, FOUND, print } from "#generator/commands";

type AuditCommandOptions = CommonOptions & {
  readonly key?: string;
  readonly state?: string;
  readonly since?: string;
  readonly sample?: string;
  readonly full?: boolean;
};

/** The last head that held, and its key: `--state`. */
const stateSchema = z.strictObject({ checkpoint: z.string(), key: z.string().nullable() });

export async function runAudit(url: string, options: AuditCommandOptions): Promise<void> {
  const sample = options.sample === undefined ? null : Number(options.sample);
  if (sample !== null && !(Number.isSafeInteger(sample) && sample >= 0))
    throw new ShelfError("bad_config", "--sample takes a number of files.");
  const origin = openOrigin(url);
  try {
    const audited = await audit(origin, {
      key: options.key === undefined ? null : parseKeyOption(options.key),
      seen: options.state === undefined ? null : await readState(options.state),
      since: options.since === undefined ? null : await readHeadFile("--since", options.since),
      sample,
      full: options.full === true,
      progress: openProgress(),
    });
    const { head, ...said } = audited;
    if (audited.lies.length > 0) process.exitCode = FOUND;
    else if (options.state !== undefined) writeState(options.state, { checkpoint: head.text, key: head.signer?.text ?? null });
    print(options, said, describe(audited));
  } finally {
    await origin.close();
  }
}

async function readState(file: string): Promise<SeenHead | null> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
  if (text === null) return null;
  const { data } = stateSchema.safeParse(parseJson(text));
  if (data === undefined)
    throw new ShelfError("bad_config", `--state: ${file} is no state of an audit.`, {
      fixes: ["Give the file of an earlier audit, or a new name."],
    });
  return { ...parseCheckpoint(Buffer.from(data.checkpoint)), key: data.key };
}

/** Appears whole: an audit that is killed leaves the head that was seen last. */
function writeState(file: string, state: z.infer<typeof stateSchema>): void {
  writeWhole(file, `${JSON.stringify(state)}\n`, { modes: OPEN });
}

/** @throws ShelfError "bad_config" for what is no checkpoint */
async function readHeadFile(option: string, file: string): Promise<ReturnType<typeof parseCheckpoint>> {
  try {
    return parseCheckpoint(await readFile(file));
  } catch (cause) {
    throw new ShelfError("bad_config", `${option} takes a file that is a copy of /shelf/checkpoint: ${(cause as Error).message}`, {
      cause,
    });
  }
}

function describe({ url, sequence, snapshot, origin, signed_by, consistent_with, checked, lies }: Audited): string {
  const { trees, files, of, bytes, addresses, derived, redacted, requests } = checked;
  const lines = [
    `${url} serves snapshot ${sequence} (${snapshot.slice(0, 12)}) of the log ${origin}, ${signed_by === null ? "which nobody has signed" : `signed by ${signed_by}`}.`,
    `Its record is entry ${sequence} of the log.`,
    ...consistent_with.map(
      (size) => `The log goes on from the ${countOf(size, "entry", "entries")} that were seen before: nothing was rewritten.`,
    ),
    `${countOf(trees, "tree leads", "trees lead")} to ${countOf(of, "file")}; of them ${files === of ? "all" : files} were hashed (${formatBytes(bytes)}), and ${addresses} are what readers are given.`,
    ...(redacted === 0
      ? []
      : [`${countOf(redacted, "file of an earlier snapshot is", "files of earlier snapshots are")} redacted, each with a notice.`]),
    ...(derived ? ["Everything that follows from the objects was made again, and is the same."] : []),
    ...lies.map((lie) => `LIE  ${lie}`),
    lies.length === 0
      ? `All of it holds (${countOf(requests, "request")}).`
      : `${countOf(lies.length, "of this does", "of this do")} not hold.`,
  ];
  return `${lines.join("\n")}\n`;
}
