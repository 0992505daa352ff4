/** The exact-revision store: `{repo}/{head}/{path}`, read by the build to say what is available and by the sidecar to send bytes. */
import type { Sha256 } from "#snapshots/digest";
import type { CodeRef } from "#snapshots/format";
import type { OpenFile } from "./checked-read.ts";

export const MAX_CODE_BYTES = 64 * 1024 * 1024; // one source file; a build holds it in memory

type CodeFile = { readonly bytes: Uint8Array; readonly sha256: Sha256 };
export type ListedCode = CodeRef & {
  readonly size: number;
  /** Why it cannot be served; null when it can. */
  readonly problem: string | null;
};

export interface CodeStore {
  /** Size in bytes; null when the store has no such regular file.
   *  @throws ShelfError "bad_code_path", or "code_store_unavailable" when the store cannot tell */
  stat(ref: CodeRef): Promise<{ readonly size: number } | null>;
  /** All bytes and their digest; null when the store has no such regular file. The caller compares the digest.
   *  @throws ShelfError "bad_code_path", or "code_store_unavailable" when the store cannot tell or the file is over MAX_CODE_BYTES */
  read(ref: CodeRef): Promise<CodeFile | null>;
  /** The file, open, for who sends it part by part. As `read` otherwise. */
  open(ref: CodeRef): Promise<OpenFile | null>;
  /** Everything below well-named repositories and revisions, in no order.
   *  @throws ShelfError "code_store_unavailable" */
  list(): AsyncIterable<ListedCode>;
}

/** BucketConfig is a bucket of the configuration; credentials are found where the AWS SDK looks for them. */
export type BucketConfig = {
  readonly bucket: string;
  /** Empty, or ends in "/". All keys are below it. */
  readonly prefix: string;
  /** Null is AWS. */
  readonly endpoint: string | null;
  readonly region: string;
  readonly forcePathStyle: boolean;
};

export type CodeStorage = { readonly kind: "directory"; readonly root: string } | ({ readonly kind: "s3" } & BucketConfig);
