/** Finds what was public and is gated now: in earlier snapshots, and in what the history names. */
import type { Sha256 } from "#snapshots/digest";
import { isGatedKey } from "#snapshots/format";
import { createTreeCache, openSnapshot } from "#snapshots/shelf";
import type { Check } from "#snapshots/verify";
import { digestOfChanges, type Exposed, type KeptInHistory, openGating, openKept } from "./exposure.ts";

/** exposureCheck makes the check for things that were public and are gated now.
 *  @param extra private values that no view holds
 *  @param kept what an operator lets stay: of that it warns alone */
export function exposureCheck(extra: readonly string[] = [], kept: KeptInHistory = []): Check {
  return {
    name: "exposure",
    needs: "views",
    async run(report, open, full, records) {
      const { shelf } = open.snapshot;
      const { collections } = full.data.library;
      const findHeld = openGating({ collections, public: open.data, internal: full.data, privateTexts: extra });
      const isKept = openKept(kept);
      const trees = createTreeCache();
      const tell = (place: { snapshot?: Sha256; path?: string }, what: string, all: readonly Exposed[], where: Sha256): void => {
        const stay = all.filter((one) => isKept(one, where)).length;
        if (stay > 0) report.add("gated_in_history", "public", place, `${what} ${stay} things that are gated now, and stay as decided.`);
        if (stay < all.length)
          report.add("gated_in_history", "public", place, `${what} ${all.length - stay} things that are gated now.`, "error");
      };
      for (const record of records.filter(({ snapshot }) => snapshot !== open.snapshot.id)) {
        const { snapshot } = record;
        const held = await openSnapshot(shelf, record, trees)
          .then(async (one) => findHeld(await one.data()))
          .catch(() => []);
        tell({ snapshot }, "It holds", held, snapshot);
      }
      for await (const [sequence, changes] of shelf.records.changes(0, records.at(-1)?.sequence ?? 0)) {
        const keys = new Set([changes.added, changes.changed, changes.removed].flatMap(({ objects }) => objects));
        const gated = [...keys].filter((key) => isGatedKey(collections, key)).map((name) => ({ what: "object", name }) as const);
        tell({ path: `changes/${sequence}.json` }, "It names", gated, digestOfChanges(sequence));
      }
    },
  };
}
