/** Remembers whose a shelf is. Two configurations that write one shelf in turns publish one library over the other, and what one of them gates the
 *  other may not. So a shelf remembers the configuration that it was built by: the file, by where it lies or lies from the shelf, or the very same
 *  bytes, so that a library that moves, or is checked out elsewhere each time, stays the owner. */
import { realpath } from "node:fs/promises";
import { basename, join, relative } from "node:path";
import { z } from "zod";
import { ShelfError } from "#snapshots/errors";
import type { Config } from "#generator/config";
import { type KeptFile, keptFile } from "#generator/files";
import type { Shelves } from "./shelves.ts";

const Owner = z.object({ title: z.string(), file: z.string(), fromShelf: z.string(), sha256: z.string() });
type Owner = z.infer<typeof Owner>;

/** Holds nothing while nobody has built the shelf. */
function ownerFile({ buildDir }: Shelves): KeptFile<Owner> {
  return keptFile(Owner, join(buildDir, "owner.state"));
}

async function describe({ file, sha256, title }: Config, { internalDir }: Shelves): Promise<Owner> {
  const real = await realpath(file).catch(() => file);
  return { title, file: real, fromShelf: relative(await realpath(internalDir).catch(() => internalDir), real), sha256 };
}

/** refuseOther refuses a shelf of another configuration. @throws ShelfError "bad_config" when another configuration built what lies there */
export async function refuseOther(config: Config, shelves: Shelves): Promise<void> {
  const owner = ownerFile(shelves).read();
  if (owner === null) return;
  const mine = await describe(config, shelves);
  if ((["file", "fromShelf", "sha256"] as const).some((name) => owner[name] === mine[name])) return;
  throw new ShelfError(
    "bad_config",
    `Nothing was changed: this shelf was built by another configuration, ${basename(owner.file)} (${JSON.stringify(owner.title)}).`,
    {
      fixes: [
        "Give each configuration a shelf of its own: shelf: { kind: directory, root: … }",
        "If this one takes its place from now on, say so once: proofshelf build --adopt",
      ],
    },
  );
}

/** keepOwner writes down, after a build, that the shelf is this configuration's. */
export async function keepOwner(config: Config, shelves: Shelves): Promise<void> {
  ownerFile(shelves).write(await describe(config, shelves));
}
