/** The annexes of this program, as they are handed to the core: the `register.ts` of each names its plugs. Whoever loads this file has their keys in
 *  the configuration, too. */
import { BUCKET_KEYS, BUCKETS } from "#generator/annex/bucket";
import { LEAK_KEYS, LEAKS } from "#generator/annex/leaks";
import { OIDC_KEYS } from "#generator/annex/oidc";
import { REGISTRY, REGISTRY_KEYS } from "#generator/annex/registry";
import { WEBHOOK_KEYS, WEBHOOKS } from "#generator/annex/webhooks";
import { addKeys } from "#generator/config";
import type { Annexes } from "#generator/pipeline";

export const ANNEXES: Annexes = { ...BUCKETS, ...REGISTRY, ...LEAKS, ...WEBHOOKS };

addKeys(BUCKET_KEYS, LEAK_KEYS, OIDC_KEYS, REGISTRY_KEYS, WEBHOOK_KEYS);
