/** The version of the shelf's format. A program that changes what older ones cannot read raises it and says in the changelog what to do. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ShelfError } from "#snapshots/errors";
import { CLOSED, OPEN, writeWhole } from "#snapshots/shelf";

/** FORMAT is what this program writes. A shelf without the file has the first format. */
const FORMAT = 1;
const NAME = "format";

/** checkFormat refuses a root that a newer program has written. @throws ShelfError "bad_config" */
export function checkFormat(root: string): void {
  const file = join(root, NAME);
  const written = existsSync(file) ? readFileSync(file, "utf8").trim() : String(FORMAT);
  if (written === String(FORMAT)) return;
  throw new ShelfError(
    "bad_config",
    `This shelf has the format ${JSON.stringify(written.slice(0, 20))}, and this program reads ${FORMAT}.`,
    {
      fixes: [
        "Run the version that wrote it, or a newer one. Nothing was changed.",
        `Where this version wrote it, the file is damaged: write ${FORMAT} into ${file}.`,
      ],
    },
  );
}

/** keepFormat writes the version down where it is not yet. */
export function keepFormat(roots: Readonly<Record<"publicDir" | "internalDir", string>>): void {
  for (const [name, modes] of [
    ["publicDir", OPEN],
    ["internalDir", CLOSED],
  ] as const) {
    const file = join(roots[name], NAME);
    if (!existsSync(file)) writeWhole(file, `${FORMAT}\n`, { modes });
  }
}
