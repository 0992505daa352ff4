/** The annexes of this program, as they are handed to the core. */
import { counting } from "#sidecar/annex/counting";
import { openDevelopmentAccess } from "#sidecar/annex/development";
import { openSignIn } from "#sidecar/annex/oidc";
import type { SidecarAnnexes } from "#sidecar/serve";

export const ANNEXES: SidecarAnnexes = {
  counting,
  openSignIn,
  openDevelopmentAccess,
};
