/** The publish room moves pointers: records first, then both heads of the log, then the internal and the public pointer.
 *  It takes two finished views and gives the record of the publication.
 *  A kill at any point leaves the old snapshot served. */
export { objectBytes, openDeriver } from "./derive.ts";
export { defaultOrigin, openSigners, openTrust } from "./log-signer.ts";
export { type Parts, type Site, usualParts } from "./parts.ts";
export { publish } from "./publish.ts";
export { countErrors, describeFindings, type LeakAnnex, verifyLibrary } from "./verify-library.ts";
