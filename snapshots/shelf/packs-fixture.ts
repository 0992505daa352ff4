/** Roots with packs, and what damages one. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { sha256 } from "../digest.ts";
import { type DirectoryShelf, openDirectoryShelf } from "./shelf-directory.ts";

const base = mkdtempSync(join(tmpdir(), "packs-"));
after(() => rmSync(base, { recursive: true }));
let rooms = 0;
export const newRoot = (): string => join(base, String(rooms++));

export const words = (number: number): Buffer => Buffer.from(`Blob ${number}. `.repeat(50));

export async function put(shelf: DirectoryShelf, blobs: readonly Buffer[]): Promise<void> {
  for (const bytes of blobs) await shelf.blobs.put(sha256(bytes), bytes);
}
export const packsIn = (root: string): string[] => readdirSync(join(root, "packs")).map((name) => join(root, "packs", name));
export const looseIn = (root: string): string[] =>
  existsSync(join(root, "blobs"))
    ? readdirSync(join(root, "blobs"), { recursive: true, encoding: "utf8" }).filter((name) => name.length > 64)
    : [];
export async function readable(root: string, blobs: readonly Buffer[]): Promise<boolean[]> {
  const shelf = openDirectoryShelf(root);
  return Promise.all(blobs.map(async (bytes) => sha256((await shelf.getBlob(sha256(bytes))) ?? "missing") === sha256(bytes)));
}
/** placeIn returns where the bytes of a blob lie in a pack. */
export function placeIn(pack: Buffer, blob: Buffer): number {
  const name = `${sha256(blob).slice(0, 2)}/${sha256(blob)}`;
  return pack.indexOf(name) + name.length;
}
export function flip(path: string, at: number): void {
  const bytes = readFileSync(path);
  bytes[at] = (bytes[at] ?? 0) ^ 0x5a;
  writeFileSync(path, bytes);
}

/** flipInTurn flips one byte after another.
 *  @param step from byte to byte that is changed */
export async function flipInTurn(step: number): Promise<void> {
  const root = newRoot();
  const blobs = Array.from({ length: 6 }, (_, number) => words(number));
  const shelf = openDirectoryShelf(root, null, "building");
  await put(shelf, blobs);
  await shelf.blobs.flush();
  const [pack = ""] = packsIn(root);
  const whole = readFileSync(pack);
  for (let at = 0; at < whole.length; at += step) {
    rmSync(join(root, "packs"), { recursive: true });
    await put(shelf, []);
    mkdirSync(join(root, "packs"));
    writeFileSync(pack, whole);
    flip(pack, at);
    const opened = openDirectoryShelf(root, null, "building");
    assert.deepEqual(await opened.blobs.findDamagedPacks(), [pack.slice(-68, -4)], `byte ${at}`);
    // Bytes that are given are right or are told by their digest; nothing throws.
    await readable(root, blobs);
    await opened.blobs.sweep({ isNeeded: null, packs: await opened.blobs.findDamagedPacks() });
    assert.ok((await readable(root, blobs)).filter((found) => !found).length <= 1, `byte ${at}`);
    assert.deepEqual(await opened.blobs.findDamagedPacks(), [], `byte ${at}`);
  }
  for (const length of [0, 10, whole.length / 2, whole.length - 1]) {
    writeFileSync(pack, whole);
    truncateSync(pack, length);
    assert.equal((await readable(root, blobs)).includes(true), false, "a pack without a directory holds nothing");
  }
}
