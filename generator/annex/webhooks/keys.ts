/** The key of webhooks in the configuration. */
import { z } from "zod";
import { type AnnexKeys, findRegistryProblem, refuse } from "#generator/config";

const webhook = z
  .strictObject({
    url: z.string().superRefine(refuse(findRegistryProblem)).meta({ description: "Address that takes messages" }),
    events: z
      .array(z.enum(["published", "weaker", "drift", "recalled", "failed"]))
      .min(1, "is empty; leave it out for all")
      .default(["published", "weaker", "drift", "recalled", "failed"])
      .meta({ description: "What it is told" }),
    allowPrivate: z.boolean().default(false).meta({ description: "Whether it may be of a private network, and without encryption" }),
  })
  .refine(
    ({ url, allowPrivate }) => allowPrivate || url.startsWith("https:"),
    "has an address without encryption; write https, or allowPrivate: true",
  );

const webhooks = z
  .array(webhook)
  .default([])
  .meta({ description: "Who is told what came of a build; WEBHOOK_SECRET in the environment signs it" });

declare module "../../config/keys.ts" {
  interface AnnexConfig {
    readonly webhooks: z.output<typeof webhooks>;
  }
}

export const KEYS: AnnexKeys = { top: { webhooks }, secrets: ["WEBHOOK_SECRET"] };
