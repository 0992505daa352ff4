/** The webhooks annex tells addresses of the operator what came of a build.
 *  It gives `WEBHOOKS` to the core: what stands there is all of it.
 *  A message goes to public addresses alone, is signed, and never holds up a build. */
export { WEBHOOK_KEYS, WEBHOOKS } from "./register.ts";
