/** Notices of blobs that were taken out of earlier snapshots: one that holds stands in the place of its blob. */
import { countOf } from "#snapshots/format";
import { checkRedaction, readLogKeys } from "#snapshots/shelf";
import type { Check } from "#snapshots/verify";

export const REDACTION_CHECKS: readonly Check[] = [
  {
    name: "notices of what is redacted",
    needs: "gap",
    /** A notice that does not hold is told by what this throws. */
    async isFilled({ shelf, other }, digest) {
      const notice = await shelf.redactions.read(digest);
      if (notice === null) return false;
      const keys = await Promise.all([shelf, ...(other === null ? [] : [other])].map((one) => readLogKeys(one.log)));
      checkRedaction(notice, digest, keys.flat());
      return true;
    },
  },
  {
    name: "what is redacted, counted",
    needs: "root",
    run({ report, root, redacted }) {
      if (redacted.size === 0) return;
      report.add("redacted", root, { path: "redacted" }, `${countOf(redacted.size, "blob")} of earlier snapshots, each with its notice.`);
    },
  },
];
