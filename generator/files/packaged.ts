/** In a published package the sources are not there: what is known of them (import-closure.ts) was written down when it was made. */
import { readFileSync } from "node:fs";
import type { Sha256 } from "#snapshots/digest";

/** PACKAGED_FILE is the name of the file, from the root of a package. */
export const PACKAGED_FILE = "packaged.json";

/** PackagedSource is what is known of a file: its bytes, and the modules and packages that it names. */
export type PackagedSource = { readonly digest: Sha256; readonly modules: readonly string[]; readonly packages: readonly string[] };

/** LockEntry is what the lock file says of a package. */
export type LockEntry = {
  readonly version?: string | undefined;
  readonly integrity?: string | undefined;
  readonly dependencies?: Readonly<Record<string, string>> | undefined;
  readonly optionalDependencies?: Readonly<Record<string, string>> | undefined;
};

export type Packaged = {
  /** By path from the project's root. */
  readonly sources: Readonly<Record<string, PackagedSource>>;
  /** Place in node_modules → what the lock file says of it. */
  readonly lock: Readonly<Record<string, LockEntry>>;
};

/** packaged is what the published package knows of the sources; null in a checkout. */
export const packaged: Packaged | null = read();

function read(): Packaged | null {
  try {
    return JSON.parse(readFileSync(new URL(`../../${PACKAGED_FILE}`, import.meta.url), "utf8")) as Packaged;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}
