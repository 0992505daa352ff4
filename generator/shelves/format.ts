/** The version of the shelf's format. A program that changes what older ones cannot read raises it and says in the changelog what to do. */
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ShelfError } from "#snapshots/errors";
import { CLOSED, OPEN, writeWhole } from "#snapshots/shelf";

/** FORMAT is what this program writes. A shelf without the file has the first format. */
const FORMAT = 1;
const NAME = "format";

/** Roots are the folders of both views. */
export type Roots = Readonly<Record<"publicDir" | "internalDir", string>>;

/** checkFormat refuses a root that a newer program has written. @throws ShelfError "bad_config" */
export function checkFormat(root: string): void {
  const written = readFormat(root) ?? String(FORMAT);
  if (written === String(FORMAT)) return;
  throw new ShelfError(
    "bad_config",
    `This shelf has the format ${JSON.stringify(written.slice(0, 20))}, and this program reads ${FORMAT}.`,
    {
      fixes: [
        "Run the version that wrote it, or a newer one. Nothing was changed.",
        `Where this version wrote it, the file is damaged: run proofshelf repair, or write ${FORMAT} into ${join(root, NAME)}.`,
      ],
    },
  );
}

/** keepFormat writes the version down where it is not yet. */
export function keepFormat(roots: Roots): void {
  for (const [name, modes] of [
    ["publicDir", OPEN],
    ["internalDir", CLOSED],
  ] as const) {
    const file = join(roots[name], NAME);
    if (!existsSync(file)) writeWhole(file, `${FORMAT}\n`, { modes });
  }
}

/** mendFormat writes the version anew into a root whose other one has it: a program writes both together. @returns the view that was mended */
export function mendFormat(roots: Roots): "public" | "internal" | null {
  const [open, closed] = [readFormat(roots.publicDir), readFormat(roots.internalDir)];
  const own = String(FORMAT);
  if (open === null || closed === null || open === closed || (open !== own && closed !== own)) return null;
  rmSync(join(open === own ? roots.internalDir : roots.publicDir, NAME));
  keepFormat(roots);
  return open === own ? "internal" : "public";
}

function readFormat(root: string): string | null {
  const file = join(root, NAME);
  return existsSync(file) ? readFileSync(file, "utf8").trim() : null;
}
