/** Verification: reads a shelf as if nobody could be trusted, and tells what is wrong with it. Which checks there are stands here, and
 *  nowhere else; their order is that of their findings.
 *
 *  Not covered, since nothing else says what they should be: the changes of a snapshot whose predecessor was pruned, blobs that no
 *  snapshot reaches, what `inventory.ts` says is harmless, and the index unless `index` is given. Where a root has no log of
 *  publications, nothing says either what `created` and `inputs` of records before the current one were. */
import { exposureCheck } from "../annex/leaks/exposure-check.ts";
import { leakCheck, type LeakSources } from "../annex/leaks/leak-check.ts";
import { REDACTION_CHECKS } from "../annex/leaks/redacted-check.ts";
import { logCheck, type LogTrust } from "../annex/log/log-check.ts";
import { changesCheck } from "../verify/changes.ts";
import type { Check } from "../verify/check.ts";
import { type Deriver, derivedCheck } from "../verify/derived.ts";
import { extractsCheck } from "../verify/extracts.ts";
import type { Finding } from "../verify/finding.ts";
import { type FindIndexProblems, indexCheck } from "../verify/index-check.ts";
import { inventoryCheck } from "../verify/inventory.ts";
import { pagesCheck } from "../verify/pages.ts";
import { runChecks, type RunOptions } from "../verify/run-checks.ts";
import { ROUTES } from "./routes.ts";

export type VerifyOptions = Omit<RunOptions, "routes"> &
  LeakSources & {
    /** Makes derived files again; without it they are checked against their digests and against each other. */
    readonly derive?: Deriver;
    readonly index?: FindIndexProblems;
    /** Who signs the logs of publications, when it is known. */
    readonly log?: LogTrust | null;
  };

export function verifyShelf(options: VerifyOptions): Promise<Finding[]> {
  return runChecks({ ...options, routes: ROUTES }, checksFor(options));
}

function checksFor({ derive, index, log = null, snapshots, ...leaks }: VerifyOptions): readonly Check[] {
  return [
    pagesCheck,
    extractsCheck,
    ...(derive === undefined ? [] : [derivedCheck(derive)]),
    ...(index === undefined ? [] : [indexCheck(index)]),
    ...REDACTION_CHECKS,
    changesCheck,
    logCheck(log),
    inventoryCheck,
    ...(snapshots === "all" ? [exposureCheck(leaks.extra)] : []),
    leakCheck(leaks),
  ];
}
