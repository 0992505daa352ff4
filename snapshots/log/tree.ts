/** The Merkle tree of a log: hashes, proofs and their checks as RFC 6962 section 2.1 defines them (RFC 9162 section 2.1 for the checks).
 *  Sizes and positions go up to 2^53 - 1, so nothing here shifts bits. */
import { hash } from "node:crypto";
import { rangeHash as rangeOf, splitOf } from "./shape.ts";

/** A Hash has 32 bytes. */
export type Hash = Buffer;

/** ReadNode gives the hash of 2^height entries side by side, from entry index * 2^height on. */
export type ReadNode = (height: number, index: number) => Promise<Hash>;

/** These bytes in front keep an entry from being taken for a node. */
const [LEAF, NODE] = [Uint8Array.of(0), Uint8Array.of(1)];

export const EMPTY_ROOT: Hash = hash("sha256", "", "buffer");

export function hashLeaf(entry: Uint8Array): Hash {
  return hash("sha256", Buffer.concat([LEAF, entry]), "buffer");
}

export function hashNode(left: Hash, right: Hash): Hash {
  return hash("sha256", Buffer.concat([NODE, left, right]), "buffer");
}

function rangeHash(start: number, end: number, read: ReadNode): Promise<Hash> {
  return rangeOf(start, end, { read, join: hashNode });
}

export async function treeRoot(size: number, read: ReadNode): Promise<Hash> {
  return size === 0 ? EMPTY_ROOT : rangeHash(0, size, read);
}

/** proveInclusion gives PATH(index, D[0:size]). @param index of an entry, from 0, below `size` */
export async function proveInclusion(index: number, size: number, read: ReadNode): Promise<readonly Hash[]> {
  const path: Hash[] = [];
  for (let [start, end] = [0, size]; end - start > 1; ) {
    const split = start + splitOf(end - start);
    const inLeft = index < split;
    path.unshift(await (inLeft ? rangeHash(split, end, read) : rangeHash(start, split, read)));
    [start, end] = inLeft ? [start, split] : [split, end];
  }
  return path;
}

/** proveConsistency gives PROOF(older, D[0:newer]); nothing for sizes of which one says all, 0 and the size itself. */
export async function proveConsistency(older: number, newer: number, read: ReadNode): Promise<readonly Hash[]> {
  if (older === 0 || older === newer) return [];
  const proof: Hash[] = [];
  let whole = true;
  let [start, end] = [0, newer];
  while (end !== older) {
    const split = start + splitOf(end - start);
    if (older <= split) {
      proof.unshift(await rangeHash(split, end, read));
      end = split;
    } else {
      proof.unshift(await rangeHash(start, split, read));
      whole = false;
      start = split;
    }
  }
  if (!whole) proof.unshift(await rangeHash(start, end, read));
  return proof;
}

/** verifyInclusion follows RFC 9162 section 2.1.3.2. */
export function verifyInclusion(leaf: Hash, index: number, size: number, proof: readonly Hash[], root: Hash): boolean {
  if (!(index >= 0 && index < size)) return false;
  let [node, last, found] = [index, size - 1, leaf];
  for (const sibling of proof) {
    if (last === 0) return false;
    if (node % 2 === 1 || node === last) {
      found = hashNode(sibling, found);
      while (node % 2 === 0 && node !== 0) [node, last] = [node / 2, Math.floor(last / 2)];
    } else found = hashNode(found, sibling);
    [node, last] = [Math.floor(node / 2), Math.floor(last / 2)];
  }
  return last === 0 && found.equals(root);
}

type SizedRoot = { readonly size: number; readonly root: Hash };

/** verifyConsistency tells, by RFC 9162 section 2.1.4.2, whether the older tree is the beginning of the newer one. */
export function verifyConsistency(older: SizedRoot, newer: SizedRoot, proof: readonly Hash[]): boolean {
  if (older.size > newer.size) return false;
  if (older.size === newer.size) return proof.length === 0 && older.root.equals(newer.root);
  if (older.size === 0) return proof.length === 0 && older.root.equals(EMPTY_ROOT);
  const isPower = Number.isInteger(Math.log2(older.size)) && 2 ** Math.log2(older.size) === older.size;
  const [first, ...rest] = isPower ? [older.root, ...proof] : proof;
  if (first === undefined) return false;
  let [node, last] = [older.size - 1, newer.size - 1];
  while (node % 2 === 1) [node, last] = [Math.floor(node / 2), Math.floor(last / 2)];
  let [old, now] = [first, first];
  for (const sibling of rest) {
    if (last === 0) return false;
    if (node % 2 === 1 || node === last) {
      [old, now] = [hashNode(sibling, old), hashNode(sibling, now)];
      while (node % 2 === 0 && node !== 0) [node, last] = [node / 2, Math.floor(last / 2)];
    } else now = hashNode(now, sibling);
    [node, last] = [Math.floor(node / 2), Math.floor(last / 2)];
  }
  return last === 0 && old.equals(older.root) && now.equals(newer.root);
}
