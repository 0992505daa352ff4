/** The serve room puts the sidecar together: its addresses, its views, its models and its log.
 *  It gives a server to `main.ts`.
 *  It follows publications, and never serves half of two snapshots. */
export { openLog } from "./log.ts";
export type { SignInAddresses } from "./passage.ts";
export { type DevelopmentAccess, openSidecar, type Sidecar, type SidecarAnnexes } from "./server.ts";
