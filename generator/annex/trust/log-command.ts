/** `proofshelf keygen` and `proofshelf log` */
import { countOf } from "#snapshots/format";
import { readFileSync } from "node:fs";
import { ShelfError } from "#snapshots/errors";
import { generateKey } from "#snapshots/log";
import { addSignatures } from "#snapshots/shelf";
import { openConfig } from "#generator/config";
import { defaultOrigin, openTrust } from "#generator/publish";
import { openShelves, type ShelfAnnexes, withShelves } from "#generator/shelves";
import { type CommonOptions, configOf, print } from "#generator/commands";

export async function runKeygen(origin: string | undefined, options: CommonOptions): Promise<void> {
  const name = origin ?? defaultOrigin(await openConfig(configOf(options), { checkSources: false }));
  const { publicKey, privateKey } = usable(() => generateKey(name));
  const text = [
    "# Into proofshelf.yaml:",
    `log: { origin: ${JSON.stringify(name)}, publicKey: ${JSON.stringify(publicKey)} }`,
    "# Into the environment of whatever builds, and nowhere else:",
    `LOG_KEY=${privateKey}`,
  ];
  print(options, { log: { origin: name, publicKey }, LOG_KEY: privateKey }, `${text.join("\n")}\n`);
}

/** runCosigned adds signatures of witnesses to the log. It checks those of log.witnesses; those of others are kept. */
export async function runCosigned(file: string, options: CommonOptions, annexes: ShelfAnnexes): Promise<void> {
  const config = await openConfig(configOf(options), { checkSources: false });
  const shelves = openShelves(config, annexes);
  const trust = openTrust(config);
  const copy = usable(() => readFileSync(file));
  const done = await withShelves(shelves, () =>
    addSignatures(shelves.public.log, copy, trust.key === null ? [] : [trust.key, ...trust.witnesses]),
  );
  const text =
    done.added.length === 0
      ? `The checkpoint of ${countOf(done.size, "entry", "entries")} has these signatures already.\n`
      : `Kept under the checkpoint of ${countOf(done.size, "entry", "entries")}: ${done.added.join(", ")}.\n`;
  print(options, done, text);
}

/** usable makes a wrong argument of the caller an error of usage. */
function usable<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw new ShelfError("bad_config", cause instanceof Error ? cause.message : String(cause), { cause });
  }
}
