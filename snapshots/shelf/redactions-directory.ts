/** Notices in place of blobs that were taken out, each a file named after the digest. */
import { readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { type Sha256, SHA256_PATTERN } from "#snapshots/digest";
import { absent } from "./absent.ts";
import { redactionPath } from "./redactions.ts";
import type { RootFiles } from "./root-files.ts";
import type { Redactions } from "./shelf.ts";

export class RootRedactions implements Redactions {
  private readonly root: string;
  private readonly files: RootFiles;
  private readonly fallback: Redactions | null;

  constructor(root: string, files: RootFiles, fallback: Redactions | null) {
    this.root = root;
    this.files = files;
    this.fallback = fallback;
  }

  async list(): Promise<readonly Sha256[]> {
    return ((await readdir(join(this.root, "redacted")).catch(absent)) ?? []).filter((name) => SHA256_PATTERN.test(name)).sort();
  }

  async read(digest: Sha256): Promise<Uint8Array | null> {
    return (await readFile(join(this.root, redactionPath(digest))).catch(absent)) ?? (await this.fallback?.read(digest)) ?? null;
  }

  async version(): Promise<string> {
    const folder = await stat(join(this.root, "redacted"), { bigint: true }).catch(absent);
    return `${folder?.mtimeNs ?? ""} ${(await this.fallback?.version()) ?? ""}`;
  }

  /** put survives a power cut. */
  async put(digest: Sha256, notice: string): Promise<void> {
    this.files.writeDurable(join(this.root, redactionPath(digest)), Buffer.from(notice));
  }

  async drop(digest: Sha256): Promise<void> {
    await rm(join(this.root, redactionPath(digest)), { force: true });
  }
}
