/** `proofshelf mirror` */
import { setTimeout as wait } from "node:timers/promises";
import { ShelfError } from "#snapshots/errors";
import { parseKey } from "#snapshots/log";
import { formatBytes, countOf } from "#snapshots/format";
import { mirror, type Mirrored, roomFor } from "./mirror.ts";
import { openOrigin } from "./origin.ts";
import { openProgress } from "#generator/files";
import { type CommonOptions, parsePeriod, print } from "#generator/commands";

type MirrorCommandOptions = CommonOptions & { readonly key?: string; readonly every?: string; readonly maxBytes?: string };

export async function runMirror(url: string, dir: string, options: MirrorCommandOptions): Promise<void> {
  const period = options.every === undefined ? null : parsePeriod(options.every);
  const key = options.key === undefined ? null : parseKeyOption(options.key);
  const given = options.maxBytes === undefined ? null : parseSize(options.maxBytes);
  const once = async (): Promise<void> => {
    const origin = openOrigin(url, { maxBytes: given ?? (await roomFor(dir)) });
    try {
      const mirrored = await mirror(origin, { dir, key, progress: openProgress() });
      print(options, mirrored, describe(mirrored));
    } finally {
      await origin.close();
    }
  };
  if (period === null) return once();
  for (;;) {
    // One run that fails is no reason to stop: the copy stands, and the next may succeed.
    await once().catch((error: unknown) => process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`));
    await wait(period);
  }
}

const UNITS = ["", "k", "m", "g", "t"];

/** @throws ShelfError "bad_config" */
function parseSize(text: string): number {
  const [, digits = "", unit = ""] = /^([1-9]\d{0,8})([kmgt]?)$/i.exec(text) ?? [];
  if (digits === "") throw new ShelfError("bad_config", "--max-bytes takes a number of bytes, such as 500m or 20g.");
  return Number(digits) * 1024 ** UNITS.indexOf(unit.toLowerCase());
}

/** parseKeyOption reads the value of --key. @throws ShelfError "bad_config" */
export function parseKeyOption(text: string): ReturnType<typeof parseKey> {
  try {
    return parseKey(text);
  } catch (cause) {
    if (!(cause instanceof ShelfError)) throw cause;
    throw new ShelfError("bad_config", `--key: ${cause.message}`, {
      cause,
      fixes: ["Give the public key as keygen printed it: name+id+base64."],
    });
  }
}

function describe({
  snapshot,
  sequence,
  signed_by,
  snapshots,
  blobs,
  bytes,
  requests,
  redacted,
  unchecked_changes,
  moved,
}: Mirrored): string {
  const state = moved ? "now serves" : "still serves";
  const trusted =
    unchecked_changes === 0
      ? ""
      : `Lists of changes between snapshots that are gone, ${unchecked_changes} in number, were taken as they are.\n`;
  return `The copy ${state} snapshot ${sequence} (${snapshot.slice(0, 12)}), ${signed_by === null ? "which nobody has signed" : `signed by ${signed_by.slice(0, signed_by.indexOf("+"))}`}; it keeps ${snapshots}.
Fetched ${countOf(blobs, "file")} in ${countOf(requests, "request")}, ${formatBytes(bytes)}.
${redacted === 0 ? "" : `${countOf(redacted, "file of an earlier snapshot is", "files of earlier snapshots are")} redacted; a notice stands in the place of each.\n`}${trusted}`;
}
