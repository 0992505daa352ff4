/** Verification: reads a shelf as if nobody could be trusted, and tells what is wrong with it. Which checks there are stands here, and
 *  nowhere else; their order is that of their findings.
 *
 *  Not covered, since nothing else says what they should be: the changes of a snapshot whose predecessor was pruned, blobs that no
 *  snapshot reaches, what `inventory.ts` says is harmless, and the index unless `index` is given. Where a root has no log of
 *  publications, nothing says either what `created` and `inputs` of records before the current one were. */
import { exposureCheck, leakCheck, type LeakSources, REDACTION_CHECKS } from "#snapshots/annex/leaks";
import { logCheck, type LogTrust } from "#snapshots/annex/log";
import {
  changesCheck,
  type Check,
  derivedCheck,
  type Deriver,
  extractsCheck,
  type FindIndexProblems,
  type Finding,
  indexCheck,
  inventoryCheck,
  pagesCheck,
  runChecks,
  type RunOptions,
} from "#snapshots/verify";
import { ROUTES } from "./routes.ts";

export type VerifyOptions = Omit<RunOptions, "routes"> &
  LeakSources & {
    /** Makes derived files again; without it they are checked against their digests and against each other. */
    readonly derive?: Deriver;
    readonly index?: FindIndexProblems;
    /** The signer of the logs of publications, when it is known. */
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
    ...(snapshots === "all" ? [exposureCheck(leaks.extra, leaks.kept)] : []),
    leakCheck(leaks),
  ];
}
