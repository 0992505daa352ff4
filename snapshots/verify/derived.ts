/** Makes every derived file again and compares. Who can derive (extractors, compiled pages) is handed in: this folder imports neither. */
import { sha256 } from "../digest.ts";
import type { Snapshot } from "../shelf/read.ts";
import type { ViewData } from "../format/view-data.ts";
import type { Audit, Check, CheckedView } from "./check.ts";
import { reasonOf } from "./finding.ts";

export interface Deriver {
  /** Every file that follows from the objects and the data of a snapshot, in any order, each path once. A top folder
   *  ("pages/", "extracts/", …) of which it gives any file is taken to be given whole.
   *  `bytes` is called at most once, and only when the file is there to be compared. */
  files(snapshot: Snapshot, data: ViewData): AsyncIterable<DerivedSource>;
}
export type DerivedSource = { readonly path: string; readonly bytes: () => Promise<Uint8Array> | Uint8Array };

export function derivedCheck(deriver: Deriver): Check {
  return { name: "derived", needs: "view", run: (audit, view) => checkDerived(audit, view, deriver) };
}

async function checkDerived(
  { report, root, derived, tell: hear }: Audit,
  { snapshot, data, files }: CheckedView,
  deriver: Deriver,
): Promise<void> {
  const name = `${root} ${snapshot.id}`;
  if (derived.has(name)) return;
  const expected = new Set<string>();
  let same = true;
  const tell = (
    code: "derived_missing" | "derived_differs" | "derived_extra" | "derive_failed",
    path: string | null,
    detail: string,
  ): void => {
    same = false;
    report.add(code, root, { snapshot: snapshot.id, path }, detail);
  };
  try {
    for await (const { path, bytes } of deriver.files(snapshot, data)) {
      expected.add(path);
      hear(`make files of the ${root} view again`, expected.size, files.size);
      const entry = files.get(path);
      if (entry === undefined) {
        tell("derived_missing", path, "It follows from the sources.");
        continue;
      }
      try {
        if (sha256(await bytes()) !== entry.sha256) tell("derived_differs", path, "Made again, it has other bytes.");
      } catch (error) {
        tell("derive_failed", path, reasonOf(error));
      }
    }
  } catch (error) {
    // The list broke off: what it did not name is not known to be too much.
    tell("derive_failed", null, reasonOf(error));
    return;
  }
  const folders = new Set([...expected].map(topFolder));
  for (const path of files.keys()) {
    if (folders.has(topFolder(path)) && !expected.has(path)) tell("derived_extra", path, "Nothing in the sources gives it.");
  }
  if (same) derived.add(name);
}

function topFolder(path: string): string {
  return path.slice(0, path.indexOf("/") + 1);
}
