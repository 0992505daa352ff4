/** The search index of each kept snapshot. Who can read an index is handed in. */
import type { Sha256 } from "#snapshots/digest";
import type { ViewData } from "#snapshots/format";
import type { Check } from "./check.ts";
import type { RootName } from "./finding.ts";

/** FindIndexProblems finds what is wrong with the search index of a snapshot. @param data of the snapshot; null for one that is not served, or
 *  whose files are not sound
 *  @returns one sentence for each problem */
export type FindIndexProblems = (root: RootName, snapshot: Sha256, data: ViewData | null) => Promise<readonly string[]>;

export function indexCheck(findProblems: FindIndexProblems): Check {
  return {
    name: "index",
    needs: "snapshot",
    async run({ report, root }, snapshot, data) {
      for (const detail of await findProblems(root, snapshot, data))
        report.add("index_mismatch", root, { snapshot, path: "index" }, detail);
    },
  };
}
