/** The small values that every resource is made of. Text in them comes from sources nobody here controls. */
import { z } from "zod";

/** Sha256Hex is a lower-case hex digest; upper case is accepted and folded. */
export const Sha256Hex = z
  .string()
  .regex(/^[0-9a-fA-F]{64}$/, "is not a SHA-256 digest of 64 hex digits")
  .toLowerCase()
  .meta({ description: "SHA-256, 64 lower-case hex digits" });

/** WebUrl is "" or an address that is harmless as an href: http, https, or a path on this host. It is an allow-list, because `javascript:`,
 *  `data:` and their relatives run in the reader's page. */
export const WebUrl = z.string().refine(isWebUrl, "is not an http or https address").meta({
  description: 'An http or https address, a path that starts with "/", or empty',
});

export function isWebUrl(text: string): boolean {
  if (text === "") return true;
  if (/[\u0000-\u0020\u007f\\]/.test(text)) return false;
  if (text.startsWith("/")) return !text.startsWith("//"); // "//host" is another host with an unstated scheme
  return /^https?:\/\/./i.test(text) && URL.canParse(text);
}

/** DateTime is RFC 3339 in UTC ("Z"), seconds or finer. */
export const DateTime = z.iso.datetime().meta({ description: "RFC 3339, UTC" });

/** SnapshotId is the id of a snapshot: the digest of its root tree. */
export const SnapshotId = Sha256Hex.meta({ description: "Snapshot id: SHA-256 of its root tree" });

export const Count = z.int().min(0);

export const Counters = z.record(z.string(), Count);

/** text makes the schema of a string that may be left out; then it is empty. */
export const text = (description: string) => z.string().default("").meta({ description });

/** EVIDENCE_STATES says what became of something that is pinned: its bytes are those, others, not there, without a digest to hold them against, or
 *  could not be looked at. */
export const EVIDENCE_STATES = ["holds", "differs", "gone", "unpinned", "unreachable"] as const;
export type EvidenceState = (typeof EVIDENCE_STATES)[number];

/** STATEMENT_STATES are what became of a record's statement beside the declaration of its name in its pinned file: its words, others, no such
 *  declaration, or one whose proof the file leaves open. */
export const STATEMENT_STATES = ["same", "differs", "not_found", "open"] as const;
export type StatementState = (typeof STATEMENT_STATES)[number];

/** CHECK_STATES are the states of a check. The generator says which of them a record is verified by. */
export const CHECK_STATES = [
  "accepted",
  "accepted_with_axioms",
  "exported",
  "holes",
  "rejected",
  "timeout",
  "memory",
  "environment",
  "unsupported",
  "not_run",
  "stale",
  "disagrees",
] as const;
export type CheckState = (typeof CHECK_STATES)[number];

/** licenceUrl finds the address of a licence's text.
 *  @param license an SPDX expression, an address, or whatever somebody wrote
 *  @returns null where no single address has its text */
export function licenceUrl(license: string | undefined): string | null {
  if (license === undefined) return null;
  if (isWebUrl(license)) return license;
  return /^(?!LicenseRef-)[A-Za-z0-9][A-Za-z0-9.-]*$/.test(license) ? `https://spdx.org/licenses/${license}.html` : null;
}
