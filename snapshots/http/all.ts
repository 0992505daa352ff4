/** How every row is answered that follows from a snapshot or from the process: the core's and the annexes'. Effects are the sidecar's. */
import type { EffectRouteId, RowId } from "../routes/all.ts";
import type { Handler } from "./context.ts";
import { CORE_HANDLERS } from "./core-answers.ts";
import { HISTORY_HANDLERS } from "./history-answer.ts";
import { LEAK_HANDLERS } from "./leak-answer.ts";
import { LOG_HANDLERS } from "./shelf-answer.ts";
import { SIDE_HANDLERS } from "./side-answer.ts";

export { MEMENTO } from "./history-answer.ts";
export { BESIDE_HANDLERS } from "./side-answer.ts";

export const HANDLERS: Readonly<Record<Exclude<RowId, EffectRouteId>, Handler>> = {
  ...CORE_HANDLERS,
  ...HISTORY_HANDLERS,
  ...LOG_HANDLERS,
  ...SIDE_HANDLERS,
  ...LEAK_HANDLERS,
};
