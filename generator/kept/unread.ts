/** Files that could not be read, or not in time, by the digest of their bytes: whoever sends one again, under whatever name, does not have it
 *  tried again by the same program. */
import { join } from "node:path";
import { z } from "zod";
import type { UnreadFiles } from "#generator/extract";
import { keptFile } from "#generator/files";

const unreadSchema = z.union([
  z.strictObject({ what: z.enum(["text", "all"]), note: z.string() }),
  z.strictObject({ what: z.literal("pages") }),
]);
const fileSchema = z.strictObject({ maker: z.string(), files: z.record(z.string(), unreadSchema) });
/** More than that are no accident, and are tried again. */
const MAX_FILES = 100_000;

/** openUnread opens the list of these files. @param maker digest of what reads files: what another one could not read is forgotten */
export function openUnread(buildDir: string, maker: string): UnreadFiles {
  const kept = keptFile(fileSchema, join(buildDir, "unread.state"));
  const found = kept.read();
  const files = new Map(found?.maker === maker ? Object.entries(found.files) : []);
  return {
    find: (digest) => files.get(digest) ?? null,
    add(digest, unread) {
      if (files.size >= MAX_FILES) return;
      files.set(digest, unread);
      kept.write({ maker, files: Object.fromEntries(files) });
    },
    isEmpty: () => files.size === 0,
  };
}
