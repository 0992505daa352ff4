/** The findings of verification. Their texts name places in the shelf, never what a gated file says. */
import type { Sha256 } from "#snapshots/digest";

export type RootName = "public" | "internal";
type Severity = "error" | "warning";

/** code → how grave it is and what it means. Leaks are warnings where a public source says the secret itself. */
const FINDINGS = {
  unreadable: ["error", "A file of the shelf cannot be read (for example, a folder stands in its place)"],
  pointer_missing: ["error", "There is no current.json: nothing is published"],
  pointer_malformed: ["error", "current.json is not a record"],
  pointer_mismatch: ["error", "current.json is not the record of its sequence number"],
  pointer_back: ["error", "current.json names an older record than was published: somebody put an earlier one back"],
  history_rewritten: ["error", "A record is not the one that was published under its number"],
  log_missing: ["error", "The log of publications has no head for what is served"],
  log_damaged: ["error", "Files of the log of publications are missing, damaged or of another log"],
  log_differs: ["error", "A record is not the one that the log of publications has under its number"],
  checkpoint_refused: ["error", "A checkpoint of the log is malformed, or not signed by whom it should be"],
  record_malformed: ["error", "A file under snapshots/ is not a record"],
  record_chain: ["error", "A record names a previous snapshot that no earlier record holds, though none is missing"],
  record_order: ["warning", "A record is older than the one before it"],
  orphan_record: ["warning", "A record lies beyond the pointer: a publication was cut short"],
  changes_missing: ["error", "A record has no changes/<n>.json"],
  changes_malformed: ["error", "A file under changes/ is not a list of changes"],
  changes_mismatch: ["error", "changes/<n>.json does not say what differs between the two snapshots"],
  blob_missing: ["error", "A blob that a snapshot names is not there"],
  blob_only_internal: ["error", "A blob of the public view lies only under internal/"],
  blob_digest: ["error", "A blob's bytes do not have the digest that is its name"],
  blob_size: ["error", "A blob has another size than its entry says"],
  redacted: ["warning", "Blobs of what is withdrawn were taken out of earlier snapshots; a notice stands in the place of each"],
  pack_damaged: [
    "warning",
    "A pack is not what its name says; blobs that it no longer gives are named apart; repair writes the others anew",
  ],
  bucket_object: ["error", "An object of the shelf's bucket is not there, or not what its name says; repair sends it again from the copy"],
  tree_malformed: ["error", "A tree is not canonical"],
  tree_too_large: ["error", "A snapshot has more entries, or deeper folders, than verification follows"],
  bad_name: ["error", "A path has a name that no file system or URL can carry"],
  media_type: ["error", "An entry's media type does not fit its path"],
  unknown_file: ["warning", "A file of a kind that no shelf has; nothing checks it, and nothing is made of it"],
  unreferenced_blobs: ["warning", "Blobs that no kept snapshot reaches; prune removes them"],
  gated_blob_in_public: ["warning", "A blob under public/ is used by the internal view only: it was public once, or a build was cut short"],
  api_missing: ["error", "A file under api/ is missing"],
  api_malformed: ["error", "A file under api/ does not have its shape, or holds a field that the interface does not name"],
  api_mismatch: ["error", "Two files under api/, or one of them and objects/, disagree"],
  extract_missing: ["error", "An object has no extract, or an extract has no object"],
  extract_mismatch: ["error", "An extract does not fit its object"],
  page_missing: ["error", "A page that follows from the data is missing"],
  page_extra: ["error", "A page follows from nothing in the data"],
  derived_missing: ["error", "A file that follows from the sources is missing"],
  derived_differs: ["error", "A file is not what follows from the sources"],
  derived_extra: ["error", "A file follows from nothing in the sources"],
  derive_failed: ["error", "A derived file could not be made again"],
  index_mismatch: ["error", "The search index of a snapshot is not what was written, or does not find what it must"],
  not_in_internal: ["error", "Something public is missing from the internal view, or differs there"],
  gated_in_public: ["error", "Something gated is part of the public view"],
  decisions_damaged: ["error", "What an operator has decided cannot be read"],
  gated_in_history: ["warning", "Something that is gated now is part of an earlier public snapshot, or named by the history"],
  leak_key: ["error", "A gated key occurs in a public file"],
  leak_digest: ["error", "A gated digest occurs in a public file"],
  leak_title: ["error", "A gated title occurs in a public file"],
  leak_text: ["error", "Gated text occurs in a public file"],
  leak_private: ["error", "A private value occurs in a public file"],
} as const satisfies Record<string, readonly [Severity, string]>;

type FindingCode = keyof typeof FINDINGS;

export type Finding = {
  readonly severity: Severity;
  readonly code: FindingCode;
  readonly root: RootName;
  readonly snapshot: Sha256 | null;
  /** Path in the snapshot's tree, or of a file in the root such as "snapshots/3.json". */
  readonly path: string | null;
  readonly detail: string;
};

/** Findings of one code and root that are told one by one: a shelf in ruins needs no million lines. */
const MAX_EACH = 200;

export type Report = {
  add(
    code: FindingCode,
    root: RootName,
    place: { readonly snapshot?: Sha256 | null; readonly path?: string | null },
    detail: string,
    severity?: Severity,
  ): void;
  /** Errors first, then warnings, each in the order in which they were found. */
  finish(): Finding[];
};

export function createReport(): Report {
  const findings: Finding[] = [];
  const counts = new Map<string, { code: FindingCode; root: RootName; count: number; severity: Severity }>();
  return {
    add(code, root, { snapshot = null, path = null }, detail, severity = FINDINGS[code][0]) {
      const name = `${root} ${code} ${severity}`;
      const seen = counts.get(name) ?? { code, root, count: 0, severity };
      counts.set(name, seen);
      seen.count++;
      if (seen.count <= MAX_EACH) findings.push({ severity, code, root, snapshot, path, detail });
    },
    finish() {
      for (const { code, root, count, severity } of counts.values()) {
        if (count > MAX_EACH)
          findings.push({ severity, code, root, snapshot: null, path: null, detail: `${count - MAX_EACH} more findings of this kind.` });
      }
      counts.clear();
      return [...findings.filter((one) => one.severity === "error"), ...findings.filter((one) => one.severity === "warning")];
    },
  };
}

/** reasonOf says why something failed, without a path of the machine. */
export function reasonOf(error: unknown): string {
  if (error instanceof Error && "code" in error && typeof error.code === "string" && "syscall" in error)
    return `It cannot be read (${error.code}).`;
  return error instanceof Error ? error.message : String(error);
}
