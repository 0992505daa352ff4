/** The annexes of this program, as they are handed to the core. */
import { counting } from "./annex/counting/answer-counted.ts";
import { openDevelopmentAccess } from "./annex/development/development-access.ts";
import { SignIn } from "./annex/oidc/sign-in.ts";
import type { SidecarAnnexes } from "./serve/server.ts";

export const ANNEXES: SidecarAnnexes = {
  counting,
  openSignIn: (readAccess, given) => new SignIn(readAccess, given),
  openDevelopmentAccess,
};
