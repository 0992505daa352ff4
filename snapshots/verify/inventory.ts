/** Every file of a root, and what answers for it: verification tells a changed byte in it, or such a byte changes nothing that anybody is
 *  served. A file of no such kind is told: nothing would say what becomes of it. */
import type { Check } from "./check.ts";

/** A Warrant says what answers for a file. @param by the check that tells a changed byte; null where none does, and `why` says why it need not */
export type Warrant = { readonly by: string | null; readonly why: string };

const checked = (by: string): Warrant => ({ by, why: "" });
const harmless = (why: string): Warrant => ({ by: null, why });

/** Path in the root → what answers for it; the first that fits. */
const INVENTORY: readonly (readonly [path: RegExp, warrant: Warrant])[] = [
  [/^current\.json$/, checked("it is the record of its number")],
  [/^snapshots\/[1-9]\d*\.json$/, checked("the log has it under its number")],
  [/^withdrawn\.json$/, checked("the log has each of its records under its number")],
  [/^changes\/[1-9]\d*\.json$/, checked("the trees differ as it says, and changes.sha256 has its digest")],
  [/^checkpoints\/[1-9]\d*$/, checked("it is the root over its entries, and signed")],
  [/^tile\//, checked("the last head is over it")],
  [/^keys\.json$/, checked("its keys have signed the heads")],
  [/^redacted\/[0-9a-f]{64}$/, checked("a key of the log has signed it")],
  [/^blobs\//, checked("its name is its digest")],
  [/^packs\//, checked("its name is its digest")],
  [/^index\/.*\/latest_version_hint\.json$/, harmless("the engine goes on from it to the newest version; who searches names a version")],
  [/^index\/shared\//, checked("the public index has no other tag of such a name")],
  [/^index\//, checked("the manifest of a snapshot has its digest")],
  [/^changes\.sha256$/, harmless("it is derived: where it is not whole it says nothing, and lists are held against the trees alone")],
  [
    /^served$/,
    harmless("a number that is none of a publication is not believed, and what was served is told by what lies beyond the pointer"),
  ],
  [/^format$/, checked("whatever opens the shelf refuses another version than its own")],
  [/^checked$/, harmless("it says when a build last looked, for the age that /health tells")],
  [/^followed$/, harmless("its time counts, and not what is in it")],
  [/^(bucket\/|bucket\.state$)/, harmless("what this machine knows of its bucket; what is not whole is looked up again")],
  [/^pointer\.lock$/, harmless("it is empty; a lock is held on it")],
  [/^(tmp|arriving)\//, harmless("files that are being written; the next build removes what a killed one left")],
];

/** Files of the internal root alone. */
const OF_BUILDS: typeof INVENTORY = [
  [/^build\/decisions\.json$/, checked("it is kept behind its own digest, and a build refuses what is not whole")],
  [/^build\//, harmless("it is kept behind its own digest for the next build, which begins without what is not whole")],
  [/^lost\//, harmless("repair has set it aside, and nothing reads it")],
];

/** findWarrant says what answers for a file of a root; null for a file that belongs into none. */
export function findWarrant(root: "public" | "internal", path: string): Warrant | null {
  const rows = root === "public" ? INVENTORY : [...INVENTORY, ...OF_BUILDS];
  return rows.find(([pattern]) => pattern.test(path))?.[1] ?? null;
}

export const inventoryCheck: Check = {
  name: "inventory",
  needs: "root",
  async run({ report, root, shelf }) {
    for await (const path of shelf.listFiles())
      if (findWarrant(root, path) === null) report.add("unknown_file", root, { path }, "It is no part of a shelf, and nothing checks it.");
  },
};
