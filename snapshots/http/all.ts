/** How every row is answered that follows from a snapshot or from the process: the core's and the annexes'. Effects are the sidecar's. */
import type { EffectRouteId, RowId } from "../routes/all.ts";
import type { Handler } from "./context.ts";
import { CORE_HANDLERS } from "./core-answers.ts";
import { HISTORY_HANDLERS } from "../annex/history/answers.ts";
import { LEAK_HANDLERS } from "../annex/leaks/answers.ts";
import { LOG_HANDLERS } from "../annex/log/answers.ts";
import { PROOF_HANDLERS } from "../annex/proofs/answers.ts";
import { SIDE_HANDLERS } from "../annex/side/answers.ts";

export { MEMENTO } from "../annex/history/answers.ts";
export { BESIDE_HANDLERS } from "../annex/side/answers.ts";

export const HANDLERS: Readonly<Record<Exclude<RowId, EffectRouteId>, Handler>> = {
  ...CORE_HANDLERS,
  ...HISTORY_HANDLERS,
  ...LOG_HANDLERS,
  ...SIDE_HANDLERS,
  ...PROOF_HANDLERS,
  ...LEAK_HANDLERS,
};
