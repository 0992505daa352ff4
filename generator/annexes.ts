/** The annexes of this program, as they are handed to the core. What builds and verifies is loaded when somebody does. */
import { BUCKETS } from "./annex/bucket/register.ts";
import { REGISTRY } from "./annex/registry/register.ts";
import type { Annexes } from "./build/annexes.ts";

export const ANNEXES: Annexes = {
  ...BUCKETS,
  ...REGISTRY,
  steps: async () => (await import("./annex/leaks/register.ts")).STEPS,
  leaks: async () => (await import("./annex/leaks/register.ts")).LEAKS,
  ended: async (end) => (end.config.webhooks.length === 0 ? [] : (await import("./annex/webhooks/register.ts")).tellWebhooks(end)),
  modules: { leaks: ["generator/annex/leaks/leak-check.ts"], program: ["generator/annexes.ts"] },
};
