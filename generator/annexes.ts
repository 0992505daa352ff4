/** The annexes of this program, as they are handed to the core. What builds and verifies is loaded when somebody does. */
import { BUCKETS } from "#generator/annex/bucket";
import { REGISTRY } from "#generator/annex/registry";
import type { Annexes } from "#generator/pipeline";

export const ANNEXES: Annexes = {
  ...BUCKETS,
  ...REGISTRY,
  steps: async () => (await import("#generator/annex/leaks")).STEPS,
  leaks: async () => (await import("#generator/annex/leaks")).LEAKS,
  ended: async (end) => (end.config.webhooks.length === 0 ? [] : (await import("#generator/annex/webhooks")).tellWebhooks(end)),
};
