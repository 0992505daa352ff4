/** Finds what was public and is gated now: in earlier snapshots, and in what the history names. */
import { isGatedKey } from "#snapshots/format";
import { createTreeCache, openSnapshot } from "#snapshots/shelf";
import type { Check } from "#snapshots/verify";
import { openGating } from "./exposure.ts";

/** exposureCheck makes the check for things that were public and are gated now. @param extra private values that no view holds */
export function exposureCheck(extra: readonly string[] = []): Check {
  return {
    name: "exposure",
    needs: "views",
    async run(report, open, full, records) {
      const { shelf } = open.snapshot;
      const { collections } = full.data.library;
      const findHeld = openGating({ collections, public: open.data, internal: full.data, privateTexts: extra });
      const trees = createTreeCache();
      for (const record of records.filter(({ snapshot }) => snapshot !== open.snapshot.id)) {
        const { snapshot } = record;
        const held = await openSnapshot(shelf, record, trees)
          .then(async (one) => findHeld(await one.data()))
          .catch(() => []);
        if (held.length > 0) report.add("gated_in_history", "public", { snapshot }, `It holds ${held.length} things that are gated now.`);
      }
      for await (const [sequence, changes] of shelf.records.changes(0, records.at(-1)?.sequence ?? 0)) {
        const keys = [changes.added, changes.changed, changes.removed].flatMap(({ objects }) =>
          objects.filter((key) => isGatedKey(collections, key)),
        );
        const path = `changes/${sequence}.json`;
        if (keys.length > 0) report.add("gated_in_history", "public", { path }, `It names ${new Set(keys).size} keys that are gated now.`);
      }
    },
  };
}
