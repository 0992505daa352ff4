/** Tells when the pointer of a root has moved, without being asked. Where the system tells of changes, waiting for them costs nothing;
 *  where it does not, as for folders of other machines, the pointer's time is looked at. */
import { type FSWatcher, statfsSync, statSync, watch } from "node:fs";
import { join } from "node:path";

const POINTER = "current.json";
/** Where nothing tells of changes; a follower is to be at most two seconds behind. Milliseconds. */
const LOOK_MS = 1_500;
/** Beside what the system tells, which may be lost with a folder that is exchanged. Milliseconds. */
const BACKSTOP_MS = 60_000;
/** Numbers of file systems (statfs(2)) whose changes by other machines nobody is told of: NFS, SMB (three), FUSE, Ceph, 9P. */
const REMOTE: ReadonlySet<number> = new Set([0x6969, 0x517b, 0xfe534d42, 0xff534d42, 0x65735546, 0xc36400, 0x01021997]);

/** watchPointer calls `moved` after current.json of one of the roots was written, until it is closed. It keeps no process alive.
 *  @param roots folders, which need not be there yet */
export function watchPointer(roots: readonly string[], moved: () => void): { close(): void } {
  const watches = roots.map((root) => new PointerWatch(root, moved));
  return { close: () => watches.forEach((one) => one.close()) };
}

class PointerWatch {
  readonly #root: string;
  readonly #moved: () => void;
  #watcher: FSWatcher | null = null;
  #timer: NodeJS.Timeout | undefined;
  #seen: string;

  constructor(root: string, moved: () => void) {
    this.#root = root;
    this.#moved = moved;
    this.#watch();
    this.#seen = this.#stamp();
    this.#wait();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#watcher?.close();
  }

  #wait(): void {
    this.#timer = setTimeout(() => this.#look(), this.#watcher === null ? LOOK_MS : BACKSTOP_MS).unref();
  }

  #look(): void {
    const told = this.#tell();
    // Nobody told of it: this is another folder than the one that is watched.
    if (told || this.#watcher === null) this.#watch();
    this.#wait();
  }

  /** @returns whether the pointer is another than the last that was told of */
  #tell(): boolean {
    const now = this.#stamp();
    if (now === this.#seen) return false;
    this.#seen = now;
    this.#moved();
    return true;
  }

  #watch(): void {
    this.#watcher?.close();
    this.#watcher = null;
    try {
      if (REMOTE.has(statfsSync(this.#root).type)) return;
      const watcher = watch(this.#root, { persistent: false }, (_, name) => {
        if (name === null || name === POINTER) this.#tell();
      });
      watcher.on("error", () => {
        watcher.close();
        if (this.#watcher === watcher) this.#watcher = null;
      });
      this.#watcher = watcher;
    } catch {
      // Not there yet, or no watches are left: it is looked at.
    }
  }

  #stamp(): string {
    try {
      const { ino, mtimeNs } = statSync(join(this.#root, POINTER), { bigint: true });
      return `${ino} ${mtimeNs}`;
    } catch {
      return "";
    }
  }
}
