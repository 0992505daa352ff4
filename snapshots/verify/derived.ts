/** Makes every derived file again and compares. Who can derive (extractors, compiled pages) is handed in: this folder imports neither. */
import type { Sha256 } from "#snapshots/digest";
import type { Snapshot } from "#snapshots/shelf";
import type { ViewData } from "#snapshots/format";
import type { Audit, Check, CheckedView } from "./check.ts";
import { reasonOf } from "./finding.ts";

export interface Deriver {
  /** Every file that follows from the objects and the data of a snapshot, in any order, each path once. A top folder
   *  ("pages/", "extracts/", …) of which it gives any file is taken to be given whole.
   *  `digest` is called at most once, and only when the file is there to be compared; several are under way at once. */
  files(snapshot: Snapshot, data: ViewData): AsyncIterable<DerivedSource>;
}
export type DerivedSource = { readonly path: string; readonly digest: () => Promise<Sha256> | Sha256 };

/** Files that are made at once: enough to keep the processes that read objects busy. */
const AT_ONCE = 16;

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
  const found: { readonly at: number; readonly code: DerivedCode; readonly path: string | null; readonly detail: string }[] = [];
  const compare = async (at: number, { path, digest }: DerivedSource, wanted: Sha256): Promise<void> => {
    try {
      if ((await digest()) !== wanted) found.push({ at, code: "derived_differs", path, detail: "Made again, it has other bytes." });
    } catch (error) {
      found.push({ at, code: "derive_failed", path, detail: reasonOf(error) });
    }
  };
  const under = new Set<Promise<void>>();
  let broken = false;
  try {
    for await (const source of deriver.files(snapshot, data)) {
      const { path } = source;
      const at = expected.add(path).size;
      hear(`make files of the ${root} view again`, at, files.size);
      const entry = files.get(path);
      if (entry === undefined) {
        found.push({ at, code: "derived_missing", path, detail: "It follows from the sources." });
        continue;
      }
      const comparing: Promise<void> = compare(at, source, entry.sha256).finally(() => under.delete(comparing));
      under.add(comparing);
      if (under.size >= AT_ONCE) await Promise.race(under);
    }
  } catch (error) {
    broken = true;
    found.push({ at: Number.POSITIVE_INFINITY, code: "derive_failed", path: null, detail: reasonOf(error) });
  }
  await Promise.all(under);
  const folders = new Set([...expected].map(topFolder));
  // Where the list broke off, what it did not name is not known to be too much.
  for (const path of broken ? [] : files.keys()) {
    if (folders.has(topFolder(path)) && !expected.has(path))
      found.push({ at: Number.POSITIVE_INFINITY, code: "derived_extra", path, detail: "Nothing in the sources gives it." });
  }
  for (const { code, path, detail } of found.sort((a, b) => a.at - b.at)) report.add(code, root, { snapshot: snapshot.id, path }, detail);
  if (found.length === 0) derived.add(name);
}

type DerivedCode = "derived_missing" | "derived_differs" | "derived_extra" | "derive_failed";

function topFolder(path: string): string {
  return path.slice(0, path.indexOf("/") + 1);
}
