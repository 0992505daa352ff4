/** The webhooks annex tells addresses of the operator what came of a build.
 *  It gives `tellWebhooks` to the end of a build.
 *  A message goes to public addresses alone, is signed, and never holds up a build. */
export { tellWebhooks } from "./register.ts";
