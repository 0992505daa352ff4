/** The plugs of the annex: a key of the configuration, and the end of a build. */
import type { Annexes } from "#generator/pipeline";

export { KEYS as WEBHOOK_KEYS } from "./keys.ts";

export const WEBHOOKS = {
  ended: async (end) => (end.config.webhooks.length === 0 ? [] : (await import("./tell.ts")).tellWebhooks(end)),
} satisfies Pick<Annexes, "ended">;
