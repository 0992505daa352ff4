/** Shelves that tests of verification damage, and what they damage them with. */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { type DirectoryShelf, openDirectoryShelf } from "../shelf/shelf-directory.ts";
import type { Finding } from "./finding.ts";
import { publishBoth, TINY, type TinyOptions, type TinySource } from "./tiny-shelf-fixture.ts";
import { type VerifyOptions, verifyShelf } from "../service/verify.ts";

const base = mkdtempSync(join(tmpdir(), "verify-"));
after(() => rmSync(base, { recursive: true }));
let rooms = 0;

export type Room = { readonly root: string; readonly public: DirectoryShelf; readonly internal: DirectoryShelf };

/** newRoom returns a folder with both roots: empty, or a copy of another. */
export function newRoom(from: Room | null = null): Room {
  const root = join(base, String(rooms++));
  if (from !== null) cpSync(from.root, root, { recursive: true });
  const shelf = openDirectoryShelf(join(root, "public"));
  return { root, public: shelf, internal: openDirectoryShelf(join(root, "internal"), shelf) };
}

export async function published(source: TinySource = TINY, options: TinyOptions = {}): Promise<Room> {
  const room = newRoom();
  await publishBoth(room, source, options);
  return room;
}

export const verify = (room: Room, more: Partial<VerifyOptions> = {}): Promise<Finding[]> =>
  verifyShelf({ public: room.public, internal: room.internal, snapshots: "all", ...more });
export const errors = (findings: readonly Finding[]): Finding[] => findings.filter((finding) => finding.severity === "error");

/** coveredFiles returns files that verification answers for; a lock and the like are not. */
export function coveredFiles(room: Room): string[] {
  return readdirSync(room.root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(room.root.length + 1))
    .filter((path) => /^(public|internal)\/(blobs\/|snapshots\/|changes\/|current\.json$)/.test(path))
    .sort();
}

export type Damage = (file: string, bytes: Buffer) => void;

/** isTree tells whether a blob is a folder of a snapshot. */
export function isTree(room: Room, path: string): boolean {
  return readFileSync(join(room.root, path)).subarray(0, 9).toString() === '[{"kind":';
}

/** DAMAGES are the things that can become of a file. The first is that it is missing. */
export const DAMAGES: readonly Damage[] = [
  (file) => rmSync(file),
  (file, bytes) => writeFileSync(file, bytes.subarray(0, bytes.length >> 1)),
  (file) => writeFileSync(file, ""),
  (file, bytes) => writeFileSync(file, Buffer.concat([bytes, Buffer.of(0)])),
  (file) => writeFileSync(file, '{"__proto__":{"a":[[[null]]]}}'),
  (file) => writeFileSync(file, Buffer.of(0xff, 0xfe, 0)),
  (file) => (rmSync(file), mkdirSync(file)),
];

/** flip changes bits of one byte. */
export function flip(place: number, mask: number): Damage {
  return (file, bytes) => {
    const at = place % bytes.length;
    writeFileSync(file, bytes.with(at, (bytes[at] ?? 0) ^ mask));
  };
}

/** OTHER_BYTES is the pointer, a record or a list of changes in other bytes that say the same. */
export const OTHER_BYTES: readonly Damage[] = [
  (file, bytes) => writeFileSync(file, Buffer.concat([bytes, Buffer.from("\n")])),
  (file, bytes) => writeFileSync(file, Buffer.concat([Buffer.from(" "), bytes])),
  (file, bytes) => writeFileSync(file, JSON.stringify(JSON.parse(bytes.toString()), null, 1)),
  (file, bytes) => writeFileSync(file, bytes.toString().replace('"inputs":', '"inputs" :').replace('"added":', '"added" :')),
];

/** mayBeMissing tells what may be missing. A blob that both roots hold may be missing from the internal one: that is how it should have been
 *  stored. */
export function mayBeMissing(path: string, files: readonly string[]): boolean {
  return path.startsWith("internal/blobs/") && files.includes(path.replace("internal", "public"));
}

/** damaged damages files, hands the room to `check`, and puts the files back. */
export async function damaged<T>(room: Room, paths: readonly string[], damage: Damage, check: () => Promise<T>): Promise<T> {
  const whole = paths.map((path) => [join(room.root, path), readFileSync(join(room.root, path))] as const);
  try {
    for (const [file, bytes] of whole) damage(file, bytes);
    return await check();
  } finally {
    for (const [file, bytes] of whole) {
      rmSync(file, { recursive: true, force: true });
      writeFileSync(file, bytes);
    }
  }
}
