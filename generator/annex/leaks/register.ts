/** The plugs of the annex: keys of the configuration, steps of a build, the look for leaks of `verify`, and what other annexes ask of it. What does
 *  the work is loaded by who calls it. */
import { lazily } from "#generator/files";
import type { Annexes } from "#generator/pipeline";

export { KEYS as LEAK_KEYS } from "./keys.ts";

export const LEAKS = {
  steps: async () => (await import("./steps.ts")).STEPS,
  leaks: async () => (await import("./steps.ts")).LEAKS,
} satisfies Pick<Annexes, "steps" | "leaks">;

export const findExposure = lazily(async () => (await import("./gating.ts")).findExposure);
export const forgetRedacted = lazily(async () => (await import("./redact.ts")).forgetRedacted);
